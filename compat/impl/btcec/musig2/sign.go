package musig2

import (
	"bytes"
	"errors"
	"slices"

	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/musig"
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
	//ct:secret secNonce[31]&1 == 1
	sig, err := sign(&secNonce, privKey, &commonNonce{bytes: combinedNonce}, pubKeys, nil, &msg,
		gather(signOpts))
	ct.Wipe(secNonce[:])
	return sig, err
}

// A commonNonce is the sum of all public nonces.
type commonNonce struct {
	bytes  [PubNonceSize]byte
	points *musig.Nonce // the decoded points of bytes, or nil if not decoded yet
}

// sign does the work of Sign. known may hold the cached aggregated key.
func sign(
	secNonce *[SecNonceSize]byte, privKey *secp256k1.PrivateKey, nonce *commonNonce,
	pubKeys []*secp256k1.PublicKey, known *knownKey, msg *[32]byte, o *signOptions,
) (*PartialSignature, error) {
	signer := privKey.PubKey()
	//ct:secret privKey.Key.IsOdd()
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
		points = new(musig.Nonce)
		if err := decodeNonce(points, &nonce.bytes); err != nil {
			return nil, err
		}
	}
	v := newValues(key, &nonce.bytes, points, msg)
	c := v.factor(all, &encoding)
	//ct:secret secNonce[63]&1 == 1

	s := new(secp256k1.ModNScalar)
	secret.Do(func() { err = v.sign(number(s), secNonce, number(&privKey.Key), c) })
	if err != nil {
		return nil, err
	}
	good := o.fastSign || v.check(number(s), secNonce, signer, c)
	if !good { //ct:unrun no case makes a fault
		s.Zero()
		//lint:ignore ST1005 programs compare the text
		return nil, errors.New("sig is invalid!")
	}
	sig := NewPartialSignature(s, secp256k1.FromAffine(&v.R))
	return &sig, nil
}

// sign sets s to the partial signature by the private key d, with the factor c from the method
// factor. It leaves secrets on the stack.
func (v *values) sign(
	s *scalar.Scalar, secNonce *[SecNonceSize]byte, d, c *scalar.Scalar,
) error {
	//ct:secret v.R.Y.IsOdd().Bool() && d.IsHigh().Bool()
	var k musig.SecretPair
	defer k.Wipe()
	read(&k, secNonce)
	if k.AnyZero() {
		return ErrSecretNonceZero
	}
	if d.IsZero().Reveal() {
		return ErrPrivKeyZero
	}
	v.Sign(s, &k, d, c)
	return nil
}

// read sets k to the two numbers in secNonce.
func read(k *musig.SecretPair, secNonce *[SecNonceSize]byte) {
	//ct:secret secNonce[0]&1 == 1
	for i := range k {
		k[i].SetBytes((*[32]byte)(secNonce[32*i:]))
	}
}

// check reports whether s is the partial signature that the method sign makes with these arguments.
func (v *values) check(
	s *scalar.Scalar, secNonce *[SecNonceSize]byte, signer *secp256k1.PublicKey, c *scalar.Scalar,
) bool {
	// r = (k1 + b·k2)·G is the combination of the two points of the public nonce.
	var r point.Affine
	secret.DoDeep(func() {
		var k musig.SecretPair
		var sum scalar.Scalar
		read(&k, secNonce)
		k.Combine(&sum, &v.B)
		k.Wipe()
		//ct:secret sum.IsOdd().Bool()
		(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&r, &sum)
		sum.Wipe()
		r.Declassify()
	})
	p, onCurve := affine(signer)
	var j point.Jacobian
	if r.IsOnCurve().Bool() {
		j.SetAffine(&r)
	}
	return onCurve && v.Holds(s, c, &p, &j)
}
