package main

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// valgrind has no AVX-512, so that these cases run the portable twin of the
// kernels and what is made of both.

var (
	laneElement  lanes.Element
	laneJacobian lanes.Jacobian
	laneAffine   lanes.Affine
	laneRows     [lanes.Width][8]uint64
	laneWords    [2][3]lanes.Vector
)

func secretLanes(seed uint64) (v lanes.Element) {
	for j := range lanes.Width {
		x := secretElement(seed + uint64(j))
		v.SetLane(j, &x)
	}
	return v
}

func secretLanePoint(seed uint64) lanes.Jacobian {
	return lanes.Jacobian{X: secretLanes(seed), Y: secretLanes(seed + 10), Z: secretLanes(seed + 20)}
}

func laneArithmetic() {
	x, y := secretLanes(1000), secretLanes(1010)
	v := &laneElement
	v.Mul(&x, &y)
	v.Square(v)
	v.SquareN(v, 3)
	v.MulAdd(v, &x, &y, v)
	v.Add(v, &x)
	v.Sub(v, &y)
	v.Neg(v)
	v.MulSmall(v, 9)
	v.MulBeta(v)
	m := v.IsZero() ^ v.IsOdd() ^ v.Equal(&x)
	v.Select(m, &x, v)
	v.CondNeg(m, v)
	v.Normalize(v)
	var out field.Element
	v.Lane(3, &out)
}

func lanePowers() {
	x := [2]lanes.Element{secretLanes(1020), secretLanes(1030)}
	var v [2]lanes.Element
	m := lanes.SqrtPair(&v, &x)
	words[0] = uint64(m[0] ^ m[1] ^ laneElement.Sqrt(&x[0]))
	laneElement.Invert(&x[1])
	lanes.BatchInvert(x[:], v[:])
}

func lanePoints() {
	p, q := secretLanePoint(1100), secretLanePoint(1130)
	a := lanes.Affine{X: secretLanes(1160), Y: secretLanes(1170)}
	r := &laneJacobian
	r.DoubleN(&p, 2)
	r.AddMixed(r, &a)
	r.Add(r, &q)
	m := r.IsInfinity()
	r.Select(m, &p, r)
	b := &laneAffine
	b.CondNeg(m, &a)
	b.MulBeta(b)
	b.Select(m, &a, b)
	lanes.AddAffine(b, &a, b, &p.X)
	b.Pack(&laneRows)
	b.Unpack(&laneRows)
	r.SetAffine(b)
}

func laneScalars() {
	var k [lanes.Width]scalar.Scalar
	var x, y lanes.Scalar
	for j := range k {
		k[j] = secretScalar(1200 + uint64(j))
		x.SetLane(j, &k[j])
	}
	lanes.SplitOdd(&laneWords[0], &laneWords[1], &k, 130)
	y.Mul(&x, &x)
	y.Add(&y, &x)
	y.Sub(&y, &x)
	y.Neg(&y)
	y.Select(y.IsZero(), &x, &y)
	y.Lane(5, &number)
	a, b := k, k
	lanes.DivideScalars(a[:], b[:], k[:], make([]lanes.Scalar, lanes.DivideScratch(len(k))))
}
