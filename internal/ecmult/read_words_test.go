//go:build linux && !purego

package ecmult

import (
	"encoding/binary"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"math/rand"
	"testing"
	"unsafe"
)

// TestReadWords checks that readPackedWords returns the right entry and reads nothing outside the
// table. The tables are at every distance from an aligned address, and begin right after or end
// right before an inaccessible page.
func TestReadWords(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for _, count := range []int{0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64} {
		size := count * entrySize
		ends := cputest.Guarded(t, uintptr(size+8))
		for skew := range 8 {
			for i, start := range []unsafe.Pointer{
				unsafe.Add(ends[0], skew), unsafe.Add(ends[1], 8-skew),
			} {
				table := unsafe.Slice((*byte)(start), size)
				r.Read(table)
				for index := range count {
					e := entry{1, 2, 3}
					readPackedWords(&e, unsafe.String((*byte)(start), size), uint64(index))
					for j := range e {
						want := binary.LittleEndian.Uint64(table[index*entrySize+8*j:])
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
