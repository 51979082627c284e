package main

import (
	"bytes"

	dropinbtcec "github.com/koblitz-go/koblitz/compat/impl/btcec"
	dropinellswift "github.com/koblitz-go/koblitz/compat/impl/btcec/ellswift"
	dropinmusig2 "github.com/koblitz-go/koblitz/compat/impl/btcec/musig2"
	dropinbip340 "github.com/koblitz-go/koblitz/compat/impl/btcec/schnorr"
	dropin "github.com/koblitz-go/koblitz/compat/impl/secp256k1"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// dropInsFixed holds cases for the drop-in packages that package operations lacks.
var dropInsFixed = []func(){
	dropinField, dropinFieldSmall, dropinFieldRoots, dropinFieldEncoding, dropinFieldCompare,
	dropinBaseMult, dropinKeys, dropinPublicKey, dropinLift, dropinScalar, dropinScalarEncoding,
	dropinScalarCompare, dropinMultRefuse, dropinNonce,
	dropinBTCKey, dropinBIP340, dropinEllswift, dropinMuSig2Nonces, dropinMuSig2Sign,
	dropinMuSig2Nobody, dropinMuSig2Session, dropinMuSig2Refused, dropinMuSig2Three,
}

// fieldVal and modNScalar receive the results of cases, so that the compiler does not remove the
// computations.
var (
	fieldVal   dropin.FieldVal
	modNScalar dropin.ModNScalar
)

func secretFieldVal(seed uint64) *dropin.FieldVal {
	x := secretElement(seed)
	return (*dropin.FieldVal)(&x)
}

func secretModNScalar(seed uint64) *dropin.ModNScalar {
	k := secretScalar(seed)
	return (*dropin.ModNScalar)(&k)
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

func dropinField() {
	x, y := secretFieldVal(500), secretFieldVal(501)
	v := &fieldVal
	v.Add2(x, y).Add(x).NegateVal(v, 3).Negate(4).Mul2(v, y).Mul(x).SquareVal(v).Square()
	v.Set(x).MulBy2().MulBy3().MulBy4().MulBy8().Normalize()
	x.Zero()
}

// dropinFieldSmall adds secret small integers to field values, and multiplies a field value by
// them.
func dropinFieldSmall() {
	x, b := secretFieldVal(502), secretBytes(503)
	fieldVal.SetInt(uint16(b[0])<<8 | uint16(b[1])).Add(x)
	x.AddInt(uint16(b[2])).MulInt(b[3])
}

func dropinFieldRoots() {
	x := secretFieldVal(504)
	words[0] = choiceOf(fieldVal.SquareRootVal(x))
	x.Inverse()
}

func dropinFieldEncoding() {
	var x dropin.FieldVal
	words[0] = uint64(x.SetBytes(secretArray(505)))
	for _, b := range secretMessages(506) {
		words[0] ^= choiceOf(x.SetByteSlice(b))
	}
	x.PutBytes(&bytes32)
	x.PutBytesUnchecked(bytes32[:])
	bytes32 = *x.Bytes()
	sink += len(x.String())
}

func dropinFieldCompare() {
	x, y := secretFieldVal(507), secretFieldVal(508)
	words[0] = uint64(x.IsZeroBit() ^ x.IsOneBit() ^ x.IsOddBit())
	words[1] = choiceOf(x.IsZero()) ^ choiceOf(x.IsOne()) ^ choiceOf(x.IsOdd())
	words[2] = choiceOf(x.Equals(y)) ^ choiceOf(x.IsGtOrEqPrimeMinusOrder())
}

// dropinPublicKey encodes and compares public keys with secret coordinates, because programs may
// hash the encoding of a secret point, such as a shared secret.
func dropinPublicKey() {
	p, q := secretAffine(530), secretAffine(531)
	k := dropin.NewPublicKey((*dropin.FieldVal)(&p.X), (*dropin.FieldVal)(&p.Y))
	l := dropin.NewPublicKey((*dropin.FieldVal)(&q.X), (*dropin.FieldVal)(&q.Y))
	words[0] = choiceOf(k.IsEqual(l)) ^ choiceOf(k.IsOnCurve())
	copy(bytes32[:], k.SerializeCompressed())
	copy(bytes32[:], k.SerializeUncompressed())
	var r dropin.JacobianPoint
	k.AsJacobian(&r)
	affine = dropin.Affine(k)
	words[0] ^= choiceOf(l.IsEqual(dropin.FromAffine(&affine)))
}

func dropinLift() {
	x, b := secretFieldVal(532), secretBytes(533)
	for _, odd := range []bool{b[0]&1 == 1, true} {
		words[0] = choiceOf(dropin.DecompressY(x, odd, &fieldVal))
	}
}

func dropinScalar() {
	x, y := secretModNScalar(510), secretModNScalar(511)
	v := &modNScalar
	v.Add2(x, y).Add(x).NegateVal(v).Negate().Mul2(v, y).Mul(x).SquareVal(v).Square().Set(x)
	b := secretBytes(512)
	x.SetInt(uint32(b[0])<<24 | uint32(b[1]))
	y.Zero()
}

func dropinScalarEncoding() {
	var x dropin.ModNScalar
	words[0] = uint64(x.SetBytes(secretArray(514)))
	for _, b := range secretMessages(515) {
		words[0] ^= choiceOf(x.SetByteSlice(b))
	}
	x.PutBytes(&bytes32)
	x.PutBytesUnchecked(bytes32[:])
	bytes32 = x.Bytes()
	sink += len(x.String())
}

func dropinScalarCompare() {
	x, y := secretModNScalar(520), secretModNScalar(521)
	words[0] = uint64(x.IsZeroBit()) ^ choiceOf(x.IsZero()) ^ choiceOf(x.IsOdd())
	words[1] = choiceOf(x.IsOverHalfOrder()) ^ choiceOf(x.Equals(y))
}

// dropinMultRefuse multiplies the point at infinity, and a point that is not on the curve, by a
// secret scalar.
func dropinMultRefuse() {
	var p dropin.JacobianPoint
	dropin.ScalarMultNonConst(secretModNScalar(526), &p, &p)
	p = secretDropinPoint(527)
	p.X.AddInt(1)
	dropin.ScalarMultNonConst(secretModNScalar(528), &p, &p)
	p.ToAffine()
}

// dropinNonce derives RFC 6979 nonces from arguments of every length, and with more than one
// iteration.
func dropinNonce() {
	key := secretBytes(550)
	for _, privKey := range secretMessages(551) {
		dropin.NonceRFC6979(privKey, nil, nil, nil, 0)
	}
	for _, hash := range messages() {
		dropin.NonceRFC6979(key, hash, nil, nil, 2)
	}
	for _, extra := range secretMessages(556) {
		for _, version := range [][]byte{nil, secretString(561, 16)} {
			dropin.NonceRFC6979(key, key, extra, version, 0)
		}
	}
	for _, version := range secretMessages(562) {
		dropin.NonceRFC6979(key, key, key, version, 1)
	}
}

func dropinBTCKey() {
	for _, b := range secretMessages(574) {
		dropinbtcec.PrivKeyFromBytes(b)
	}
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
	mark(none[:64])
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
	session := func() *dropinmusig2.Session {
		s := must(c.NewSession())
		return s
	}
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

// dropinBaseMult multiplies G by a secret scalar, and converts the product to affine coordinates.
func dropinBaseMult() {
	var p, q dropin.JacobianPoint
	dropin.ScalarBaseMultNonConst(secretModNScalar(522), &p)
	q.Set(&p)
	q.ToAffine()
	b := secretBytes(572)
	var one dropin.ModNScalar
	dropin.ScalarBaseMultNonConst(one.SetInt(uint32(b[0])<<8), &p)
}

func dropinKeys() {
	for _, b := range secretMessages(540) {
		dropin.PrivKeyFromBytes(b).PubKey()
	}
	k := dropin.NewPrivateKey(secretModNScalar(545))
	copy(bytes32[:], k.Serialize())
	k.Zero()
	copy(bytes32[:], dropin.GenerateSharedSecret(secretDropinKey(549), new(dropin.PublicKey)))
}
