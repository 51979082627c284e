package sums

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
)

// Horner returns a function that adds up the sums by powers of two of the given number of workers.
// Package engine's benchmarks compare its time with that of verifying a row.
func Horner(b *testing.B, workers int) func() {
	s := benchPositions(b, workers)
	return func() {
		var r point.Jacobian
		s.horner(&r)
	}
}
