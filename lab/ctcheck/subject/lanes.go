package main

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inLanes holds cases, functions that call the library with secrets, for package lanes. Valgrind
// has no AVX-512, so ctcheck replaces the package's kernels by portable versions.
var inLanes = []func(){
	laneArithmetic, lanePairs, lanePoints, lanePacking, laneScalars, laneSplit, laneDivide,
	laneInverses,
}

var (
	laneElement  lanes.Element
	laneJacobian lanes.Jacobian
	laneAffine   lanes.Affine
	laneWords    [2][3]lanes.Vector
	laneMask     lanes.Mask
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

func secretLaneScalar(seed uint64) (v lanes.Scalar) {
	for j := range lanes.Width {
		k := secretScalar(seed + uint64(j))
		v.SetLane(j, &k)
	}
	return v
}

// secretScalars returns secret scalars. Their number is no multiple of the number of lanes, so the
// last vector is partly empty.
func secretScalars(seed uint64) []scalar.Scalar {
	k := make([]scalar.Scalar, 2*lanes.Width+3)
	for i := range k {
		k[i] = secretScalar(seed + uint64(i))
	}
	return k
}

func laneArithmetic() {
	x, y := secretLanes(1000), secretLanes(1010)
	v := &laneElement
	v.Mul(&x, &y)
	v.Square(v)
	v.Add(v, &x)
	v.Sub(v, &y)
	v.Neg(v)
	v.MulSmall(v, 9)
	m := v.IsZero().Xor(v.IsOdd()).Xor(v.Equal(&x))
	v.Select(m, &x, v)
	v.CondNeg(m, v)
	laneElement.Rotate(v, 3)
	laneMask = m.Rotate(2).Not()
	laneMask.Put(0, laneWords[0][1].At(0)&1)
	laneWords[0][0].Set(1, laneWords[0][1].At(2))
	v.Lane(3, &element)
	v.Broadcast(&element)
	v.One()
}

func lanePairs() {
	x := [2]lanes.Element{secretLanes(1020), secretLanes(1030)}
	var v [2]lanes.Element
	m := lanes.SqrtPair(&v, &x)
	laneMask = m[0].And(m[1]).Or(m[0].AndNot(m[1]))
	m = lanes.SqrtRatioPair(&v, &x, &[2]lanes.Element{x[1], x[0]})
	laneMask = m[0].And(m[1])
}

func lanePoints() {
	p, q := secretLanePoint(1100), secretLanePoint(1130)
	a := lanes.Affine{X: secretLanes(1160), Y: secretLanes(1170)}
	r := &laneJacobian
	r.DoubleN(&p, 2)
	r.AddMixedIncomplete(r, &a)
	r.AddIncomplete(r, &q)
	m := r.IsInfinity()
	r.Select(m, &p, r)
	b := &laneAffine
	b.CondNeg(m, &a)
	lanes.AddAffineIncomplete(b, &a, b, &p.X)
	var sum lanes.CoZ
	sum.SetDouble(&a)
	sum.AddIncomplete(&a, b)
	r.SetAffine(&sum.Sum)
}

func laneInverses() {
	v := []lanes.Element{secretLanes(1310), secretLanes(1320), secretLanes(1330)}
	scratch := make([]lanes.Element, len(v)+2)
	lanes.Running(scratch, v, &laneElement)
	laneElement = lanes.Inverses(scratch, v, &laneElement)[1]
	laneElement.InvertLanes(&v[0])
}

func lanePacking() {
	p := secretLanePoint(1180)
	a := lanes.Affine{X: p.X, Y: p.Y}
	var points lanes.Packed
	a.Pack(&points)
	laneAffine.Unpack(&points)
	var numbers [lanes.Width][4]uint64
	p.Z.Limbs(&numbers)
	laneElement.SetLimbs(&numbers)
	var x, y field.Element
	a.Lane(2, &x, &y)
	lanes.SetPoint(&points[3], &x, &y)
	var others [lanes.Width][4]uint64
	p.Limbs(&numbers, &numbers, &others)
	laneAffine.SetLane(4, &x, &y)
}

func laneScalars() {
	x, y := secretLaneScalar(1210), secretLaneScalar(1220)
	y.Mul(&x, &y)
	y.Select(y.IsZero(), &x, &y)
	y.Lane(5, &number)
	v := []lanes.Scalar{x, y}
	lanes.BatchInvertScalars(v, make([]lanes.Scalar, len(v)))
	lanes.BatchInvertScalars(nil, nil)
}

func laneSplit() {
	k := secretScalars(1230)
	lanes.SplitOdd(&laneWords[0], &laneWords[1], (*[lanes.Width]scalar.Scalar)(k), 130)
}

func laneDivide() {
	a, b, s := secretScalars(1250), secretScalars(1270), secretScalars(1290)
	lanes.DivideScalars(a, b, s, make([]lanes.Scalar, lanes.DivideScratch(len(s))))
	lanes.MulScalars(a, s)
}
