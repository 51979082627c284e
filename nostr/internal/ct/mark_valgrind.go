//go:build valgrind

package ct

import "github.com/koblitz-go/koblitz/internal/ct"

// Declassify marks b as public: it is computed from secrets, and the caller publishes it.
func Declassify(b []byte) { ct.DeclassifyBytes(b) }

// Outcome marks v as public and returns it. It is computed from secrets and decides which error, if
// any, the caller gets.
func Outcome(v int) int {
	word := uint64(v)
	ct.Declassify(&word, 1)
	return int(word)
}
