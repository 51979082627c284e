package sums

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/lanes"
)

// This file holds the windows of Pippenger's algorithm, and the signed digits of half scalars in
// them. docs/msm.md, "Windows", describes them.

// sumPositions is the number of positions that there is room for. A sum uses fewer, from 2^0 to
// 2^129: a digit of the top window may be rounded up beyond bit 127. In hornerLanes, each of the
// eight lanes has lanePositions consecutive positions.
const (
	sumPositions  = lanePositions * lanes.Width
	lanePositions = 17
)

// windows says how half scalars are cut into digits. Window w has width[w] bits and begins at bit
// pos[w].
//
// In all but the last window of a half scalar, the digit is the number in those bits minus
// 2^(width−1), so it is between −2^(width−1) and 2^(width−1) − 1. To balance this, recode first
// adds 2^(width−1) in each of these windows to the half scalar. In the last window the digit is the
// number in all remaining bits, and is not negative.
type windows struct {
	count      int
	pos, width [maxWindows + 1]uint8
}

const (
	maxWindows = 43 // windows of 3 bits
	minWindows = 8  // windows of 16 bits
	fullBits   = 128
	shortBits  = 64
)

// cut returns count windows that together cover fullBits bits. Their widths differ by at most 1,
// and the wider windows are spread evenly. The last window is one of the narrowest.
func cut(count int) (w windows) {
	w.count = count
	for i := range count {
		w.pos[i+1] = uint8((fullBits*(i+1) + count - 1) / count)
		w.width[i] = w.pos[i+1] - w.pos[i]
	}
	return w
}

// short returns the number of windows in which short half scalars have digits. The last of these
// windows contains bit 64. It ends at bit 66 or later, so the digits do not carry beyond it:
// Σ 2^(pos[j]+width[j]−1) over the windows up to it, plus a number below 2^64, fits in them.
func (w *windows) short() int {
	n := 0
	for w.pos[n] <= shortBits {
		n++
	}
	return n
}

// buckets returns the maximum magnitude of a digit in window i.
//
// In the last window, the digits are the top bits of k + Σ 2^(pos[j]+width[j]−1), where k is a half
// scalar, below 0.636·2^128 (scalar.Split), and the sum is over all windows j below the last. The
// sum is below 0.572·2^pos[i], because all widths are at least 3. So the digits in the last window
// are below 0.636·2^width[i] + 0.572.
func (w *windows) buckets(i int) int {
	if i == w.count-1 {
		return 652<<w.width[i]>>10 + 1
	}
	return 1 << (w.width[i] - 1)
}

// middle returns the number that is subtracted from the bits in window i.
func (w *windows) middle(i int) uint64 {
	if i == w.count-1 {
		return 0
	}
	return 1 << (w.width[i] - 1)
}

// offset returns the number hi·2^64 + lo that balances the digits.
func (w *windows) offset() (lo, hi uint64) {
	for i := range w.count - 1 {
		if p := w.pos[i] + w.width[i] - 1; p < 64 {
			lo |= 1 << p
		} else {
			hi |= 1 << (p - 64)
		}
	}
	return lo, hi
}

// recode adds the offset to each half scalar, modulo 2^128. If undo is set it subtracts the offset.
func (w *windows) recode(h []half, undo bool) {
	lo, hi := w.offset()
	if undo {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	for i := range h {
		k := &h[i]
		var c uint64
		k[0], c = bits.Add64(k[0], lo, 0)
		k[1], _ = bits.Add64(k[1], hi, c)
	}
}
