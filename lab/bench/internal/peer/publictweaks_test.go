package peer

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestTweakChecks checks that a call of package batch accepts the taproot outputs that
// libsecp256k1's secp256k1_xonly_pubkey_tweak_add_check accepts, among true claims and claims with
// a changed field.
func TestTweakChecks(t *testing.T) {
	_, others := openAll(t)
	r := rand.New(rand.NewPCG(5, 5))
	m := &sharedInputs.Many
	edges := reference.EdgeInts()
	var fields [4][]byte // keys, tweaks, outputs, parities
	for i := range m.Hash {
		row := [4][]byte{m.XOnly[i], m.Hash[i], m.Output[i][1:], m.Output[i][:1]}
		f := r.IntN(8) // the field to change; above 3, none
		switch {
		case f == 3:
			row[f] = []byte{byte(r.IntN(4))}
		case f < 3 && i%2 == 0:
			row[f] = edges[r.IntN(len(edges))].FillBytes(make([]byte, 32))
		case f < 3:
			row[f] = slices.Clone(row[f])
			row[f][r.IntN(32)] ^= 1 << r.IntN(8)
		case f == 4: // the claim that key + 0·G is the key
			row = [4][]byte{m.XOnly[i], make([]byte, 32), m.XOnly[i], {byte(i % 2)}}
		}
		for k := range fields {
			fields[k] = append(fields[k], row[k]...)
		}
	}
	verdicts := make([]batch.Verdict, len(m.Hash))
	valid, err := batch.TweakCheckRows{Keys: batch.Packed(fields[0], 32),
		Tweaks: batch.Packed(fields[1], 32), Outputs: batch.Packed(fields[2], 32),
		Parities: batch.Packed(fields[3], 1)}.Verify(t.Context(), verdicts, oneThread)
	if err != nil || valid < len(m.Hash)/4 || valid > len(m.Hash)*3/4 {
		t.Fatal(valid, err)
	}
	for _, p := range others {
		check := p.Functions.TweakCheck
		if check == nil {
			continue
		}
		t.Logf("%s: %d of %d claims are true", p.Name, valid, len(m.Hash))
		for i, v := range verdicts {
			key, tweak, output := fields[0][32*i:][:32], fields[1][32*i:][:32], fields[2][32*i:][:32]
			if got := check(key, tweak, output, fields[3][i]); got != (v == batch.Valid) {
				t.Errorf("%s: %v, and batch says %v\nkey %x\ntweak %x\noutput %x\nparity %d",
					p.Name, got, v, key, tweak, output, fields[3][i])
			}
		}
	}
}

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
