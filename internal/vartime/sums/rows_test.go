package sums

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestLoadRows checks that loadRows reads rows at any offsets into tables as Unpack does, and
// negates the points in the given lanes.
func TestLoadRows(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		const entries = 3
		for range 200 {
			var in, out, want lanes.Affine
			var packed, got lanes.Packed
			for j := range packed {
				for k := range packed[j] {
					packed[j][k] = r.Uint64()
				}
			}
			in.Unpack(&packed)
			in.Pack(&packed) // Pack makes the coordinates canonical
			table := make([]lanes.Packed, entries)
			var offsets lanes.Vector
			neg := lanes.None()
			for j, at := range r.Perm(entries * lanes.Width)[:lanes.Width] {
				table[at/lanes.Width][at%lanes.Width] = packed[j]
				offsets.Set(j, uint64(at)*packedAffineSize/lanes.Width)
				neg.Put(j, r.Uint64()&1)
			}
			loadRows(&out, table, &offsets, neg)
			want.CondNeg(neg, &in)
			out.Pack(&got)
			want.Pack(&packed)
			if got != packed {
				t.Fatalf("mask %v: %#x, want %#x", neg, got, packed)
			}
		}
	})
}
