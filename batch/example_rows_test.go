package batch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// newBlock returns rows of BIP-340 signatures, and the bytes of those signatures.
func newBlock(n int) (rows batch.SchnorrRows, signatures []byte) {
	var messages, keys []byte
	for i := range n {
		key, msg := koblitz.GenerateKey(), sha256.Sum256([]byte{byte(i)})
		sig, err := schnorr.Sign(key, msg[:], nil)
		if err != nil {
			panic(err)
		}
		messages = append(messages, msg[:]...)
		keys = append(keys, key.XOnlyPublicKey().Bytes()...)
		signatures = append(signatures, sig...)
	}
	return batch.SchnorrRows{
		Messages:   batch.Packed(messages, 32),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 32)),
		Signatures: batch.Packed(signatures, 64),
	}, signatures
}

// A block is valid if all of its signatures are valid: one answer is enough, and no verdicts are
// needed.
func ExampleSchnorrRows_VerifyAll() {
	block, signatures := newBlock(4)
	fmt.Println(block.VerifyAll(context.Background(), 4, nil))

	signatures[100] ^= 1
	fmt.Println(block.VerifyAll(context.Background(), 4, nil))
	// Output:
	// true <nil>
	// false <nil>
}

// With Exact, each row is verified alone. Without it, rows are verified together by equations, and
// a verdict is wrong with a probability of 2^-128 at most.
func ExampleOptions() {
	rows, signatures := newBlock(3)
	signatures[0] ^= 1

	verdicts := make([]batch.Verdict, 3)
	valid, err := rows.Verify(context.Background(), verdicts, &batch.Options{Exact: true})
	fmt.Println(verdicts, valid, err)
	// Output: [invalid valid valid] 2 <nil>
}

// Reasons say why rows are not valid.
func ExampleReason() {
	rows, signatures := newBlock(3)
	signatures[0] ^= 1
	copy(signatures[64+32:], bytes.Repeat([]byte{0xff}, 32)) // s of the second signature

	var reasons []batch.Reason
	verdicts := make([]batch.Verdict, 3)
	_, err := rows.Verify(context.Background(), verdicts, &batch.Options{Reasons: &reasons})
	for i, v := range verdicts {
		fmt.Printf("%v: %v\n", v, reasons[i])
	}
	fmt.Println(err)
	// Output:
	// invalid: the signature does not fit the message and the key
	// malformed: s is out of range
	// valid: no reason
	// <nil>
}

// Recoverable signatures of 65 bytes, as in Ethereum: r, s and the recovery id. The ids are a
// column in the same memory. They make equations for many rows possible and change no verdict.
func ExampleECDSARows_recoveryIDs() {
	var hashes, keys, signatures []byte
	for i := range 3 {
		key, hash := koblitz.GenerateKey(), sha256.Sum256([]byte{byte(i)})
		sig65, err := ecdsa.SignRecoverable(key, hash[:], nil)
		if err != nil {
			panic(err)
		}
		hashes = append(hashes, hash[:]...)
		keys = append(keys, key.PublicKey().Bytes()...)
		signatures = append(signatures, sig65...)
	}
	signatures[2*65+64] ^= 1 // the wrong id of a valid signature

	verdicts := make([]batch.Verdict, 3)
	valid, err := batch.ECDSARows{
		Hashes:      batch.Packed(hashes, 32),
		Keys:        batch.EncodedKeys(batch.Packed(keys, 33)),
		Signatures:  batch.Strided(signatures, 64, 65), // without the recovery id
		RecoveryIDs: batch.Strided(signatures[64:], 1, 65),
		S:           batch.AnyS,
	}.Verify(context.Background(), verdicts, nil)
	fmt.Println(verdicts, valid, err)
	// Output: [valid valid valid] 3 <nil>
}

// Public scalars and their multiples of G, as they occur in a proof.
func ExampleScalarRows_PublicKeysVartime() {
	scalars := make([]byte, 3*32) // 1, 2 and 0
	scalars[31], scalars[63] = 1, 2

	verdicts, keys := make([]batch.Verdict, 3), make([]byte, 3*65)
	rows := batch.ScalarRows{Scalars: batch.Packed(scalars, 32)}
	valid, err := rows.PublicKeysVartime(context.Background(), keys, verdicts, nil)
	fmt.Println(verdicts, valid, err)
	fmt.Printf("%x\n", keys[65+1:65+33])
	// Output:
	// [valid valid malformed] 2 <nil>
	// c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5
}
