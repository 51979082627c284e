package schnorr

import (
	"github.com/koblitz-go/koblitz/compat/impl/schnorr"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/ecmult"
	"github.com/koblitz-go/koblitz/internal/hash"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/secret"
)

// A SignOption is an option of Sign.
type SignOption func(*signOptions)

type signOptions struct {
	unchecked bool
	auxiliary *[32]byte // nil for nonces of RFC 6979
}

// FastSign makes Sign skip the verification of the signature.
func FastSign() SignOption { return func(o *signOptions) { o.unchecked = true } }

// CustomNonce makes Sign derive the nonce from the auxiliary randomness auxData, as BIP-340 does,
// instead of by RFC 6979.
func CustomNonce(auxData [32]byte) SignOption {
	return func(o *signOptions) { o.auxiliary = &auxData }
}

// Sign returns a signature of a message hash of 32 bytes ("Default Signing" of BIP-340, with
// another nonce). Without [CustomNonce], the nonce is that of secp256k1.NonceRFC6979 for the
// private key, negated if its public point has an odd y. Extra data make this nonce differ from
// nonces of ECDSA. Without [FastSign], Sign verifies the signature, which is wrong only after a
// fault of the machine.
//
// Sign returns an Error of package compat/impl/schnorr if the message has another length, if the
// key is 0, or if the signature is wrong. The running time does not depend on the key, the message
// or auxiliary randomness.
func Sign(
	privKey *secp256k1.PrivateKey, message []byte, signOpts ...SignOption,
) (*Signature, error) {
	var o signOptions
	for _, option := range signOpts {
		option(&o)
	}
	if len(message) != messageSize {
		return nil, failure(schnorr.ErrInvalidHashLen,
			"wrong size for message hash (got %v, want %v)", len(message), messageSize)
	}
	// Read the message once: the nonce and the challenge must be for the same message.
	m := [messageSize]byte(message)
	sig := new(Signature)
	var P point.Affine
	var err error
	secret.DoDeep(func() { err = sig.sign(&P, privKey, &m, o.auxiliary) })
	if err == nil && !o.unchecked && !sig.verify(m[:], &P) { //ct:unrun no case makes a fault
		err = failure(schnorr.ErrUnequalRValues, "calculated R point was not given R")
	}
	if err != nil {
		*sig = Signature{} // a faulty s could reveal the key
		return nil, err
	}
	return sig, nil
}

// sign sets sig to a signature of the message, and P to the point with an even y under which sig
// verifies. The nonce comes from auxiliary if it is not nil, and otherwise from RFC 6979. sign
// leaves secrets on the stack. The names are those of BIP-340.
func (sig *Signature) sign(
	P *point.Affine, privKey *secp256k1.PrivateKey, message, auxiliary *[32]byte,
) error {
	//ct:secret auxiliary != nil && auxiliary[0]&1 == 0
	var d, k scalar.Scalar
	d.Set((*scalar.Scalar)(&privKey.Key))
	//ct:secret d.IsOdd().Bool()
	if d.IsZero().Reveal() {
		return failure(schnorr.ErrPrivateKeyIsZero, "private key is zero")
	}
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(P, &d)
	//ct:secret P.Y.IsOdd().Bool()
	odd := P.Y.IsOdd()
	d.CondNeg(&d, odd)
	//ct:secret d.IsHigh().Bool()
	P.CondNeg(P, odd) // P now reveals no more than x
	P.Declassify()

	var px, candidate [32]byte
	P.X.PutBytes(&px)
	d.PutBytes(&candidate)
	//ct:secret candidate[31]&1 == 1
	if auxiliary != nil {
		hash.MaskKey(&candidate, auxiliary)
		//ct:secret candidate[31]&1 == 1
		hash.Nonce(&candidate, &candidate, &px, message[:])
		//ct:secret candidate[31]&1 == 1
		k.SetBytes(&candidate)
		//ct:secret k.IsHigh().Bool()
	} else {
		firstNonce(&k, &candidate, message)
		//ct:secret k.IsOdd().Bool()
	}
	ct.Wipe(candidate[:])
	//ct:secret k.IsHigh().Bool()
	var err error
	if k.IsZero().Reveal() { //ct:unrun once in 2^127 times, or 2^256
		err = failure(schnorr.ErrSchnorrHashValue, "generated nonce is zero")
	} else if !sig.signWith(&d, &k, &px, message) { //ct:unrun once in 2^127 times, or 2^256
		err = failure(schnorr.ErrSchnorrHashValue, "hash of (r || P || m) too big")
	}
	d.Wipe()
	k.Wipe()
	return err
}

// firstNonce sets k to the nonce of RFC 6979 for a private key and a message. It overwrites key.
func firstNonce(k *scalar.Scalar, key, message *[32]byte) {
	//ct:secret key[0] == 0
	var nonces hash.Nonces
	extra := nonceData()
	nonces.Init(key, message, extra[:])
	for found := false; !found; {
		nonces.Next(key)
		//ct:secret key[31]&1 == 1
		// The probability that a candidate for the nonce is no valid scalar is 2⁻¹²⁷. Whether it is
		// valid becomes public. That reveals nothing about the next candidate.
		found = k.SetNonzeroBytes(key).Reveal()
	}
	nonces.Wipe()
}

// nonceData returns the extra data for nonces of RFC 6979: the SHA-256 of "BIP-340".
func nonceData() [32]byte {
	return [32]byte{
		0xa3, 0xeb, 0x4c, 0x18, 0x2f, 0xae, 0x7e, 0xf4, 0xe8, 0x10, 0xc6, 0xee, 0x13, 0xb0, 0xe9, 0x26,
		0x68, 0x6d, 0x71, 0xe8, 0x7f, 0x39, 0x4f, 0x79, 0x9c, 0x00, 0xa5, 0x21, 0x03, 0xcb, 0x4e, 0x17,
	}
}

// signWith sets sig to the signature by the key d with the nonce k in [1, n). It overwrites k. px
// is the x coordinate of d·G, whose y must be even. signWith returns false if the challenge is not
// below n.
func (sig *Signature) signWith(d, k *scalar.Scalar, px, message *[32]byte) bool {
	//ct:secret k.IsHigh().Bool()
	var R point.Affine
	(*ecmult.Blinding)(nil).ScalarBaseMultAffine(&R, k)
	//ct:secret R.Y.IsOdd().Bool()
	k.CondNeg(k, R.Y.IsOdd())
	//ct:secret k.IsHigh().Bool()
	R.X.Declassify() // r
	//ct:secret R.Y.IsOdd().Bool()
	sig.r = secp256k1.FieldVal(R.X)
	sig.r.Normalize()
	R.Wipe()

	var b [32]byte
	sig.r.PutBytes(&b)
	hash.Challenge(&b, &b, px, message[:])
	var e, s scalar.Scalar
	if !e.SetBytes(&b).Bool() { //ct:unrun once in 2^127 times, or 2^256
		return false
	}
	s.Mul(&e, d)
	//ct:secret s.IsHigh().Bool()
	s.Add(&s, k)
	//ct:secret s.IsHigh().Bool()
	s.Declassify() // s is public
	//ct:secret d.IsHigh().Bool() && k.IsHigh().Bool()
	sig.s = secp256k1.ModNScalar(s)
	return true
}
