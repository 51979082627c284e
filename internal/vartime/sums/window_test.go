package sums

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
)

// A digitReader is a function like readBuckets.
type digitReader func(b []ref, bucket []uint32, halves []half, pos, width int, middle uint64,
	first ref, base uint32)

// readGeneric is readBuckets with the portable version of its kernel.
func readGeneric(b []ref, bucket []uint32, halves []half, pos, width int, middle uint64,
	first ref, base uint32) {
	n := lanes.Groups(len(halves))
	b, bucket = b[:n*lanes.Width], bucket[:n*lanes.Width]
	digitsGeneric(b, bucket, halves, n, pos, width, middle, first, base)
}

// checkReader returns an error if, for some half scalar, read gives another bucket or sign than
// that of the number in bits pos to pos + width − 1, minus middle.
//
// It tries every number in the window, once with zeros and once with ones in all other bits, and
// three more, which do not fill a group of lanes. The window is cut by shifts, ors and masks, so
// each of its bits is the or of some bits of the half scalar. The numbers tried show that it is the
// or of one bit, the right one. So read is right for all half scalars.
func checkReader(read digitReader, pos, width int, middle uint64) error {
	const row, base = 77 << rowShift, 1 << 20
	n, mask := 1<<width+3, 1<<width-1
	halves := make([]half, n, n+lanes.Width-1)
	// The kernels read and write some elements past the ends of their lists.
	b, bucket := make([]ref, n+padLength), make([]uint32, n+padLength)
	outside := at(uint64(mask), pos)
	outside[0], outside[1] = ^outside[0], ^outside[1]
	for _, others := range []half{{}, outside} {
		for sign := range uint64(2) {
			for x := range halves {
				h := at(uint64(x&mask), pos)
				halves[x] = half{h[0] | others[0], h[1] | others[1], sign}
			}
			read(b[:n], bucket[:n], halves, pos, width, middle, row, base)
			for x := range halves {
				d, want := int64(x&mask)-int64(middle), ref(row+x<<rowShift)|ref(sign)
				if d < 0 {
					d, want = -d, want^1
				}
				if d == 0 {
					want = 0
				}
				if b[x] != want || bucket[x] != uint32(base+d) {
					return fmt.Errorf("the window %#x at %d of %d bits goes into bucket %d as %#x",
						x, pos, width, int64(bucket[x])-base, b[x])
				}
			}
		}
	}
	return nil
}

// at returns x·2^pos modulo 2^128.
func at(x uint64, pos int) half {
	if pos >= 64 {
		return half{0, x << (pos - 64)}
	}
	return half{x << pos, x >> 1 >> (63 - pos)}
}

// checkSum returns an error if the digits of some half scalar k from 0 to greatest do not have the
// sum k, or if one of them exceeds its buckets. lo and hi are the words that recode adds, and used
// is the number of windows whose digits are read.
//
// The sum is Σ (x_i − middle_i)·2^pos_i over these windows. The numbers x_i in them are k + offset,
// if the windows have all bits of k plus the part of the offset in them. So the sum is k if this
// part is Σ middle_i·2^pos_i.
func checkSum(w *windows, used int, lo, hi uint64, greatest *big.Int) error {
	offset := new(big.Int).SetUint64(hi)
	offset.Lsh(offset, 64).Or(offset, new(big.Int).SetUint64(lo))
	middles, end := new(big.Int), uint8(0)
	for i := range used {
		if w.pos[i] != end || w.width[i] < 1 || w.width[i] > 16 {
			return fmt.Errorf("window %d has %d bits from %d on", i, w.width[i], w.pos[i])
		}
		end += w.width[i]
		middle := new(big.Int).SetUint64(w.middle(i))
		middles.Add(middles, new(big.Int).Lsh(middle, uint(w.pos[i])))
		if int64(w.buckets(i)) < middle.Int64() {
			return fmt.Errorf("window %d has %d buckets, fewer than its digits", i, w.buckets(i))
		}
	}
	offset.And(offset, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(end)), big.NewInt(1)))
	most, last := new(big.Int).Add(greatest, offset), used-1
	top := new(big.Int).Rsh(most, uint(w.pos[last]))
	top.Sub(top, new(big.Int).SetUint64(w.middle(last)))
	switch {
	case offset.Cmp(middles) != 0:
		return fmt.Errorf("the offset is %x, want %x", offset, middles)
	case end > fullBits || most.BitLen() > int(end):
		return fmt.Errorf("%d bits are not enough for %x", end, most)
	case top.Cmp(big.NewInt(int64(w.buckets(last)))) > 0:
		return fmt.Errorf("the last window has the digit %d, and %d buckets", top, w.buckets(last))
	}
	return nil
}

