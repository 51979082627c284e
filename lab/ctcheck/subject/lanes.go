package main

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// inLanes lists functions of package lanes. Valgrind has no AVX-512, so ctcheck replaces the
// package's kernels by portable versions.
var inLanes = []any{
	(*lanes.Element).Mul, (*lanes.Element).Square, (*lanes.Element).Add, (*lanes.Element).Sub,
	(*lanes.Element).Neg, (*lanes.Element).IsZero, (*lanes.Element).IsOdd, (*lanes.Element).Equal,
	(*lanes.Element).Select, (*lanes.Element).CondNeg, (*lanes.Element).Rotate,
	(*lanes.Element).SetLane, (*lanes.Element).Lane, (*lanes.Element).Broadcast,
	(*lanes.Element).One, (*lanes.Element).Limbs, (*lanes.Element).SetLimbs,
	(*lanes.Element).InvertLanes, lanes.SqrtPair, lanes.SqrtRatioPair,
	func(v, x *lanes.Element) { v.MulSmall(x, 9) },

	lanes.Mask.Not, lanes.Mask.And, lanes.Mask.Or, lanes.Mask.AndNot, lanes.Mask.Xor,
	lanes.Mask.Rotate, (*lanes.Vector).Set, (*lanes.Vector).At,
	func(m *lanes.Mask, bit ct.Choice) { m.Put(0, uint64(bit)) },

	(*lanes.Jacobian).DoubleN, (*lanes.Jacobian).AddMixedIncomplete,
	(*lanes.Jacobian).AddIncomplete, (*lanes.Jacobian).IsInfinity, (*lanes.Jacobian).Select,
	(*lanes.Jacobian).SetAffine, (*lanes.Jacobian).Limbs, (*lanes.Affine).CondNeg,
	(*lanes.Affine).Pack, (*lanes.Affine).Unpack, (*lanes.Affine).Lane, (*lanes.Affine).SetLane,
	lanes.SetPoint, lanes.AddAffineIncomplete, (*lanes.CoZ).SetDouble, (*lanes.CoZ).AddIncomplete,
	func(v []lanes.Element, x *lanes.Element) {
		scratch := make([]lanes.Element, len(v)+2)
		lanes.Running(scratch, v, x)
		lanes.Inverses(scratch, v, x)
	},

	(*lanes.Scalar).SetLane, (*lanes.Scalar).Lane, (*lanes.Scalar).Mul, (*lanes.Scalar).Select,
	(*lanes.Scalar).IsZero, lanes.BatchInvertScalars,
	func() { lanes.BatchInvertScalars(nil, nil) },
	func(k *[lanes.Width]scalar.Scalar) {
		var parts [2][3]lanes.Vector
		lanes.SplitOdd(&parts[0], &parts[1], k, 130)
	},
	func() {
		a, b, s := secretScalars(1250), secretScalars(1270), secretScalars(1290)
		lanes.DivideScalars(a, b, s, make([]lanes.Scalar, lanes.DivideScratch(len(s))))
		lanes.MulScalars(a, s)
	},
}

func secretLanes(seed uint64) (v lanes.Element) {
	for j := range lanes.Width {
		x := secretElement(seed + uint64(j))
		v.SetLane(j, &x)
	}
	return v
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
