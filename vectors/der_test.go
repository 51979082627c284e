package vectors

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestStrictDERBitcoin checks that ParseDER accepts the encodings in Bitcoin Core's list of
// canonical signatures and refuses those in its list of others. It removes the hash type byte at
// their ends, which ParseDER does not expect.
func TestStrictDERBitcoin(t *testing.T) {
	var canonical []string
	loadJSON(t, "bitcoin_sig_canonical.json", &canonical)
	for _, s := range canonical {
		b := unhex(t, s)
		b = b[:len(b)-1]
		sig, err := ecdsa.ParseDER(b)
		// This encoding of r = s = 0 is well formed but is not a signature, so ParseDER must refuse
		// it.
		if s == "300602010002010001" {
			if err == nil {
				t.Errorf("%s: zeros were accepted", s)
			}
			continue
		}
		if err != nil || !bytes.Equal(sig.DER(), b) {
			t.Errorf("%s: %x, %v", s, sig.DER(), err)
		}
	}
	count(t, "canonical", len(canonical), 5)

	var list []string
	if err := json.Unmarshal(load(t, "bitcoin_sig_noncanonical.json"), &list); err != nil {
		t.Fatal(err)
	}
	encodings, name := 0, ""
	for _, s := range list {
		b, err := hex.DecodeString(s)
		if err != nil {
			name = s
			continue
		}
		encodings++
		b = b[:len(b)-1]
		_, err = ecdsa.ParseDER(b)
		// The encoding named "hashtype" is bad only because its hash type 0x11 is undefined.
		// ParseDER must accept the bytes before that byte.
		if want := name == "hashtype:"; (err == nil) != want {
			t.Errorf("%s %s: %v", name, s, err)
		}
	}
	count(t, "not canonical", encodings, 15)
}
