package point

import (
	"testing"
)

// BenchmarkDoubleN measures a chain of doublings in one call.
func BenchmarkDoubleN(b *testing.B) {
	var a Affine
	var p Jacobian
	p.SetAffine(a.SetGenerator())
	const n = 100
	for b.Loop() {
		p.DoubleN(&p, n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/double")
}

// BenchmarkDoubleNVartime measures the same chain in variable time.
func BenchmarkDoubleNVartime(b *testing.B) {
	var a Affine
	var p Jacobian
	p.SetAffine(a.SetGenerator())
	const n = 100
	for b.Loop() {
		p.DoubleNVartime(n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/double")
}

// BenchmarkAddScaledVartime measures the addition of a table entry of G in a verification.
func BenchmarkAddScaledVartime(b *testing.B) {
	var a Affine
	var p Jacobian
	p.SetAffine(a.SetGenerator())
	p.DoubleN(&p, 3)
	s := p.Z
	for b.Loop() {
		p.AddScaledVartime(&p, &a, &s)
	}
}
