//go:build amd64 && !purego

package blocks

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// TestStoreRows: rows that are stored at distances from a base are those of Pack.
func TestStoreRows(t *testing.T) {
	cputest.Use(t, cputest.Lanes)
	r := rand.New(rand.NewPCG(5, 6))
	const rows = 20
	for range 200 {
		var in lanes.Affine
		var packed [lanes.Width][lanes.RowWords]uint64
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
			offsets[j] = uint64(at) * uint64(unsafe.Sizeof(table[0]))
		}
		base := (*byte)(unsafe.Pointer(&table[0]))
		storeRowsIFMA(base, &offsets, &in)
		stored := 0
		for i, row := range table {
			if row != [lanes.RowWords]uint64{} {
				stored++
			}
			for j := range offsets {
				if offsets[j] == uint64(i)*uint64(unsafe.Sizeof(row)) && row != packed[j] {
					t.Fatalf("lane %d is stored as %#x, want %#x", j, row, packed[j])
				}
			}
		}
		if stored != lanes.Width {
			t.Fatalf("%d rows are written", stored)
		}
	}
}
