package main

import (
	"bytes"

	dropinbtcec "github.com/koblitz-go/koblitz/compat/impl/btcec"
	dropinellswift "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	dropinmusig2 "github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
	dropinbip340 "github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	dropin "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/lab/ctcheck/cases"
)

// dropIns lists functions of the drop-in packages that package operations lacks.
var dropIns = []any{
	(*dropin.FieldVal).Add, (*dropin.FieldVal).Add2, (*dropin.FieldVal).AddInt,
	(*dropin.FieldVal).Mul, (*dropin.FieldVal).Mul2, (*dropin.FieldVal).MulInt,
	(*dropin.FieldVal).MulBy2, (*dropin.FieldVal).MulBy3, (*dropin.FieldVal).MulBy4,
	(*dropin.FieldVal).MulBy8, (*dropin.FieldVal).Square, (*dropin.FieldVal).SquareVal,
	(*dropin.FieldVal).SquareRootVal, (*dropin.FieldVal).Inverse, (*dropin.FieldVal).Normalize,
	(*dropin.FieldVal).Set, (*dropin.FieldVal).SetInt, (*dropin.FieldVal).Zero,
	(*dropin.FieldVal).SetBytes, (*dropin.FieldVal).SetByteSlice, (*dropin.FieldVal).PutBytes,
	(*dropin.FieldVal).Bytes, dropin.FieldVal.String, (*dropin.FieldVal).Equals,
	(*dropin.FieldVal).IsZero, (*dropin.FieldVal).IsZeroBit, (*dropin.FieldVal).IsOne,
	(*dropin.FieldVal).IsOneBit, (*dropin.FieldVal).IsOdd, (*dropin.FieldVal).IsOddBit,
	(*dropin.FieldVal).IsGtOrEqPrimeMinusOrder, dropin.DecompressY,
	func(x, y *dropin.FieldVal) {
		dropin.DecompressY(x, false, y)
		dropin.DecompressY(x, true, y)
	},
	func(v, x *dropin.FieldVal) {
		v.NegateVal(x, 3).Negate(4)
		x.PutBytesUnchecked(bytes32[:])
	},

	(*dropin.ModNScalar).Set, (*dropin.ModNScalar).SetInt, (*dropin.ModNScalar).SetByteSlice,
	(*dropin.ModNScalar).Bytes, dropin.ModNScalar.String, (*dropin.ModNScalar).IsOdd,

	// Programs may hash the encoding of a secret point, such as a shared secret.
	dropin.NewPublicKey, (*dropin.PublicKey).IsEqual, (*dropin.PublicKey).IsOnCurve,
	(*dropin.PublicKey).AsJacobian, dropin.PublicKey.SerializeCompressed,
	dropin.PublicKey.SerializeUncompressed, dropin.Affine, dropin.FromAffine,
	dropin.MakeJacobianPoint, (*dropin.JacobianPoint).Set, dropin.ScalarBaseMultNonConst,
	dropinMultRefuse, dropinNonce,
	func(b byte) {
		var k dropin.ModNScalar
		var p dropin.JacobianPoint
		dropin.ScalarBaseMultNonConst(k.SetInt(uint32(b)<<8), &p)
	},

	func(b []byte) { dropin.PrivKeyFromBytes(b).PubKey() },
	dropin.PrivateKey.Serialize, dropinbtcec.PrivKeyFromBytes,
	func(key *dropin.PrivateKey) { dropin.GenerateSharedSecret(key, new(dropin.PublicKey)) },
	dropinBIP340, dropinEllswift, dropinMuSig2Nonces, dropinMuSig2Sign, dropinMuSig2Nobody,
	dropinMuSig2Session, dropinMuSig2Refused, dropinMuSig2Three,
}

func secretFieldVal(seed uint64) dropin.FieldVal {
	x := secretElement(seed)
	return dropin.FieldVal(x)
}

func secretModNScalar(seed uint64) dropin.ModNScalar {
	return dropin.ModNScalar(secretScalar(seed))
}

// secretDropinPoint returns a secret point of the curve with Z ≠ 1.
func secretDropinPoint(seed uint64) (p dropin.JacobianPoint) {
	q := secretJacobian(seed)
	return dropin.MakeJacobianPoint(
		(*dropin.FieldVal)(&q.X), (*dropin.FieldVal)(&q.Y), (*dropin.FieldVal)(&q.Z))
}

func secretDropinKey(seed uint64) *dropin.PrivateKey {
	return dropin.PrivKeyFromBytes(secretBytes(seed))
}

// dropinMultRefuse multiplies the point at infinity, and a point that is not on the curve, by a
// secret scalar.
func dropinMultRefuse(k *dropin.ModNScalar, q *dropin.JacobianPoint) {
	var p dropin.JacobianPoint
	dropin.ScalarMultNonConst(k, &p, &p)
	q.X.AddInt(1)
	dropin.ScalarMultNonConst(k, q, q)
	q.ToAffine()
}

