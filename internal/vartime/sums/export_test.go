package sums

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
)

// Horner returns a function that adds up the sums of a number of workers, for benchmarks that
// compare it with the rows of package engine.
func Horner(b *testing.B, workers int) func() {
	sums := benchPositions(b, workers)
	return func() {
		var r point.Jacobian
		horner(&r, sums)
	}
}
