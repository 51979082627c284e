package musig2

import (
	"bytes"
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// These are errors of [Sign].
var (
	// ErrNoncePointAtInfinity is never returned: BIP-327 replaces infinity by the generator.
	ErrNoncePointAtInfinity = errors.New("signing nonce is the infinity point")
	// ErrPrivKeyZero is returned if the private key is 0.
	ErrPrivKeyZero = errors.New("priv key is zero")
	// ErrSecretNonceZero is returned if one of the two secret nonces is 0 modulo n.
	ErrSecretNonceZero = errors.New("secret nonce is blank")
	// ErrSecNoncePubkey is returned if the secret nonce was made for another key.
	ErrSecNoncePubkey = errors.New("public key does not match secnonce")
	// ErrPubkeyNotIncluded is returned if the signer's key is not among the keys.
	ErrPubkeyNotIncluded = errors.New("signer's pubkey must be included in the list of pubkeys")
)

// Sign returns the signer's partial signature ("Sign" of BIP-327), after verifying it.
// combinedNonce is the sum of all public nonces. Sign returns an error if the secret nonce or the
// private key is invalid, if a tweak is invalid, or if combinedNonce does not encode points. The
// running time does not depend on the first 64 bytes of the secret nonce, nor on the private key.
//
// Using a secret nonce twice reveals the private key.
func Sign(
	secNonce [SecNonceSize]byte, privKey *secp256k1.PrivateKey,
	combinedNonce [PubNonceSize]byte, pubKeys []*secp256k1.PublicKey, msg [32]byte,
	signOpts ...SignOption,
) (*PartialSignature, error) {
	//ct:leak secNonce[31]&1 == 1
	sig, err := sign(&secNonce, privKey, &commonNonce{bytes: combinedNonce}, pubKeys, nil, &msg,
		gather(signOpts))
	ct.Wipe(secNonce[:])
	return sig, err
}

// A commonNonce is the sum of all public nonces.
type commonNonce struct {
	bytes  [PubNonceSize]byte
	points *noncePair // the decoded points of bytes, or nil if not decoded yet
}

// sign does the work of Sign. known may hold the cached aggregated key.
func sign(
	secNonce *[SecNonceSize]byte, privKey *secp256k1.PrivateKey, nonce *commonNonce,
	pubKeys []*secp256k1.PublicKey, known *knownKey, msg *[32]byte, o *signOptions,
) (*PartialSignature, error) {
	signer := privKey.PubKey()
	//ct:leak privKey.Key.IsOdd()
	encoding := encoded(signer.SerializeCompressed())
	if !bytes.Equal(secNonce[2*secp256k1.PrivKeyBytesLen:], encoding[:]) {
		return nil, ErrSecNoncePubkey
	}
	if !slices.ContainsFunc(pubKeys, signer.IsEqual) {
		return nil, ErrPubkeyNotIncluded
	}
	all := encodings(pubKeys)
	if o.sortKeys {
		sortKeys(pubKeys, all)
	}
	key, err := known.aggregate(pubKeys, all, o.forKey())
	if err != nil {
		return nil, err
	}
	points := nonce.points
	if points == nil {
		points = new(noncePair)
		if err := points.set(&nonce.bytes); err != nil {
			return nil, err
		}
	}
	var v values
	v.set(key, &nonce.bytes, points, msg)
	c := v.factor(all, &encoding)
	//ct:leak secNonce[63]&1 == 1

	s := new(secp256k1.ModNScalar)
	secret.Do(func() { err = v.sign(number(s), secNonce, number(&privKey.Key), c) })
	if err != nil {
		return nil, err
	}
	good := o.fastSign || v.check(number(s), secNonce, signer, c)
	if !good { //ct:unrun no case makes a fault
		//lint:ignore ST1005 programs compare the text
		return nil, errors.New("sig is invalid!")
	}
	sig := NewPartialSignature(s, secp256k1.FromAffine(&v.nonce))
	return &sig, nil
}

// sign sets s to ±(k1 + b·k2) + c·d. k1 and k2 are the secret nonces, b is their coefficient in v,
// d is the private key, and c is the result of the method factor. The sign is negative if the nonce
// point R has an odd y coordinate. sign leaves secrets on the stack.
func (v *values) sign(
	s *scalar.Scalar, secNonce *[SecNonceSize]byte, key, c *scalar.Scalar,
) error {
	//ct:leak v.nonce.Y.IsOdd().Bool() && key.IsHigh().Bool()
	var k, d scalar.Scalar
	//ct:leak secNonce[0]&1 == 1
	if !v.secretNonce(&k, secNonce) {
		return ErrSecretNonceZero
	}
	if key.IsZero().Reveal() {
		k.Wipe()
		return ErrPrivKeyZero
	}
	k.CondNeg(&k, v.nonce.Y.IsOdd())
	//ct:leak k.IsHigh().Bool()
	d.Mul(key, c)
	//ct:leak d.IsHigh().Bool()
	k.Add(&k, &d)
	//ct:leak k.IsHigh().Bool()
	k.Declassify()
	s.Set(&k)
	//ct:leak d.IsHigh().Bool()
	d.Wipe()
	return nil
}

// secretNonce sets k = k1 + b·k2, where k1 and k2 are the two numbers in secNonce, and b is the
// field of v. It returns false if k1 or k2 is 0.
func (v *values) secretNonce(k *scalar.Scalar, secNonce *[SecNonceSize]byte) bool {
	//ct:leak secNonce[63] == 0
	var second scalar.Scalar
	k.SetBytes((*[32]byte)(secNonce[:]))
	//ct:leak k.IsHigh().Bool()
	second.SetBytes((*[32]byte)(secNonce[32:]))
	//ct:leak second.IsHigh().Bool()
	zero := (k.IsZero() | second.IsZero()).Reveal()
	second.Mul(&second, &v.b)
	//ct:leak second.IsHigh().Bool()
	k.Add(k, &second)
	//ct:leak k.IsHigh().Bool()
	second.Wipe()
	return !zero
}

// check reports whether s is the partial signature that the method sign makes with these arguments.
func (v *values) check(
	s *scalar.Scalar, secNonce *[SecNonceSize]byte, signer *secp256k1.PublicKey, c *scalar.Scalar,
) bool {
	// r = k·G is the combination of the two points of the public nonce.
	var r point.Affine
	secret.DoDeep(func() {
		var k scalar.Scalar
		v.secretNonce(&k, secNonce)
		//ct:leak k.IsOdd().Bool()
		(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&r, &k)
		//ct:leak k.IsHigh().Bool()
		k.Wipe()
		r.Declassify()
	})
	return v.holdsFor(s, c, signer, &r)
}
