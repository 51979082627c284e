//go:build !purego

package ecmult

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestReadAligned checks that readPackedAligned returns the right entry and reads nothing outside
// the table. The tables are at every distance from an aligned address, and begin right after or end
// right before an inaccessible page.
func TestReadAligned(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, count := range []int{1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64} {
		size := count * point.PackedSize
		for i, text := range cputest.Strings(t, string(reference.Bytes(r, size+8))) {
			for skew := range 8 {
				table := text[skew:][:size]
				if i == 1 {
					table = text[8-skew:][:size]
				}
				for index := range count {
					e := point.Entry{1, 2, 3}
					readPackedAligned(&e, table, uint64(index))
					for j := range e {
						want := binary.LittleEndian.Uint64([]byte(table[index*point.PackedSize+8*j:][:8]))
						if e[j] != want {
							t.Fatalf("skew %d, end %d, entry %d of %d, word %d: %#x, want %#x",
								skew, i, index, count, j, e[j], want)
						}
					}
				}
			}
		}
	}
}
