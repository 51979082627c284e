package main

import (
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// points lists functions of packages point and ecmult.
var points = []any{
	(*point.Jacobian).Double, (*point.Jacobian).DoubleN, (*point.Jacobian).Add,
	(*point.Jacobian).AddMixed, (*point.Jacobian).AddMixedIncomplete, (*point.Jacobian).Equal,
	(*point.Jacobian).EqualX, (*point.Jacobian).IsInfinity, (*point.Jacobian).Select,
	(*point.Jacobian).CondNeg, (*point.Jacobian).Neg, (*point.Jacobian).MulBeta,
	(*point.Jacobian).SetAffine, (*point.Jacobian).Set, (*point.Jacobian).SetInfinity,
	(*point.Jacobian).Wipe,
	func(p *point.Jacobian) { jacobian.Add(p, p) },

	(*point.Affine).IsOnCurve, (*point.Affine).Equal, (*point.Affine).Select,
	(*point.Affine).CondNeg, (*point.Affine).Neg, (*point.Affine).MulBeta, (*point.Affine).Set,
	(*point.Affine).Normalize, (*point.Affine).SetGenerator, (*point.Affine).SetJacobian,
	(*point.Affine).SetJacobianInvert, (*point.Affine).LiftX, (*point.Affine).Wipe,
	func(a *point.Affine) {
		a.Declassify()
		if a.Y.IsOdd().Bool() {
			sink++
		}
	},
	point.OddMultiples, pointPacked, pointParallel,

	ecmult.ScalarBaseMult, ecmult.NewBlinding, (*ecmult.Blinding).ScalarBaseMult,
	(*ecmult.Blinding).ScalarBaseMultAffine,
	func(k *scalar.Scalar) {
		words[0] = uint64((*ecmult.Blinding)(nil).ScalarBaseMultAffine(&affine, k))
	},
	ecmult.ScalarMult, ecmult.ScalarMultIsomorphic,
}

// pointParallel calls package vector. Ctcheck replaces its kernels by their portable versions.
func pointParallel(a *point.Affine, k *scalar.Scalar) {
	var q vector.Affine
	q.Set(a)
	var p vector.Point
	p.SetInfinity().SetAffine(&q).Double(2)
	odd := k.IsOdd()
	var multiples vector.Multiples
	multiples.Set(&q)
	p.DoubleAdd(1, &multiples[0][1], odd.Mask()).DoubleAddAffine(1, &q)
	p.DoubleAddMultiples(1, &multiples, uint64(odd), odd.Mask(), uint64(odd.Not()), 0)
	p.Jacobian(&jacobian)
}

// pointPacked packs and unpacks a secret entry, although all packed tables of the library are
// public.
func pointPacked(a *point.Affine) {
	var e point.Entry
	packed := e.Set(a).AppendPacked(nil)
	table := unsafe.String(&packed[0], len(packed))
	affine.SetEntry(e.Unpack(table), 1)
	affine.SetEntry(e.Realign(point.PackedLimb(table[8:]), 3).Realign(0, 0), 0)
}
