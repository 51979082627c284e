package reference

import (
	"encoding/hex"
	"math/rand/v2"
)

// Hex returns the bytes that the hexadecimal digits of s encode. It panics if s contains anything
// else, or an odd number of digits.
func Hex(s string) []byte { return Must(hex.DecodeString(s)) }

// Bytes returns n pseudo-random bytes from r.
func Bytes(r Source, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint64())
	}
	return b
}

// Rand returns a source of pseudo-random numbers with a random seed, which it logs.
func Rand(t interface{ Logf(string, ...any) }) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// Must returns v. It panics if err is not nil.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
