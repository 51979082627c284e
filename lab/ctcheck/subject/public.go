package main

import (
	"crypto"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// public holds a case for every exported function that takes a secret.
var public = slices.Concat(privateKeys, signatures, groups, dropIns)

var privateKeys = []func(){
	keyGenerate, keyParse, keyPublic, keyXOnly, keyBytes, keyEqual, keyNegate, keyBlinded,
	keyPrint, keyZeroize, keyNone,
	keyTweakAdd, keyTweakMul, keyTweakAddXOnly, publicTweakAdd, publicTweakMul, xonlyTweakAdd,
	tweakRefuse, tweakToNothing,
}

var signatures = []func(){
	ecdsaSign, ecdsaSignChecked, ecdsaAppendSign, ecdsaSignRecoverable, ecdsaSignRecoverableChecked,
	ecdsaEntropy, ecdsaSigner, ecdsaBlinded, ecdsaNone, ecdsaRefuse,
	schnorrSign, schnorrSignUnchecked, schnorrAppendSign, schnorrSigner, schnorrFresh, schnorrBlinded,
	schnorrRefuse,
	ecdhSharedX, ecdhSharedXOnly, ecdhSharedSHA256, ecdhNone,
}

func keyGenerate() { generatedKey().PublicKey() }

// keyParse parses a valid private key, and invalid ones: too short, zero, and not below n.
func keyParse() {
	secretKey(200)
	for _, b := range [][]byte{
		secretString(256, 31), secretCopy(make([]byte, 32)), secretCopy(ones()),
	} {
		_, err := koblitz.ParsePrivateKey(b)
		refused(err)
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
	k, err := secretKey(214).TweakAdd(secretBytes(215))
	must(err)
	k.PublicKey()
}

func keyTweakMul() {
	k, err := secretKey(216).TweakMul(secretBytes(217))
	must(err)
	k.PublicKey()
}

func keyTweakAddXOnly() {
	k, err := secretKey(218).TweakAddXOnly(secretBytes(219))
	must(err)
	k.PublicKey()
}

func publicTweakAdd() {
	_, err := publicKey(220).TweakAdd(secretBytes(221))
	must(err)
}

func publicTweakMul() {
	_, err := publicKey(222).TweakMul(secretBytes(223))
	must(err)
}

func xonlyTweakAdd() {
	_, err := publicKey(224).XOnlyPublicKey().TweakAdd(secretBytes(225))
	must(err)
}

// tweakRefuse uses tweaks that are too long or not below n, and invalid keys.
func tweakRefuse() {
	k, p := secretKey(257), publicKey(258)
	for _, tweak := range [][]byte{secretString(259, 33), secretCopy(ones())} {
		_, err := k.TweakAdd(tweak)
		refused(err)
		_, err = k.TweakMul(tweak)
		refused(err)
		_, err = k.TweakAddXOnly(tweak)
		refused(err)
		_, err = p.TweakAdd(tweak)
		refused(err)
		_, err = p.TweakMul(tweak)
		refused(err)
	}
	tweak := secretBytes(260)
	_, err := new(koblitz.PrivateKey).TweakAdd(tweak)
	refused(err)
	_, err = new(koblitz.PrivateKey).TweakMul(tweak)
	refused(err)
	_, err = new(koblitz.PrivateKey).TweakAddXOnly(tweak)
	refused(err)
	_, err = new(koblitz.PublicKey).TweakAdd(tweak)
	refused(err)
	_, err = new(koblitz.PublicKey).TweakMul(tweak)
	refused(err)
	_, err = new(koblitz.XOnlyPublicKey).TweakAdd(tweak)
	refused(err)
}

// tweakToNothing tweaks private keys to zero, and public keys to infinity. The error makes that
// public.
func tweakToNothing() {
	k := secretKey(261)
	minus := k.Negate().Bytes()
	zero := secretCopy(make([]byte, 32))
	_, err := k.TweakAdd(minus)
	refused(err)
	_, err = k.TweakMul(zero)
	refused(err)
	_, err = k.PublicKey().TweakAdd(minus)
	refused(err)
	_, err = k.PublicKey().TweakMul(zero)
	refused(err)
}

// unchecked disables the verification of a new ECDSA signature.
var unchecked = &ecdsa.SignOptions{Unchecked: true}

func ecdsaSign() {
	k := secretKey(226)
	for _, msg := range digests() {
		sig, err := ecdsa.Sign(k, msg, unchecked)
		must(err)
		sink += len(sig.DER()) // the length of the encoding depends on r and s
	}
}

func ecdsaSignChecked() {
	k := secretKey(227)
	for _, msg := range digests() {
		_, err := ecdsa.Sign(k, msg, nil)
		must(err)
		_, err = ecdsa.AppendSign(nil, k, msg, nil)
		must(err)
	}
}

func ecdsaSignRecoverableChecked() {
	k := secretKey(254)
	for _, msg := range digests() {
		sig, err := ecdsa.SignRecoverable(k, msg, nil)
		must(err)
		_, err = ecdsa.AppendSignRecoverable(sig[:0], k, msg, nil)
		must(err)
	}
}

func ecdsaAppendSign() {
	k := secretKey(228)
	for _, msg := range digests() {
		_, err := ecdsa.AppendSign(nil, k, msg, unchecked)
		must(err)
	}
}

func ecdsaSignRecoverable() {
	k := secretKey(229)
	for _, msg := range digests() {
		sig, err := ecdsa.SignRecoverable(k, msg, unchecked)
		must(err)
		sig, err = ecdsa.AppendSignRecoverable(sig[:0], k, msg, unchecked)
		must(err)
		recovered, err := ecdsa.Recover(msg, sig)
		must(err)
		if !recovered.Equal(k.PublicKey()) {
			panic("Recover finds another key")
		}
	}
}

func ecdsaEntropy() {
	k := secretKey(230)
	for _, extra := range secretMessages(231) {
		options := &ecdsa.SignOptions{Entropy: extra, Unchecked: true}
		_, err := ecdsa.Sign(k, digests()[1], options)
		must(err)
		show(options)
		show(*options)
	}
}

func ecdsaSigner() {
	s, err := ecdsa.NewSigner(secretKey(451))
	must(err)
	for _, digest := range digests() {
		if _, err := s.Sign(nil, digest, nil); len(digest) == 32 {
			must(err)
		} else {
			refused(err)
		}
	}
	digest := digests()[1]
	_, err = s.Sign(nil, digest, crypto.SHA256)
	must(err)
	sink += len(s.Public().(*koblitz.PublicKey).Bytes())
	show(s)
	_, err = s.Sign(nil, digest, crypto.SHA512)
	refused(err)
	_, err = s.Sign(nil, digests()[1], crypto.BLAKE2b_512+1)
	refused(err)
	_, err = ecdsa.NewSigner(nil)
	refused(err)
	_, err = (*ecdsa.Signer)(nil).Sign(nil, digest, nil)
	refused(err)
	if (*ecdsa.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
}

func ecdsaBlinded() {
	k := secretKey(232).Blinded()
	for _, msg := range digests() {
		_, err := ecdsa.Sign(k, msg, unchecked)
		must(err)
	}
}

// ecdsaNone tries to sign with a zeroized key.
func ecdsaNone() {
	none, msg := secretKey(262), digests()[1]
	none.Zeroize()
	for _, o := range []*ecdsa.SignOptions{nil, unchecked} {
		_, err := ecdsa.Sign(none, msg, o)
		refused(err)
		_, err = ecdsa.AppendSign(nil, none, msg, o)
		refused(err)
		_, err = ecdsa.SignRecoverable(none, msg, o)
		refused(err)
	}
}

// ecdsaRefuse tries to sign hashes that are too short.
func ecdsaRefuse() {
	k := secretKey(272)
	_, err := ecdsa.Sign(k, messages()[0], nil)
	refused(err)
	_, err = ecdsa.SignRecoverable(k, digests()[0][:19], nil)
	refused(err)
}

func schnorrSign() {
	k := secretKey(233)
	for _, msg := range messages() {
		sig, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: secretBytes(238)})
		must(err)
		if !schnorr.Verify(k.XOnlyPublicKey(), msg, sig) {
			panic("Verify refuses a signature")
		}
	}
}

func schnorrSignUnchecked() {
	k := secretKey(234)
	for _, msg := range messages() {
		_, err := schnorr.Sign(k, msg, &schnorr.SignOptions{Aux: secretBytes(268), Unchecked: true})
		must(err)
	}
}

func schnorrAppendSign() {
	k, l := secretKey(235), secretKey(236)
	for _, msg := range messages() {
		_, err := schnorr.AppendSign(nil, k, msg, &schnorr.SignOptions{Aux: secretBytes(269)})
		must(err)
		_, err = schnorr.AppendSign(nil, l, msg,
			&schnorr.SignOptions{Aux: secretBytes(270), Unchecked: true})
		must(err)
	}
}

func schnorrSigner() {
	s, err := schnorr.NewSigner(secretKey(452))
	must(err)
	for _, msg := range messages() {
		_, err := s.SignMessage(nil, msg, nil)
		must(err)
		_, err = s.Sign(nil, msg, nil)
		must(err)
	}
	sink += len(s.Public().(*koblitz.XOnlyPublicKey).Bytes())
	show(s)
	_, err = s.SignMessage(nil, nil, crypto.SHA256)
	must(err)
	_, err = s.SignMessage(nil, nil, crypto.BLAKE2s_256) // this hash function is not linked
	refused(err)
	_, err = s.Sign(nil, nil, crypto.SHA256)
	refused(err)
	_, err = s.Sign(nil, nil, crypto.BLAKE2b_512+1)
	refused(err)
	_, err = schnorr.NewSigner(nil)
	refused(err)
	_, err = (*schnorr.Signer)(nil).Sign(nil, nil, nil)
	refused(err)
	if (*schnorr.Signer)(nil).Public() != nil {
		panic("no key has a public key")
	}
	options := &schnorr.SignOptions{Aux: secretBytes(453)}
	show(options)
	show(*options)
}

func schnorrFresh() {
	_, err := schnorr.Sign(secretKey(239), messages()[2], nil)
	must(err)
}

func schnorrBlinded() {
	k := secretKey(240).Blinded()
	for _, msg := range messages() {
		_, err := schnorr.Sign(k, msg, nil)
		must(err)
	}
}

// schnorrRefuse tries to sign with a zeroized key, and with auxiliary randomness of 31 bytes.
func schnorrRefuse() {
	none, msg, aux := secretKey(263), messages()[2], secretBytes(264)
	none.Zeroize()
	_, err := schnorr.Sign(none, msg, &schnorr.SignOptions{Aux: aux})
	refused(err)
	_, err = schnorr.Sign(none, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true})
	refused(err)
	_, err = schnorr.AppendSign(nil, none, msg, &schnorr.SignOptions{Aux: aux})
	refused(err)
	_, err = schnorr.AppendSign(nil, none, msg, &schnorr.SignOptions{Aux: aux, Unchecked: true})
	refused(err)
	_, err = schnorr.Sign(secretKey(265), msg, &schnorr.SignOptions{Aux: aux[:31]})
	refused(err)
}

func ecdhSharedX() {
	_, err := ecdh.SharedX(secretKey(241), publicKey(242))
	must(err)
	_, err = ecdh.AppendSharedX(nil, secretKey(243), publicKey(244))
	must(err)
}

func ecdhSharedXOnly() {
	_, err := ecdh.SharedXOnly(secretKey(245), publicKey(246).XOnlyPublicKey())
	must(err)
	_, err = ecdh.AppendSharedXOnly(nil, secretKey(247), publicKey(248).XOnlyPublicKey())
	must(err)
}

func ecdhSharedSHA256() {
	_, err := ecdh.SharedSHA256(secretKey(249), publicKey(250))
	must(err)
	_, err = ecdh.AppendSharedSHA256(nil, secretKey(251), publicKey(252))
	must(err)
}

// ecdhNone tries to compute a shared secret without a peer's key, and with an invalid private key.
func ecdhNone() {
	k, none := secretKey(266), new(koblitz.PrivateKey)
	_, err := ecdh.SharedX(k, nil)
	refused(err)
	_, err = ecdh.SharedSHA256(k, new(koblitz.PublicKey))
	refused(err)
	_, err = ecdh.SharedXOnly(none, publicKey(267).XOnlyPublicKey())
	refused(err)
}
