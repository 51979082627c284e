//go:build amd64 && !purego

package sums

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// TestLoadRows: rows at distances from a base come as Unpack makes points of them, and
// negated where they are to be.
func TestLoadRows(t *testing.T) {
	cputest.Use(t, cputest.Lanes)
	r := rand.New(rand.NewPCG(5, 6))
	const rows = 20
	for range 200 {
		var in, out, want lanes.Affine
		var packed, got [lanes.Width][lanes.RowWords]uint64
		for j := range packed {
			for k := range packed[j] {
				packed[j][k] = r.Uint64()
			}
		}
		in.Unpack(&packed)
		in.Pack(&packed) // canonical
		table := make([][lanes.RowWords]uint64, rows)
		var offsets lanes.Vector
		for j, at := range r.Perm(rows)[:lanes.Width] {
			table[at] = packed[j]
			offsets[j] = uint64(at) * uint64(unsafe.Sizeof(table[0]))
		}
		neg := lanes.Mask(r.Uint32())
		loadRowsIFMA(&out, (*byte)(unsafe.Pointer(&table[0])), &offsets, neg)
		want.CondNeg(neg, &in)
		out.Pack(&got)
		want.Pack(&packed)
		if got != packed {
			t.Fatalf("mask %08b: %#x, want %#x", neg, got, packed)
		}
	}
}
