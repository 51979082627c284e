package main

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// public cases call every exported function that touches a secret.
var public = []func(){
	keyGenerate, keyParse, keyPublic, keyXOnly, keyBytes, keyEqual, keyNegate, keyBlinded, keyPrint, keyZeroize,
	keyTweakAdd, keyTweakMul, keyTweakAddXOnly, publicTweakAdd, publicTweakMul, xonlyTweakAdd,
	ecdsaSign, ecdsaSignChecked, ecdsaAppendSign, ecdsaSignRecoverable, ecdsaSignRecoverableChecked,
	ecdsaEntropy, ecdsaBlinded,
	schnorrSign, schnorrSignUnchecked, schnorrAppendSign, schnorrAux, schnorrFresh, schnorrBlinded,
	ecdhSharedX, ecdhSharedXOnly, ecdhSharedSHA256,
}

func keyGenerate() { generatedKey().PublicKey() }

func keyParse() { secretKey(200) }

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

func keyPrint() {
	sink += len(fmt.Sprintf("%v %+v %#v %x %s", secretKey(208), secretKey(209), *secretKey(210), secretKey(211), *secretKey(212)))
	k := secretKey(256)
	_, text := k.MarshalText()
	_, json := k.MarshalJSON()
	_, binary := k.MarshalBinary()
	_, gob := k.GobEncode()
	if text == nil || json == nil || binary == nil || gob == nil {
		panic("a private key is encoded")
	}
}

func keyZeroize() { secretKey(213).Zeroize() }

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

// The message is public, and so are signatures: comparing them is no leak.
var message = []byte("a message of thirty-two bytes, …")

func ecdsaSign() {
	sig, err := ecdsa.Sign(secretKey(226), message)
	must(err)
	sink += len(sig.DER()) // whose length depends on r and s
}

func ecdsaSignChecked() {
	_, err := ecdsa.SignChecked(secretKey(227), message)
	must(err)
	_, err = ecdsa.AppendSignChecked(nil, secretKey(253), message)
	must(err)
}

func ecdsaSignRecoverableChecked() {
	sig, err := ecdsa.SignRecoverableChecked(secretKey(254), message)
	must(err)
	_, err = ecdsa.AppendSignRecoverableChecked(sig[:0], secretKey(255), message)
	must(err)
}

func ecdsaAppendSign() {
	_, err := ecdsa.AppendSign(nil, secretKey(228), message)
	must(err)
}

func ecdsaSignRecoverable() {
	k := secretKey(229)
	sig, err := ecdsa.SignRecoverable(k, message)
	must(err)
	sig, err = ecdsa.AppendSignRecoverable(sig[:0], k, message)
	must(err)
	recovered, err := ecdsa.Recover(message, sig)
	must(err)
	if !recovered.Equal(k.PublicKey()) {
		panic("Recover finds another key")
	}
}

func ecdsaEntropy() {
	_, err := ecdsa.Sign(secretKey(230), message, ecdsa.WithEntropy(secretBytes(231)))
	must(err)
}

func ecdsaBlinded() {
	_, err := ecdsa.Sign(secretKey(232).Blinded(), message)
	must(err)
}

func schnorrSign() {
	k := secretKey(233)
	sig, err := schnorr.Sign(k, message, make([]byte, 32))
	must(err)
	if !schnorr.Verify(k.XOnlyPublicKey(), message, sig) {
		panic("Verify refuses a signature")
	}
}

func schnorrSignUnchecked() {
	_, err := schnorr.SignUnchecked(secretKey(234), message, make([]byte, 32))
	must(err)
}

func schnorrAppendSign() {
	_, err := schnorr.AppendSign(nil, secretKey(235), message, make([]byte, 32))
	must(err)
	_, err = schnorr.AppendSignUnchecked(nil, secretKey(236), message, make([]byte, 32))
	must(err)
}

func schnorrAux() {
	_, err := schnorr.Sign(secretKey(237), message, secretBytes(238))
	must(err)
}

func schnorrFresh() {
	_, err := schnorr.Sign(secretKey(239), message, nil)
	must(err)
}

func schnorrBlinded() {
	_, err := schnorr.Sign(secretKey(240).Blinded(), message, nil)
	must(err)
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

// secretKey returns a private key from secret bytes.
func secretKey(seed uint64) *koblitz.PrivateKey {
	k, err := koblitz.NewPrivateKey(secretBytes(seed))
	must(err)
	return k
}

// generatedKey returns a private key from secret random bytes.
func generatedKey() *koblitz.PrivateKey { return koblitz.GenerateKey() }

// publicKey returns a public key that nothing secret went into.
func publicKey(seed uint64) *koblitz.PublicKey {
	k, err := koblitz.NewPrivateKey([]byte(fmt.Sprintf("%032d", seed)))
	must(err)
	return k.PublicKey()
}
