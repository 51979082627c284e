package ellswift_test

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ellswift"
)

// The handshake of BIP-324. Both nodes send 64 bytes that look random, and derive the same keys
// from the secret that they share.
func Example() {
	// Each node makes a key for this connection, and sends an encoding of its public key.
	alice, bob := koblitz.GenerateKey(), koblitz.GenerateKey()
	fromAlice, err := ellswift.Create(alice, nil)
	if err != nil {
		panic(err)
	}
	fromBob, err := ellswift.Create(bob, nil)
	if err != nil {
		panic(err)
	}

	// keys derives the keys of the packets and the session id from the secret, which it overwrites.
	keys := func(secret []byte) (all []byte) {
		defer clear(secret)
		salt := "bitcoin_v2_shared_secret\xf9\xbe\xb4\xd9" // with the magic bytes of mainnet
		for _, info := range []string{
			"initiator_L", "initiator_P", "responder_L", "responder_P", "session_id",
		} {
			key, err := hkdf.Key(sha256.New, secret, []byte(salt), info, 32)
			if err != nil {
				panic(err)
			}
			all = slices.Concat(all, key)
		}
		return all
	}

	// Alice has opened the connection.
	ofAlice, err := ellswift.SharedSecret(alice, fromAlice, fromBob, true)
	if err != nil {
		panic(err)
	}
	ofBob, err := ellswift.SharedSecret(bob, fromBob, fromAlice, false)
	if err != nil {
		panic(err)
	}
	fmt.Println(bytes.Equal(keys(ofAlice), keys(ofBob)))
	// Output: true
}

// Any 64 bytes encode a key.
func ExampleDecode() {
	key, err := ellswift.Decode(bytes.Repeat([]byte("encoding"), 8))
	fmt.Println(key, err)
	// Output: 03d42bf6e3737f1657e14b45be6d49942f1131c4fe57ab37a0499dcce8d4458e9f <nil>
}
