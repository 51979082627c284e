//go:build valgrind

package ct

import "github.com/koblitz-go/koblitz/internal/ct"

// Declassify marks b as public: it is computed from secrets, and the caller publishes it.
func Declassify(b []byte) { ct.DeclassifyBytes(b) }
