package dleq

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
)

// ProofSize is the size of a proof in bytes.
const ProofSize = 64

// A Statement says that A = a·G and C = a·B for a number a. The zero value is no statement.
type Statement struct {
	A, B, C *koblitz.PublicKey

	// G is the generator. Nil means the generator of secp256k1.
	G *koblitz.PublicKey

	// Message is nil, or 32 bytes to which the proof is bound.
	Message []byte
}

// generator sets a to the point of g, or to the generator of secp256k1 if g is nil.
func generator(a *point.Affine, g *koblitz.PublicKey) error {
	if g == nil {
		a.SetGenerator()
		return nil
	}
	return affine(a, "G", g)
}

// affine sets a to the point of the key k, which has the given name in the statement. It is a copy:
// the point that is hashed must be the point that is multiplied.
func affine(a *point.Affine, name string, k *koblitz.PublicKey) error {
	p := (*keys.Public)(k).Affine()
	if p == nil {
		return fmt.Errorf("dleq: %s: %w", name, koblitz.ErrZeroKey)
	}
	*a = *p
	return nil
}

// checkMessage returns an error if m is no message.
func checkMessage(m []byte) error {
	if len(m) != 0 && len(m) != 32 {
		return fmt.Errorf("dleq: message: %d bytes, want 32, or none", len(m))
	}
	return nil
}

// compressed returns the compressed encoding of a.
func compressed(a *point.Affine) (b [33]byte) {
	b[0] = 2 | byte(a.Y.IsOdd())
	a.X.PutBytes((*[32]byte)(b[1:]))
	return b
}

// challenge sets e to the hash of the statement and of the commitments r1 and r2, which are public.
func challenge(e *[32]byte, a, b, c, g, r1, r2 *point.Affine, message []byte) {
	var points [6][33]byte
	for i, p := range []*point.Affine{a, b, c, g, r1, r2} {
		points[i] = compressed(p)
	}
	hash.Tagged(e, "BIP0374/challenge",
		points[0][:], points[1][:], points[2][:], points[3][:], points[4][:], points[5][:], message)
}
