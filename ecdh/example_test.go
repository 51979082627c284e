package ecdh_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdh"
)

func ExampleSharedSHA256() {
	alice, bob := koblitz.GenerateKey(), koblitz.GenerateKey()

	a, err := ecdh.SharedSHA256(alice, bob.PublicKey())
	if err != nil {
		panic(err)
	}
	b, err := ecdh.SharedSHA256(bob, alice.PublicKey())
	if err != nil {
		panic(err)
	}
	fmt.Println(len(a), bytes.Equal(a, b))
	// Output: 32 true
}

// The x coordinate is not a key: derive one from it with a KDF.
func ExampleSharedX() {
	alice, bob := koblitz.GenerateKey(), koblitz.GenerateKey()

	x, err := ecdh.SharedX(alice, bob.PublicKey())
	if err != nil {
		panic(err)
	}
	key, err := hkdf.Key(sha256.New, x, nil, "example: from Alice to Bob", 32)
	if err != nil {
		panic(err)
	}
	clear(x)
	fmt.Println(len(key))
	// Output: 32
}

// Nostr keys are x-only, and the conversation key of NIP-44 is derived from the
// shared x coordinate.
func ExampleSharedXOnly() {
	alice, bob := koblitz.GenerateKey(), koblitz.GenerateKey()

	x, err := ecdh.SharedXOnly(alice, bob.XOnlyPublicKey())
	if err != nil {
		panic(err)
	}
	a, err := hkdf.Extract(sha256.New, x, []byte("nip44-v2"))
	if err != nil {
		panic(err)
	}
	y, err := ecdh.SharedXOnly(bob, alice.XOnlyPublicKey())
	if err != nil {
		panic(err)
	}
	b, err := hkdf.Extract(sha256.New, y, []byte("nip44-v2"))
	if err != nil {
		panic(err)
	}
	fmt.Println(bytes.Equal(a, b))
	// Output: true
}
