package gpu_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/gpu"
)

// Verify rows on the first GPU, or on the CPU if there is no GPU.
func Example() {
	d, err := gpu.Open(gpu.OnError(func(err error) { log.Print(err) }))
	if err == nil {
		defer gpu.Close(d)
	}

	hash := sha256.Sum256([]byte("a message"))
	key := koblitz.GenerateKey()
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		log.Fatal(err)
	}
	verdicts := make([]batch.Verdict, 1) // in practice, as many rows as fit in memory
	valid, err := batch.ECDSARows{
		Hashes:     batch.Packed(hash[:], 32),
		Keys:       batch.EncodedKeys(batch.Packed(key.PublicKey().Bytes(), 33)),
		Signatures: batch.Packed(sig.Bytes(), 64), S: batch.AnyS,
	}.Verify(context.Background(), verdicts, &batch.Options{Device: d})
	fmt.Println(valid, err)
	// Output: 1 <nil>
}
