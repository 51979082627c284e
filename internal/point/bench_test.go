package point

import (
	"testing"
)

// BenchmarkDoubleN is a chain of doublings, without calls in between.
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

// BenchmarkDoubleNVartime is the same in variable time.
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

// BenchmarkAddScaledVartime is the addition of verification from the table of G.
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
