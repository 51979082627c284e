package main

import (
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// public cases call every exported function that touches a secret.
var public = slices.Concat(privateKeys, signatures, groups, dropIns)

var privateKeys = []func(){
	keyGenerate, keyParse, keyPublic, keyXOnly, keyBytes, keyEqual, keyNegate, keyBlinded,
	keyPrint, keyZeroize, keyNone,
	keyTweakAdd, keyTweakMul, keyTweakAddXOnly, publicTweakAdd, publicTweakMul, xonlyTweakAdd,
	tweakRefuse, tweakToNothing,
}

var signatures = []func(){
	ecdsaSign, ecdsaSignChecked, ecdsaAppendSign, ecdsaSignRecoverable, ecdsaSignRecoverableChecked,
	ecdsaEntropy, ecdsaBlinded, ecdsaNone, ecdsaRefuse,
	schnorrSign, schnorrSignUnchecked, schnorrAppendSign, schnorrFresh, schnorrBlinded, schnorrRefuse,
	ecdhSharedX, ecdhSharedXOnly, ecdhSharedSHA256, ecdhNone,
}

func keyGenerate() { generatedKey().PublicKey() }

// keyParse parses a key, and what is none: too short, zero, not below n.
func keyParse() {
	secretKey(200)
	for _, b := range [][]byte{
		secretString(256, 31), secretCopy(make([]byte, 32)), secretCopy(ones()),
	} {
		_, err := koblitz.NewPrivateKey(b)
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

// keyZeroize zeroizes a key, whose copy and whose blinded one are none then either.
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
	_, err := publicKey(224).XOnly().TweakAdd(secretBytes(225))
	must(err)
}

// tweakRefuse tweaks by what is too short or not below n, and tweaks what is no key.
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

// tweakToNothing tweaks keys to zero and to infinity: that it is so is public, in the
// error.
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

func ecdsaSign() {
	k := secretKey(226)
	for _, msg := range digests() {
		sig, err := ecdsa.Sign(k, msg)
		must(err)
		sink += len(sig.DER()) // whose length depends on r and s
	}
}

func ecdsaSignChecked() {
	k := secretKey(227)
	for _, msg := range digests() {
		_, err := ecdsa.Sign(k, msg, ecdsa.Checked())
		must(err)
		_, err = ecdsa.AppendSign(nil, k, msg, ecdsa.Checked())
		must(err)
	}
}

func ecdsaSignRecoverableChecked() {
	k := secretKey(254)
	for _, msg := range digests() {
		sig, err := ecdsa.SignRecoverable(k, msg, nil, ecdsa.Checked())
		must(err)
		_, err = ecdsa.AppendSignRecoverable(sig[:0], k, msg, ecdsa.Checked())
		must(err)
	}
}

func ecdsaAppendSign() {
	k := secretKey(228)
	for _, msg := range digests() {
		_, err := ecdsa.AppendSign(nil, k, msg)
		must(err)
	}
}

func ecdsaSignRecoverable() {
	k := secretKey(229)
	for _, msg := range digests() {
		sig, err := ecdsa.SignRecoverable(k, msg)
		must(err)
		sig, err = ecdsa.AppendSignRecoverable(sig[:0], k, msg)
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
		option := ecdsa.WithEntropy(extra)
		_, err := ecdsa.Sign(k, digests()[1], option)
		must(err)
		show(option)
	}
}

func ecdsaBlinded() {
	k := secretKey(232).Blinded()
	for _, msg := range digests() {
		_, err := ecdsa.Sign(k, msg)
		must(err)
	}
}

// ecdsaNone signs with a key that was zeroized.
func ecdsaNone() {
	none, msg := secretKey(262), digests()[1]
	none.Zeroize()
	_, err := ecdsa.Sign(none, msg)
	refused(err)
	_, err = ecdsa.Sign(none, msg, ecdsa.Checked())
	refused(err)
	_, err = ecdsa.AppendSign(nil, none, msg)
	refused(err)
	_, err = ecdsa.AppendSign(nil, none, msg, ecdsa.Checked())
	refused(err)
	_, err = ecdsa.SignRecoverable(none, msg)
	refused(err)
	_, err = ecdsa.SignRecoverable(none, msg, ecdsa.Checked())
	refused(err)
}

// ecdsaRefuse signs a hash that is too short, and with an option that none of the
// package's functions returns.
func ecdsaRefuse() {
	k, checked := secretKey(272), ecdsa.Checked()
	_, err := ecdsa.Sign(k, messages()[0])
	refused(err)
	_, err = ecdsa.SignRecoverable(k, digests()[0], &checked)
	refused(err)
}

func schnorrSign() {
	k := secretKey(233)
	for _, msg := range messages() {
		sig, err := schnorr.Sign(k, msg, secretBytes(238))
		must(err)
		if !schnorr.Verify(k.XOnlyPublicKey(), msg, sig) {
			panic("Verify refuses a signature")
		}
	}
}

func schnorrSignUnchecked() {
	k := secretKey(234)
	for _, msg := range messages() {
		_, err := schnorr.Sign(k, msg, secretBytes(268), schnorr.Unchecked())
		must(err)
	}
}

func schnorrAppendSign() {
	k, l := secretKey(235), secretKey(236)
	for _, msg := range messages() {
		_, err := schnorr.AppendSign(nil, k, msg, secretBytes(269))
		must(err)
		_, err = schnorr.AppendSign(nil, l, msg, secretBytes(270), nil, schnorr.Unchecked())
		must(err)
	}
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

// schnorrRefuse signs with a key that was zeroized, with bad randomness, and with an
// option that none of the package's functions returns.
func schnorrRefuse() {
	none, msg, aux := secretKey(263), messages()[2], secretBytes(264)
	none.Zeroize()
	_, err := schnorr.Sign(none, msg, aux)
	refused(err)
	_, err = schnorr.Sign(none, msg, aux, schnorr.Unchecked())
	refused(err)
	_, err = schnorr.AppendSign(nil, none, msg, aux)
	refused(err)
	_, err = schnorr.AppendSign(nil, none, msg, aux, schnorr.Unchecked())
	refused(err)
	k, unchecked := secretKey(265), schnorr.Unchecked()
	_, err = schnorr.Sign(k, msg, aux[:31])
	refused(err)
	_, err = schnorr.Sign(k, msg, aux, &unchecked)
	refused(err)
}

func ecdhSharedX() {
	_, err := ecdh.SharedX(secretKey(241), publicKey(242))
	must(err)
	_, err = ecdh.AppendSharedX(nil, secretKey(243), publicKey(244))
	must(err)
}

func ecdhSharedXOnly() {
	_, err := ecdh.SharedXOnly(secretKey(245), publicKey(246).XOnly())
	must(err)
	_, err = ecdh.AppendSharedXOnly(nil, secretKey(247), publicKey(248).XOnly())
	must(err)
}

func ecdhSharedSHA256() {
	_, err := ecdh.SharedSHA256(secretKey(249), publicKey(250))
	must(err)
	_, err = ecdh.AppendSharedSHA256(nil, secretKey(251), publicKey(252))
	must(err)
}

// ecdhNone agrees with nobody, and by a key that is none.
func ecdhNone() {
	k, none := secretKey(266), new(koblitz.PrivateKey)
	_, err := ecdh.SharedX(k, nil)
	refused(err)
	_, err = ecdh.SharedSHA256(k, new(koblitz.PublicKey))
	refused(err)
	_, err = ecdh.SharedXOnly(none, publicKey(267).XOnly())
	refused(err)
}
