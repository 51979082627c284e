package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Blinding multiplies the base G by k in two parts, k·G = (k − b)·G + b·G. The random number b
// stays the same, and b·G is computed beforehand. A Blinding may be shared and never changes; there
// is no global one.
//
// Multiplication without a Blinding already executes the same instructions and accesses the same
// memory for every k. Blinding is a defence against attackers who can measure more than time: a
// device's power consumption and radiation depend slightly on its data. With an unknown b, the
// digits, entries and partial sums are those of an unknown, uniform scalar. So an attacker cannot
// compare traces with predictions for a guess of k, even for chosen messages.
//
// A nil *Blinding hides nothing: it multiplies as the function ScalarBaseMult does.
//
// Blinding does not protect against an attacker who reads b, or who learns digits from a single
// trace: k is the sum of the two parts. The same k gives the same k − b until the caller makes a
// new Blinding.
type Blinding struct {
	b  scalar.Scalar
	bG point.Affine
}

// NewBlinding returns a Blinding with a copy of the number b, which should be uniformly random and
// secret. If b is zero, it uses 1 instead; results are then right, but nothing is hidden. The time
// does not depend on b.
func NewBlinding(b *scalar.Scalar) *Blinding {
	v := new(Blinding)
	v.b.One()
	v.b.Select(b.IsZero(), &v.b, b)
	var none *Blinding
	none.ScalarBaseMultAffine(&v.bG, &v.b)
	return v
}

// ScalarBaseMultAffine sets a = k·G, with canonical coordinates, and returns 1. If k is zero it
// sets a to (0, 0) and returns 0. The time does not depend on k. It wipes the Jacobian denominator,
// which would reveal information about k.
func (v *Blinding) ScalarBaseMultAffine(a *point.Affine, k *scalar.Scalar) ct.Choice {
	var r point.Jacobian
	v.ScalarBaseMult(&r, k)
	finite := a.SetJacobian(&r)
	r.Wipe()
	return finite
}

// ScalarBaseMult sets r = k·G, as the function of the same name does, with blinding.
func (v *Blinding) ScalarBaseMult(r *point.Jacobian, k *scalar.Scalar) {
	if v == nil {
		ScalarBaseMult(r, k)
		return
	}
	var d scalar.Scalar
	d.Sub(k, &v.b)
	ScalarBaseMult(r, &d)
	// r = (k − b)·G may be any point, including infinity and ±b·G, so the addition must be complete.
	r.AddMixed(r, &v.bG)
	d.Wipe()
}
