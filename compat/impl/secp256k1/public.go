package secp256k1

import (
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/point"
)

// These are the lengths of encoded public keys, and their first bytes (SEC 1 version 2, section
// 2.3.3; for hybrid keys X9.62-1998, section 4.3.6).
const (
	PubKeyBytesLenCompressed   = 33
	PubKeyBytesLenUncompressed = 65

	PubKeyFormatCompressedEven byte = 0x02
	PubKeyFormatCompressedOdd  byte = 0x03
	PubKeyFormatUncompressed   byte = 0x04
	PubKeyFormatHybridEven     byte = 0x06
	PubKeyFormatHybridOdd      byte = 0x07
)

// A PublicKey is a pair of coordinates. The keys that [ParsePubKey] and [PrivateKey.PubKey] return
// are points of the curve, unless the private key is 0. The keys that [NewPublicKey] returns may be
// any pair. Coordinates are normalized, so keys can be compared with ==. The zero value is (0, 0),
// which is not a point.
type PublicKey struct {
	x, y FieldVal
}

// NewPublicKey returns the key (x, y). It does not check that (x, y) is a point of the curve.
func NewPublicKey(x, y *FieldVal) *PublicKey {
	key := &PublicKey{x: *x, y: *y}
	key.x.Normalize()
	key.y.Normalize()
	return key
}

// ParsePubKey returns the public key that serialized encodes: 33 bytes in compressed form, 65 in
// uncompressed or hybrid form. It returns an [Error] if the length or the first byte is not valid,
// if a coordinate is not below the field prime, if the first byte of a hybrid key does not match
// the parity of y, or if the point is not on the curve. The running time depends on the input.
//
//ct:public parses public data
func ParsePubKey(serialized []byte) (*PublicKey, error) {
	switch len(serialized) {
	case PubKeyBytesLenCompressed:
		return parseCompressed([33]byte(serialized))
	case PubKeyBytesLenUncompressed:
		return parseUncompressed([65]byte(serialized))
	}
	return nil, Error{ErrPubKeyInvalidLen,
		fmt.Sprintf("malformed public key: invalid length: %d", len(serialized))}
}

//ct:public parses public data
func parseCompressed(b [33]byte) (*PublicKey, error) {
	if b[0] != PubKeyFormatCompressedEven && b[0] != PubKeyFormatCompressedOdd {
		return nil, errFormat(b[0])
	}
	var a point.Affine
	inField, onCurve := a.LiftXBytesVartime((*[32]byte)(b[1:]), ct.Choice(b[0]&1))
	switch {
	case !inField:
		return nil, errXTooBig()
	case !onCurve:
		return nil, Error{ErrPubKeyNotOnCurve, fmt.Sprintf(
			"invalid public key: x coordinate %x is not on the secp256k1 curve", [32]byte(b[1:]))}
	}
	return FromAffine(&a), nil
}

//ct:public parses public data
func parseUncompressed(b [65]byte) (*PublicKey, error) {
	hybrid := b[0] == PubKeyFormatHybridEven || b[0] == PubKeyFormatHybridOdd
	if b[0] != PubKeyFormatUncompressed && !hybrid {
		return nil, errFormat(b[0])
	}
	key := new(PublicKey)
	if key.x.SetBytes((*[32]byte)(b[1:])) != 0 {
		return nil, errXTooBig()
	}
	if key.y.SetBytes((*[32]byte)(b[33:])) != 0 {
		return nil, Error{ErrPubKeyYTooBig, "invalid public key: y >= field prime"}
	}
	if odd := b[0] == PubKeyFormatHybridOdd; hybrid && key.y.IsOdd() != odd {
		return nil, Error{ErrPubKeyMismatchedOddness, fmt.Sprintf(
			"invalid public key: y oddness does not match specified value of %v", odd)}
	}
	if !key.IsOnCurve() {
		return nil, Error{ErrPubKeyNotOnCurve, fmt.Sprintf(
			"invalid public key: [%x,%x] not on secp256k1 curve", [32]byte(b[1:]), [32]byte(b[33:]))}
	}
	return key, nil
}

//ct:public parses public data
func errFormat(format byte) error {
	return Error{ErrPubKeyInvalidFormat,
		fmt.Sprintf("invalid public key: unsupported format: %x", format)}
}

//ct:public parses public data
func errXTooBig() error {
	return Error{ErrPubKeyXTooBig, "invalid public key: x >= field prime"}
}

// SerializeUncompressed returns the key as 65 bytes: 4, x, y.
func (p PublicKey) SerializeUncompressed() []byte {
	b := make([]byte, PubKeyBytesLenUncompressed)
	b[0] = PubKeyFormatUncompressed
	p.x.PutBytesUnchecked(b[1:])
	p.y.PutBytesUnchecked(b[33:])
	return b
}

// SerializeCompressed returns the key as 33 bytes: 2 if y is even or 3 if it is odd, x.
func (p PublicKey) SerializeCompressed() []byte {
	b := make([]byte, PubKeyBytesLenCompressed)
	b[0] = PubKeyFormatCompressedEven | byte(p.y.IsOddBit())
	p.x.PutBytesUnchecked(b[1:])
	return b
}

// IsEqual reports whether the keys have the same coordinates.
func (p *PublicKey) IsEqual(otherPubKey *PublicKey) bool {
	x := p.x.element().Equal(otherPubKey.x.element())
	return (x & p.y.element().Equal(otherPubKey.y.element())).Bool()
}

// AsJacobian sets result to the key, with Z = 1.
func (p *PublicKey) AsJacobian(result *JacobianPoint) {
	result.X = p.x
	result.Y = p.y
	result.Z.SetInt(1)
}

// IsOnCurve reports whether the key is a point of the curve.
func (p *PublicKey) IsOnCurve() bool {
	a := Affine(p)
	return a.IsOnCurve().Bool()
}

// Affine returns the coordinates of a key, which need not be a point of the curve. Like
// FromAffine it exists for the packages beside this one; the module at the replaced path does not
// export it.
func Affine(p *PublicKey) point.Affine {
	return point.Affine{X: *p.x.element(), Y: *p.y.element()}
}

// FromAffine returns the key with the coordinates of a.
func FromAffine(a *point.Affine) *PublicKey {
	return NewPublicKey((*FieldVal)(&a.X), (*FieldVal)(&a.Y))
}
