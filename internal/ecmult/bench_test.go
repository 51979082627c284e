package ecmult

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// BenchmarkScalarBaseMultCold measures ScalarBaseMult with cold caches, as in a process that signs
// only occasionally.
func BenchmarkScalarBaseMultCold(b *testing.B) {
	k := toScalar(reference.Gy())
	other := make([]byte, 64<<20)
	var r point.Jacobian
	var total time.Duration
	for b.Loop() {
		for i := 0; i < len(other); i += 64 {
			other[i]++
		}
		start := time.Now()
		ScalarBaseMult(&r, &k)
		total += time.Since(start)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(b.N), "cold-ns/op")
}

func BenchmarkOperations(b *testing.B) {
	k, f := toScalar(reference.Gy()), toScalar(reference.Gx())
	blinding := NewBlinding(&f)
	var r point.Jacobian
	var t multiples
	var p point.Affine
	p.SetGenerator()
	var e point.Entry
	for name, op := range map[string]func(){
		"Blinding":  func() { blinding.ScalarBaseMult(&r, &k) },
		"multiples": func() { t.set(&p, maxMultiples) },
		// The masked read from one block of the fixed-base table.
		"readPacked": func() { readPacked(&e, baseTable[:point.PackedSize<<(baseWindow-1)], 5) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				op()
			}
		})
	}
}

func BenchmarkMany(b *testing.B) {
	const n = MaxRows
	k := manyScalars(rand.New(rand.NewPCG(1, 1)), n)
	p, q := make([]point.Affine, n), make([]point.Affine, n)
	m := newMany(n, 1, 1)
	m.ScalarBaseMult(p, k)
	run := func(name string, f func()) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				f()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
	run("ScalarBaseMult", func() { m.ScalarBaseMult(q, k) })
	run("ScalarMult", func() { m.ScalarMult(q, k, p) })
	run("Add", func() { m.Add(q, p, p) })
}
