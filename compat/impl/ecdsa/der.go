//ct:public encodes and parses signatures, which are public

package ecdsa

import (
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// These are tags of DER (X.690, section 8).
const (
	tagInteger  = 0x02
	tagSequence = 0x30
)

// Serialize returns the signature in DER, as BIP-66 requires, in 8 to 71 bytes. If s is greater
// than n/2, it encodes n − s in place of s.
func (sig *Signature) Serialize() []byte {
	s := sig.s
	if s.IsOverHalfOrder() {
		s.Negate()
	}
	b := make([]byte, 2, 72)
	b[0] = tagSequence
	b = appendInteger(b, &sig.r)
	b = appendInteger(b, &s)
	b[1] = byte(len(b) - 2)
	return b
}

// appendInteger appends the number v as a DER integer, in the fewest bytes for which the first byte
// is below 0x80.
func appendInteger(b []byte, v *secp256k1.ModNScalar) []byte {
	var number [33]byte
	v.PutBytesUnchecked(number[1:])
	digits := number[:]
	for len(digits) > 1 && digits[0] == 0 && digits[1] < 0x80 {
		digits = digits[1:]
	}
	return append(append(b, tagInteger, byte(len(digits))), digits...)
}

// ParseDERSignature returns the signature that sig encodes in DER, as BIP-66 requires, with r and s
// in [1, n). If sig is not such an encoding, it returns an [Error]. A high s is accepted. If there
// are several faults, the first one in a fixed order determines the kind of the error.
func ParseDERSignature(sig []byte) (*Signature, error) {
	const minLen, maxLen = 8, 72
	size := len(sig)
	switch {
	case size < minLen:
		return nil, failure(ErrSigTooShort, "malformed signature: too short: %d < %d", size, minLen)
	case size > maxLen:
		return nil, failure(ErrSigTooLong, "malformed signature: too long: %d > %d", size, maxLen)
	}
	var buf [maxLen]byte
	sig = buf[:copy(buf[:], sig)] // what is checked is what is parsed, even if sig changes
	switch {
	case sig[0] != tagSequence:
		return nil, failure(ErrSigInvalidSeqID,
			"malformed signature: format has wrong type: %#x", sig[0])
	case int(sig[1]) != size-2:
		return nil, failure(ErrSigInvalidDataLen,
			"malformed signature: bad length: %d != %d", sig[1], size-2)
	}

	// The lengths of r and s are checked before their contents.
	rest := sig[4:]
	rLen := int(sig[3])
	if rLen >= len(rest) {
		return nil, failure(ErrSigMissingSTypeID, "malformed signature: S type indicator missing")
	}
	r, rest := rest[:rLen], rest[rLen:]
	if len(rest) < 2 {
		return nil, failure(ErrSigMissingSLen, "malformed signature: S length missing")
	}
	sTag, s := rest[0], rest[2:]
	if int(rest[1]) != len(s) {
		return nil, failure(ErrSigInvalidSLen, "malformed signature: invalid S length")
	}

	rNames, sNames := rPart(), sPart()
	if err := rNames.check(sig[2], r); err != nil {
		return nil, err
	}
	if err := sNames.check(sTag, s); err != nil {
		return nil, err
	}
	out := new(Signature)
	if err := rNames.set(&out.r, r); err != nil {
		return nil, err
	}
	if err := sNames.set(&out.s, s); err != nil {
		return nil, err
	}
	return out, nil
}

// A part describes r or s, for the parser: its name in error texts, and the kinds of its errors.
type part struct {
	name                                        string
	tag, empty, negative, padding, tooBig, zero ErrorKind
}

// rPart returns the name of r and the kinds of errors in r.
func rPart() part {
	return part{"R", ErrSigInvalidRIntID, ErrSigZeroRLen, ErrSigNegativeR, ErrSigTooMuchRPadding,
		ErrSigRTooBig, ErrSigRIsZero}
}

// sPart returns the name of s and the kinds of errors in s.
func sPart() part {
	return part{"S", ErrSigInvalidSIntID, ErrSigZeroSLen, ErrSigNegativeS, ErrSigTooMuchSPadding,
		ErrSigSTooBig, ErrSigSIsZero}
}

// check returns an error unless tag and digits encode a non-negative integer in DER.
func (p *part) check(tag byte, digits []byte) error {
	switch {
	case tag != tagInteger:
		return failure(p.tag, "malformed signature: %s integer marker: %#x != %#x",
			p.name, tag, tagInteger)
	case len(digits) == 0:
		return failure(p.empty, "malformed signature: %s length is zero", p.name)
	case digits[0] >= 0x80:
		return failure(p.negative, "malformed signature: %s is negative", p.name)
	case len(digits) > 1 && digits[0] == 0 && digits[1] < 0x80:
		return failure(p.padding, "malformed signature: %s value has too much padding", p.name)
	}
	return nil
}

// set sets v to the number that digits encode. It returns an error if the number is not in [1, n).
func (p *part) set(v *secp256k1.ModNScalar, digits []byte) error {
	if digits[0] == 0 {
		digits = digits[1:]
	}
	if len(digits) > 32 {
		return failure(p.tooBig, "invalid signature: %s is larger than 256 bits", p.name)
	}
	if v.SetByteSlice(digits) {
		return failure(p.tooBig, "invalid signature: %s >= group order", p.name)
	}
	if v.IsZero() {
		return failure(p.zero, "invalid signature: %s is 0", p.name)
	}
	return nil
}

func failure(kind ErrorKind, format string, args ...any) error {
	return Error{kind, fmt.Sprintf(format, args...)}
}
