package group

import (
	"errors"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// ScalarBaseMultVartime does the work of [Point.ScalarBaseMult] for a public k, several times as
// fast.
func (p *Point) ScalarBaseMultVartime(k *Scalar) *Point {
	vartime.ScalarBaseMult(p.value(), k.value())
	p.group().Changed()
	return p
}

// ScalarMultVartime does the work of [Point.ScalarMult] for a public k and a public a, in less
// time.
func (p *Point) ScalarMultVartime(k *Scalar, a *Point) *Point {
	var base point.Affine
	if !a.affine(&base).Bool() {
		return p.SetIdentity()
	}
	vartime.ScalarMult(p.value(), k.value(), &base)
	p.group().Changed()
	return p
}

// DoubleScalarBaseMultVartime sets p = k·G + l·a for public k, l and a, and returns p. Verifying
// most signatures and proofs takes this one operation.
func (p *Point) DoubleScalarBaseMultVartime(k, l *Scalar, a *Point) *Point {
	var base point.Affine
	if !a.affine(&base).Bool() {
		return p.ScalarBaseMultVartime(k)
	}
	vartime.DoubleScalarMult(p.value(), k.value(), l.value(), &base)
	p.group().Changed()
	return p
}

// lift sets a to the point with the given x coordinate, 32 bytes, big-endian, and a y coordinate of
// the given parity. Encodings are public, so the time depends on x.
//
//ct:public parses public data
func lift(a *point.Affine, x *[32]byte, odd ct.Choice) error {
	inField, onCurve := a.LiftXBytesVartime(x, odd)
	if !inField {
		return errors.New("group: point: x (bytes 1 to 32) is not below the field prime p")
	}
	if !onCurve {
		return errors.New(
			"group: point: x (bytes 1 to 32) is not the x coordinate of a point of the curve")
	}
	return nil
}
