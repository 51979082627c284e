//ct:public takes public keys, nonces and parts of signatures of MuSig2

package musig2

import (
	"errors"
	"io"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/musig"
	"github.com/koblitz-go/koblitz/internal/point"
)

// ErrPartialSigInvalid is returned if a partial signature is not valid.
var ErrPartialSigInvalid = errors.New("partial signature is invalid")

// A PartialSignature is one signer's part of a signature.
type PartialSignature struct {
	// S is the scalar of the partial signature. The sum of S over all signers is the scalar of the
	// signature.
	S *secp256k1.ModNScalar
	// R is the nonce point of the signature. It is not encoded.
	R *secp256k1.PublicKey
}

// NewPartialSignature returns the partial signature (s, r). It keeps both pointers.
func NewPartialSignature(s *secp256k1.ModNScalar, r *secp256k1.PublicKey) PartialSignature {
	return PartialSignature{S: s, R: r}
}

// Encode writes S to w as 32 bytes, big-endian. It returns the error of w.Write.
func (p *PartialSignature) Encode(w io.Writer) error {
	b := p.S.Bytes()
	_, err := w.Write(b[:])
	return err
}

// Decode reads 32 bytes from the reader r, and sets S to their big-endian number. If r has fewer
// bytes, S becomes 0, and the error is that of [io.ReadFull]. If the number is not below n, S
// becomes the number modulo n, and the error is [ErrPartialSigInvalid].
func (p *PartialSignature) Decode(r io.Reader) error {
	p.S = new(secp256k1.ModNScalar)
	var b [32]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return err
	}
	if p.S.SetBytes(&b) != 0 {
		return ErrPartialSigInvalid
	}
	return nil
}

// Verify reports whether p is a valid partial signature of msg by signingKey ("PartialSigVerify" of
// BIP-327). pubNonce is the signer's public nonce, and combinedNonce the sum of all public nonces.
// keySet holds the keys of all signers, in the order that signing used. With an option that sorts
// keys, they may be in any order. The running time depends on all arguments.
func (p *PartialSignature) Verify(
	pubNonce, combinedNonce [PubNonceSize]byte, keySet []*secp256k1.PublicKey,
	signingKey *secp256k1.PublicKey, msg [32]byte, signOpts ...SignOption,
) bool {
	own := *signingKey // read once: the key may change
	signingKey = &own
	signer := encoded(signingKey.SerializeCompressed())
	o := gather(signOpts)
	all := encodings(keySet)
	if o.sortKeys {
		sortKeys(keySet, all)
	}
	var key aggregate
	if _, err := key.set(keySet, all, o.forKey()); err != nil {
		return false
	}
	var points, public musig.Nonce
	if decodeNonce(&points, &combinedNonce) != nil || decodeNonce(&public, &pubNonce) != nil {
		return false
	}
	v := newValues(&key, &combinedNonce, &points, &msg)

	// If the key is not on the curve, use the point that its encoding decodes to.
	q, onCurve := affine(signingKey)
	if !onCurve {
		var err error
		if q, err = decode(signer); err != nil || q == (point.Affine{}) {
			return false
		}
	}
	var r point.Jacobian
	public.Combine(&r, &v.B)
	return v.Holds(number(p.S), v.factor(all, &signer), &q, &r)
}
