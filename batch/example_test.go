package batch_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/ecdsa"
	"github.com/koblitz-go/koblitz/schnorr"
)

// Records of 128 bytes, as in a file: key, message and signature. The columns are slices of the
// same memory that begin at different bytes.
func ExampleSchnorrRows_Verify() {
	const size = 32 + 32 + 64
	var records []byte
	for i := range 4 {
		key, msg := koblitz.GenerateKey(), sha256.Sum256([]byte{byte(i)})
		sig, err := schnorr.Sign(key, msg[:], nil)
		if err != nil {
			panic(err)
		}
		records = append(records, key.XOnlyPublicKey().Bytes()...)
		records = append(records, msg[:]...)
		records = append(records, sig...)
	}
	records[2*size+40] ^= 1 // changes a byte of the third message
	copy(records[3*size:], make([]byte, 32))

	verdicts := make([]batch.Verdict, 4)
	valid, err := batch.SchnorrRows{
		Keys:       batch.EncodedKeys(batch.Strided(records, 32, size)),
		Messages:   batch.Strided(records[32:], 32, size),
		Signatures: batch.Strided(records[64:], 64, size),
	}.Verify(context.Background(), verdicts, nil)
	fmt.Println(verdicts, valid, err)
	// Output: [valid valid invalid malformed] 2 <nil>
}

// Many signatures on one message: the column of hashes has one value for all rows. Each row has its
// own verdict.
func ExampleECDSARows_Verify() {
	hash := sha256.Sum256([]byte("the same for all"))
	var keys, signatures []byte
	for range 3 {
		key := koblitz.GenerateKey()
		sig, err := ecdsa.Sign(key, hash[:], nil)
		if err != nil {
			panic(err)
		}
		keys = append(keys, key.PublicKey().Bytes()...)
		signatures = sig.AppendBytes(signatures)
	}

	verdicts := make([]batch.Verdict, 3)
	valid, err := batch.ECDSARows{
		Hashes:     batch.Same(hash[:]),
		Keys:       batch.EncodedKeys(batch.Packed(keys, 33)),
		Signatures: batch.Packed(signatures, 64), S: batch.AnyS,
	}.Verify(context.Background(), verdicts, nil)
	fmt.Println(verdicts, valid, err)
	// Output: [valid valid valid] 3 <nil>
}

// Recovers the public keys of the senders of a block's transactions.
func ExampleRecoverRows_Recover() {
	var hashes, signatures []byte
	var senders []*koblitz.PublicKey
	for i := range 2 {
		key, hash := koblitz.GenerateKey(), sha256.Sum256([]byte{byte(i)})
		sig65, err := ecdsa.SignRecoverable(key, hash[:], nil)
		if err != nil {
			panic(err)
		}
		hashes = append(hashes, hash[:]...)
		signatures = append(signatures, sig65...)
		senders = append(senders, key.PublicKey())
	}

	verdicts, keys := make([]batch.Verdict, 2), make([]byte, 2*65)
	valid, err := batch.RecoverRows{
		Hashes:     batch.Packed(hashes, 32),
		Signatures: batch.Packed(signatures, 65), S: batch.AnyS,
	}.Recover(context.Background(), keys, verdicts, nil)
	fmt.Println(valid, err)
	for i, sender := range senders {
		fmt.Println(string(keys[65*i:65*i+65]) == string(sender.UncompressedBytes()))
	}
	// Output:
	// 2 <nil>
	// true
	// true
}

