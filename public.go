//ct:public takes public keys

package koblitz

import (
	"bytes"
	"crypto"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
)

// A PublicKey is a point of the curve other than infinity. The zero value holds
// no key. Compare keys with Equal; == does not compile.
type PublicKey keys.Public

// ParsePublicKey returns the public key that b encodes (SEC 1 version 2, section 2.3.4). It accepts
// 33 bytes, 0x02 or 0x03 for an even or odd y coordinate and the x coordinate, and 65 bytes, 0x04
// and both coordinates, big-endian. It refuses hybrid encodings (0x06 and 0x07), which only X9.62
// defines, and the one-byte encoding of infinity.
//
// The error says which byte or coordinate is wrong. The time depends on b.
func ParsePublicKey(b []byte) (*PublicKey, error) {
	k := new(PublicKey)
	if err := k.parse(b); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *PublicKey) parse(b []byte) error {
	var a point.Affine
	switch len(b) {
	case 33:
		head := b[0]
		if head != 0x02 && head != 0x03 {
			return fmt.Errorf("koblitz: public key: byte 0 is %#02x, "+
				"want 0x02 or 0x03 before 32 more bytes", head)
		}
		inField, onCurve := a.LiftXBytesVartime((*[32]byte)(b[1:]), ct.Choice(head&1))
		if !inField {
			return errors.New("koblitz: public key: x (bytes 1 to 32) is not below the field prime p")
		}
		if !onCurve {
			return errors.New("koblitz: public key: x (bytes 1 to 32) is not the x coordinate of " +
				"a point of the curve")
		}
	case 65:
		head := b[0]
		if head == 0x06 || head == 0x07 {
			return fmt.Errorf("koblitz: public key: byte 0 is %#02x: "+
				"hybrid encodings are not accepted", head)
		}
		if head != 0x04 {
			return fmt.Errorf("koblitz: public key: byte 0 is %#02x, want 0x04 before 64 more bytes", head)
		}
		if !a.X.SetBytes((*[32]byte)(b[1:33])).Bool() {
			return errors.New("koblitz: public key: x (bytes 1 to 32) is not below the field prime p")
		}
		if !a.Y.SetBytes((*[32]byte)(b[33:65])).Bool() {
			return errors.New("koblitz: public key: y (bytes 33 to 64) is not below the field prime p")
		}
		if !a.IsOnCurve().Bool() {
			return errors.New("koblitz: public key: (x, y) (bytes 1 to 64) is not a point of the curve")
		}
	default:
		return fmt.Errorf("koblitz: public key: %d bytes, "+
			"want 33 (compressed) or 65 (uncompressed)", len(b))
	}
	(*keys.Public)(k).SetAffine(&a)
	return nil
}

// newPublicKey returns the public key with the point a of the curve.
func newPublicKey(a *point.Affine) *PublicKey {
	k := new(PublicKey)
	(*keys.Public)(k).SetAffine(a)
	return k
}

func (k *PublicKey) affine() *point.Affine { return (*keys.Public)(k).Affine() }

// Bytes returns the 33-byte compressed encoding (SEC 1 version 2, section 2.3.3), or nil if k holds
// no key. [33]byte(k.Bytes()) can be the key of a map.
func (k *PublicKey) Bytes() []byte { return k.AppendBytes(nil) }

// AppendBytes appends the 33 bytes of Bytes to dst and returns the extended slice. It appends
// nothing if k holds no key.
func (k *PublicKey) AppendBytes(dst []byte) []byte {
	if k.IsZero() {
		return dst
	}
	b := k.array()
	return append(dst, b[:]...)
}

// array returns the compressed encoding, or zeros if there is no key.
func (k *PublicKey) array() (b [33]byte) {
	if a := k.affine(); a != nil {
		b[0] = 0x02 | byte(a.Y.IsOdd())
		a.X.PutBytes((*[32]byte)(b[1:]))
	}
	return b
}

