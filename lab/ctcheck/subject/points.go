package main

import (
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
)

// points holds cases, functions that call the library with secrets, for packages point and ecmult.
var points = []func(){
	pointDouble, pointAdd, pointAddMixed, pointCompare, pointSelect, pointToAffine,
	pointLift, pointMultiples, pointPacked, pointWipe, pointParallel,
	multBase, multBaseBlinded, multPoint,
}

func pointDouble() {
	p := secretJacobian(112)
	jacobian.Double(&p)
	jacobian.DoubleN(&p, 3)
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
	words[0] = uint64(p.Equal(&q) ^ p.EqualX(&x) ^ p.IsInfinity())
	words[1] = uint64(a.IsOnCurve() ^ a.Equal(&a))
}

func pointSelect() {
	p, q, a := secretJacobian(121), secretJacobian(122), secretAffine(123)
	c := a.X.IsOdd()
	jacobian.Select(c, &p, &q).CondNeg(&jacobian, c).Neg(&jacobian).MulBeta(&jacobian)
	affine.Select(c, &a, &a).CondNeg(&affine, c).Neg(&affine).MulBeta(&affine)
	jacobian.SetAffine(&affine).Set(&p).SetInfinity()
	affine.Set(&a).Normalize().SetGenerator()
}

func pointToAffine() {
	p := secretJacobian(124)
	words[0] = uint64(affine.SetJacobian(&p))
	number = secretScalar(143)
	words[0] = uint64(affine.SetJacobianInvert(&p, &number))
}

// pointParallel calls package vector. Ctcheck replaces its kernels by their portable versions.
func pointParallel() {
	a := secretAffine(144)
	var q vector.Affine
	q.Set(&a)
	var p vector.Point
	p.SetInfinity().SetAffine(&q).Double(2)
	number = secretScalar(145)
	odd := number.IsOdd()
	var multiples vector.Multiples
	multiples.Set(&q)
	p.DoubleAdd(1, &multiples[0][1], odd.Mask()).DoubleAddAffine(1, &q)
	p.DoubleAddMultiples(1, &multiples, uint64(odd), odd.Mask(), uint64(odd.Not()), 0)
	p.Jacobian(&jacobian)
}

func pointLift() {
	x := secretElement(125)
	words[0] = uint64(affine.LiftX(&x, x.IsOdd()))
}

func pointMultiples() {
	var table [4]point.Affine
	var z field.Element
	a := secretAffine(147)
	point.OddMultiples(table[:], &z, &a)
	words = z.Limbs()
}

// pointPacked packs and unpacks a secret entry, although all packed tables of the library are
// public.
func pointPacked() {
	a := secretAffine(148)
	var e point.Entry
	packed := e.Set(&a).AppendPacked(nil)
	table := unsafe.String(&packed[0], len(packed))
	affine.SetEntry(e.Unpack(table), 1)
	affine.SetEntry(e.Realign(point.PackedLimb(table[8:]), 3).Realign(0, 0), 0)
}

func pointWipe() {
	p, a := secretJacobian(149), secretAffine(150)
	b := a
	p.Wipe()
	a.Wipe()
	b.Declassify()
	if b.Y.IsOdd().Bool() {
		sink++
	}
}

func multBase() {
	k := secretScalar(126)
	ecmult.ScalarBaseMult(&jacobian, &k)
}

func multBaseBlinded() {
	k, b := secretScalar(127), secretScalar(128)
	v := ecmult.NewBlinding(&b)
	v.ScalarBaseMult(&jacobian, &k)
	words[0] = uint64(v.ScalarBaseMultAffine(&affine, &k))
	v = nil
	words[0] = uint64(v.ScalarBaseMultAffine(&affine, &k))
}

// multPoint multiplies a secret point by a secret scalar.
func multPoint() {
	k, p := secretScalar(129), secretAffine(130)
	ecmult.ScalarMult(&jacobian, &k, &p)
	ecmult.ScalarMultIsomorphic(&jacobian, &k, &p)
}
