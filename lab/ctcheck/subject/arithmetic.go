package main

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/divsteps"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// arithmetic lists functions of packages ct, divsteps, field and scalar.
var arithmetic = []any{
	choices, ct.Wipe[byte], ct.Wipe[uint64], inversion,

	(*field.Element).Add, (*field.Element).Sub, (*field.Element).Neg, (*field.Element).Double,
	(*field.Element).MulSmall, (*field.Element).Half, (*field.Element).Mul, (*field.Element).Square,
	(*field.Element).SquareN, (*field.Element).MulBeta, (*field.Element).SubTwice,
	(*field.Element).ThreeHalves, (*field.Element).Invert, (*field.Element).Sqrt,
	(*field.Element).SqrtRatio, (*field.Element).IsZero, (*field.Element).IsOdd,
	(*field.Element).Equal, (*field.Element).Select, (*field.Element).CondNeg,
	(*field.Element).Normalize, (*field.Element).Set, (*field.Element).SetUint64,
	(*field.Element).Zero, (*field.Element).One, (*field.Element).SetBytes,
	(*field.Element).SetUniformBytes, (*field.Element).PutBytes, (*field.Element).PutWords,
	(*field.Element).Words, (*field.Element).Limbs, (*field.Element).SetLimbs,
	(*field.Element).Wipe,
	func(x *field.Element) {
		x.Declassify()
		if x.IsOdd().Bool() {
			sink++
		}
	},

	(*scalar.Scalar).Add, (*scalar.Scalar).Sub, (*scalar.Scalar).Neg, (*scalar.Scalar).Half,
	(*scalar.Scalar).Mul, (*scalar.Scalar).Square, (*scalar.Scalar).Invert, scalar.BatchInvert,
	(*scalar.Scalar).IsZero, (*scalar.Scalar).IsOdd, (*scalar.Scalar).IsHigh,
	(*scalar.Scalar).Equal, (*scalar.Scalar).Select, (*scalar.Scalar).CondNeg,
	(*scalar.Scalar).Set, (*scalar.Scalar).SetUint64, (*scalar.Scalar).Zero, (*scalar.Scalar).One,
	(*scalar.Scalar).SetBytes, (*scalar.Scalar).SetNonzeroBytes, (*scalar.Scalar).SetWideBytes,
	(*scalar.Scalar).PutBytes, (*scalar.Scalar).PutWords, (*scalar.Scalar).Limbs,
	(*scalar.Scalar).SetLimbs, (*scalar.Scalar).Wipe,
	func(x *scalar.Scalar) {
		k1, k2 := x.Split()
		number.SetHalf(&k1)
		number.SetHalf(&k2)
		b1, b2 := x.SplitOdd(130)
		words = [4]uint64{b1.L0, b1.L1, b2.L0, b2.L1}
	},
	func() {
		for _, b := range [][]byte{make([]byte, 32), ones()} {
			words[0] ^= uint64(number.SetNonzeroBytes((*[32]byte)(secretCopy(b))))
		}
	},
	func(x *scalar.Scalar) {
		x.Declassify()
		if x.IsHigh().Bool() {
			sink++
		}
	},
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
