package main

import (
	"crypto"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// public holds a case, a function that calls the library with secrets, for every exported function
// that takes a secret.
var public = slices.Concat(privateKeys, signatures, payments, groups, equality, musigs, dropIns)

var privateKeys = []func(){
	keyGenerate, keyParse, keyPublic, keyXOnly, keyBytes, keyEqual, keyNegate, keyBlinded,
	keyPrint, keyZeroize, keyNone,
	keyTweakAdd, keyTweakMul, keyTweakAddXOnly, keyTaprootTweak,
	publicTweakAdd, publicTweakMul, xonlyTweakAdd,
	tweakRefuse, tweakToNothing,
}

var signatures = []func(){
	ecdsaSign, ecdsaSignChecked, ecdsaAppendSign, ecdsaSignRecoverable, ecdsaSignRecoverableChecked,
	ecdsaEntropy, ecdsaSigner, ecdsaBlinded, ecdsaNone, ecdsaRefuse,
	schnorrSign, schnorrSignUnchecked, schnorrAppendSign, schnorrSigner, schnorrFresh, schnorrBlinded,
	schnorrRefuse, schnorrTaggedHash,
	batchPublicKeys, batchSharedX, batchRefuse, batchSchnorrSign, batchECDSASign,
	ecdhSharedX, ecdhSharedXOnly, ecdhSharedSHA256, ecdhNone,
	ellswiftCreate, ellswiftShared, ellswiftNone,
	pkixEC, pkixPKCS8, pkixECPEM, pkixPEM, pkixRefuse, pkixNone,
}

func keyGenerate() { generatedKey().PublicKey() }

// keyParse parses a valid private key, and invalid ones: too short, zero, and not below n.
func keyParse() {
	secretKey(200)
	for _, b := range [][]byte{
		secretString(256, 31), secretCopy(make([]byte, 32)), secretCopy(ones()),
	} {
		refused(koblitz.ParsePrivateKey(b))
	}
}

func keyPublic() { sink += len(secretKey(201).PublicKey().Bytes()) }

func keyXOnly() { sink += len(secretKey(202).XOnlyPublicKey().Bytes()) }

func keyBytes() { copy(bytes32[:], secretKey(203).Bytes()) }

func keyEqual() {
	k := secretKey(204)
	if !k.Equal(k) || k.Equal(secretKey(205)) {
		panic("Equal is wrong")
	}
}

func keyNegate() { secretKey(206).Negate().PublicKey() }

func keyBlinded() { secretKey(207).Blinded().PublicKey() }

func keyPrint() { show(secretKey(208)) }

// keyZeroize zeroizes a key. Its copy and its blinded form must become invalid too.
func keyZeroize() {
	k := secretKey(213)
	c, b := *k, k.Blinded()
	k.Zeroize()
	if !k.IsZero() || !c.IsZero() || !b.IsZero() || k.Bytes() != nil || k.PublicKey() != nil {
		panic("a zeroized key is a key")
	}
}

func keyNone() {
	none := new(koblitz.PrivateKey)
	if none.Bytes() != nil || none.Negate() != nil || none.Blinded() != nil ||
		none.PublicKey() != nil || none.XOnlyPublicKey() != nil || secretKey(209).Equal(none) {
		panic("a zero value is a key")
	}
	none.Zeroize()
}

func keyTweakAdd() {
	k := must(secretKey(214).Blinded().TweakAdd(secretBytes(215)))
	k.PublicKey()
}

func keyTweakMul() {
	k := must(secretKey(216).TweakMul(secretBytes(217)))
	k.PublicKey()
}

func keyTweakAddXOnly() {
	k := must(secretKey(218).TweakAddXOnly(secretBytes(219)))
	k.PublicKey()
}

// keyTaprootTweak tweaks keys with an even and an odd y coordinate, with a Merkle root and without.
func keyTaprootTweak() {
	k := secretKey(452)
	for _, key := range []*koblitz.PrivateKey{k, k.Negate()} {
		for _, root := range [][]byte{secretBytes(453), nil} {
			must(key.TaprootTweak(root)).PublicKey()
		}
	}
}

func publicTweakAdd() {
	must(publicKey(220).TweakAdd(secretBytes(221)))
}

func publicTweakMul() {
	must(publicKey(222).TweakMul(secretBytes(223)))
}

func xonlyTweakAdd() {
	must(publicKey(224).XOnlyPublicKey().TweakAdd(secretBytes(225)))
}

// tweakRefuse calls the tweak functions with tweaks that are too long or not below n, and with
// invalid keys.
func tweakRefuse() {
	k, p := secretKey(257), publicKey(258)
	for _, tweak := range [][]byte{secretString(259, 33), secretCopy(ones())} {
		refused(k.TweakAdd(tweak))
		refused(k.TweakMul(tweak))
		refused(k.TweakAddXOnly(tweak))
		refused(p.TweakAdd(tweak))
		refused(p.TweakMul(tweak))
	}
	refused(k.TaprootTweak(secretString(454, 31)))
	refused(new(koblitz.PrivateKey).TaprootTweak(nil))
	tweak := secretBytes(260)
	refused(new(koblitz.PrivateKey).TweakAdd(tweak))
	refused(new(koblitz.PrivateKey).TweakMul(tweak))
	refused(new(koblitz.PrivateKey).TweakAddXOnly(tweak))
	refused(new(koblitz.PublicKey).TweakAdd(tweak))
	refused(new(koblitz.PublicKey).TweakMul(tweak))
	refused(new(koblitz.XOnlyPublicKey).TweakAdd(tweak))
}

// tweakToNothing tweaks private keys to zero, and public keys to infinity. The errors that the
// library returns make these results public.
func tweakToNothing() {
	k := secretKey(261)
	minus := k.Negate().Bytes()
	zero := secretCopy(make([]byte, 32))
	refused(k.TweakAdd(minus))
	refused(k.TweakMul(zero))
	refused(k.PublicKey().TweakAdd(minus))
	refused(k.PublicKey().TweakMul(zero))
}

// unchecked disables the verification of a new ECDSA signature.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

func ecdsaSign() {
	k := secretKey(226)
	for _, msg := range digests() {
		sig := must(ecdsa.Sign(k, msg, unchecked))
		sink += len(sig.DER()) // the length of the encoding depends on r and s
	}
}

func ecdsaSignChecked() {
	k := secretKey(227)
	for _, msg := range digests() {
		must(ecdsa.Sign(k, msg, nil))
		must(ecdsa.AppendSign(nil, k, msg, nil))
	}
}

func ecdsaSignRecoverableChecked() {
	k := secretKey(254)
	for _, msg := range digests() {
		sig := must(ecdsa.SignRecoverable(k, msg, nil))
		must(ecdsa.AppendSignRecoverable(sig[:0], k, msg, nil))
	}
}

func ecdsaAppendSign() {
	k := secretKey(228)
	for _, msg := range digests() {
		must(ecdsa.AppendSign(nil, k, msg, unchecked))
	}
}

func ecdsaSignRecoverable() {
	k := secretKey(229)
	for _, msg := range digests() {
		sig := must(ecdsa.SignRecoverable(k, msg, unchecked))
		sig = must(ecdsa.AppendSignRecoverable(sig[:0], k, msg, unchecked))
		recovered := must(ecdsa.Recover(msg, sig))
		if !recovered.Equal(k.PublicKey()) {
			panic("Recover finds another key")
		}
	}
}

func ecdsaEntropy() {
	k := secretKey(230)
	for _, extra := range secretMessages(231) {
		options := &ecdsa.SignOptions{Entropy: extra, Unchecked: true}
		must(ecdsa.Sign(k, digests()[1], options))
		show(options)
		show(*options)
	}
}

func ecdsaSigner() {
	s := must(ecdsa.NewSigner(secretKey(451)))
	for _, digest := range digests() {
		if sig, err := s.Sign(nil, digest, nil); len(digest) == 32 {
			must(sig, err)
		} else {
			refused(sig, err)
		}
	}
	digest := digests()[1]
	must(s.Sign(nil, digest, crypto.SHA256))
	sink += len(s.Public().(*koblitz.PublicKey).Bytes())
	show(s)
	refused(s.Sign(nil, digest, crypto.SHA512))
	refused(s.Sign(nil, digests()[1], crypto.BLAKE2b_512+1))
	refused(ecdsa.NewSigner(nil))
	refused((*ecdsa.Signer)(nil).Sign(nil, digest, nil))
	if (*ecdsa.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
}

func ecdsaBlinded() {
	k := secretKey(232).Blinded()
	for _, msg := range digests() {
		must(ecdsa.Sign(k, msg, unchecked))
	}
}

// ecdsaNone tries to sign with a zeroized key.
func ecdsaNone() {
	none, msg := secretKey(262), digests()[1]
	none.Zeroize()
	for _, o := range []*ecdsa.SignOptions{nil, unchecked} {
		refused(ecdsa.Sign(none, msg, o))
		refused(ecdsa.AppendSign(nil, none, msg, o))
		refused(ecdsa.SignRecoverable(none, msg, o))
	}
}

// ecdsaRefuse tries to sign hashes that are too short.
func ecdsaRefuse() {
	k := secretKey(272)
	refused(ecdsa.Sign(k, messages()[0], nil))
	refused(ecdsa.SignRecoverable(k, digests()[0][:19], nil))
}

func schnorrTaggedHash() {
	for _, msg := range secretMessages(1500) {
		bytes32 = schnorr.TaggedHash("tag", msg, secretBytes(455))
	}
}

func schnorrSign() {
	k := secretKey(233)
	for _, msg := range append(messages(), make([]byte, 65)) { // 65 bytes are too long for a copy
		sig := must(schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: secretBytes(238)}))
		if !schnorr.Verify(k.XOnlyPublicKey(), msg, sig) {
			panic("Verify refuses a signature")
		}
	}
}

