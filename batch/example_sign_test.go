package batch_test

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
)

// One key signs many messages by BIP-340. Sign verifies the signatures before it returns them.
func ExampleSchnorrSignRows_Sign() {
	key := koblitz.GenerateKey()
	secret := key.Bytes()
	defer clear(secret)

	const n = 100
	messages := make([]byte, 0, 32*n)
	for i := range n {
		msg := sha256.Sum256([]byte{byte(i)})
		messages = append(messages, msg[:]...)
	}
	sigs, verdicts := make([]byte, 64*n), make([]batch.Verdict, n)
	valid, err := batch.SchnorrSignRows{
		Secrets:  batch.Same(secret),
		Messages: batch.Packed(messages, 32),
	}.Sign(context.Background(), sigs, verdicts, nil)
	fmt.Println(valid, err)

	all, err := batch.SchnorrRows{
		Messages:   batch.Packed(messages, 32),
		Keys:       batch.EncodedKeys(batch.Same(key.XOnlyPublicKey().Bytes())),
		Signatures: batch.Packed(sigs, 64),
	}.VerifyAll(context.Background(), n, nil)
	fmt.Println(all, err)
	// Output:
	// 100 <nil>
	// true <nil>
}

// Each of many keys signs one hash by ECDSA. Of the 65 bytes of a signature, the last is the
// recovery id. A secret of 0 is no private key.
func ExampleECDSASignRows_Sign() {
	hash := sha256.Sum256([]byte("hello"))
	secrets := make([]byte, 3*32)
	secrets[31], secrets[95] = 1, 3

	sigs, verdicts := make([]byte, 3*65), make([]batch.Verdict, 3)
	valid, err := batch.ECDSASignRows{
		Secrets: batch.Packed(secrets, 32),
		Hashes:  batch.Same(hash[:]),
	}.Sign(context.Background(), sigs, verdicts, nil)
	fmt.Println(verdicts, valid, err)
	for i := range 3 {
		fmt.Printf("%x… %d\n", sigs[65*i:][:8], sigs[65*i+64])
	}
	// Output:
	// [valid malformed valid] 2 <nil>
	// 0f2fff8620d8ffe9… 0
	// 0000000000000000… 0
	// 0bb32ae5ae4b11aa… 1
}
