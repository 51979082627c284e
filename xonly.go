//ct:public takes public keys

package koblitz

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
)

// An XOnlyPublicKey is a public key of BIP-340. Its encoding is an x coordinate, and it represents
// the point with that x coordinate and an even y coordinate. The zero value holds no key. Compare
// keys with Equal; == does not compile.
type XOnlyPublicKey keys.XOnly

// ParseXOnlyPublicKey returns the key that b encodes: the 32 bytes of the x
// coordinate, big-endian (BIP-340, "Public Key Conversion" and lift_x).
//
// There is an error if the length is wrong, if the value is not below p, or if
// no point of the curve has this x coordinate. The time depends on b.
func ParseXOnlyPublicKey(b []byte) (*XOnlyPublicKey, error) {
	k := new(XOnlyPublicKey)
	if err := k.parse(b); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *XOnlyPublicKey) parse(b []byte) error {
	if len(b) != 32 {
		return fmt.Errorf("koblitz: x-only public key: %d bytes, want 32", len(b))
	}
	var a point.Affine
	inField, onCurve := a.LiftXBytesVartime((*[32]byte)(b), 0)
	if !inField {
		return errors.New("koblitz: x-only public key: x (bytes 0 to 31) is not below the field prime p")
	}
	if !onCurve {
		return errors.New("koblitz: x-only public key: " +
			"x (bytes 0 to 31) is not the x coordinate of a point of the curve")
	}
	(*keys.XOnly)(k).SetAffine(&a)
	return nil
}

// newXOnlyPublicKey returns the x-only key with the x coordinate of the point a of the curve.
func newXOnlyPublicKey(a *point.Affine) *XOnlyPublicKey {
	k := new(XOnlyPublicKey)
	(*keys.XOnly)(k).SetAffine(a)
	return k
}

func (k *XOnlyPublicKey) affine() *point.Affine { return (*keys.XOnly)(k).Affine() }

// Bytes returns the 32 bytes of the x coordinate, big-endian, or nil if k holds no key.
// [32]byte(k.Bytes()) can be the key of a map.
func (k *XOnlyPublicKey) Bytes() []byte { return k.AppendBytes(nil) }

// AppendBytes appends the 32 bytes of Bytes to dst and returns the extended slice. It appends
// nothing if k holds no key.
func (k *XOnlyPublicKey) AppendBytes(dst []byte) []byte {
	if k.IsZero() {
		return dst
	}
	b := k.array()
	return append(dst, b[:]...)
}

// array returns the x coordinate, or zeros if there is no key.
func (k *XOnlyPublicKey) array() (b [32]byte) {
	if a := k.affine(); a != nil {
		a.X.PutBytes(&b)
	}
	return b
}

// PublicKey returns the point that k represents, with an even y coordinate, or nil if k holds no
// key.
func (k *XOnlyPublicKey) PublicKey() *PublicKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	return newPublicKey(a)
}

// IsZero reports whether k holds no key: it is nil or a zero value.
func (k *XOnlyPublicKey) IsZero() bool { return k.affine() == nil }

// Equal reports whether other is an *XOnlyPublicKey with the same x coordinate. It returns false if
// k or other holds no key.
func (k *XOnlyPublicKey) Equal(other crypto.PublicKey) bool {
	o, _ := other.(*XOnlyPublicKey)
	a, b := k.affine(), o.affine()
	return a != nil && b != nil && a.X.Equal(&b.X).Bool()
}

// Compare compares the encodings of k and other. It returns -1 if the encoding of k sorts first, +1
// if that of other does, and 0 if they are the same. A nil key and the zero value sort before all
// keys.
func (k *XOnlyPublicKey) Compare(other *XOnlyPublicKey) int {
	a, b := k.array(), other.array()
	return bytes.Compare(a[:], b[:])
}

// String returns the encoding of k in hexadecimal.
func (k XOnlyPublicKey) String() string {
	if k.IsZero() {
		return "koblitz.XOnlyPublicKey(zero)"
	}
	return hex.EncodeToString(k.Bytes())
}

// MarshalText returns the encoding of k in hexadecimal, or an error if k holds no key.
func (k XOnlyPublicKey) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, ErrZeroKey
	}
	return hex.AppendEncode(nil, k.Bytes()), nil
}

// UnmarshalText sets k to the key that text encodes in hexadecimal. If there is an error, k keeps
// its value.
func (k *XOnlyPublicKey) UnmarshalText(text []byte) error {
	b, err := decodeHex(text, "x-only public key")
	if err != nil {
		return err
	}
	return k.UnmarshalBinary(b)
}

// MarshalBinary returns the encoding of k, or an error if k holds no key.
func (k XOnlyPublicKey) MarshalBinary() ([]byte, error) {
	if k.IsZero() {
		return nil, ErrZeroKey
	}
	return k.Bytes(), nil
}

// UnmarshalBinary sets k to the key that b encodes, as for ParseXOnlyPublicKey. If there is an
// error, k keeps its value.
func (k *XOnlyPublicKey) UnmarshalBinary(b []byte) error { return k.parse(b) }
