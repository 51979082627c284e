package lanes

import (
	"runtime"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Benchmarks report the time per lane, and the cycles per operation; an operation is one call for
// all lanes. In benchmarks named Latency each call waits for the result of the previous one.

func perLane(b *testing.B, lanes int) {
	ns := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(ns/float64(lanes), "ns/lane")
	if runtime.GOARCH == "amd64" {
		b.ReportMetric(ns*clock(), "cycles/op")
	}
}

// clock returns the CPU's clock frequency in cycles per nanosecond, measured with a chain of
// multiplications of three cycles each. It assumes that the frequency is constant.
func clock() float64 {
	best := time.Hour
	var x uint64
	for range 300 {
		start := time.Now()
		x ^= chain(2000)
		best = min(best, time.Since(start))
	}
	runtime.KeepAlive(x)
	return 6000 / float64(best.Nanoseconds())
}

//go:noinline
func chain(n int) uint64 {
	x, k := uint64(n), uint64(n|1)
	for ; n > 0; n -= 8 {
		x = x * k * k * k * k
		x = x * k * k * k * k
	}
	return x
}

func benchmark(b *testing.B, op func(x *benchValues)) {
	r := random(b)
	var x benchValues
	for i := range x.e {
		x.e[i] = randomElement(r)
	}
	for i := range x.s {
		x.s[i], _ = randomScalar(r)
	}
	for j := range x.k {
		x.s[0].Lane(j, &x.k[j])
	}
	x.p = Jacobian{randomElement(r), randomElement(r), randomElement(r)}
	x.q = Jacobian{randomElement(r), randomElement(r), randomElement(r)}
	x.a = Affine{randomElement(r), randomElement(r)}
	b.ReportAllocs()
	for b.Loop() {
		op(&x)
	}
	perLane(b, Width)
}

type benchValues struct {
	e       [6]Element
	v       Element
	p, q, t Jacobian
	a, c    Affine
	s       [3]Scalar
	k       [Width]scalar.Scalar
	rows    Packed
	halves  [Width][4]uint64
	d       [2][3]Vector
	m       Mask
}

func BenchmarkMul(b *testing.B) { benchmark(b, func(x *benchValues) { x.v.Mul(&x.e[0], &x.e[1]) }) }
func BenchmarkMulLatency(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.v.Mul(&x.v, &x.e[1]) })
}
func BenchmarkSquare(b *testing.B) { benchmark(b, func(x *benchValues) { x.v.Square(&x.e[0]) }) }

// BenchmarkSquareN computes a hundred consecutive squares in one operation.
func BenchmarkSquareN(b *testing.B) {
	benchmark(b, func(x *benchValues) { squareN(&x.v, &x.e[0], 100) })
}

// BenchmarkSquareNPair computes a hundred consecutive squares for each of two elements.
func BenchmarkSquareNPair(b *testing.B) {
	benchmark(b, func(x *benchValues) {
		squareNPair((*[2]Element)(x.e[0:2]), (*[2]Element)(x.e[2:4]), 100)
	})
	perLane(b, 2*Width)
}
func BenchmarkAdd(b *testing.B) { benchmark(b, func(x *benchValues) { x.v.Add(&x.e[0], &x.e[1]) }) }
func BenchmarkSub(b *testing.B) { benchmark(b, func(x *benchValues) { x.v.Sub(&x.e[0], &x.e[1]) }) }
func BenchmarkMulSmall(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.v.MulSmall(&x.e[0], 7) })
}
func BenchmarkNormalize(b *testing.B) {
	benchmark(b, func(x *benchValues) { normalize(&x.v, &x.e[0]) })
}
func BenchmarkIsZero(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.m = x.m.Xor(x.e[0].IsZero()) })
}
func BenchmarkSelect(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.v.Select(maskOf(0x5a), &x.e[0], &x.e[1]) })
}
func BenchmarkSqrtPair(b *testing.B) {
	benchmark(b, func(x *benchValues) {
		m := SqrtPair((*[2]Element)(x.e[0:2]), (*[2]Element)(x.e[2:4]))
		x.m = x.m.Xor(m[0]).Xor(m[1])
	})
	perLane(b, 2*Width)
}

func BenchmarkDouble(b *testing.B) { benchmark(b, func(x *benchValues) { x.t.DoubleN(&x.p, 1) }) }

// BenchmarkDoubleN computes five consecutive doublings.
func BenchmarkDoubleN(b *testing.B) { benchmark(b, func(x *benchValues) { x.t.DoubleN(&x.t, 5) }) }
func BenchmarkAddMixed(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.t.AddMixedIncomplete(&x.p, &x.a) })
}
func BenchmarkAddMixedLatency(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.p.AddMixedIncomplete(&x.p, &x.a) })
}
func BenchmarkAddJacobian(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.t.AddIncomplete(&x.p, &x.q) })
}
func BenchmarkAddAffine(b *testing.B) {
	benchmark(b, func(x *benchValues) { AddAffineIncomplete(&x.c, &x.a, &x.a, &x.e[0]) })
}
func BenchmarkUnpack(b *testing.B) { benchmark(b, func(x *benchValues) { x.a.Unpack(&x.rows) }) }
func BenchmarkPack(b *testing.B)   { benchmark(b, func(x *benchValues) { x.a.Pack(&x.rows) }) }
func BenchmarkSetLimbs(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.v.SetLimbs(&x.halves) })
}
func BenchmarkLimbs(b *testing.B) { benchmark(b, func(x *benchValues) { x.e[0].Limbs(&x.halves) }) }

func BenchmarkScalarMul(b *testing.B) {
	benchmark(b, func(x *benchValues) { x.s[0].Mul(&x.s[1], &x.s[2]) })
}

// BenchmarkBatchInvertScalars inverts 32 elements of eight lanes each.
func BenchmarkBatchInvertScalars(b *testing.B) {
	v, scratch := make([]Scalar, 32), make([]Scalar, 32)
	benchmark(b, func(x *benchValues) {
		for i := range v {
			v[i] = x.s[i%len(x.s)]
		}
		BatchInvertScalars(v, scratch)
	})
	perLane(b, len(v)*Width)
}
func BenchmarkSplitOdd(b *testing.B) {
	benchmark(b, func(x *benchValues) { SplitOdd(&x.d[0], &x.d[1], &x.k, 130) })
}

// BenchmarkDivideScalars divides two numbers in each of 256 rows.
// BenchmarkDivideSingly does the same without lanes.
func BenchmarkDivideScalars(b *testing.B) {
	scratch := make([]Scalar, DivideScratch(256))
	benchmarkDivision(b, func(u, v, s, _ []scalar.Scalar) { DivideScalars(u, v, s, scratch) })
}
func BenchmarkDivideSingly(b *testing.B) {
	benchmarkDivision(b, func(u, v, s, room []scalar.Scalar) {
		scalar.BatchInvertVartime(s, room)
		for i := range s {
			u[i].Mul(&u[i], &s[i])
			v[i].Mul(&v[i], &s[i])
		}
	})
}

func benchmarkDivision(b *testing.B, divide func(u, v, s, room []scalar.Scalar)) {
	r := random(b)
	var rows [4][256]scalar.Scalar
	for k := range rows {
		for i := range rows[k] {
			rows[k][i].SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		divide(rows[0][:], rows[1][:], rows[2][:], rows[3][:])
	}
	perLane(b, len(rows[0]))
}
