//ct:public takes signatures and public keys

package schnorr

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// These are the lengths in bytes of an encoded signature, an encoded public key, and a message.
const (
	SignatureSize  = 64
	PubKeyBytesLen = 32

	messageSize = 32
)

// A Signature is a pair of a field element r and a scalar s. It can be compared with ==. The zero
// value is not a valid signature of any message.
type Signature struct {
	r secp256k1.FieldVal // normalized
	s secp256k1.ModNScalar
}

// NewSignature returns the signature (r, s). It accepts any r and s.
func NewSignature(r *secp256k1.FieldVal, s *secp256k1.ModNScalar) *Signature {
	sig := &Signature{r: *r, s: *s}
	sig.r.Normalize()
	return sig
}

// Serialize returns r and s as 32 bytes each, big-endian.
func (sig Signature) Serialize() []byte {
	b := make([]byte, SignatureSize)
	sig.r.PutBytesUnchecked(b)
	sig.s.PutBytesUnchecked(b[32:])
	return b
}

// ParseSignature returns the signature that the 64 bytes of sig encode: r, which must be below the
// field prime, and s, which must be below the group order. It returns an Error of package
// compat/impl/schnorr if sig has another length, or if r or s is too large.
func ParseSignature(sig []byte) (*Signature, error) {
	switch {
	case len(sig) < SignatureSize:
		return nil, failure(schnorr.ErrSigTooShort,
			"malformed signature: too short: %d < %d", len(sig), SignatureSize)
	case len(sig) > SignatureSize:
		return nil, failure(schnorr.ErrSigTooLong,
			"malformed signature: too long: %d > %d", len(sig), SignatureSize)
	}
	out := new(Signature)
	if out.r.SetByteSlice(sig[:32]) {
		return nil, failure(schnorr.ErrSigRTooBig, "invalid signature: r >= field prime")
	}
	if out.s.SetByteSlice(sig[32:]) {
		return nil, failure(schnorr.ErrSigSTooBig, "invalid signature: s >= group order")
	}
	return out, nil
}

func failure(kind schnorr.ErrorKind, format string, args ...any) error {
	return schnorr.Error{Err: kind, Description: fmt.Sprintf(format, args...)}
}

// IsEqual reports whether the signatures are the same.
func (sig Signature) IsEqual(otherSig *Signature) bool { return sig == *otherSig }

// ParsePubKey returns the BIP-340 key that the 32 bytes of pubKeyStr encode: the point with this x
// coordinate and an even y. Errors for a wrong length have no particular type; all others are those
// of package secp256k1. The running time depends on the input.
func ParsePubKey(pubKeyStr []byte) (*secp256k1.PublicKey, error) {
	switch {
	case pubKeyStr == nil:
		return nil, errors.New("nil pubkey byte string")
	case len(pubKeyStr) != PubKeyBytesLen:
		return nil, fmt.Errorf("bad pubkey byte string size (want %v, have %v)",
			PubKeyBytesLen, len(pubKeyStr))
	}
	var b [secp256k1.PubKeyBytesLenCompressed]byte
	b[0] = secp256k1.PubKeyFormatCompressedEven
	copy(b[1:], pubKeyStr)
	return secp256k1.ParsePubKey(b[:])
}

// SerializePubKey returns the x coordinate of the public key as 32 bytes, big-endian.
func SerializePubKey(pub *secp256k1.PublicKey) []byte { return pub.SerializeCompressed()[1:] }
