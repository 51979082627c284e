package musig2

import (
	"errors"
	"io"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/point"
)

// ErrPartialSigInvalid says that a partial signature is none.
var ErrPartialSigInvalid = errors.New("partial signature is invalid")

// A PartialSignature is one signer's part of a signature.
type PartialSignature struct {
	// S is what the parts of all signers are added up of.
	S *secp256k1.ModNScalar
	// R is the nonce of the whole signature. It is not encoded.
	R *secp256k1.PublicKey
}

// NewPartialSignature returns the partial signature of s and r, which it keeps.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func NewPartialSignature(s *secp256k1.ModNScalar, r *secp256k1.PublicKey) PartialSignature {
	return PartialSignature{S: s, R: r}
}

// Encode writes S to w in 32 bytes, big-endian. There is an error if w has one.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func (p *PartialSignature) Encode(w io.Writer) error {
	b := p.S.Bytes()
	_, err := w.Write(b[:])
	return err
}

// Decode reads 32 bytes of r, a big-endian number below n, and sets S to the number. If r has
// fewer bytes, S is 0, and the error is that of [io.ReadFull]. If the number is not below n, S is
// the number modulo n, and the error is [ErrPartialSigInvalid].
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
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

// Verify reports whether p is the signer's part of a signature of the message ("PartialSigVerify"
// of BIP-327), by its public nonce, the sum of all public nonces, and the keys of all signers,
// which must be in the order of signing or be sorted by an option. The time depends on all of
// it.
//
//ct:public takes public keys, nonces and parts of signatures of MuSig2, or hands on a pointer
func (p *PartialSignature) Verify(
	pubNonce, combinedNonce [PubNonceSize]byte, keySet []*secp256k1.PublicKey,
	signingKey *secp256k1.PublicKey, msg [32]byte, signOpts ...SignOption,
) bool {
	signer := encoded(signingKey.SerializeCompressed())
	o := gather(signOpts)
	all := encodings(keySet)
	if o.sortKeys {
		sortKeys(keySet, all)
	}
	var key aggregate
	if key.set(keySet, all, tweaking(o.tweaks, o.taprootTweak, o.bip86Tweak)) != nil {
		return false
	}
	var points, own noncePair
	if points.set(&combinedNonce) != nil || own.set(&pubNonce) != nil {
		return false
	}
	var v values
	v.set(&key, &combinedNonce, &points, &msg)

	// What is off the curve stands for the point that its encoding does.
	q, onCurve := affine(signingKey)
	if !onCurve {
		parsed, err := decode(&signer)
		if err != nil || !parsed.finite {
			return false
		}
		q = parsed.Affine
	}
	var r point.Jacobian
	own.combine(&r, &v.b)
	return v.holds(number(p.S), v.factor(all, &signer), &q, &r)
}
