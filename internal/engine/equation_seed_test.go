package engine

import (
	"context"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
)

// TestEquationSeed checks that equal batches have equal coefficients at every level of CPU
// features, for every encoding of their keys, and after any earlier steps on the rows. This needs
// canonical coordinates in the hash, also if the recovery id says that x is r + n.
func TestEquationSeed(t *testing.T) {
	seedOf := func(kind Kind, rows *Rows) [32]byte {
		t.Helper()
		e := Equation{rows: *rows}
		if !e.set(schemeOf(kind)) {
			t.Fatal("a row has no equation")
		}
		for i := range rows.Len() {
			for _, x := range []*field.Element{&e.x[i], &rows.p[i].X} {
				var words [4]uint64
				words[0], words[1], words[2], words[3] = x.Words()
				if words != x.Limbs() {
					t.Errorf("row %d: %x is not canonical", i, words)
				}
			}
		}
		return e.seed
	}
	const n = 40
	keys := someKeys(rand.New(rand.NewSource(48)), 3)
	var schnorr, ecdsa [32]byte
	onLevels(t, func(t *testing.T) {
		for k, forms := range [][]int{{xOnly}, {oddY}, {evenY, xOnly}} {
			r := rand.New(rand.NewSource(49)) // the same signatures each time
			rows := schnorrRows(r, n, keys, forms...)
			for _, when := range []string{"parsed", "verified"} {
				seed := seedOf(Schnorr, rows)
				if schnorr == [32]byte{} {
					schnorr = seed
				}
				if seed != schnorr {
					t.Errorf("keys given in way %d, rows %s: another seed", k, when)
				}
				ok, err := run(context.Background(), &bip340, n, 1, source{rows: rows, stop: true})
				if !ok || err != nil {
					t.Fatal(ok, err)
				}
			}
		}
		b := ecdsaRecords(rand.New(rand.NewSource(50)), n, keys)
		for i := range byte(4) { // r is 1 + i, and the nonce's x coordinate is r + n
			row := b.Add()
			row.SetEncodedKey(uncompressed(keys[0])[:])
			row.SetECDSARecoverable(make([]byte, 32), (&[65]byte{31: 1 + i, 63: 1, 64: 2})[:])
		}
		rows := parsed(b, ECDSA)
		seed := seedOf(ECDSA, rows)
		if ecdsa == [32]byte{} {
			ecdsa = seed
		}
		if seed != ecdsa {
			t.Error("ECDSA: another seed")
		}
	})
}
