//ct:public takes partial signatures

package musig2

import (
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/scalar"
)

// PartialSignatureSize is the length in bytes of an encoded PartialSignature.
const PartialSignatureSize = 32

// A PartialSignature is one signer's part of a signature: a number below n. It does not change. The
// zero value holds no number.
type PartialSignature struct {
	_     [0]func() // forbids comparison with ==
	s     scalar.Scalar
	valid bool
}

// ParsePartialSignature returns the partial signature that b encodes: 32 bytes, big-endian. There
// is an error if the length is wrong, or if the number is not below n.
func ParsePartialSignature(b []byte) (*PartialSignature, error) {
	if len(b) != PartialSignatureSize {
		return nil, fmt.Errorf("musig2: partial signature: %d bytes, want %d", len(b),
			PartialSignatureSize)
	}
	sig := &PartialSignature{valid: true}
	if !sig.s.SetBytes((*[32]byte)(b)).Bool() {
		return nil, errors.New("musig2: partial signature: not below the group order n")
	}
	return sig, nil
}

// IsZero reports whether sig holds no number: it is nil or a zero value. The number may be 0.
func (sig *PartialSignature) IsZero() bool { return sig == nil || !sig.valid }

// Bytes returns the 32 bytes that encode sig, big-endian, or nil if sig holds no number.
func (sig *PartialSignature) Bytes() []byte {
	if sig.IsZero() {
		return nil
	}
	b := make([]byte, PartialSignatureSize)
	sig.s.PutBytes((*[32]byte)(b))
	return b
}

// Equal reports whether sig and other are the same number. It returns false if sig or other holds
// none.
func (sig *PartialSignature) Equal(other *PartialSignature) bool {
	return !sig.IsZero() && !other.IsZero() && sig.s == other.s
}
