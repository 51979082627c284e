package point

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/divsteps"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// SetJacobian sets a = p, with canonical coordinates, by one constant-time inversion. It returns 1.
// If p is the point at infinity it sets a to (0, 0) and returns 0.
func (a *Affine) SetJacobian(p *Jacobian) ct.Choice {
	var zi field.Element
	zi.Invert(&p.Z)
	a.scale(&p.X, &p.Y, &zi)
	a.Normalize()
	zi.Wipe()
	return p.IsInfinity().Not()
}

// SetJacobianInvert sets a = p as [Affine.SetJacobian] does, and k to its inverse, or to 0 if k is
// 0. It makes both inversions at once. The time does not depend on p or k.
func (a *Affine) SetJacobianInvert(p *Jacobian, k *scalar.Scalar) ct.Choice {
	//ct:secret k.IsHigh().Bool()
	z, l := p.Z.Limbs(), k.Limbs()
	m, n := field.Modulus(), scalar.Modulus()
	divsteps.InvertPair(&z, &l, &m, &n)
	var zi field.Element
	zi.SetLimbs(z[0], z[1], z[2], z[3])
	k.SetLimbs(&l)
	a.scale(&p.X, &p.Y, &zi)
	a.Normalize()
	zi.Wipe()
	ct.Wipe(z[:])
	ct.Wipe(l[:])
	return p.IsInfinity().Not()
}

// SetJacobianVartime sets a = p as [Affine.SetJacobian] does, in time that depends on p. It returns
// false if p is the point at infinity.
func (a *Affine) SetJacobianVartime(p *Jacobian) bool {
	var zi field.Element
	zi.InvertVartime(&p.Z)
	a.scale(&p.X, &p.Y, &zi)
	a.Normalize()
	return !p.IsInfinity().Bool()
}

// scale sets a = (x·z², y·z³). SetJacobian passes the inverse of the denominator as z.
func (a *Affine) scale(x, y, z *field.Element) {
	var zz field.Element
	zz.Square(z)
	a.X.Mul(x, &zz)
	zz.Mul(&zz, z)
	a.Y.Mul(y, &zz)
}

// BatchToAffineVartime sets dst[i] = src[i] for every i, with canonical coordinates. It takes one
// inversion, and about six multiplications per point (Montgomery's trick). Points at infinity
// become (0, 0), which is on no curve y² = x³ + b with b ≠ 0. The time depends on the points. dst
// must be as long as src. It allocates nothing, because it stores the running products in dst.
func BatchToAffineVartime(dst []Affine, src []Jacobian) {
	dst = dst[:len(src)]
	var acc field.Element
	acc.One()
	for i := range src {
		dst[i].X = acc
		if !src[i].IsInfinity().Bool() {
			acc.Mul(&acc, &src[i].Z)
		}
	}
	acc.InvertVartime(&acc)
	for i := len(src) - 1; i >= 0; i-- {
		p := &src[i]
		if p.IsInfinity().Bool() {
			dst[i] = Affine{}
			continue
		}
		var zi field.Element
		zi.Mul(&acc, &dst[i].X)
		acc.Mul(&acc, &p.Z)
		dst[i].scale(&p.X, &p.Y, &zi)
		dst[i].Normalize()
	}
}
