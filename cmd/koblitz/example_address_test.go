package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"golang.org/x/crypto/sha3"
)

// The addresses of the senders of transactions: package batch recovers the keys, and an
// address is the last 20 bytes of the Keccak-256 of a key's two coordinates. The key is the
// one of EIP-155's example.
func Example_senderAddresses() {
	key, err := koblitz.NewPrivateKey(bytes.Repeat([]byte{0x46}, 32))
	if err != nil {
		panic(err)
	}
	var hashes, signatures []byte
	for i := range 3 {
		hash := sha3.NewLegacyKeccak256()
		fmt.Fprintf(hash, "transaction %d", i)
		sum := hash.Sum(nil)
		sig65, err := ecdsa.SignRecoverable(key, sum)
		if err != nil {
			panic(err)
		}
		hashes = append(hashes, sum...)
		signatures = append(signatures, sig65...)
	}
	clear(signatures[65:130]) // no signature

	verdicts, keys := make([]batch.Verdict, 3), make([]byte, 3*65)
	if _, err := (batch.RecoverRows{
		Hashes:     batch.Packed(hashes, 32),
		Signatures: batch.Packed(signatures, 65),
	}).Recover(context.Background(), keys, verdicts, batch.LowS()); err != nil {
		panic(err)
	}
	keccak, sum := sha3.NewLegacyKeccak256(), make([]byte, 0, 32)
	for i, v := range verdicts {
		if v != batch.Valid {
			fmt.Println(v)
			continue
		}
		keccak.Reset()
		keccak.Write(keys[65*i+1 : 65*i+65]) // both coordinates, without the byte 0x04
		sum = keccak.Sum(sum[:0])
		fmt.Printf("%x\n", sum[12:])
	}
	// Output:
	// 9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f
	// malformed
	// 9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f
}
