package field

import "github.com/koblitz-go/koblitz/internal/ct"

// Sqrt sets v = a^((p+1)/4). If a is a square, v is its root that is itself a
// square, and Sqrt returns 1; otherwise it returns 0. The root of 0 is 0.
func (v *Element) Sqrt(a *Element) ct.Choice {
	//ct:secret a.l0&1 == 1
	return v.sqrt(a, false)
}

// SqrtVartime computes the same as Sqrt, in time that depends on a: for public data only.
func (v *Element) SqrtVartime(a *Element) ct.Choice { return v.sqrt(a, true) }

// IsSquareVartime reports whether a is a square. It returns true for 0. The time depends on a: it
// is for public data only.
func (a *Element) IsSquareVartime() bool {
	l := a.Limbs()
	if symbol, ok := modulus.JacobiVartime(&l); ok {
		return symbol >= 0
	}
	return new(Element).SqrtVartime(a).Bool() // no input is known that gets here
}

// squares sets v = a^(2^n).
//
// With vartime set it runs the variable-time kernel. This kernel gives up if a carry passes the
// limbs that it handles, once in some 2^60 random numbers; then the constant-time kernel runs
// instead.
func (v *Element) squares(a *Element, n int, vartime bool) {
	if vartime && squareNVartime(v, a, n) {
		return
	}
	squareN(v, a, n)
}

// sqrt does the work of Sqrt, or of SqrtVartime if vartime is set.
//
// p ≡ 3 (mod 4), so that a^((p+1)/4) squared is a·a^((p−1)/2), which is a if a is a square and −a
// if it is not.
func (v *Element) sqrt(a *Element, vartime bool) ct.Choice {
	// (p+1)/4 = 2^254 − 2^30 − 244 in binary is
	//
	//	223 ones, 0, 22 ones, 0000, 11, 00
	//
	// This takes 253 squares and 13 multiplications in all.
	var x, x2, r, t Element
	x.Set(a)
	r.ones(&x2, &x, vartime)
	r.squares(&r, 6, vartime)
	r.Mul(&r, &x2) // … 0000, 11
	r.squares(&r, 2, vartime)

	t.Square(&r)
	ok := t.Equal(&x)
	v.Set(&r)
	return ok
}

// SqrtRatio sets v to a square root of u/w and returns 1 if u/w is a square. Otherwise −u/w is a
// square, and SqrtRatio sets v to a root of −u/w and returns 0. w must not be 0.
//
// The root is u·w·(u·w³)^((p−3)/4), as in RFC 9380, appendix F.2.1.2: its square is u/w times
// (u·w³)^((p−1)/2), which is 1 or −1, or u/w if u is 0.
func (v *Element) SqrtRatio(u, w *Element) ct.Choice {
	//ct:secret u.IsOdd().Bool()
	// (p−3)/4, which is (p+1)/4 − 1, in binary is
	//
	//	223 ones, 0, 22 ones, 00001, 011
	var x, x2, r, uw, t Element
	uw.Mul(u, w)
	x.Square(w)
	x.Mul(&x, &uw)
	r.ones(&x2, &x, false)
	r.squares(&r, 5, false)
	r.Mul(&r, &x) // … 00001
	r.squares(&r, 3, false)
	r.Mul(&r, &x2) // … 011
	r.Mul(&r, &uw)

	t.Square(&r)
	t.Mul(&t, w)
	ok := t.Equal(u)
	v.Set(&r)
	return ok
}

// ones sets v to the power of x whose exponent in binary is 223 ones, 0 and 22 ones, and x2 to x³.
func (v *Element) ones(x2, x *Element, vartime bool) {
	// The variable xN is x^(2^N − 1), whose exponent is N ones in binary, so x(M+N) = xM^(2^N)·xN.
	// The runs of ones come from this chain of N:
	//
	//	1 2 3 6 9 11 22 44 88 176 220 223
	var x3, x22, x44, x88, t Element
	x2.Square(x)
	x2.Mul(x2, x)
	x3.Square(x2)
	x3.Mul(&x3, x)
	t.squares(&x3, 3, vartime)
	t.Mul(&t, &x3) // x6
	t.squares(&t, 3, vartime)
	t.Mul(&t, &x3) // x9
	t.squares(&t, 2, vartime)
	t.Mul(&t, x2) // x11
	x22.squares(&t, 11, vartime)
	x22.Mul(&x22, &t)
	x44.squares(&x22, 22, vartime)
	x44.Mul(&x44, &x22)
	x88.squares(&x44, 44, vartime)
	x88.Mul(&x88, &x44)
	t.squares(&x88, 88, vartime)
	t.Mul(&t, &x88) // x176
	t.squares(&t, 44, vartime)
	t.Mul(&t, &x44) // x220
	t.squares(&t, 3, vartime)
	t.Mul(&t, &x3) // x223

	v.squares(&t, 23, vartime)
	v.Mul(v, &x22) // … 0, 22 ones
}
