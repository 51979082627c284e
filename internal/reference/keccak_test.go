package reference

import (
	"bytes"
	"crypto/sha3"
	"encoding/hex"
	"math/big"
	"testing"
)

// TestKeccak256 checks that Keccak256 with the padding of SHA-3 is the standard library's SHA3-256,
// and that with the padding of Keccak it gives the digests published by the Keccak team
// (ShortMsgKAT_256.txt of the submission) and in Ethereum's Yellow Paper, which uses the digest of
// the empty string for an account without code.
func TestKeccak256(t *testing.T) {
	for n := range 500 {
		msg := make([]byte, n)
		for i := range msg {
			msg[i] = byte(i*i + n)
		}
		want := sha3.Sum256(msg)
		if got := Keccak256(msg, 6); !bytes.Equal(got, want[:]) {
			t.Fatalf("SHA3-256 of %d bytes: %x, want %x", n, got, want)
		}
	}
	for msg, want := range map[string]string{
		"":     "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
		"\xcc": "eead6dbfc7340a56caedc044696a168870549a6a7f6f56961e84a54bd9970b8a",
	} {
		if got := hex.EncodeToString(Keccak256([]byte(msg), 1)); got != want {
			t.Errorf("Keccak-256 of %x: %s, want %s", msg, got, want)
		}
	}
}

// TestEthereumAddress checks that EthereumAddress gives the known addresses of the private key 1
// and of the key in EIP-155's example.
func TestEthereumAddress(t *testing.T) {
	eip155 := bytes.Repeat([]byte{0x46}, 32)
	for want, d := range map[string][]byte{
		"7e5f4552091a69125d5dfcb7b8c2659029395bdf": {1},
		"9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f": eip155,
	} {
		c := Secp256k1()
		key := c.ScalarMult(new(big.Int).SetBytes(d), c.G)
		if got := hex.EncodeToString(EthereumAddress(key)); got != want {
			t.Errorf("the address of %x: %s, want %s", d, got, want)
		}
	}
}