// dropinNonce derives RFC 6979 nonces from arguments of every length, and with more than one
// iteration.
func dropinNonce(privKey []byte, key, version *[32]byte) {
	dropin.NonceRFC6979(privKey, nil, nil, nil, 0)
	dropin.NonceRFC6979(key[:], privKey, nil, nil, 2)
	dropin.NonceRFC6979(key[:], key[:], privKey, nil, 0)
	dropin.NonceRFC6979(key[:], key[:], privKey, version[:16], 0)
	dropin.NonceRFC6979(key[:], key[:], key[:], privKey, 1)
}

// dropinBIP340 signs a public message with every kind of nonce, and tries a message that is too
// short and the private key 0.
func dropinBIP340() {
	key, message, aux := secretDropinKey(579), make([]byte, 32), *secretArray(580)
	for _, options := range [][]dropinbip340.SignOption{
		{}, {dropinbip340.FastSign()}, {dropinbip340.CustomNonce(aux)},
		{dropinbip340.CustomNonce(aux), dropinbip340.FastSign()},
	} {
		must(dropinbip340.Sign(key, message, options...))
	}
	refused(dropinbip340.Sign(key, message[1:]))
	var zero scalar.Scalar
	zero.Sub((*scalar.Scalar)(&key.Key), (*scalar.Scalar)(&key.Key))
	refused(dropinbip340.Sign(dropin.NewPrivateKey((*dropin.ModNScalar)(&zero)), message))
}

func dropinEllswift() {
	_, theirs, err := dropinellswift.EllswiftCreate()
	must(theirs, err)
	bytes32 = must(dropinellswift.EllswiftECDHXOnly(theirs, secretDropinKey(581)))
	for _, initiating := range []bool{false, true} {
		bytes32 = must(dropinellswift.V2Ecdh(secretDropinKey(582), theirs, theirs, initiating))
	}
}

// dropinMuSig2Nonces generates nonces from secret random bytes, with and without a private key.
func dropinMuSig2Nonces() {
	key := secretDropinKey(590)
	signer := dropinmusig2.WithPublicKey(key.PubKey())
	random := bytes.NewReader(append(secretBytes(591), secretBytes(592)...))
	for _, options := range [][]dropinmusig2.NonceGenOption{
		{dropinmusig2.WithCustomRand(random), dropinmusig2.WithNonceMessageAux([32]byte{}),
			dropinmusig2.WithNonceCombinedKeyAux(key.PubKey()), dropinmusig2.WithNonceAuxInput(nil)},
		{dropinmusig2.WithCustomRand(random), dropinmusig2.WithNonceSecretKeyAux(key)},
		{dropinmusig2.WithNonceSecretKeyAux(key)},
	} {
		must(dropinmusig2.GenNonces(append(options, signer)...))
	}
	if _, err := dropinmusig2.GenNonces(); err == nil {
		panic("nonces without a public key")
	}
	if _, err := dropinmusig2.GenNonces(dropinmusig2.WithCustomRand(random), signer); err == nil {
		panic("nonces without random bytes")
	}
}

// dropinMuSig2Sign makes partial signatures with and without a final check, and with arguments that
// are refused.
func dropinMuSig2Sign() {
	defer without512()()
	key, other := secretDropinKey(593), secretDropinKey(594)
	signer := key.PubKey()
	keys := []*dropin.PublicKey{signer, other.PubKey()}
	var all [dropinmusig2.PubNonceSize]byte
	copy(all[:], signer.SerializeCompressed())
	copy(all[33:], signer.SerializeCompressed())
	var secret, none [dropinmusig2.SecNonceSize]byte
	copy(secret[:], secretBytes(595))
	copy(secret[32:], secretBytes(596))
	copy(secret[64:], signer.SerializeCompressed())
	copy(none[64:], signer.SerializeCompressed())
	cases.Mark(none[:64])
	sign := func(nonce [dropinmusig2.SecNonceSize]byte, good bool,
		options ...dropinmusig2.SignOption) {
		_, err := dropinmusig2.Sign(nonce, key, all, keys, [32]byte{}, options...)
		if (err == nil) != good {
			panic(err)
		}
	}
	sign(secret, true)
	sign(secret, true, dropinmusig2.WithFastSign(), dropinmusig2.WithSortedKeys())
	sign(none, false)
	sign([dropinmusig2.SecNonceSize]byte{}, false)
	sign(secret, false, dropinmusig2.WithTweaks(dropinmusig2.KeyTweakDesc{Tweak: [32]byte{
		255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255}}))
	keys = keys[1:]
	sign(secret, false)
	keys, all = []*dropin.PublicKey{signer}, [dropinmusig2.PubNonceSize]byte{9}
	sign(secret, false)
}

