package schnorr_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/schnorr"
)

// bytesOf decodes hexadecimal literals of examples.
func bytesOf(s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

func ExampleSign() {
	key := koblitz.GenerateKey()
	msg := []byte("a message of any length")
	sig, err := schnorr.Sign(key, msg, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(len(sig), schnorr.Verify(key.XOnlyPublicKey(), msg, sig))
	// Output: 64 true
}

// With constant auxiliary data, signing is deterministic: vector 0 of BIP-340.
func ExampleSign_deterministic() {
	key, err := koblitz.ParsePrivateKey(bytesOf(
		"0000000000000000000000000000000000000000000000000000000000000003"))
	if err != nil {
		panic(err)
	}
	sig, err := schnorr.Sign(key, make([]byte, 32), &schnorr.SignOptions{Aux: make([]byte, 32)})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n%x\n", sig[:32], sig[32:])
	// Output:
	// e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215
	// 25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0
}

// A wallet may omit the final check if a node verifies its signatures before others see them.
func ExampleSignOptions() {
	key := koblitz.GenerateKey()
	msg := []byte("message")
	sig, err := schnorr.Sign(key, msg, &schnorr.SignOptions{Unchecked: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(schnorr.Verify(key.XOnlyPublicKey(), msg, sig))
	// Output: true
}

// A protocol with a tag of its own signs the tagged hash of its messages.
func ExampleTaggedHash() {
	key := koblitz.GenerateKey()
	digest := schnorr.TaggedHash("example.com/order", []byte("buy"), []byte{1})
	sig, err := schnorr.Sign(key, digest[:], nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(schnorr.Verify(key.XOnlyPublicKey(), digest[:], sig))
	// Output: true
}

// AppendSign writes to the caller's buffer, without allocating.
func ExampleAppendSign() {
	key := koblitz.GenerateKey()
	buf := make([]byte, 0, 64)
	buf, err := schnorr.AppendSign(buf, key, []byte("message"), nil)
	fmt.Println(len(buf), err)
	// Output: 64 <nil>
}

// A nostr relay verifies an event (NIP-01). The signature is of the event's id, the
// SHA-256 of its serialization.
func ExampleVerify() {
	author := koblitz.GenerateKey()
	event := []byte(`[0,"` + author.XOnlyPublicKey().String() + `",1700000000,1,[],"hello"]`)
	id := sha256.Sum256(event)
	sig, err := schnorr.Sign(author, id[:], nil)
	if err != nil {
		panic(err)
	}

	pubkey, err := koblitz.ParseXOnlyPublicKey(author.XOnlyPublicKey().Bytes())
	if err != nil {
		panic(err)
	}
	fmt.Println(schnorr.Verify(pubkey, id[:], sig))

	forged := sha256.Sum256(append(event, ' '))
	fmt.Println(schnorr.Verify(pubkey, forged[:], sig))
	// Output:
	// true
	// false
}

// A relay keeps the keys of its most frequent authors prepared. With 2 KiB
// each, ten thousand take 20 MB.
func ExampleVerifyPrepared() {
	author := koblitz.GenerateKey()
	prepared := map[[32]byte]*koblitz.PreparedKey{}
	prepared[[32]byte(author.XOnlyPublicKey().Bytes())] = author.XOnlyPublicKey().Prepare(2 << 10)

	msg := []byte("an event")
	sig, err := schnorr.Sign(author, msg, nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(schnorr.VerifyPrepared(prepared[[32]byte(author.XOnlyPublicKey().Bytes())], msg, sig))
	// Output: true
}
