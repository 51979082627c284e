package main

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inner cases call what the internal packages offer for secrets, function by
// function: the public ones use no more than a part of it.
var inner = []func(){
	choices,
	fieldArithmetic, fieldInvert, fieldSqrt, fieldEncoding,
	scalarArithmetic, scalarInvert, scalarSplit, scalarEncoding,
	pointDouble, pointAdd, pointAddMixed, pointCompare, pointSelect, pointToAffine, pointLift,
	multBase, multBaseBlinded, multPoint,
	hashTagged, hashRFC6979,
	laneArithmetic, lanePowers, lanePoints, laneScalars,
}

// Results go here, so that they are not found unused. Storing a secret is no
// leak.
var (
	words    [4]uint64
	bytes32  [32]byte
	element  field.Element
	number   scalar.Scalar
	affine   point.Affine
	jacobian point.Jacobian
)

func choices() {
	x, y := secretScalar(100), secretScalar(101)
	a, b := x.Limbs(), y.Limbs()
	c := ct.IsZero64(a[0]) ^ ct.Equal64(a[1], b[1]) | ct.Less64(a[2], b[2]).Not()
	words[0] = ct.Select64(c, a[3], b[3]) & c.Mask()
}

func fieldArithmetic() {
	x, y := secretElement(102), secretElement(103)
	v := &element
	v.Add(&x, &y).Sub(v, &x).Neg(v).Double(v).MulSmall(v, 12345).Half(v)
	v.Mul(v, &y).Square(v).SquareN(v, 5).MulBeta(v)
	c := v.IsZero() ^ v.IsOdd() ^ v.Equal(&x)
	v.Select(c, &x, v).CondNeg(v, c)
	v.Normalize()
}

func fieldInvert() {
	x := secretElement(104)
	element.Invert(&x)
}

func fieldSqrt() {
	x := secretElement(105)
	words[0] = uint64(element.Sqrt(&x))
}

func fieldEncoding() {
	var x field.Element
	words[0] = uint64(x.SetBytes((*[32]byte)(secretBytes(106))))
	x.PutBytes(&bytes32)
	words = x.Limbs()
	element.SetLimbs(words[0], words[1], words[2], words[3])
}

func scalarArithmetic() {
	x, y := secretScalar(107), secretScalar(108)
	v := &number
	v.Add(&x, &y).Sub(v, &x).Neg(v).Half(v).Mul(v, &y).Square(v)
	c := v.IsZero() ^ v.IsOdd() ^ v.IsHigh() ^ v.Equal(&x)
	v.Select(c, &x, v).CondNeg(v, c)
}

func scalarInvert() {
	x := secretScalar(109)
	number.Invert(&x)
}

func scalarSplit() {
	x := secretScalar(110)
	k1, k2 := x.Split()
	number.SetHalf(&k1)
	number.SetHalf(&k2)
}

func scalarEncoding() {
	var x scalar.Scalar
	words[0] = uint64(x.SetBytes((*[32]byte)(secretBytes(111))))
	x.PutBytes(&bytes32)
	words = x.Limbs()
	words[0] = uint64(number.SetLimbs(&words))
}

func pointDouble() {
	p := secretJacobian(112)
	jacobian.Double(&p)
}

func pointAdd() {
	p, q := secretJacobian(113), secretJacobian(114)
	jacobian.Add(&p, &q)
	jacobian.Add(&p, &p)
}

func pointAddMixed() {
	p, q := secretJacobian(115), secretAffine(116)
	jacobian.AddMixed(&p, &q)
	jacobian.AddMixedIncomplete(&p, &q)
}

func pointCompare() {
	p, q, a := secretJacobian(117), secretJacobian(118), secretAffine(119)
	x := secretElement(120)
	words[0] = uint64(p.Equal(&q) ^ p.EqualAffine(&a) ^ p.EqualX(&x) ^ p.IsInfinity())
	words[1] = uint64(a.IsOnCurve() ^ a.Equal(&a))
}

func pointSelect() {
	p, q, a := secretJacobian(121), secretJacobian(122), secretAffine(123)
	c := a.X.IsOdd()
	jacobian.Select(c, &p, &q).CondNeg(&jacobian, c).Neg(&jacobian).MulBeta(&jacobian)
	affine.Select(c, &a, &a).CondNeg(&affine, c).Neg(&affine).MulBeta(&affine)
	jacobian.SetAffine(&affine)
}

func pointToAffine() {
	p := secretJacobian(124)
	words[0] = uint64(affine.SetJacobian(&p))
}

func pointLift() {
	x := secretElement(125)
	words[0] = uint64(affine.LiftX(&x, x.IsOdd()))
}

func multBase() {
	k := secretScalar(126)
	ecmult.ScalarBaseMult(&jacobian, &k)
}

func multBaseBlinded() {
	k, b := secretScalar(127), secretScalar(128)
	v := ecmult.NewBlinding(&b)
	v.ScalarBaseMult(&jacobian, &k)
	v.Wipe()
}

// multPoint multiplies a point that is as secret as the scalar.
func multPoint() {
	k, p := secretScalar(129), secretAffine(130)
	ecmult.ScalarMult(&jacobian, &k, &p)
}

func hashTagged() {
	a, key := (*[32]byte)(secretBytes(131)), (*[32]byte)(secretBytes(132))
	hash.Aux(a, a)
	hash.Nonce(&bytes32, a, key, secretBytes(133))
	hash.Challenge(&bytes32, a, key, secretBytes(134))
	hash.AppendCompressed(bytes32[:0], (*[33]byte)(append(secretBytes(138), 2)))
}

func hashRFC6979() {
	var n hash.Nonces
	n.Init((*[32]byte)(secretBytes(135)), (*[32]byte)(secretBytes(136)), hash.PiecesOf(secretBytes(137)))
	n.Next(&bytes32)
	n.Next(&bytes32)
	n.Wipe()
}

// secretAffine returns a secret point of the curve.
func secretAffine(seed uint64) (a point.Affine) {
	p := secretJacobian(seed)
	a.SetJacobian(&p)
	return a
}

func secretJacobian(seed uint64) (p point.Jacobian) {
	k := secretScalar(seed)
	ecmult.ScalarBaseMult(&p, &k)
	return p
}

func secretElement(seed uint64) (x field.Element) {
	x.SetBytes((*[32]byte)(secretBytes(seed)))
	return x
}

func secretScalar(seed uint64) (k scalar.Scalar) {
	k.SetBytes((*[32]byte)(secretBytes(seed)))
	return k
}
