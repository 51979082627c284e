//ct:public takes signatures, which are public

package ecdsa

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// A Signature is a pair of numbers r and s, both in [1, n). The zero value is no
// signature: it never verifies, and its encodings are empty.
//
// A Signature does not change. Two signatures are the same if they are equal with ==, so a
// Signature can be the key of a map.
type Signature keys.Signature

// numbers returns pointers to the numbers r and s of sig. Only functions that make a signature may
// change them. Both are zero if sig is nil.
func (sig *Signature) numbers() (r, s *scalar.Scalar) { return (*keys.Signature)(sig).Numbers() }

// own returns a copy of sig, which others cannot change, or the zero value if sig is nil.
func (sig *Signature) own() (copied Signature) {
	if sig != nil {
		copied = *sig
	}
	return copied
}

// ParseSignature returns the signature that b encodes: 64 bytes, r and s of 32
// bytes each, big-endian. A high s is accepted.
//
// There is an error if the length is wrong, or if r or s is not in [1, n).
func ParseSignature(b []byte) (*Signature, error) {
	sig := new(Signature)
	if err := sig.parse(b); err != nil {
		return nil, err
	}
	return sig, nil
}

func (sig *Signature) parse(b []byte) error {
	if len(b) != 64 {
		return fmt.Errorf("ecdsa: signature: %d bytes, want 64", len(b))
	}
	return sig.set((*[32]byte)(b[:32]), (*[32]byte)(b[32:]), 0, 32)
}

// set sets sig to r and s, whose big-endian encodings are rb and sb. If a number is out of range,
// sig becomes the zero value, and the error names the number and its offset in the input, atR or
// atS.
func (sig *Signature) set(rb, sb *[32]byte, atR, atS int) error {
	r, s := sig.numbers()
	if err := setNumber(r, rb, "r", atR); err != nil {
		*sig = Signature{}
		return err
	}
	if err := setNumber(s, sb, "s", atS); err != nil {
		*sig = Signature{}
		return err
	}
	return nil
}

func setNumber(x *scalar.Scalar, b *[32]byte, name string, at int) error {
	if !x.SetBytes(b).Bool() {
		return errNotBelowN(name, at)
	}
	if x.IsZero().Bool() {
		return fmt.Errorf("ecdsa: signature: %s (from byte %d) is zero", name, at)
	}
	return nil
}

func errNotBelowN(name string, at int) error {
	return fmt.Errorf("ecdsa: signature: %s (from byte %d) is not below the group order n", name, at)
}

// IsZero reports whether sig is nil or the zero value.
func (sig *Signature) IsZero() bool {
	// r and s are either both zero or both nonzero. Both are tested nevertheless: even if a struct
	// holds a single zero by mistake, that must not get into the verification equation.
	if sig == nil {
		return true
	}
	r, s := sig.numbers()
	return (r.IsZero() | s.IsZero()).Bool()
}

// R returns r, 32 bytes, big-endian, all zeros if sig is the zero value.
func (sig *Signature) R() (b [32]byte) {
	r, _ := sig.numbers()
	r.PutBytes(&b)
	return b
}

// S returns s, 32 bytes, big-endian, all zeros if sig is the zero value.
func (sig *Signature) S() (b [32]byte) {
	_, s := sig.numbers()
	s.PutBytes(&b)
	return b
}

// Bytes returns the 64-byte encoding, r and s of 32 bytes each, big-endian, or
// nil if sig is the zero value.
func (sig *Signature) Bytes() []byte { return sig.AppendBytes(nil) }

// AppendBytes appends the 64 bytes of Bytes to dst and returns the extended slice.
// It appends nothing if sig is the zero value.
func (sig *Signature) AppendBytes(dst []byte) []byte {
	if sig.IsZero() {
		return dst
	}
	var b [64]byte
	r, s := sig.numbers()
	r.PutBytes((*[32]byte)(b[:32]))
	s.PutBytes((*[32]byte)(b[32:]))
	return append(dst, b[:]...)
}

// IsLowS reports whether s is at most n/2. It is false if sig is the zero value.
func (sig *Signature) IsLowS() bool {
	if sig.IsZero() {
		return false
	}
	_, s := sig.numbers()
	return !s.IsHigh().Bool()
}

// Normalize returns the signature with the same r and the lower of s and n - s. It returns sig
// itself if s is low. Verify accepts both signatures or neither.
func (sig *Signature) Normalize() *Signature {
	if sig.IsZero() || sig.IsLowS() {
		return sig
	}
	low := *sig
	_, s := low.numbers()
	s.Neg(s)
	return &low
}

// textSize is the length of a signature as text: 64 bytes in hexadecimal.
const textSize = 2 * 64

// String returns the 64 bytes of Bytes in hexadecimal, in lower case. It returns
// "ecdsa.Signature(zero)" if sig is the zero value. To print the DER encoding,
// print the bytes of DER with %x.
func (sig Signature) String() string {
	text, err := sig.MarshalText()
	if err != nil {
		return "ecdsa.Signature(zero)"
	}
	return string(text)
}

// MarshalText returns the 64 bytes of Bytes in hexadecimal, in lower case. There is
// an error if sig is the zero value.
func (sig Signature) MarshalText() ([]byte, error) {
	if sig.IsZero() {
		return nil, errors.New("ecdsa: signature: the zero value has no encoding")
	}
	return hex.AppendEncode(make([]byte, 0, textSize), sig.Bytes()), nil
}

// UnmarshalText sets sig to the signature that text encodes: 128 hexadecimal
// digits in upper or lower case, the 64 bytes of ParseSignature. It does not accept
// DER. If there is an error, sig keeps its value.
func (sig *Signature) UnmarshalText(text []byte) error {
	if len(text) != textSize {
		return fmt.Errorf("ecdsa: signature: %d characters, want %d hexadecimal digits", len(text),
			textSize)
	}
	text = append(make([]byte, 0, textSize), text...) // the digits that are checked are decoded
	notDigit := func(c rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", c) }
	if at := bytes.IndexFunc(text, notDigit); at >= 0 {
		return fmt.Errorf("ecdsa: signature: character %d is %q, not a hexadecimal digit", at,
			text[at:at+1])
	}
	var b [64]byte
	hex.Decode(b[:], text) // all characters are digits
	parsed, err := ParseSignature(b[:])
	if err != nil {
		return err
	}
	*sig = *parsed
	return nil
}

// tooShort reports whether a hash is shorter than MinSize.
func tooShort(h []byte) bool { return len(h) < hash.MinSize }

func errShortHash(h []byte) error {
	return fmt.Errorf("ecdsa: hash: %d bytes, want at least %d", len(h), hash.MinSize)
}
