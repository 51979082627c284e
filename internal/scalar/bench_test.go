package scalar

import "testing"

// operands returns two scalars of full length.
func operands() (a, b Scalar) {
	return *fromInt(lambda), *fromInt(halfN)
}

func BenchmarkAdd(b *testing.B) {
	x, y := operands()
	for b.Loop() {
		x.Add(&x, &y)
	}
}

func BenchmarkMul(b *testing.B) {
	x, y := operands()
	for b.Loop() {
		x.Mul(&x, &y)
	}
}

func BenchmarkSquare(b *testing.B) {
	x, _ := operands()
	for b.Loop() {
		x.Square(&x)
	}
}

func BenchmarkSplit(b *testing.B) {
	x, _ := operands()
	for b.Loop() {
		k1, k2 := x.Split()
		x.l0 += k1.Lo + k2.Lo
	}
}

func BenchmarkInvert(b *testing.B) {
	x, y := operands()
	for b.Loop() {
		x.Add(&x, &y).Invert(&x)
	}
}

func BenchmarkInvertVartime(b *testing.B) {
	x, y := operands()
	for b.Loop() {
		x.Add(&x, &y).InvertVartime(&x)
	}
}

// BenchmarkBatchInvertVartime inverts 64 scalars in each operation.
func BenchmarkBatchInvertVartime(b *testing.B) {
	v, scratch := make([]Scalar, 64), make([]Scalar, 64)
	x, y := operands()
	for i := range v {
		v[i] = *x.Add(&x, &y)
	}
	for b.Loop() {
		BatchInvertVartime(v, scratch)
	}
}
