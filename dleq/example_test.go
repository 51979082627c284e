package dleq_test

import (
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/dleq"
)

// A sender proves that the shared point C is right for the public keys A and B. The message binds
// the proof to a transaction.
func Example() {
	sender, receiver := koblitz.GenerateKey(), koblitz.GenerateKey()
	transaction := sha256.Sum256([]byte("transaction"))

	statement, proof, err := dleq.Prove(sender, receiver.PublicKey(),
		&dleq.Options{Message: transaction[:]})
	if err != nil {
		panic(err)
	}

	// The verifier knows A, B and the transaction, and gets C and the proof.
	err = dleq.Verify(&dleq.Statement{
		A:       sender.PublicKey(),
		B:       receiver.PublicKey(),
		C:       statement.C,
		Message: transaction[:],
	}, proof)
	fmt.Println(err)
	// Output: <nil>
}
