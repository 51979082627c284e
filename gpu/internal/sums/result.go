package sums

import (
	"bytes"
	"errors"
	"math/big"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/gpu/kernels"
	"github.com/koblitz-go/koblitz/group"
)

// ErrPoint is wrapped by errors which say that a device's result is not a point of the curve.
var ErrPoint = errors.New("the device computed no point of the curve")

// A Total adds up the sums that a device has computed. The zero value is the identity.
type Total struct{ sum group.Point }

// Add adds the sum that a device has computed to t. It returns an error if a result of the device
// is not a point of the curve, or if the device has not reported whether a term is malformed.
func (t *Total) Add(s *Shape, a *Answer) error {
	if a.state[0] > 1 || !bytes.Equal(a.state[1:4], []byte{0, 0, 0}) {
		return ErrPoint
	}
	p := P()
	var sum, q group.Point
	for i := len(a.points)/xyzzBytes - 1; i >= 0; i-- {
		if err := setXYZZ(&q, a.points[i*xyzzBytes:][:xyzzBytes], p); err != nil {
			return err
		}
		if i < s.windows-1 { // the last points all belong to the last window
			for range s.window {
				sum.Double(&sum)
			}
		}
		sum.Add(&sum, &q)
	}
	t.sum.Add(&t.sum, &sum)
	return nil
}

// Join adds the total o to t.
func (t *Total) Join(o *Total) { t.sum.Add(&t.sum, &o.sum) }

// Equal reports whether t equals p.
func (t *Total) Equal(p *group.Point) bool { return t.sum.Equal(p) }

// Bytes returns both coordinates of t, big-endian, or zeros for the identity.
func (t *Total) Bytes() [64]byte { return kernels.Coordinates(&t.sum) }

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
