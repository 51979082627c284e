package point

import "testing"

// BenchmarkLatency measures operations that lab/bench lacks, each on the result of the last.
func BenchmarkLatency(b *testing.B) {
	var a, g Affine
	var p, q Jacobian
	p.SetAffine(a.SetGenerator())
	p.DoubleN(&p, 3)
	q.DoubleN(&p, 1)
	s := p.Z
	for name, op := range map[string]func(v *Jacobian){
		"DoubleN100":         func(v *Jacobian) { v.DoubleN(v, 100) },
		"DoubleNVartime100":  func(v *Jacobian) { v.DoubleNVartime(100) },
		"AddScaledVartime":   func(v *Jacobian) { v.AddScaledVartime(v, &a, &s) }, // in verification
		"AddMixedIncomplete": func(v *Jacobian) { v.AddMixedIncomplete(v, &a) },
		"AddMixed":           func(v *Jacobian) { v.AddMixed(v, &a) },
		"AddVartime":         func(v *Jacobian) { v.AddVartime(v, &q) },
		"LiftX":              func(*Jacobian) { g.LiftX(&a.X, 1) },
	} {
		b.Run(name, func(b *testing.B) {
			v := p
			for b.Loop() {
				op(&v)
			}
		})
	}
}