// UncompressedBytes returns the 65-byte uncompressed encoding (SEC 1 version 2, section 2.3.3), or
// nil if k holds no key.
func (k *PublicKey) UncompressedBytes() []byte { return k.AppendUncompressedBytes(nil) }

// AppendUncompressedBytes appends the 65 bytes of UncompressedBytes to dst and returns the extended
// slice. It appends nothing if k holds no key.
func (k *PublicKey) AppendUncompressedBytes(dst []byte) []byte {
	a := k.affine()
	if a == nil {
		return dst
	}
	var b [65]byte
	b[0] = 0x04
	a.X.PutBytes((*[32]byte)(b[1:33]))
	a.Y.PutBytes((*[32]byte)(b[33:65]))
	return append(dst, b[:]...)
}

// XOnlyPublicKey returns the x-only key with the x coordinate of k, or nil if k holds no key.
func (k *PublicKey) XOnlyPublicKey() *XOnlyPublicKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	return newXOnlyPublicKey(a)
}

// HasEvenY reports whether the y coordinate of k is even (has_even_y of BIP-340). It returns false
// if k holds no key. The control block of a taproot script path (BIP-341) contains this bit of the
// tweaked key, inverted.
func (k *PublicKey) HasEvenY() bool {
	a := k.affine()
	return a != nil && !a.Y.IsOdd().Bool()
}

// IsZero reports whether k holds no key: it is nil or a zero value.
func (k *PublicKey) IsZero() bool { return k.affine() == nil }

// Equal reports whether other is a *PublicKey with the same point. It returns false if k or other
// holds no key.
func (k *PublicKey) Equal(other crypto.PublicKey) bool {
	o, _ := other.(*PublicKey)
	a, b := k.affine(), o.affine()
	return a != nil && b != nil && a.Equal(b).Bool()
}

// Compare compares the compressed encodings of k and other. It returns -1 if the encoding of k
// sorts first, +1 if that of other does, and 0 if they are the same. This is the order of BIP-67. A
// nil key and the zero value sort before all keys.
func (k *PublicKey) Compare(other *PublicKey) int {
	a, b := k.array(), other.array()
	return bytes.Compare(a[:], b[:])
}

// Negate returns the point -k, with the same x coordinate, or nil if k holds no key.
func (k *PublicKey) Negate() *PublicKey {
	a := k.affine()
	if a == nil {
		return nil
	}
	var negative point.Affine
	return newPublicKey(negative.Neg(a))
}

// String returns the compressed encoding in hexadecimal.
func (k PublicKey) String() string {
	if k.IsZero() {
		return "koblitz.PublicKey(zero)"
	}
	return hex.EncodeToString(k.Bytes())
}

// MarshalText returns the compressed encoding in hexadecimal, or an error if k holds no key.
func (k PublicKey) MarshalText() ([]byte, error) {
	if k.IsZero() {
		return nil, ErrZeroKey
	}
	return hex.AppendEncode(nil, k.Bytes()), nil
}

// UnmarshalText sets k to the key that text encodes in hexadecimal, compressed or uncompressed. If
// there is an error, k keeps its value.
func (k *PublicKey) UnmarshalText(text []byte) error {
	b, err := decodeHex(text, "public key")
	if err != nil {
		return err
	}
	return k.UnmarshalBinary(b)
}

// MarshalBinary returns the compressed encoding, or an error if k holds no key.
func (k PublicKey) MarshalBinary() ([]byte, error) {
	if k.IsZero() {
		return nil, ErrZeroKey
	}
	return k.Bytes(), nil
}

// UnmarshalBinary sets k to the key that b encodes, as for ParsePublicKey. If there is an error, k
// keeps its value.
func (k *PublicKey) UnmarshalBinary(b []byte) error { return k.parse(b) }

// decodeHex returns the bytes that text encodes in hexadecimal. noun says in errors what the text
// is, such as "public key".
func decodeHex(text []byte, noun string) ([]byte, error) {
	b, err := hex.AppendDecode(nil, text)
	if err != nil {
		return nil, fmt.Errorf("koblitz: %s: %w", noun, err)
	}
	return b, nil
}
