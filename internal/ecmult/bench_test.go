package ecmult

import (
	"math/rand"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func BenchmarkScalarBaseMult(b *testing.B) {
	k := toScalar(reference.Gy())
	var r point.Jacobian
	b.ReportAllocs()
	for b.Loop() {
		ScalarBaseMult(&r, &k)
	}
}

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

func BenchmarkBlinding(b *testing.B) {
	k, f := toScalar(reference.Gy()), toScalar(reference.Gx())
	blinding := NewBlinding(&f)
	var r point.Jacobian
	b.ReportAllocs()
	for b.Loop() {
		blinding.ScalarBaseMult(&r, &k)
	}
}

func BenchmarkScalarMult(b *testing.B) {
	k := toScalar(reference.Gy())
	var r point.Jacobian
	var p point.Affine
	p.SetGenerator()
	b.ReportAllocs()
	for b.Loop() {
		ScalarMult(&r, &k, &p)
	}
}

func BenchmarkMultiples(b *testing.B) {
	var t multiples
	var p point.Affine
	p.SetGenerator()
	for b.Loop() {
		t.set(&p, maxMultiples)
	}
}

// BenchmarkRead measures the masked read from one block of the fixed-base table.
func BenchmarkRead(b *testing.B) {
	var e entry
	for b.Loop() {
		readPacked(&e, baseTable[:entrySize<<(baseWindow-1)], 5)
	}
}

// BenchmarkReadDigits measures a read of eight points for windows of five bits.
func BenchmarkReadDigits(b *testing.B) {
	table, words := randomEntries(rand.New(rand.NewSource(9)), 5), [3]lanes.Vector{{5, 7, 30}}
	var p lanes.Affine
	for b.Loop() {
		readDigits(&p, table, &words, 61, 5)
	}
}

// BenchmarkReadShared measures a read of eight points of one table for windows of six bits.
func BenchmarkReadShared(b *testing.B) {
	_, table := randomShared(rand.New(rand.NewSource(9)))
	words := [5]lanes.Vector{{5, 7, 30}}
	var p lanes.Affine
	for b.Loop() {
		readShared(&p, table, &words, 61, 6)
	}
}
