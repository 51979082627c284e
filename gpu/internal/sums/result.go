package sums

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// Errors that [Total.Add] wraps.
var (
	ErrPoint = errors.New("the device computed no point of the curve")
	ErrRows  = errors.New("the device has not done all rows")
)

// A Total adds up the sums or equations of a call, each of which covers some of the rows. The zero
// value covers no rows.
type Total struct {
	sum  group.Point
	base group.Scalar // sum of the scalars of G, in equations
	rows [4]bool      // for each verdict, whether some row has it
}

// Add adds the results that a device computed. It returns an error, and adds nothing, if correct
// computation cannot give such results: if one of them is not a point of the curve, or if the
// device has not reported on every row.
func (t *Total) Add(s *Shape, a *Answer) error {
	var part Total
	if a.state[0] > 1 || !bytes.Equal(a.state[1:4], []byte{0, 0, 0}) {
		return ErrPoint
	}
	if s.isEquation() {
		base, counts := addUp(a.records)
		rows := uint32(0)
		for v, c := range counts {
			rows += c
			part.rows[v] = c != 0
		}
		if rows != uint32(s.Rows)*a.mark() {
			return fmt.Errorf("%w of %d", ErrRows, s.Rows)
		}
		part.base = base
	} else if a.state[0] == 1 {
		part.rows[device.Malformed] = true
	}
	p := P()
	var q group.Point
	for i := len(a.points)/xyzzBytes - 1; i >= 0; i-- {
		if err := setXYZZ(&q, a.points[i*xyzzBytes:][:xyzzBytes], p); err != nil {
			return err
		}
		if i < s.windows-1 { // the last points all belong to the last window
			for range s.window {
				part.sum.Double(&part.sum)
			}
		}
		part.sum.Add(&part.sum, &q)
	}
	t.Join(&part)
	return nil
}

// Join adds o, which covers other rows, to t.
func (t *Total) Join(o *Total) {
	for v, is := range o.rows {
		t.rows[v] = t.rows[v] || is
	}
	t.base.Add(&t.base, &o.base)
	t.sum.Add(&t.sum, &o.sum)
}

// Bad reports whether some row is not part of the sum, because the device found the row Malformed,
// Invalid or Unchecked. No further rows can then make the call Valid, so they need not be computed.
func (t *Total) Bad() bool {
	return t.rows[device.Malformed] || t.rows[device.Invalid] || t.rows[device.Unchecked]
}

// Write writes the verdict on all rows, and the result of a Sum, to c. The verdict is Malformed or
// Invalid if some row has that verdict; otherwise a sum is Valid. An equation is Valid if it comes
// to infinity; it is Unchecked if a wrong recovery id may be the only error.
func (t *Total) Write(c *device.Call) {
	c.Verdicts[0] = t.verdict(c.Kind)
	clear(c.Results)
	if c.Kind == device.Sum && c.Verdicts[0] == device.Valid {
		sum := kernels.Coordinates(&t.sum)
		copy(c.Results, sum[:])
	}
}

func (t *Total) verdict(k device.Kind) device.Verdict {
	switch {
	case t.rows[device.Malformed]:
		return device.Malformed
	case t.rows[device.Invalid]:
		return device.Invalid
	case t.rows[device.Unchecked]:
		return device.Unchecked // a recovery id selects no point
	case k == device.Sum:
		return device.Valid
	}
	// The equation comes to infinity if base·G and the sum of the terms are negatives of each other.
	var opposite group.Scalar
	switch {
	case t.sum.Equal(new(group.Point).ScalarBaseMultVartime(opposite.Negate(&t.base))):
		return device.Valid
	case k == device.AllECDSA:
		return device.Unchecked
	}
	return device.Invalid
}

// P returns the field prime p.
func P() *big.Int {
	p := new(big.Int).Lsh(big.NewInt(1), 256)
	return p.Sub(p, big.NewInt(0x1000003d1))
}

// setXYZZ sets q to the point with the XYZZ coordinates in b: x, y, zz and zzz, 32 bytes each,
// little-endian. The point is (x/zz, y/zzz), where zz³ = zzz², or the identity if zz and zzz are 0.
// p is the field prime.
func setXYZZ(q *group.Point, b []byte, p *big.Int) error {
	var v [4]*big.Int
	for i := range v {
		e := slices.Clone(b[32*i:][:32])
		slices.Reverse(e)
		if v[i] = new(big.Int).SetBytes(e); v[i].Cmp(p) >= 0 {
			return ErrPoint
		}
	}
	x, y, zz, zzz := v[0], v[1], v[2], v[3]
	if zz.Sign() == 0 && zzz.Sign() == 0 {
		q.SetIdentity()
		return nil
	}
	// Let z = zzz/zz. Since zz³ = zzz², zz is z² and zzz is z³.
	inverse := new(big.Int).ModInverse(zzz, p)
	if inverse == nil {
		return ErrPoint
	}
	times := func(a, b *big.Int) *big.Int { a = new(big.Int).Mul(a, b); return a.Mod(a, p) }
	z := times(zz, inverse) // 1/z
	square := times(z, z)
	if times(square, zz).Cmp(big.NewInt(1)) != 0 {
		return ErrPoint
	}
	encoding := [65]byte{4}
	times(x, square).FillBytes(encoding[1:33])
	times(y, inverse).FillBytes(encoding[33:])
	key, err := koblitz.ParsePublicKey(encoding[:])
	if err != nil {
		return ErrPoint
	}
	_, err = q.SetPublicKey(key)
	return err
}
