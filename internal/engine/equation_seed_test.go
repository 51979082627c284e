package engine

import (
	"context"
	"fmt"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
)

// TestEquationSeed checks that equal batches have equal coefficients at every level of CPU
// features, for every encoding of their keys, and after any earlier steps on the rows. This needs
// canonical coordinates in the hash, even if the recovery id says that x is r + n.
func TestEquationSeed(t *testing.T) {
	seeds := map[Kind][32]byte{}
	check := func(what string, kind Kind, rows []*row) {
		t.Helper()
		e := equation{rows: rows}
		if !e.set(schemeOf(kind)) {
			t.Fatal("a row has no equation")
		}
		for i, r := range rows {
			for _, x := range []*field.Element{&e.x[i], &r.p.X} {
				var words [4]uint64
				words[0], words[1], words[2], words[3] = x.Words()
				if words != x.Limbs() {
					t.Errorf("row %d: %x is not canonical", i, words)
				}
			}
		}
		if before, ok := seeds[kind]; ok && e.seed != before {
			t.Errorf("%v, %s: another seed", kind, what)
		}
		seeds[kind] = e.seed
	}
	const n = 40
	keys := someKeys(rand.New(rand.NewSource(48)), 3)
	onLevels(t, func(t *testing.T) {
		for k, forms := range [][]int{{xOnly}, {oddY}, {evenY, xOnly}} {
			// The signatures are the same each time.
			rows := schnorrRows(rand.New(rand.NewSource(49)), n, keys, forms...)
			check(fmt.Sprint("keys given in way ", k), Schnorr, rows)
			ok, err := run(context.Background(), &columns{scheme: &bip340}, rows)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			check(fmt.Sprint("keys given in way ", k, ", verified"), Schnorr, rows)
		}
		b := ecdsaRecords(rand.New(rand.NewSource(50)), n, keys)
		for i := range byte(4) { // r is 1 + i, and the nonce's x coordinate is r + n
			row := b.Add()
			row.SetEncodedKey(uncompressed(keys[0])[:])
			row.SetECDSARecoverable(make([]byte, 32), (&[65]byte{31: 1 + i, 63: 1, 64: 2})[:])
		}
		check("", ECDSA, parsed(b, ECDSA))
	})
}
