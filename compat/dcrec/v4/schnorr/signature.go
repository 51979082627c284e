package schnorr

import (
	"fmt"

	"github.com/decred/dcrd/crypto/blake256"
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	impl "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

// SignatureSize is the length of an encoded signature in bytes.
const SignatureSize = 64

// messageSize is the length of a message hash in bytes.
const messageSize = 32

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

// R returns the field element r of the signature.
func (sig *Signature) R() secp256k1.FieldVal { return sig.r }

// S returns the scalar s of the signature.
func (sig *Signature) S() secp256k1.ModNScalar { return sig.s }

// IsEqual reports whether the signatures are equal.
func (sig Signature) IsEqual(otherSig *Signature) bool { return sig == *otherSig }

// Serialize returns r and s as 32 bytes each, big-endian.
func (sig Signature) Serialize() []byte {
	b := make([]byte, SignatureSize)
	sig.r.PutBytesUnchecked(b)
	sig.s.PutBytesUnchecked(b[32:])
	return b
}

// ParseSignature returns the signature that sig encodes: 64 bytes, with r below the field prime and
// s below the group order. Otherwise it returns an [Error].
func ParseSignature(sig []byte) (*Signature, error) {
	switch {
	case len(sig) < SignatureSize:
		return nil, failure(ErrSigTooShort, fmt.Sprintf(
			"malformed signature: too short: %d < %d", len(sig), SignatureSize))
	case len(sig) > SignatureSize:
		return nil, failure(ErrSigTooLong, fmt.Sprintf(
			"malformed signature: too long: %d > %d", len(sig), SignatureSize))
	}
	out := new(Signature)
	if out.r.SetByteSlice(sig[:32]) {
		return nil, failure(ErrSigRTooBig, "invalid signature: r >= field prime")
	}
	if out.s.SetByteSlice(sig[32:]) {
		return nil, failure(ErrSigSTooBig, "invalid signature: s >= group order")
	}
	return out, nil
}

// challenge sets e to the hash of r and the message, and reports whether the hash is below the
// group order.
func challenge(e *secp256k1.ModNScalar, r *secp256k1.FieldVal, message []byte) bool {
	var b [32 + messageSize]byte
	r.PutBytesUnchecked(b[:32])
	copy(b[32:], message)
	sum := blake256.Sum256(b[:])
	return e.SetBytes(&sum) == 0
}

// Verify reports whether sig is a signature of a message hash of 32 bytes by the key. The running
// time depends on all arguments.
func (sig *Signature) Verify(hash []byte, pubKey *secp256k1.PublicKey) bool {
	own := *sig // the r that is hashed must be the r that is compared
	return own.verify(hash, pubKey) == nil
}

// verify returns nil if sig is a signature of the hash by the key, and otherwise an error with the
// reason.
func (sig *Signature) verify(hash []byte, pubKey *secp256k1.PublicKey) error {
	if len(hash) != messageSize {
		return failure(ErrInvalidHashLen, fmt.Sprintf(
			"wrong size for message (got %v, want %v)", len(hash), messageSize))
	}
	if !pubKey.IsOnCurve() {
		return failure(ErrPubKeyNotOnCurve, "pubkey point is not on curve")
	}
	var e secp256k1.ModNScalar
	if !challenge(&e, &sig.r, hash) {
		return failure(ErrSchnorrHashValue, "hash of (R || m) too big")
	}
	var R secp256k1.JacobianPoint
	pubKey.AsJacobian(&R)
	impl.DoubleScalarMultVartime(&sig.s, &e, &R, &R)
	if R.Z.IsZero() {
		return failure(ErrSigRNotOnCurve, "calculated R point is the point at infinity")
	}
	R.ToAffine()
	if R.Y.IsOdd() {
		return failure(ErrSigRYIsOdd, "calculated R y-value is odd")
	}
	if !R.X.Equals(&sig.r) {
		return failure(ErrUnequalRValues, "calculated R point was not given R")
	}
	return nil
}

func failure(kind ErrorKind, text string) error { return Error{Err: kind, Description: text} }
