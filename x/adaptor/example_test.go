package adaptor_test

import (
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/x/adaptor"
)

// Alice sells a secret: she gets Bob's signature on a payment only by publishing it.
func Example() {
	bob, secret := koblitz.GenerateKey(), koblitz.GenerateKey()
	message := []byte("Bob pays Alice")

	// Bob encrypts his signature to the secret's public key. Alice verifies it.
	encrypted, err := adaptor.SignSchnorr(bob, secret.PublicKey(), message)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(encrypted.Verify(bob.XOnlyPublicKey(), secret.PublicKey(), message))

	// Alice decrypts the signature and publishes it.
	signature, err := encrypted.Decrypt(secret)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schnorr.Verify(bob.XOnlyPublicKey(), message, signature))

	// Bob sees the signature and has bought the secret.
	bought, err := encrypted.Recover(secret.PublicKey(), signature)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bought.Equal(secret))
	// Output:
	// true
	// true
	// true
}
