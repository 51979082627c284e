package sums

import (
	"errors"
	"math/big"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestTotal checks that Total decodes coordinates to the right point. It must refuse coordinates of
// p or more, values zz and zzz with zz³ ≠ zzz², points off the curve, and an undefined state.
func TestTotal(t *testing.T) {
	p, one, z := reference.P(), big.NewInt(1), big.NewInt(77)
	pow := func(e int64) *big.Int { return new(big.Int).Exp(z, big.NewInt(e), p) }
	times := func(a, b *big.Int) *big.Int { a = new(big.Int).Mul(a, b); return a.Mod(a, p) }
	next := func(a *big.Int) *big.Int { return new(big.Int).Add(a, one) }
	negative := func(a *big.Int) *big.Int { return new(big.Int).Sub(p, a) }
	zero, zz, zzz := new(big.Int), pow(2), pow(3)
	x, y := times(reference.Gx(), zz), times(reference.Gy(), zzz)
	g := slices.Concat(reference.Gx().FillBytes(make([]byte, 32)),
		reference.Gy().FillBytes(make([]byte, 32)))
	infinity := make([]byte, 64)
	for name, c := range map[string]struct {
		x, y, zz, zzz *big.Int
		state         [4]byte
		want          []byte // nil if Add returns an error
	}{
		"G":                  {x, y, zz, zzz, [4]byte{}, g},
		"G, affine":          {reference.Gx(), reference.Gy(), one, one, [4]byte{}, g},
		"G with -z":          {x, negative(y), zz, negative(zzz), [4]byte{}, g},
		"a malformed term":   {x, y, zz, zzz, [4]byte{1}, g},
		"infinity":           {one, one, zero, zero, [4]byte{}, infinity},
		"another infinity":   {x, zero, zero, zero, [4]byte{}, infinity},
		"p for x":            {p, one, zero, zero, [4]byte{}, nil},
		"p for y":            {one, p, zero, zero, [4]byte{}, nil},
		"p for zz":           {one, one, p, zero, [4]byte{}, nil},
		"p for zzz":          {one, one, zero, p, [4]byte{}, nil},
		"half of infinity":   {x, y, zero, zzz, [4]byte{}, nil},
		"the other half":     {x, y, zz, zero, [4]byte{}, nil},
		"another zz":         {x, y, next(zz), zzz, [4]byte{}, nil},
		"another zzz":        {x, y, zz, next(zzz), [4]byte{}, nil},
		"zz of another z":    {times(reference.Gx(), pow(-4)), y, pow(5), zzz, [4]byte{}, nil},
		"another x":          {next(x), y, zz, zzz, [4]byte{}, nil},
		"another y":          {x, next(y), zz, zzz, [4]byte{}, nil},
		"a state of 2":       {x, y, zz, zzz, [4]byte{2}, nil},
		"a state's byte 1":   {x, y, zz, zzz, [4]byte{0, 1}, nil},
		"a state's byte 2":   {x, y, zz, zzz, [4]byte{0, 0, 1}, nil},
		"a state's last one": {x, y, zz, zzz, [4]byte{1, 0, 0, 1}, nil},
	} {
		a := Answer{state: c.state[:]}
		for _, v := range []*big.Int{c.x, c.y, c.zz, c.zzz} {
			a.points = append(a.points, littleEndian(v)...)
		}
		var total Total
		err := total.Add(&Shape{windows: 1, window: minWindow}, &a) // parameters with a single window
		if got := kernels.Coordinates(&total.sum); c.want == nil {
			if !errors.Is(err, ErrPoint) || got != [64]byte{} || total.Bad() {
				t.Errorf("%s: %v, and %x is added", name, err, got)
			}
		} else if err != nil || got != [64]byte(c.want) {
			t.Errorf("%s: %v, %x", name, err, got)
		}
		if err == nil && total.Bad() != (c.state[0] == 1) {
			t.Errorf("%s: malformed is %t", name, total.Bad())
		}
	}
}

// TestWindows checks that Total doubles the points of a window for each bit of the windows below,
// and adds up the points of the last window.
func TestWindows(t *testing.T) {
	a := Answer{state: make([]byte, stateBytes)}
	for range 4 { // two windows, and two more points of the last one
		for _, v := range []*big.Int{reference.Gx(), reference.Gy(), big.NewInt(1), big.NewInt(1)} {
			a.points = append(a.points, littleEndian(v)...)
		}
	}
	var total Total
	if err := total.Add(&Shape{windows: 2, window: 5}, &a); err != nil {
		t.Fatal(err)
	}
	curve := reference.Secp256k1()
	want := curve.ScalarMult(big.NewInt(1+3<<5), curve.G)
	if got := kernels.Coordinates(&total.sum); new(big.Int).SetBytes(got[:32]).Cmp(want.X) != 0 ||
		new(big.Int).SetBytes(got[32:]).Cmp(want.Y) != 0 {
		t.Errorf("the sum is %x, want %x", got, want)
	}
}
