//go:build valgrind

package ct

import "github.com/koblitz-go/koblitz/internal/ct"

// Classify marks b as secret.
func Classify(b []byte) { ct.ClassifyBytes(b) }

// Declassify marks b as public: it is computed from secrets, and the caller publishes it.
func Declassify(b []byte) { ct.DeclassifyBytes(b) }

// Outcome returns v, which is computed from secrets and becomes public, as an error or none.
func Outcome(v int) int {
	word := uint64(v)
	ct.Declassify(&word, 1)
	return int(word)
}
