package scalar

import "testing"

// Benchmarks of Mul and Invert are in lab/bench.

func BenchmarkSplit(b *testing.B) {
	x := *fromInt(lambda)
	for b.Loop() {
		k1, k2 := x.Split()
		x.l0 += k1.Lo + k2.Lo
	}
}

func BenchmarkSplitOdd(b *testing.B) {
	x := *fromInt(lambda)
	for b.Loop() {
		d1, d2 := x.SplitOdd(130)
		x.l0 += d1.L0 + d2.L0
	}
}
