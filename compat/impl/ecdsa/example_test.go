package ecdsa_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz/compat/impl/ecdsa"
	"github.com/koblitz-go/koblitz/compat/impl/secp256k1"
)

func ExampleSign() {
	key := secp256k1.PrivKeyFromBytes([]byte{1})
	hash := sha256.Sum256([]byte("Satoshi Nakamoto"))
	sig := ecdsa.Sign(key, hash[:])
	fmt.Println(sig.R())
	fmt.Println(sig.Verify(hash[:], key.PubKey()))
	// Output:
	// 934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8
	// true
}
