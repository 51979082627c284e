package sums

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// ErrPoint is in the tree of the errors that say that a device left what is no point.
var ErrPoint = errors.New("the device computed no point of the curve")

// b7 is the curve's constant.
const b7 = 7

// A Total is the sum of the sums that a device computed. The zero value is infinity.
type Total struct{ sum point.Jacobian }

// Add adds what a device computed. It returns an error if it left what are no points of the curve,
// or did not say whether a term is malformed.
func (t *Total) Add(s *Shape, a *Answer) error {
	if a.state[0] > 1 || !bytes.Equal(a.state[1:4], []byte{0, 0, 0}) {
		return ErrPoint
	}
	var sum, p point.Jacobian
	for i := len(a.points)/xyzzBytes - 1; i >= 0; i-- {
		if err := setXYZZ(&p, a.points[i*xyzzBytes:][:xyzzBytes]); err != nil {
			return err
		}
		if i < s.windows-1 { // those from there on belong to the last window together
			sum.DoubleNVartime(s.window)
		}
		sum.AddVartime(&sum, &p)
	}
	t.sum.AddVartime(&t.sum, &sum)
	return nil
}

// Join adds another sum.
func (t *Total) Join(o *Total) { t.sum.AddVartime(&t.sum, &o.sum) }

// Bytes returns both coordinates of t, big-endian, or zeros for infinity.
func (t *Total) Bytes() (b [64]byte) {
	var a point.Affine
	if a.SetJacobianVartime(&t.sum) {
		a.X.PutBytes((*[32]byte)(b[:32]))
		a.Y.PutBytes((*[32]byte)(b[32:]))
	}
	return b
}

// setXYZZ sets p to the point that 32 words, the limbs of x, y, zz and zzz, stand for.
func setXYZZ(p *point.Jacobian, b []byte) error {
	var v [4]field.Element
	for i := range v {
		var e [32]byte
		for k := range 4 {
			binary.BigEndian.PutUint64(e[24-8*k:], binary.LittleEndian.Uint64(b[32*i+8*k:]))
		}
		if !v[i].SetBytes(&e).Bool() {
			return ErrPoint
		}
	}
	x, y, zz, zzz := &v[0], &v[1], &v[2], &v[3]
	if zz.IsZero().Bool() {
		if !zzz.IsZero().Bool() {
			return ErrPoint
		}
		p.SetInfinity()
		return nil
	}
	// (x/zz, y/zzz) has the Jacobian coordinates x·zz, y·zzz and zz, since zz³ = zzz².
	var cube, square, t, seven field.Element
	cube.Square(zz)
	cube.Mul(&cube, zz)
	square.Square(zzz)
	if !cube.Equal(&square).Bool() {
		return ErrPoint
	}
	// y²/zzz² = x³/zz³ + 7
	t.Square(x)
	t.Mul(&t, x)
	t.Add(&t, seven.MulSmall(&cube, b7))
	square.Square(y)
	if !t.Equal(&square).Bool() {
		return ErrPoint
	}
	p.X.Mul(x, zz)
	p.Y.Mul(y, zzz)
	p.Z.Set(zz)
	return nil
}