// dropinMuSig2Nobody signs with the private key 0, which is refused.
func dropinMuSig2Nobody() {
	defer without512()()
	var zero scalar.Scalar
	b := secretBytes(597)
	zero.SetBytes((*[32]byte)(b))
	zero.Sub(&zero, &zero)
	key := dropin.NewPrivateKey((*dropin.ModNScalar)(&zero))
	var secret [dropinmusig2.SecNonceSize]byte
	copy(secret[:], secretBytes(598))
	copy(secret[32:], secretBytes(599))
	copy(secret[64:], key.PubKey().SerializeCompressed())
	_, err := dropinmusig2.Sign(secret, key, [dropinmusig2.PubNonceSize]byte{},
		[]*dropin.PublicKey{key.PubKey()}, [32]byte{})
	if err != dropinmusig2.ErrPrivKeyZero {
		panic(err)
	}
}

// dropinMuSig2Session runs sessions of two signers, with every kind of tweak and every source of
// nonces.
func dropinMuSig2Session() {
	defer without512()()
	key, other := secretDropinKey(600), secretDropinKey(601)
	for i, options := range [][]dropinmusig2.ContextOption{
		{dropinmusig2.WithEarlyNonceGen()}, {},
		{dropinmusig2.WithTweakedContext(dropinmusig2.KeyTweakDesc{})},
		{dropinmusig2.WithTaprootTweakCtx(make([]byte, 32))}, {dropinmusig2.WithBip86TweakCtx()},
	} {
		options = append(options, dropinmusig2.WithKnownSigners(
			[]*dropin.PublicKey{key.PubKey(), other.PubKey()}))
		c := must(dropinmusig2.NewContext(key, true, options...))
		d := must(dropinmusig2.NewContext(other, true, options...))
		if _, err := c.EarlySessionNonce(); (err == nil) != (i == 0) {
			panic(err)
		}
		if _, err := c.TaprootInternalKey(); (err == nil) != (i > 2) {
			panic(err)
		}
		final := must(c.CombinedKey())
		own := c.PubKey()
		for _, public := range append(c.SigningKeys(), final, &own) {
			sink += len(public.SerializeCompressed())
		}
		s := must(c.NewSession())
		n := must(dropinmusig2.GenNonces(dropinmusig2.WithPublicKey(other.PubKey())))
		t := must(d.NewSession(dropinmusig2.WithPreGeneratedNonce(n)))
		must(s.RegisterPubNonce(t.PublicNonce()))
		must(t.RegisterPubNonce(s.PublicNonce()))
		must(s.Sign([32]byte{}))
		part := must(t.Sign([32]byte{}))
		must(s.CombineSig(part))
		sink += len(s.FinalSig().Serialize())
		if _, err := s.Sign([32]byte{}); err == nil {
			panic("a session signs twice")
		}
	}
}

// dropinMuSig2Refused combines keys with an invalid tweak, and nonces before there are all.
func dropinMuSig2Refused() {
	defer without512()()
	key := secretDropinKey(602)
	large := dropinmusig2.KeyTweakDesc{Tweak: [32]byte(bytes.Repeat([]byte{255}, 32))}
	refused(dropinmusig2.NewContext(key, false,
		dropinmusig2.WithKnownSigners([]*dropin.PublicKey{key.PubKey()}),
		dropinmusig2.WithTweakedContext(large)))
	c := must(dropinmusig2.NewContext(key, false, dropinmusig2.WithNumSigners(2)))
	must(c.RegisterSigner(key.PubKey()))
	session := must(c.NewSession())
	refused(session.CombinedNonce())
	sink += c.NumRegisteredSigners() + session.NumRegisteredNonces()
}

// dropinMuSig2Three registers signers, nonces and partial signatures one by one, more of them than
// allowed and in the wrong order. Only one of the three signers signs, so the signature is invalid.
func dropinMuSig2Three() {
	defer without512()()
	key := secretDropinKey(603)
	c := must(dropinmusig2.NewContext(key, false, dropinmusig2.WithNumSigners(3)))
	refused(c.CombinedKey())
	refused(c.TaprootInternalKey())
	for i := range 3 {
		other := secretDropinKey(uint64(604 + i)).PubKey()
		if _, err := c.RegisterSigner(other); (err == nil) != (i < 2) {
			panic(err)
		}
	}
	session := func() *dropinmusig2.Session { return must(c.NewSession()) }
	s, infinite := session(), [dropinmusig2.PubNonceSize]byte{}
	for i := range 3 {
		if _, err := s.RegisterPubNonce(infinite); (err == nil) != (i < 2) {
			panic(err)
		}
	}
	all := must(s.CombinedNonce())
	part := must(s.Sign([32]byte{}))
	for i := range 3 {
		if _, err := s.CombineSig(part); (err == nil) != (i == 0) {
			panic(err)
		}
	}

	s = session()
	refused(0, s.RegisterCombinedNonce(infinite))
	must(0, s.RegisterCombinedNonce(all))
	s = session()
	must(s.RegisterPubNonce(infinite))
	refused(0, s.RegisterCombinedNonce(all))
	refused(s.RegisterPubNonce([dropinmusig2.PubNonceSize]byte{9}))
}