// Finds the addresses of three senders. The first transaction is genuine. The second was changed
// after signing, so that it appears to have another sender. The third has a malformed signature.
func ExampleRecoverRows_EthereumAddresses() {
	// The private key in EIP-155's example.
	key, err := koblitz.ParsePrivateKey(bytes.Repeat([]byte{0x46}, 32))
	if err != nil {
		panic(err)
	}
	// Ethereum signs the Keccak-256 hash of a transaction. Here any 32 bytes will do.
	hash := sha256.Sum256([]byte("a transaction"))
	sig65, err := ecdsa.SignRecoverable(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	changed := hash
	changed[0] ^= 1
	hashes := slices.Concat(hash[:], changed[:], hash[:])
	signatures := slices.Concat(sig65, sig65, make([]byte, 65))

	verdicts, addresses := make([]batch.Verdict, 3), make([]byte, 3*20)
	if _, err := (batch.RecoverRows{
		Hashes:     batch.Packed(hashes, 32),
		Signatures: batch.Packed(signatures, 65), S: batch.AnyS,
	}).EthereumAddresses(context.Background(), addresses, verdicts, nil); err != nil {
		panic(err)
	}
	for i, v := range verdicts {
		fmt.Printf("%v %x\n", v, addresses[20*i:20*i+20])
	}
	// Output:
	// valid 9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f
	// valid 9f61e6bdbaeea6d3d441ff962f29709a105f446e
	// malformed 0000000000000000000000000000000000000000
}

// Votes by validators whose keys were prepared when the set was elected. A vote refers to its
// validator by index.
func ExamplePreparedKeys() {
	validators := make([]*koblitz.PrivateKey, 4)
	set := make([]*koblitz.PreparedKey, len(validators))
	for i := range validators {
		validators[i] = koblitz.GenerateKey()
		set[i] = validators[i].XOnlyPublicKey().Prepare(26 << 10)
	}

	block := sha256.Sum256([]byte("block 1"))
	voters := []uint32{3, 0, 2, 9}
	var votes []byte
	for _, v := range voters {
		sig, err := schnorr.Sign(validators[v%4], block[:], nil)
		if err != nil {
			panic(err)
		}
		votes = append(votes, sig...)
	}
	verdicts := make([]batch.Verdict, len(voters))
	valid, err := batch.SchnorrRows{
		Messages:   batch.Same(block[:]),
		Signatures: batch.Packed(votes, 64),
		Keys:       batch.PreparedKeys(set, voters),
	}.Verify(context.Background(), verdicts, nil)
	fmt.Println(verdicts, valid, err)
	// Output: [valid valid valid malformed] 3 <nil>
}

// Verifies events of any length as they arrive, one batch after another.
func ExampleSchnorr() {
	ctx := context.Background()
	key := koblitz.GenerateKey()
	b := batch.NewSchnorr(100, nil)
	for _, events := range [][]string{{"first", "second"}, {"third", "forged", "fifth"}} {
		b.Reset()
		for _, event := range events {
			sig, err := schnorr.Sign(key, []byte(event), nil)
			if err != nil {
				panic(err)
			}
			if event == "forged" {
				event = "something else"
			}
			b.AddBytes(key.XOnlyPublicKey().Bytes(), []byte(event), sig)
		}
		good, err := b.VerifyAll(ctx)
		if err != nil {
			panic(err)
		}
		if good {
			fmt.Println(b.Len(), "events, all good")
			continue
		}
		verdicts := make([]batch.Verdict, b.Len())
		if _, err = b.Verify(ctx, verdicts); err != nil {
			panic(err)
		}
		fmt.Println(verdicts)
	}
	// Output:
	// 2 events, all good
	// [valid invalid valid]
}

// Many goroutines share a queue, each with one signature at a time.
func ExampleQueue() {
	q := batch.NewQueue(&batch.QueueOptions{S: batch.AnyS})
	defer q.Close()

	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			key, msg := koblitz.GenerateKey(), []byte("message")
			sig, err := schnorr.Sign(key, msg, nil)
			if err != nil {
				panic(err)
			}
			good, err := q.VerifySchnorr(context.Background(), key.XOnlyPublicKey(), msg, sig)
			if !good || err != nil {
				fmt.Println(good, err)
			}
		})
	}
	wg.Wait()
	// Output:
}
