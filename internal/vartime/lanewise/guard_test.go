package lanewise

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
	results := cputest.Memory[lanes.Affine](t)
	packed := cputest.Slices[byte](t, (skip+entries)*point.PackedSize)
	lists, numbers := cputest.Memory[[lanes.Width]string](t), cputest.Memory[[3]lanes.Vector](t)
	for i, p := range results {
		bytes, list, words := packed[i], lists[i], numbers[i]
		// The words make canonical coordinates, and often cause a carry when y is negated.
		word := func(k int) uint64 {
			if r.Intn(2) == 0 {
				return r.Uint64() >> 1
			}
			if k%4 == 3 {
				return 1<<63 - 1
			}
			return ^uint64(0)
		}
		for k := 0; k < len(bytes); k += 8 {
			binary.LittleEndian.PutUint64(bytes[k:], word(k/8))
		}
		for j := range list {
			list[j] = unsafe.String(&bytes[0], len(bytes))
		}
		for shift := 0; shift+width <= 192; shift++ {
			for k := range words {
				for j := range words[k] {
					words[k][j] = r.Uint64()
				}
			}
			var want lanes.Affine
			prefetchPacked(list, words, shift, width, skip)
			lookupPacked(p, list, words, shift, width, skip)
			lookupPackedGeneric(&want, list, words, shift, width, skip)
			var x, y lanes.Packed
			p.Pack(&x)
			if want.Pack(&y); x != y {
				t.Errorf("from bit %d on: %#x, want %#x", shift, x, y)
			}
		}
	}
}
