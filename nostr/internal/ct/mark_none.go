//go:build !valgrind

package ct

// Declassify marks b as public: it is computed from secrets, and the caller publishes it.
func Declassify(b []byte) {}

// Outcome returns v, which is computed from secrets and becomes public, as an error or none.
func Outcome(v int) int { return v }
