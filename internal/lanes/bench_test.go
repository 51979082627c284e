package lanes

import (
	"runtime"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/reference"
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

func measure(b *testing.B, name string, lanes int, f func()) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			f()
		}
		perLane(b, lanes)
	})
}

// BenchmarkKernels measures every kernel, those with a count for the count 3.
func BenchmarkKernels(b *testing.B) {
	x := newKernelMemory(b)[0]
	*x.N = 2
	for _, k := range kernels {
		measure(b, k.name, Width, func() { k.run(&x) })
	}
}

func BenchmarkElement(b *testing.B) {
	r := reference.Rand(b)
	x, v := [2]Element{randomElement(r), randomElement(r)}, [2]Element{}
	p, a := Jacobian{x[0], x[1], x[0]}, Affine{randomElement(r), randomElement(r)}
	var rows [Width][4]uint64
	measure(b, "MulLatency", Width, func() { v[0].Mul(&v[0], &x[1]) })
	measure(b, "AddMixedLatency", Width, func() { p.AddMixedIncomplete(&p, &a) })
	measure(b, "SquareN100", Width, func() { squareN(&v[0], &x[0], 100) })
	measure(b, "SquareNPair100", 2*Width, func() { squareNPair(&v, &x, 100) })
	measure(b, "SqrtPair", 2*Width, func() { SqrtPair(&v, &x) })
	measure(b, "SetLimbs", Width, func() { v[0].SetLimbs(&rows) })
	measure(b, "Limbs", Width, func() { x[0].Limbs(&rows) })
}

// BenchmarkBatchInvertScalars inverts 32 elements of eight lanes each.
func BenchmarkBatchInvertScalars(b *testing.B) {
	v, scratch := make([]Scalar, 32), make([]Scalar, 32)
	s, _ := randomScalar(reference.Rand(b))
	measure(b, "32", len(v)*Width, func() {
		for i := range v {
			v[i] = s
		}
		BatchInvertScalars(v, scratch)
	})
}

// BenchmarkDivide divides two numbers in each of 256 rows, in lanes and without them.
func BenchmarkDivide(b *testing.B) {
	r := reference.Rand(b)
	var rows [4][256]scalar.Scalar
	for k := range rows {
		for i := range rows[k] {
			rows[k][i] = toScalar(reference.RandInt(r))
		}
	}
	u, v, s, products := rows[0][:], rows[1][:], rows[2][:], rows[3][:]
	scratch := make([]Scalar, DivideScratch(256))
	measure(b, "Scalars", len(s), func() { DivideScalars(u, v, s, scratch) })
	measure(b, "Singly", len(s), func() {
		scalar.BatchInvertVartime(s, products)
		for i := range s {
			u[i].Mul(&u[i], &s[i])
			v[i].Mul(&v[i], &s[i])
		}
	})
}
