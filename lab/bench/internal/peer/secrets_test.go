package peer

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// edgeInputs returns inputs for 1,024 rows. The secrets of the first rows are edge cases, among
// them 1 and n − 1, and the keys are those of the secrets.
func edgeInputs() *Inputs {
	in := NewInputs(0, 1024)
	row := 0
	for _, x := range reference.EdgeInts() {
		if x.Sign() <= 0 || x.Cmp(reference.N()) >= 0 {
			continue
		}
		secret := x.FillBytes(make([]byte, 32))
		key := must(koblitz.ParsePrivateKey(secret)).PublicKey()
		in.Many.Secret[row], in.Many.Key[row] = secret, key.Bytes()
		in.Many.XOnly[row] = key.Bytes()[1:]
		row++
	}
	return in
}

// TestSecretRows checks every row of the operations on many secrets, of signing many messages, and
// of scans, in koblitz's peers and in libsecp256k1. The function Check compares only some of the
// rows.
func TestSecretRows(t *testing.T) {
	in, c := edgeInputs(), Config{Only: []string{"libsecp256k1"}}
	if slices.Contains(strings.Split(*require, ","), "libsecp256k1") {
		c.Require = c.Only
	}
	families := []string{
		pubkeys, ecdhPairs, ecdhOne, schnorrSigns, schnorrSignsOne, ecdsaSigns, ecdsaSignsOne,
	}
	for _, s := range scans {
		families = append(families, s.family)
	}
	for _, p := range openWith(t, in, c) {
		n := 0
		for _, o := range Operations() {
			d, ok := o.DriverOf(p)
			if !ok || !slices.Contains(families, o.Family) {
				continue
			}
			n++
			var got, want []byte
			for i := range o.Size / o.Elements(d) {
				got = append(got, inside(p, d, i)...)
			}
			for i := range o.Size {
				want = append(want, in.many(o, i)...)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %s: %x\nwant %x", p.Name, o.ID, got, want)
			}
		}
		t.Logf("%s: %d operations", p.Name, n)
	}
}

// inside returns the result of d for row i, computed by the implementation that p measures.
func inside(p *Peer, d Driver, i int) []byte {
	if p.Enter != nil {
		defer p.Enter()()
	}
	return d.Out(i)
}

// TestPayments checks that a wallet finds the payments to it and nothing else, and that the tweaks
// of found payments give the secrets of the outputs.
func TestPayments(t *testing.T) {
	w, m := sharedInputs.wallet, &sharedInputs.Many
	for _, s := range scans {
		plain, change := 0, 0
		for i, point := range m.Key {
			outputs := w.outputs(m, s, i)
			found := w.scan(point, outputs, s.label)
			if paid := s.paid && i%paidRows == 0; int(found[0]) != len(found)/65 || paid != (found[0] == 1) {
				t.Fatalf("%s, row %d: %x", s.family, i, found)
			}
			if found[0] == 0 {
				continue
			}
			if found[33] == 1 {
				change++
			} else {
				plain++
			}
			x := found[1:33]
			secret := must(must(koblitz.ParsePrivateKey(sharedInputs.Secret[1])).TweakAdd(found[34:66]))
			if !bytes.Equal(secret.XOnlyPublicKey().Bytes(), x) || !bytes.Contains(outputs, x) {
				t.Errorf("%s, row %d: %x", s.family, i, found)
			}
		}
		if (plain > 0) != s.paid || (change > 0) != (s.paid && s.label) {
			t.Errorf("%s: %d payments to the spend key and %d of change", s.family, plain, change)
		}
	}
}
