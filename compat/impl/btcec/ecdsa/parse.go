// Package ecdsa implements the parsers of signatures of github.com/btcsuite/btcd/btcec/v2/ecdsa,
// version 2.5.1. Signing, verification and recovery are in compat/impl/ecdsa. The package is not
// for direct use: see package btcec.
package ecdsa

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// These are the lengths in bytes of the shortest signature, with r and s of one byte each, and of
// the longest signature in DER, with r and s of 33 bytes each.
const (
	MinSigLen = 8
	MaxSigLen = 72
)

// Tags of a sequence and of an integer (X.690, section 8).
const (
	sequenceTag = 0x30
	integerTag  = 0x02
)

// Programs may compare these errors with ==, as with the replaced package.
var (
	errNoHeaderMagic = errors.New("malformed signature: no header magic")
	errHighS         = errors.New("non-canonical signature: S value not in low-S form")
)

// ParseSignature returns the signature at the beginning of sigStr: a sequence of two integers in
// [1, n) with lengths of one byte. An integer may begin with any number of zero bytes, and its
// first bit is not a sign. Bytes after the sequence are ignored. The running time depends on the
// input.
func ParseSignature(sigStr []byte) (*ecdsa.Signature, error) { return parse(sigStr, false) }

// ParseDERSignature works like ParseSignature, but requires DER integers, which are not negative
// and have no unnecessary leading zeros. sigStr must have at most 72 bytes.
func ParseDERSignature(sigStr []byte) (*ecdsa.Signature, error) { return parse(sigStr, true) }

// VerifyLowS returns nil if sigStr is a DER signature with s of at most n/2, and an error
// otherwise. The running time depends on the input.
func VerifyLowS(sigStr []byte) error {
	sig, err := parse(sigStr, true)
	if err != nil {
		return err
	}
	if s := sig.S(); s.IsOverHalfOrder() {
		return errHighS
	}
	return nil
}

// parse does the work of ParseDERSignature if strict is set, and of ParseSignature otherwise.
func parse(b []byte, strict bool) (*ecdsa.Signature, error) {
	switch {
	case len(b) < MinSigLen:
		return nil, errors.New("malformed signature: too short")
	case strict && len(b) > MaxSigLen:
		return nil, errors.New("malformed signature: too long")
	case b[0] != sequenceTag:
		return nil, errNoHeaderMagic
	}
	// Copy b without its tag: what is checked must be what is parsed, even if b changes.
	var buf [0xff]byte
	copy(buf[1:], b[1:])
	size := int(buf[1]) + 2
	// Refuse 256 and 257 too, the greatest sizes that a length byte gives, as the replaced package
	// does.
	if size > 0xff || size > len(b) || size < MinSigLen {
		return nil, errors.New("malformed signature: bad length")
	}
	b = buf[:size]

	var r, s secp256k1.ModNScalar
	if b[2] != integerTag {
		return nil, errors.New("malformed signature: no 1st int marker")
	}
	// r is followed by the tag of s, the length of s, and at least one byte of s.
	n, rest := int(b[3]), b[4:]
	if n == 0 || n > len(rest)-3 {
		return nil, errors.New("malformed signature: bogus R length")
	}
	if err := setInteger(&r, "R", rest[:n], strict); err != nil {
		return nil, err
	}
	rest = rest[n:]
	if rest[0] != integerTag {
		return nil, errors.New("malformed signature: no 2nd int marker")
	}
	n, rest = int(rest[1]), rest[2:]
	if n == 0 || n > len(rest) {
		return nil, errors.New("malformed signature: bogus S length")
	}
	if err := setInteger(&s, "S", rest[:n], strict); err != nil {
		return nil, err
	}
	if n < len(rest) {
		return nil, fmt.Errorf("malformed signature: bad final length %v != %v",
			size-len(rest)+n, size)
	}
	return ecdsa.NewSignature(&r, &s), nil
}

// setInteger sets x to the integer with the DER content b, which has at least one byte. name is the
// integer's name in the texts of errors.
func setInteger(x *secp256k1.ModNScalar, name string, b []byte, strict bool) error {
	if strict {
		switch {
		case b[0] >= 0x80:
			return fmt.Errorf("signature %s is negative", name)
		case len(b) > 1 && b[0] == 0 && b[1] < 0x80:
			return fmt.Errorf("signature %s is excessively padded", name)
		}
	}
	for len(b) > 0 && b[0] == 0 {
		b = b[1:]
	}
	switch {
	case len(b) > 32:
		return fmt.Errorf("invalid signature: %s is larger than 256 bits", name)
	case x.SetByteSlice(b):
		return fmt.Errorf("invalid signature: %s >= group order", name)
	case x.IsZero():
		return fmt.Errorf("invalid signature: %s is 0", name)
	}
	return nil
}
