package point

import (
	"testing"
)

// BenchmarkDoubleN measures several doublings in one call.
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

// BenchmarkDoubleNVartime measures several variable-time doublings in one call.
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

// BenchmarkAddScaledVartime measures the addition that verification uses for a table entry.
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
