package main

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/divsteps"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// arithmetic holds cases, functions that call the library with secrets, for packages ct, divsteps,
// field and scalar.
var arithmetic = []func(){
	choices, wiping, inversion,
	fieldArithmetic, fieldSmall, fieldInvert, fieldSqrt, fieldEncoding, fieldWipe,
	scalarArithmetic, scalarInvert, scalarSplit, scalarEncoding, scalarWipe,
}

func choices() {
	x, y := secretScalar(100), secretScalar(101)
	a, b := x.Limbs(), y.Limbs()
	c := ct.IsZero64(a[0]) ^ ct.IsZero64(a[1]^b[1]).Not()
	words[0] = a[3] & c.Mask()
	if c.Reveal() {
		sink++
	}
	b = x.Limbs()
	ct.Declassify(&b[0], 1)
	declassified := secretBytes(152)
	ct.DeclassifyBytes(declassified)
	narrow := uint32(b[1]) | uint32(a[1])
	ct.Declassify32(&narrow, 1)
	if ct.Choice(b[0]&1).Bool() || declassified[0] == 1 || narrow == 1 {
		sink++
	}
}

func wiping() {
	ct.Wipe(secretBytes(139))
	x := secretScalar(140)
	limbs := x.Limbs()
	ct.Wipe(limbs[:])
}

// inversion inverts a secret number modulo the field prime p by divsteps. The divsteps get the
// modulus as 2^256 − p = 2^32 + 977.
func inversion() {
	m := divsteps.NewModulus(field.C, 0, 0)
	x := secretElement(141)
	words = x.Limbs()
	m.Invert(&words, &words)
	other, n := x.Limbs(), scalar.Modulus()
	divsteps.InvertPair(&words, &other, &m, &n)
}

func fieldArithmetic() {
	x, y := secretElement(102), secretElement(103)
	v := &element
	v.Add(&x, &y).Sub(v, &x).Neg(v).Double(v).MulSmall(v, 12345).Half(v)
	v.Mul(v, &y).Square(v).SquareN(v, 5).MulBeta(v).SubTwice(v, &y).ThreeHalves(v)
	c := v.IsZero() ^ v.IsOdd() ^ v.Equal(&x)
	v.Select(c, &x, v).CondNeg(v, c)
	v.Normalize()
}

func fieldSmall() {
	x := secretElement(142)
	l := x.Limbs()
	element.Set(&x).SetUint64(l[0]).Set(&x).One().Set(&x).Zero()
}

func fieldInvert() {
	x := secretElement(104)
	element.Invert(&x)
}

func fieldSqrt() {
	x := secretElement(105)
	words[0] = uint64(element.Sqrt(&x))
	y := secretElement(149)
	words[0] = uint64(element.SqrtRatio(&x, &y))
}

func fieldEncoding() {
	var x field.Element
	words[0] = uint64(x.SetBytes(secretArray(106)))
	element.SetUniformBytes((*[48]byte)(secretString(150, 48)))
	x.PutBytes(&bytes32)
	words[0], words[1], words[2], words[3] = x.Words()
	x.PutWords(&bytes32)
	words = x.Limbs()
	element.SetLimbs(words[0], words[1], words[2], words[3])
}

func fieldWipe() {
	x, y := secretElement(143), secretElement(144)
	x.Wipe()
	y.Declassify()
	if y.IsOdd().Bool() {
		sink++
	}
}

func scalarArithmetic() {
	x, y := secretScalar(107), secretScalar(108)
	v := &number
	v.Add(&x, &y).Sub(v, &x).Neg(v).Half(v).Mul(v, &y).Square(v)
	c := v.IsZero() ^ v.IsOdd() ^ v.IsHigh() ^ v.Equal(&x)
	v.Select(c, &x, v).CondNeg(v, c)
	l := x.Limbs()
	v.Set(&x).SetUint64(l[0]).Set(&x).One().Set(&x).Zero()
}

func scalarInvert() {
	x := secretScalar(109)
	number.Invert(&x)
	v := []scalar.Scalar{x, secretScalar(111), number}
	scalar.BatchInvert(v, make([]scalar.Scalar, len(v)))
}

func scalarSplit() {
	x := secretScalar(110)
	k1, k2 := x.Split()
	number.SetHalf(&k1)
	number.SetHalf(&k2)
	b1, b2 := x.SplitOdd(130)
	words = [4]uint64{b1.L0, b1.L1, b2.L0, b2.L1}
}

func scalarEncoding() {
	var x scalar.Scalar
	words[0] = uint64(x.SetBytes(secretArray(111)))
	zero, high := secretCopy(make([]byte, 32)), secretCopy(ones())
	for _, b := range []*[32]byte{secretArray(400), (*[32]byte)(zero), (*[32]byte)(high)} {
		words[0] ^= uint64(x.SetNonzeroBytes(b))
	}
	wide := [64]byte(append(secretBytes(401), secretBytes(402)...))
	number.SetWideBytes(&wide)
	x.PutBytes(&bytes32)
	x.PutWords(&bytes32)
	words = x.Limbs()
	words[0] = uint64(number.SetLimbs(&words))
}

func scalarWipe() {
	x, y := secretScalar(145), secretScalar(146)
	x.Wipe()
	y.Declassify()
	if y.IsHigh().Bool() {
		sink++
	}
}
