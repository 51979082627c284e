package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Blinding multiplies the base by k in two parts, k·G = (k − b)·G + b·G, with
// a random b that stays and a b·G that was computed before. It may be shared;
// it does not change and there is no global one.
//
// The multiplication without it already takes the same instructions and
// touches the same memory for every k. Blinding is for who can measure more
// than time: what a device draws or radiates depends on the data that it
// handles, a little. With b unknown, the digits, the entries that are picked
// and the sums so far are those of an unknown, uniform scalar, so that traces
// cannot be compared with what a guess of k predicts, even where the attacker
// chooses what is signed.
//
// A nil *Blinding hides nothing: it multiplies as the function ScalarBaseMult does.
//
// It is no protection against who reads b, or who learns digits from one
// single trace: k is the sum of the two. The same k gives the same k − b until
// b is replaced, which is done by making a new Blinding, as often as is wished.
type Blinding struct {
	b  scalar.Scalar
	bG point.Affine
}

// NewBlinding returns a Blinding with the number b, which should be uniformly
// random and secret, and is copied. A zero b is taken as one, for which the
// result is right and nothing is hidden. The time does not depend on b.
func NewBlinding(b *scalar.Scalar) *Blinding {
	v := new(Blinding)
	v.b.One()
	v.b.Select(b.IsZero(), &v.b, b)
	var none *Blinding
	none.ScalarBaseMultAffine(&v.bG, &v.b)
	return v
}

// ScalarBaseMultAffine sets a = k·G, with canonical coordinates. It returns 1, or 0 if k is zero,
// when a is (0, 0). The time does not depend on k. The denominator, which would tell of k, is
// wiped.
func (v *Blinding) ScalarBaseMultAffine(a *point.Affine, k *scalar.Scalar) ct.Choice {
	var r point.Jacobian
	v.ScalarBaseMult(&r, k)
	finite := a.SetJacobian(&r)
	r.Wipe()
	return finite
}

// ScalarBaseMult sets r = k·G, as the function of the same name does.
func (v *Blinding) ScalarBaseMult(r *point.Jacobian, k *scalar.Scalar) {
	if v == nil {
		ScalarBaseMult(r, k)
		return
	}
	var d scalar.Scalar
	d.Sub(k, &v.b)
	ScalarBaseMult(r, &d)
	// The first part may be anything, infinity and ±b·G included.
	r.AddMixed(r, &v.bG)
	d.Wipe()
}

// Wipe overwrites v, which must not be used any more.
func (v *Blinding) Wipe() {
	v.b.Wipe()
	v.bG.Wipe()
}