// TestCut proves that the digits of every half scalar, each times the power of 2 at which its
// window begins, add up to the half scalar, and that no digit is larger than windows.buckets says.
// It does so for every number of windows of a Sum, and for the windows of a Bases of every width.
func TestCut(t *testing.T) {
	// Full half scalars are below 0.636·2^128 (scalar.Split), and short ones below 2^64.
	full := new(big.Int).Lsh(big.NewInt(636), fullBits)
	full.Div(full, big.NewInt(1000))
	short := new(big.Int).SetUint64(1<<64 - 1)
	var all []windows
	for count := minWindows; count <= maxWindows; count++ {
		all = append(all, cut(count))
	}
	sums := len(all)
	for width := 3; width <= 16; width++ {
		all = append(all, (&Bases{width: width}).windows())
	}
	read := map[[3]int]bool{} // windows whose digits have been checked
	for n := range all {
		w := &all[n]
		lo, hi := w.offset()
		for i := range w.count {
			pos, width, middle := int(w.pos[i]), int(w.width[i]), w.middle(i)
			if key := [3]int{pos, width, int(middle)}; !read[key] {
				read[key] = true
				for k, f := range []digitReader{readBuckets, readGeneric} {
					if err := checkReader(f, pos, width, middle); err != nil {
						t.Errorf("%s: %v", []string{"readBuckets", "portable"}[k], err)
					}
				}
			}
		}
		for used, greatest := range map[int]*big.Int{w.count: full, w.short(): short} {
			if n >= sums && used != w.count {
				continue // Bases have no short half scalars
			}
			if err := checkSum(w, used, lo, hi, greatest); err != nil {
				t.Errorf("%d of %d windows: %v", used, w.count, err)
			}

			// Plant faults: other offsets, windows and buckets, and larger half scalars.
			for bit := range int(w.pos[used]) {
				lo, hi := lo, hi
				if bit < 64 {
					lo ^= 1 << bit
				} else {
					hi ^= 1 << (bit - 64)
				}
				if checkSum(w, used, lo, hi, greatest) == nil {
					t.Errorf("%d of %d windows: bit %d of the offset: not found", used, w.count, bit)
				}
			}
			for i := range used {
				moved := *w
				moved.pos[i]++
				if checkSum(&moved, used, lo, hi, greatest) == nil {
					t.Errorf("%d of %d windows: window %d moved: not found", used, w.count, i)
				}
			}
			larger := new(big.Int).Lsh(greatest, uint(w.width[used-1]))
			if checkSum(w, used, lo, hi, larger) == nil {
				t.Errorf("%d of %d windows: larger half scalars: not found", used, w.count)
			}
		}
	}
	wrong := func(b []ref, bucket []uint32, halves []half, pos, width int, middle uint64, first ref,
		base uint32) {
		for i := range halves {
			halves[i][0] &^= 1 << 63 // a bit that does not come across the border of words
		}
		readGeneric(b, bucket, halves, pos, width, middle, first, base)
	}
	if checkReader(wrong, 60, 8, 1<<7) == nil || checkReader(readGeneric, 60, 8, 1<<7) != nil {
		t.Error("a lost bit: not found")
	}
}
