//go:build valgrind

package main

import (
	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/x/adaptor"
)

// decryptionKey returns a secret key, and its public key.
func decryptionKey() (*koblitz.PrivateKey, *koblitz.PublicKey) {
	k := must(koblitz.ParsePrivateKey(secret(9)))
	return k, k.PublicKey()
}

func adaptorSchnorr() {
	key := secretKey()
	decryption, encryption := decryptionKey()
	a := must(adaptor.SignSchnorr(key, encryption, []byte("message")))
	a = must(adaptor.ParseSchnorr(public(a.Bytes())))
	signature := must(a.Decrypt(decryption))
	if !a.Verify(key.XOnlyPublicKey(), encryption, []byte("message")) {
		panic("not valid")
	}
	if _, err := a.Recover(key.PublicKey(), signature); err == nil {
		panic("another key is recovered")
	}
	recovered := must(a.Recover(encryption, signature))
	recovered.Zeroize()
}

func adaptorECDSA() {
	key, hash := secretKey(), make([]byte, 32)
	decryption, encryption := decryptionKey()
	a := must(adaptor.SignECDSA(key, encryption, hash))
	a = must(adaptor.ParseECDSA(public(a.Bytes())))
	signature := must(a.Decrypt(decryption))
	if !a.Verify(key.PublicKey(), encryption, hash) {
		panic("not valid")
	}
	recovered := must(a.Recover(encryption, signature))
	recovered.Zeroize()
}

func plantedSchnorr() {
	_, encryption := decryptionKey()
	branch(must(adaptor.SignSchnorr(secretKey(), encryption, nil)).Bytes()[33:])
}

func plantedECDSA() {
	_, encryption := decryptionKey()
	branch(must(adaptor.SignECDSA(secretKey(), encryption, make([]byte, 32))).Bytes()[66:])
}
