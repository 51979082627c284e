// Package vartimetest helps the tests of package vartime and the packages below it. It converts
// between big integers, points of the reference, and the types of these packages.
package vartimetest

//ci:untested The tests of the packages below internal/vartime run it.

import (
	"math/big"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// Scalar returns x modulo n.
func Scalar(x *big.Int) *scalar.Scalar {
	var b [32]byte
	new(big.Int).Mod(x, reference.N()).FillBytes(b[:])
	s := new(scalar.Scalar)
	s.SetBytes(&b)
	return s
}

// Element returns x as an element. x must be at least 0 and below 2^256.
func Element(x *big.Int) (v field.Element) {
	var b [32]byte
	x.FillBytes(b[:])
	v.SetBytes(&b)
	return v
}

// Affine returns p, which must be finite, as a point.Affine.
func Affine(p reference.Point) *point.Affine {
	return &point.Affine{X: Element(p.X), Y: Element(p.Y)}
}

// Reference returns p as a reference.Point.
func Reference(p *point.Jacobian) reference.Point {
	var a point.Affine
	if !a.SetJacobianVartime(p) {
		return reference.Point{}
	}
	var x, y [32]byte
	a.X.PutBytes(&x)
	a.Y.PutBytes(&y)
	return reference.Point{X: new(big.Int).SetBytes(x[:]), Y: new(big.Int).SetBytes(y[:])}
}

// Special returns scalars for exceptional cases: small multiples of 1 and λ, scalars whose digits
// have carries, and scalars with a half that is zero.
func Special() []*big.Int {
	n := reference.N()
	out := []*big.Int{}
	for d := int64(0); d <= 17; d++ {
		out = append(out, big.NewInt(d), new(big.Int).Sub(n, big.NewInt(d)))
	}
	l := reference.Lambda()
	for _, k := range []int64{1, 2, 3, 15, 16} {
		x := new(big.Int).Mul(l, big.NewInt(k))
		out = append(out, x.Mod(x, n), new(big.Int).Sub(n, x), new(big.Int).Add(x, big.NewInt(1)))
		y := new(big.Int).Lsh(big.NewInt(k), 128)
		out = append(out, y, new(big.Int).Sub(n, y))
	}
	half := new(big.Int).Rsh(n, 1)
	return append(out, half, new(big.Int).Add(half, big.NewInt(1)),
		new(big.Int).Lsh(big.NewInt(1), 127), new(big.Int).Lsh(big.NewInt(1), 255))
}

// SplitTableSizes returns the size in bytes of every table that vartime.NewSplitTable can make.
func SplitTableSizes() []int {
	return []int{1 << 10, 2 << 10, 4 << 10, 8 << 10, 13 << 10, 26 << 10}
}
