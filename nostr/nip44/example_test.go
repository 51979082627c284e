package nip44_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/nostr/nip44"
)

func Example() {
	alice, bob := koblitz.GenerateKey(), koblitz.GenerateKey()
	k, err := nip44.NewKey(alice, bob.XOnlyPublicKey())
	if err != nil {
		panic(err)
	}
	defer k.Zeroize()
	payload, err := k.Encrypt([]byte("hello"))
	if err != nil {
		panic(err)
	}

	same, err := nip44.NewKey(bob, alice.XOnlyPublicKey())
	if err != nil {
		panic(err)
	}
	defer same.Zeroize()
	message, err := same.Decrypt(payload)
	fmt.Println(string(message), err)
	// Output: hello <nil>
}
