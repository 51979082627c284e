package vartime

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// DoubleScalarMult sets r = a·G + b·p. It is exact for every a, b and p, and
// takes a time that depends on them.
func DoubleScalarMult(r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine) {
	g := generatorTable()
	multiply(r, a, b, p, &g, window)
}

// ScalarBaseMult sets r = a·G, in a time that depends on a.
func ScalarBaseMult(r *point.Jacobian, a *scalar.Scalar) {
	g := generatorTable()
	multiply(r, a, nil, nil, &g, window)
}

// ScalarMult sets r = b·p, in a time that depends on b and p.
func ScalarMult(r *point.Jacobian, b *scalar.Scalar, p *point.Affine) {
	multiply(r, nil, b, p, &baseTable{}, window)
}

// maxBaseDigits is how many nonzero digits of a there can be for the narrowest
// table that multiply takes.
const (
	minBaseWindow = 3
	maxBaseDigits = 2 * ((positions + minBaseWindow - 1) / minBaseWindow)
)

// multiply sets r = a·B + b·p, where g is the table of B and w the width of
// the digits for p, at most window. a, or b with p, may be nil for zero. No
// multiple of p up to 2^(w−1) may be the point at infinity; on secp256k1 none
// is.
func multiply(r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine, g *baseTable, w uint) {
	var digits [positions]digitRow
	top := 0

	// The multiples of B are read before anything else is done, since most of
	// them have to come from far away, and do so all at once if nothing waits
	// for the first. Digit g stands for base[g − 1].
	var base [maxBaseDigits]point.Affine
	var naf [maxDigits]digit
	if a != nil {
		l := a.Limbs()
		low := wnaf(&naf, l[1], l[0], g.window)
		for i, d := range naf[:low] {
			pickBase(&base[i], g.low, d.value)
			digits[d.position].g = int16(i + 1)
			top = max(top, int(d.position)+1)
		}
		high := wnaf(&naf, l[3], l[2], g.window)
		for i, d := range naf[:high] {
			pickBase(&base[low+i], g.high, d.value)
			digits[d.position].highG = int16(low + i + 1)
			top = max(top, int(d.position)+1)
		}
	}

	var table, lambdaTable [1 << (window - 2)]point.Affine
	var z field.Element // the common denominator of both tables
	z.One()
	var negate, lambdaNegate bool
	if b != nil && !b.IsZero().Bool() {
		k1, k2 := b.Split()
		negate, lambdaNegate = k1.Neg.Bool(), k2.Neg.Bool()
		for _, d := range naf[:wnaf(&naf, k1.Hi, k1.Lo, w)] {
			digits[d.position].p = d.value
			top = max(top, int(d.position)+1)
		}
		for _, d := range naf[:wnaf(&naf, k2.Hi, k2.Lo, w)] {
			digits[d.position].lambdaP = d.value
			top = max(top, int(d.position)+1)
		}
		entries := 1 << (w - 2)
		point.OddMultiples(table[:entries], &z, p)
		for i := range entries {
			lambdaTable[i].MulBeta(&table[i])
		}
	}

	// acc is on the curve on which the tables of p are affine.
	var acc point.Jacobian
	var q point.Affine
	acc.SetInfinity()
	doublings := 0
	for i := top - 1; i >= 0; i-- {
		doublings++
		d := &digits[i]
		if *d == (digitRow{}) {
			continue
		}
		acc.DoubleNVartime(doublings)
		doublings = 0
		if d.p != 0 {
			pick(&q, table[:], d.p, negate)
			acc.AddMixedVartime(&acc, &q)
		}
		if d.lambdaP != 0 {
			pick(&q, lambdaTable[:], d.lambdaP, lambdaNegate)
			acc.AddMixedVartime(&acc, &q)
		}
		if d.g != 0 {
			acc.AddScaledVartime(&acc, &base[d.g-1], &z)
		}
		if d.highG != 0 {
			acc.AddScaledVartime(&acc, &base[d.highG-1], &z)
		}
	}
	if doublings > 0 {
		acc.DoubleNVartime(doublings)
	}
	acc.Z.Mul(&acc.Z, &z)
	r.Set(&acc)
}
