package ecdsa_test

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ecdsa"
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
	key, err := koblitz.ParsePrivateKey(bytesOf(
		"0000000000000000000000000000000000000000000000000000000000000001"))
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte("Satoshi Nakamoto"))
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", sig.R())
	fmt.Printf("%x\n", sig.S())
	// Output:
	// 934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8
	// 2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5
}

// With fresh entropy, two signatures of the same hash differ, and both are valid.
func ExampleSignOptions() {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("message"))

	var sigs [2]*ecdsa.Signature
	for i := range sigs {
		entropy := make([]byte, 32)
		rand.Read(entropy)
		sig, err := ecdsa.Sign(key, hash[:], &ecdsa.SignOptions{Entropy: entropy})
		if err != nil {
			panic(err)
		}
		fmt.Println(ecdsa.Verify(key.PublicKey(), hash[:], sig))
		sigs[i] = sig
	}
	fmt.Println(*sigs[0] != *sigs[1])
	// Output:
	// true
	// true
	// true
}

// A hash that is too short is refused.
func ExampleSign_shortHash() {
	key := koblitz.GenerateKey()
	_, err := ecdsa.Sign(key, nil, nil)
	fmt.Println(err)
	fmt.Println(ecdsa.Verify(key.PublicKey(), nil, new(ecdsa.Signature)))
	// Output:
	// ecdsa: hash: 0 bytes, want at least 20
	// false
}

// AppendSign writes to the caller's buffer, without allocating.
func ExampleAppendSign() {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("message"))
	buf := make([]byte, 0, 64)
	buf, err := ecdsa.AppendSign(buf, key, hash[:], nil)
	fmt.Println(len(buf), err)
	// Output: 64 <nil>
}

// A node verifies an input: the key and the DER signature come from the script, and the hash is
// computed from the transaction.
func ExampleVerify() {
	key, err := koblitz.ParsePublicKey(bytesOf(
		"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"))
	if err != nil {
		panic(err)
	}
	sig, err := ecdsa.ParseDER(bytesOf(
		"3045022100934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8" +
			"02202442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"))
	if err != nil {
		panic(err)
	}
	hash := sha256.Sum256([]byte("Satoshi Nakamoto"))
	fmt.Println(ecdsa.Verify(key, hash[:], sig))

	other := sha256.Sum256([]byte("Hal Finney"))
	fmt.Println(ecdsa.Verify(key, other[:], sig))
	// Output:
	// true
	// false
}

// A node that verifies the same validators' signatures all day prepares their keys
// once. 100 validators at 26 KiB take 2.6 MB.
func ExampleVerifyPrepared() {
	validator := koblitz.GenerateKey()
	key := validator.PublicKey().Prepare(26 << 10)

	for _, vote := range []string{"block 1", "block 2"} {
		hash := sha256.Sum256([]byte(vote))
		sig, err := ecdsa.Sign(validator, hash[:], nil)
		if err != nil {
			panic(err)
		}
		fmt.Println(vote, ecdsa.VerifyPrepared(key, hash[:], sig))
	}
	// Output:
	// block 1 true
	// block 2 true
}

// The standard accepts both a signature and the same signature with n - s in place of s. Protocols
// whose signatures must not be malleable accept only the one with the low s.
func ExampleVerifyLowS() {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("message"))
	low, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	high := withNegatedS(low)

	public := key.PublicKey()
	fmt.Println("low: ", ecdsa.Verify(public, hash[:], low), ecdsa.VerifyLowS(public, hash[:], low))
	fmt.Println("high:", ecdsa.Verify(public, hash[:], high), ecdsa.VerifyLowS(public, hash[:], high))
	fmt.Println("same:", *high.Normalize() == *low)
	// Output:
	// low:  true true
	// high: true false
	// same: true
}

// ParseDER follows BIP-66, and its errors say which byte breaks a rule.
func ExampleParseDER() {
	padded := bytesOf("3007" + "02020001" + "020101")
	_, err := ecdsa.ParseDER(padded)
	fmt.Println(err)

	sig, err := ecdsa.ParseDERLax(padded)
	fmt.Printf("%x %v\n", sig.DER(), err)
	// Output:
	// ecdsa: DER signature: byte 4: r has a leading zero that it does not need
	// 3006020101020101 <nil>
}

// Recover finds the sender of a message from the signature alone. Ethereum writes
// the recovery id as 27 or 28, or combines it with the chain id.
func ExampleRecover() {
	key := koblitz.GenerateKey()
	hash := sha256.Sum256([]byte("a transaction"))
	sig65, err := ecdsa.SignRecoverable(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	sender, err := ecdsa.Recover(hash[:], sig65)
	if err != nil {
		panic(err)
	}
	fmt.Println(sender.Equal(key.PublicKey()))

	sig65[64] += 27
	_, err = ecdsa.Recover(hash[:], sig65)
	fmt.Println(err != nil)
	// Output:
	// true
	// true
}
