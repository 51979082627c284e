package keys

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A Prepared is a public key with a table of its multiples, or with none if
// there was no room for one, or nothing in the zero value. It does not change
// once it is made.
type Prepared struct {
	_     [0]func()
	a     point.Affine // on the curve, both coordinates normalized
	valid bool
	comb  vartime.Comb // of a, or the zero value
}

// NewPreparedVartime returns the key of a, which must be normalized and on the curve,
// with a table of at most maxBytes. The time depends on a.
func NewPreparedVartime(a *point.Affine, maxBytes int) *Prepared {
	return &Prepared{a: *a, valid: true, comb: vartime.NewComb(a, maxBytes)}
}

// Affine returns the point, which the caller must not change, or nil if k holds
// none. Its coordinates are normalized.
func (k *Prepared) Affine() *point.Affine {
	if k == nil || !k.valid {
		return nil
	}
	return &k.a
}

// Comb returns the table, which the caller must not change, or nil if k has
// none.
func (k *Prepared) Comb() *vartime.Comb {
	if k == nil || k.comb.Size() == 0 {
		return nil
	}
	return &k.comb
}

// DoubleScalarMultVartime sets r = a·G + b·Q for the point Q of k, which must
// hold one. It is exact for every a and b, and takes a time that depends on all
// three.
func (k *Prepared) DoubleScalarMultVartime(r *point.Jacobian, a, b *scalar.Scalar) {
	if c := k.Comb(); c != nil {
		c.DoubleScalarMult(r, a, b)
		return
	}
	vartime.DoubleScalarMult(r, a, b, &k.a)
}
