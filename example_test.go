package koblitz_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

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

func Example() {
	key := koblitz.GenerateKey()
	defer key.Zeroize()

	hash := sha256.Sum256([]byte("hello"))
	sig, err := ecdsa.Sign(key, hash[:], nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(ecdsa.Verify(key.PublicKey(), hash[:], sig))
	// Output: true
}

// A private key is parsed from 32 bytes. Only Bytes returns them: printing the key,
// or a struct that holds it, is harmless.
func ExampleParsePrivateKey() {
	secret := bytesOf("0000000000000000000000000000000000000000000000000000000000000003")
	key, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		panic(err)
	}
	clear(secret)

	fmt.Println("public: ", key.PublicKey())
	fmt.Println("private:", key)
	fmt.Printf("wallet:  %+v\n", struct{ Key *koblitz.PrivateKey }{key})

	key.Zeroize()
	fmt.Println("gone:   ", key.IsZero())
	// Output:
	// public:  02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9
	// private: koblitz.PrivateKey(redacted)
	// wallet:  {Key:koblitz.PrivateKey(redacted)}
	// gone:    true
}

// The errors of the parsers say what is wrong, and where.
func ExampleParsePublicKey() {
	for _, s := range []string{
		"0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
		"0579be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
		"020000000000000000000000000000000000000000000000000000000000000005",
		"79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
	} {
		key, err := koblitz.ParsePublicKey(bytesOf(s))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(key)
	}
	// Output:
	// 0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
	// koblitz: public key: byte 0 is 0x05, want 0x02 or 0x03 before 32 more bytes
	// koblitz: public key: x (bytes 1 to 32) is not the x coordinate of a point of the curve
	// koblitz: public key: 32 bytes, want 33 (compressed) or 65 (uncompressed)
}

// The compressed encoding of a public key can be the key of a map.
func ExamplePublicKey_Bytes() {
	alice, bob := koblitz.GenerateKey().PublicKey(), koblitz.GenerateKey().PublicKey()
	names := map[[33]byte]string{
		[33]byte(alice.Bytes()): "Alice",
		[33]byte(bob.Bytes()):   "Bob",
	}
	fmt.Println(names[[33]byte(bob.Bytes())])
	// Output: Bob
}

// Prepare makes the largest table that fits in the given memory, or no table if none fits. The
// verdicts do not depend on the table.
func ExamplePublicKey_Prepare() {
	key := koblitz.GenerateKey().PublicKey()
	for _, maxBytes := range []int{1 << 20, 10_000, 2048, 1000} {
		fmt.Println(key.Prepare(maxBytes).Size())
	}
	// Output:
	// 26624
	// 8192
	// 2048
	// 0
}

// Sorts the keys of a multisig script as BIP-67 requires.
func ExamplePublicKey_Compare() {
	var keys []*koblitz.PublicKey
	for _, s := range []string{
		"02ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f8",
		"02fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f",
	} {
		key, err := koblitz.ParsePublicKey(bytesOf(s))
		if err != nil {
			panic(err)
		}
		keys = append(keys, key)
	}
	slices.SortFunc(keys, (*koblitz.PublicKey).Compare)
	for _, key := range keys {
		fmt.Println(key)
	}
	// Output:
	// 02fe6f0a5a297eb38c391581c4413e084773ea23954d93f7753db7dc0adc188b2f
	// 02ff12471208c14bd580709cb2358d98975247d8765f92bc25eab3b2763ed605f8
}

// JSON encodes public keys as text.
func ExamplePublicKey_MarshalText() {
	var event struct {
		Author koblitz.XOnlyPublicKey `json:"pubkey"`
	}
	in := `{"pubkey":"f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"}`
	if err := json.Unmarshal([]byte(in), &event); err != nil {
		panic(err)
	}
	out, err := json.Marshal(event)
	fmt.Println(string(out), err)
	// Output: {"pubkey":"f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"} <nil>
}

// A taproot output without scripts, which only its key can spend (BIP-341): the owner tweaks the
// private key, and everyone else tweaks the public key.
func ExampleXOnlyPublicKey_TaprootTweak() {
	secret := bytesOf("6b973d88838f27366ed61c9ad6367663045cb456e28335c109e30717ae0c6baa")
	key, err := koblitz.ParsePrivateKey(secret)
	if err != nil {
		panic(err)
	}
	internal := key.XOnlyPublicKey()
	output, err := internal.TaprootTweak(nil)
	if err != nil {
		panic(err)
	}
	spender, err := key.TaprootTweak(nil)
	if err != nil {
		panic(err)
	}
	fmt.Println("internal:", internal)
	fmt.Println("output:  ", output.XOnlyPublicKey())
	fmt.Println("spends:  ", spender.PublicKey().Equal(output))
	// Output:
	// internal: d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d
	// output:   53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343
	// spends:   true
}

// A node checks that a control block belongs to an output. The lowest bit of the block's
// first byte is the parity of the output key, and the internal key follows this byte. Here the
// script is the only leaf of the tree, so the block ends there, and the hash of the leaf is the
// Merkle root. The values are a test vector of BIP-341.
func ExampleXOnlyPublicKey_CheckTaprootTweak() {
	output := bytesOf("147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3")
	block := bytesOf("c1187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27")
	leaf := bytesOf("5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21")
	internal, err := koblitz.ParseXOnlyPublicKey(block[1:])
	if err != nil {
		panic(err)
	}
	fmt.Println(internal.CheckTaprootTweak(leaf, output, block[0]&1 == 1))
	// Output: true
}

// A blinded key makes signing harder to observe through power or radiation.
func ExamplePrivateKey_Blinded() {
	key := koblitz.GenerateKey()
	signer := key.Blinded()
	fmt.Println(signer.Equal(key), signer.PublicKey().Equal(key.PublicKey()))
	// Output: true true
}
