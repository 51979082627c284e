//go:build !purego

package ecmult

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestReadWords checks that readPackedWords returns the right entry and reads nothing outside the
// table. The tables are at every distance from an aligned address, and begin right after or end
// right before an inaccessible page.
func TestReadWords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, count := range []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64} {
		size := count * entrySize
		for i, text := range cputest.Strings(t, string(reference.Bytes(r, size+8))) {
			for skew := range 8 {
				table := text[skew:][:size]
				if i == 1 {
					table = text[8-skew:][:size]
				}
				for index := range count {
					e := entry{1, 2, 3}
					readPackedWords(&e, table, uint64(index))
					for j := range e {
						want := binary.LittleEndian.Uint64([]byte(table[index*entrySize+8*j:][:8]))
						if e[j] != want {
							t.Fatalf("skew %d, end %d, entry %d of %d, word %d: %#x, want %#x",
								skew, i, index, count, j, e[j], want)
						}
					}
				}
			}
		}
	}
	e := entry{1}
	if readPackedWords(&e, "", 0); e != (entry{}) {
		t.Error("an entry of no table")
	}
}
