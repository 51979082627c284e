package keys

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A Public is a public key: a finite point of the curve. The zero value holds no key.
type Public struct {
	_     [0]func()    // forbids comparison with ==
	a     point.Affine // on the curve, both coordinates normalized
	valid bool
}

// Affine returns the key's point, which the caller must not change, or nil if k holds no key. Its
// coordinates are normalized.
func (k *Public) Affine() *point.Affine {
	if k == nil || !k.valid {
		return nil
	}
	return &k.a
}

// SetAffine makes k the public key with the point a. The caller must know that a is on the curve.
func (k *Public) SetAffine(a *point.Affine) {
	//ct:secret a.X.IsOdd().Bool()
	k.a.Set(a)
	k.a.X.Normalize()
	k.a.Y.Normalize()
	k.valid = true
}

// OddY returns 1 if the y coordinate of the key is odd, and 0 if it is even. k must hold a key.
func (k *Public) OddY() ct.Choice {
	//ct:secret k.a.Y.IsOdd().Bool()
	return k.a.Y.IsOdd()
}

// An XOnly is a public key of BIP-340: the point of the curve with a given x
// coordinate and an even y coordinate. The zero value holds no key.
type XOnly struct {
	_     [0]func()
	a     point.Affine // on the curve, both coordinates normalized, y even
	valid bool
}

// Affine returns the key's point, which the caller must not change, or nil if k holds no key. Its
// coordinates are normalized and y is even.
func (k *XOnly) Affine() *point.Affine {
	if k == nil || !k.valid {
		return nil
	}
	return &k.a
}

// SetAffine makes k the x-only key with the point a or -a, whichever has an even y. The caller must
// know that a is on the curve.
func (k *XOnly) SetAffine(a *point.Affine) {
	k.a.CondNeg(a, a.Y.IsOdd())
	k.a.X.Normalize()
	k.a.Y.Normalize()
	k.valid = true
}
