package peer

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// TestChildren checks that 10,000 children of a key that one call of package batch derives, and
// their chain codes, are those of btcutil.
func TestChildren(t *testing.T) {
	const n = 10000
	m := &sharedInputs.Many
	parent, a := btcutilAccount(m), m.account()
	var hashes []byte
	for i := range n {
		hashes = a.appendTweak(hashes, i)
	}
	verdicts, keys := make([]batch.Verdict, n), make([]byte, 65*n)
	rows := batch.TweakRows{Keys: batch.Same(a.key), Tweaks: batch.Strided(hashes, 32, 64)}
	valid, err := rows.AddVartime(t.Context(), keys, verdicts, oneThread)
	if valid != n || err != nil {
		t.Fatal(valid, err)
	}
	for i := range n {
		child := must(parent.Derive(uint32(i)))
		key := must(child.ECPubKey()).SerializeUncompressed()
		if !bytes.Equal(key, keys[65*i:][:65]) || !bytes.Equal(child.ChainCode(), hashes[64*i+32:][:32]) {
			t.Fatalf("child %d: %x, want %x", i, keys[65*i:][:65], key)
		}
	}
}
