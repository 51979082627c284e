package ecdsa_test

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
)

func ExampleSign() {
	key := secp256k1.PrivKeyFromBytes([]byte{1})
	hash := sha256.Sum256([]byte("Satoshi Nakamoto"))
	sig := ecdsa.Sign(key, hash[:])
	// This signature is a test vector of many libraries for RFC 6979 on secp256k1.
	fmt.Printf("%x\n", sig.Serialize())
	fmt.Println(sig.Verify(hash[:], key.PubKey()))
	// Output:
	// 3045022100934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d802202442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5
	// true
}

func ExampleRecoverCompact() {
	key := secp256k1.PrivKeyFromBytes([]byte{1})
	hash := sha256.Sum256([]byte("message"))
	sig := ecdsa.SignCompact(key, hash[:], true)
	recovered, compressed, err := ecdsa.RecoverCompact(sig, hash[:])
	fmt.Println(*recovered == *key.PubKey(), compressed, err)
	sig[0] = 35
	_, _, err = ecdsa.RecoverCompact(sig, hash[:])
	fmt.Println(errors.Is(err, ecdsa.ErrSigInvalidRecoveryCode))
	// Output:
	// true true <nil>
	// true
}

func ExampleParseDERSignature() {
	_, err := ecdsa.ParseDERSignature(make([]byte, 8))
	fmt.Println(errors.Is(err, ecdsa.ErrSigInvalidSeqID), err)
	// Output: true malformed signature: format has wrong type: 0x0
}
