package vectors

import (
	"bytes"
	"encoding/hex"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/ecdsa"
)

// TestEIP155 checks that signing EIP-155's example transaction gives the signature in the EIP, and
// that recovery finds the signer's key.
func TestEIP155(t *testing.T) {
	var example struct {
		Private, Hash, R, S string
		Chain, V            byte
	}
	loadJSON(t, "eip155.json", &example)
	number := func(s string) []byte {
		x, ok := new(big.Int).SetString(s, 10)
		if !ok {
			t.Fatalf("%q is not a number", s)
		}
		return x.FillBytes(make([]byte, 32))
	}
	key, hash := privateKey(t, example.Private), unhex(t, example.Hash)
	want := append(number(example.R), number(example.S)...)
	want = append(want, example.V-35-2*example.Chain)
	got, err := ecdsa.SignRecoverable(key, hash, nil)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("signed %x, %v, want %x", got, err, want)
	}
	if q, err := ecdsa.Recover(hash, want); err != nil || !q.Equal(key.PublicKey()) {
		t.Errorf("recovered %v, %v, want %s", q, err, hex.EncodeToString(key.PublicKey().Bytes()))
	}
}
