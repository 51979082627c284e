package oracle

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/schnorr"
)

// TestVectors checks that the test vectors of the replacement are signatures of the real module. A
// line has a private key, a hash, the public key and the signature.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile("../../compat/dcrec/v4/schnorr/testdata/dcrv0.txt")
	if err != nil {
		t.Fatal(err)
	}
	vectors := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		vectors++
		var key, hash []byte
		if _, err := fmt.Sscanf(line, "%x %x ", &key, &hash); err != nil {
			t.Fatal(line, err)
		}
		private := secp256k1.PrivKeyFromBytes(key)
		sig, err := schnorr.Sign(private, hash)
		if err != nil {
			t.Fatal(line, err)
		}
		want := fmt.Sprintf("%x %x %x %x\n", key, hash, private.PubKey().SerializeCompressed(),
			sig.Serialize())
		if line != want {
			t.Errorf("%s, want %s", line, want)
		}
	}
	if vectors < 48 {
		t.Errorf("%d vectors", vectors)
	}
}
