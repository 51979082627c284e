//go:build linux && !purego

package blocks

import (
	"encoding/binary"
	"math/rand"
	"testing"
	"unsafe"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// TestGuardPages checks that the kernels of each level that read tables return what the portable
// versions return, and access no byte outside their arguments.
func TestGuardPages(t *testing.T) {
	cputest.Run(t, testGuardPages, cputest.AllLanes()...)
}

func testGuardPages(t *testing.T) {
	r := rand.New(rand.NewSource(37))
	const width, skip = 3, 1
	const entries = 1 << (width - 1)
	results := cputest.Guarded(t, unsafe.Sizeof(lanes.Affine{}))
	tables := cputest.Guarded(t, entries*unsafe.Sizeof(lanes.Packed{}))
	packed := cputest.Guarded(t, (skip+entries)*point.PackedSize)
	lists := cputest.Guarded(t, unsafe.Sizeof([lanes.Width]string{}))
	numbers := cputest.Guarded(t, unsafe.Sizeof([3]lanes.Vector{}))
	for i := range results {
		p := (*lanes.Affine)(results[i])
		table := unsafe.Slice((*lanes.Packed)(tables[i]), entries)
		bytes := unsafe.Slice((*byte)(packed[i]), (skip+entries)*point.PackedSize)
		list, words := (*[lanes.Width]string)(lists[i]), (*[3]lanes.Vector)(numbers[i])
		// The words make canonical coordinates, and often cause a carry when y is negated.
		word := func(k int) uint64 {
			if k%4 < 3 && r.Intn(2) == 0 {
				return ^uint64(0)
			}
			return r.Uint64() >> 1
		}
		for k := range table {
			for j := range table[k] {
				for w := range table[k][j] {
					table[k][j][w] = word(w)
				}
			}
		}
		for k := 0; k < len(bytes); k += 8 {
			binary.LittleEndian.PutUint64(bytes[k:], word(k/8))
		}
		for j := range list {
			list[j] = unsafe.String(&bytes[0], len(bytes))
		}
		same := func(name string, shift int, want *lanes.Affine) {
			t.Helper()
			var x, y lanes.Packed
			p.Pack(&x)
			if want.Pack(&y); x != y {
				t.Errorf("%s from bit %d on: %#x, want %#x", name, shift, x, y)
			}
		}
		for shift := 0; shift+width <= 192; shift++ {
			for k := range words {
				for j := range words[k] {
					words[k][j] = r.Uint64()
				}
			}
			var want lanes.Affine
			lookup(p, table, words, shift, width)
			lookupGeneric(&want, table, words, shift, width)
			same("lookup", shift, &want)
			prefetchPacked(list, words, shift, width, skip)
			lookupPacked(p, list, words, shift, width, skip)
			lookupPackedGeneric(&want, list, words, shift, width, skip)
			same("lookupPacked", shift, &want)
		}
	}
}