func schnorrSignUnchecked() {
	k := secretKey(234)
	for _, msg := range messages() {
		must(schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: secretBytes(268), Unchecked: true}))
	}
}

func schnorrAppendSign() {
	k, l := secretKey(235), secretKey(236)
	for _, msg := range messages() {
		must(schnorr.AppendSign(nil, k, msg, &schnorr.SignOptions{Aux: secretBytes(269)}))
		must(schnorr.AppendSign(nil, l, msg,
			&schnorr.SignOptions{Aux: secretBytes(270), Unchecked: true}))
	}
}

func schnorrSigner() {
	s := must(schnorr.NewSigner(secretKey(452)))
	for _, msg := range messages() {
		must(s.SignMessage(nil, msg, nil))
		must(s.Sign(nil, msg, nil))
	}
	sink += len(s.Public().(*koblitz.XOnlyPublicKey).Bytes())
	show(s)
	must(s.SignMessage(nil, nil, crypto.SHA256))
	refused(s.SignMessage(nil, nil, crypto.BLAKE2s_256)) // this hash function is not linked
	refused(s.Sign(nil, nil, crypto.SHA256))
	refused(s.Sign(nil, nil, crypto.BLAKE2b_512+1))
	refused(schnorr.NewSigner(nil))
	refused((*schnorr.Signer)(nil).Sign(nil, nil, nil))
	if (*schnorr.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
	options := &schnorr.SignOptions{Aux: secretBytes(453)}
	show(options)
	show(*options)
}

func schnorrFresh() {
	must(schnorr.Sign(secretKey(239), messages()[2], nil))
}

func schnorrBlinded() {
	k := secretKey(240).Blinded()
	for _, msg := range messages() {
		must(schnorr.Sign(k, msg, nil))
	}
}

// schnorrRefuse tries to sign with a zeroized key, and with auxiliary randomness of 31 bytes.
func schnorrRefuse() {
	none, msg, aux := secretKey(263), messages()[2], secretBytes(264)
	none.Zeroize()
	refused(schnorr.Sign(none, msg, &schnorr.SignOptions{Aux: aux}))
	refused(schnorr.Sign(none, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true}))
	refused(schnorr.AppendSign(nil, none, msg, &schnorr.SignOptions{Aux: aux}))
	refused(schnorr.AppendSign(nil, none, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true}))
	refused(schnorr.Sign(secretKey(265), msg, &schnorr.SignOptions{Aux: aux[:31]}))
}

func ecdhSharedX() {
	must(ecdh.SharedX(secretKey(241), publicKey(242)))
	must(ecdh.AppendSharedX(nil, secretKey(243), publicKey(244)))
}

func ecdhSharedXOnly() {
	must(ecdh.SharedXOnly(secretKey(245), publicKey(246).XOnlyPublicKey()))
	must(ecdh.AppendSharedXOnly(nil, secretKey(247), publicKey(248).XOnlyPublicKey()))
}

func ecdhSharedSHA256() {
	must(ecdh.SharedSHA256(secretKey(249), publicKey(250)))
	must(ecdh.AppendSharedSHA256(nil, secretKey(251), publicKey(252)))
}

// ecdhNone tries to compute a shared secret without a peer's key, and with an invalid private key.
func ecdhNone() {
	k, none := secretKey(266), new(koblitz.PrivateKey)
	refused(ecdh.SharedX(k, nil))
	refused(ecdh.SharedSHA256(k, new(koblitz.PublicKey)))
	refused(ecdh.SharedXOnly(none, publicKey(267).XOnlyPublicKey()))
}
