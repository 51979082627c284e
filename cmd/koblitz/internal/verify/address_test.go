package verify

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// TestAddresses compares the addresses that package batch derives with those from
// golang.org/x/crypto/sha3. About half of the random signatures have a recoverable key.
func TestAddresses(t *testing.T) {
	const n = 3000
	r := rand.New(rand.NewPCG(80, 80))
	hashes, sigs := make([]byte, 32*n), make([]byte, 65*n)
	for _, b := range [][]byte{hashes, sigs} {
		for i := range b {
			b[i] = byte(r.Uint32())
		}
	}
	for i := range n {
		sigs[65*i+64] &= 1
	}
	cols := batch.RecoverRows{Hashes: batch.Packed(hashes, 32), Signatures: batch.Packed(sigs, 65),
		S: batch.AnyS}
	keys, addresses := make([]byte, 65*n), make([]byte, 20*n)
	verdicts := make([]batch.Verdict, n)
	want, err := cols.Recover(t.Context(), keys, verdicts, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := cols.EthereumAddresses(t.Context(), addresses, verdicts, nil)
	if err != nil || got != want || got < n/3 {
		t.Fatal(got, want, err)
	}
	for i, verdict := range verdicts {
		want := [20]byte{}
		if verdict == batch.Valid {
			want = address(keys[65*i:][:65])
		}
		if got := addresses[20*i:][:20]; !bytes.Equal(got, want[:]) {
			t.Errorf("row %d, %v: %x, want %x", i, verdict, got, want)
		}
	}
}
