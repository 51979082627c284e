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
// sum k, or if one of them exceeds its buckets. lo and hi are the words that recode adds, and last
// is the topmost window.
//
// The sum is Σ (x_i − middle_i)·2^pos_i, where the windows x_i together are the number k + offset,
// if they have all its bits. So it is k if the offset is Σ middle_i·2^pos_i.
func checkSum(w *windows, last int, lo, hi uint64, greatest *big.Int) error {
	offset := new(big.Int).SetUint64(hi)
	offset.Lsh(offset, 64).Or(offset, new(big.Int).SetUint64(lo))
	middles, end := new(big.Int), uint8(0)
	for i := 0; i <= last; i++ {
		if w.pos[i] != end || w.width[i] < 1 || w.width[i] > 16 {
			return fmt.Errorf("window %d has %d bits from %d on", i, w.width[i], w.pos[i])
		}
		end += w.width[i]
		if i < last {
			middle := int64(1) << (w.width[i] - 1)
			middles.Add(middles, new(big.Int).Lsh(big.NewInt(middle), uint(w.pos[i])))
			if int64(w.buckets(i)) < middle {
				return fmt.Errorf("window %d has %d buckets, fewer than its digits", i, w.buckets(i))
			}
		}
	}
	most := new(big.Int).Add(greatest, offset)
	switch top := new(big.Int).Rsh(most, uint(w.pos[last])); {
	case offset.Cmp(middles) != 0:
		return fmt.Errorf("the offset is %x, want %x", offset, middles)
	case end > fullBits || most.BitLen() > int(end):
		return fmt.Errorf("%d bits are not enough for %x", end, most)
	case top.Cmp(big.NewInt(int64(w.buckets(last)))) > 0:
		return fmt.Errorf("the last window has the digit %d, and %d buckets", top, w.buckets(last))
	}
	return nil
}

// TestCut proves for every half scalar that its digits in buckets have the half scalar as their sum
// and are not larger than windows.buckets says: for every number of windows of a sum, and for the
// windows of Bases of every width.
func TestCut(t *testing.T) {
	// Full half scalars are below 0.636·2^128 (scalar.Split), and short ones below 2^64.
	full := new(big.Int).Lsh(big.NewInt(636), fullBits)
	full.Div(full, big.NewInt(1000))
	short := new(big.Int).SetUint64(1<<64 - 1)
	var all []windows
	for count := minWindows; count <= maxWindows; count++ {
		all = append(all, cut(count))
	}
	for width := 3; width <= 16; width++ {
		all = append(all, (&Bases{width: width}).windows())
	}
	read := map[[3]int]bool{} // windows whose digits have been checked
	for n := range all {
		w := &all[n]
		for _, size := range []uint8{fullBits, shortBits} {
			greatest := full
			if size == shortBits {
				greatest = short
			}
			last := w.last(size)
			lo, hi := w.offset(size)
			if err := checkSum(w, last, lo, hi, greatest); err != nil {
				t.Errorf("%d windows, %d bits: %v", w.count, size, err)
			}
			for i := range last + 1 {
				middle := 1 << (w.width[i] - 1)
				if i == last {
					middle = 0
				}
				pos, width := int(w.pos[i]), int(w.width[i])
				if key := [3]int{pos, width, middle}; !read[key] {
					read[key] = true
					for k, f := range []digitReader{readBuckets, readGeneric} {
						if err := checkReader(f, pos, width, uint64(middle)); err != nil {
							t.Errorf("%s: %v", []string{"readBuckets", "portable"}[k], err)
						}
					}
				}
			}

			// Plant faults: other offsets, windows and buckets, and larger half scalars.
			for bit := range 64 {
				if checkSum(w, last, lo^1<<bit, hi, greatest) == nil ||
					checkSum(w, last, lo, hi^1<<bit, greatest) == nil {
					t.Errorf("%d windows, %d bits: bit %d of the offset: not found", w.count, size, bit)
				}
			}
			for i := range last + 1 {
				moved := *w
				moved.pos[i]++
				if checkSum(&moved, last, lo, hi, greatest) == nil {
					t.Errorf("%d windows, %d bits: window %d moved: not found", w.count, size, i)
				}
			}
			if size == fullBits {
				larger := new(big.Int).Lsh(greatest, 1)
				if checkSum(w, last, lo, hi, larger) == nil {
					t.Errorf("%d windows: half scalars twice as large: not found", w.count)
				}
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
