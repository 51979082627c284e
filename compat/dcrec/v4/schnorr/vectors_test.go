package schnorr_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// TestVectors checks that signing produces the signatures in testdata/dcrv0.txt, and that they
// verify.
func TestVectors(t *testing.T) {
	file, err := os.Open("testdata/dcrv0.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	count := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		count++
		var v [4][]byte
		for i, field := range strings.Fields(lines.Text()) {
			if v[i], err = hex.DecodeString(field); err != nil {
				t.Fatal(err)
			}
		}
		checkVector(t, v[0], v[1], v[2], v[3])
	}
	if count != 48 {
		t.Error(count, "vectors")
	}
}

func checkVector(t *testing.T, private, hash, public, signature []byte) {
	t.Helper()
	key := secp256k1.PrivKeyFromBytes(private)
	sig, err := schnorr.Sign(key, hash)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(sig.Serialize(), signature) {
		t.Errorf("key %x: signature %x, want %x", private, sig.Serialize(), signature)
	}
	q, err := schnorr.ParsePubKey(public)
	if err != nil || !q.IsEqual(key.PubKey()) {
		t.Errorf("key %x: public key %x: %v", private, public, err)
	}
	parsed, err := schnorr.ParseSignature(signature)
	if err != nil || *parsed != *sig || !parsed.IsEqual(sig) {
		t.Errorf("key %x: parsed signature %v: %v", private, parsed, err)
	}
	if !parsed.Verify(hash, q) {
		t.Errorf("key %x: the signature does not verify", private)
	}
	for i := range 64 {
		wrong := bytes.Clone(signature)
		wrong[i] ^= 1
		if parsed, err := schnorr.ParseSignature(wrong); err == nil && parsed.Verify(hash, q) {
			t.Errorf("key %x: a signature with another byte %d verifies", private, i)
		}
	}
	other := bytes.Clone(hash)
	other[31] ^= 1
	if parsed.Verify(other, q) {
		t.Errorf("key %x: the signature verifies for another message", private)
	}
}
