// Package modn reduces bytes modulo the group order n, and draws random factors.
//
//ci:untested The tests of the packages of this module call it.
package modn

import (
	"crypto/rand"

	"github.com/koblitz-go/koblitz/group"
)

// Reduce sets s to the big-endian number b modulo n, and returns s. The time does not depend on b.
func Reduce(s *group.Scalar, b *[32]byte) *group.Scalar {
	s.SetBytesReduced(b[:]) // the only error is another length
	return s
}

// RandomFactor sets s to a random number below 2^128, and returns s. Such factors combine several
// equations into one.
func RandomFactor(s *group.Scalar) *group.Scalar {
	var b [32]byte
	rand.Read(b[16:])
	return Reduce(s, &b)
}
