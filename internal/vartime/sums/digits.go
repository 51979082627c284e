package sums

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/lanes"
)

// sumPositions is how many powers of two there are room for. Those that a sum can
// ask for are fewer, from 2^0 to 2^129: a digit of the top window may be rounded
// up beyond bit 127. Eight lanes share them.
const (
	sumPositions  = lanePositions * lanes.Width
	lanePositions = 17
)

// windows cuts half scalars into digits. Window w is width[w] bits from bit
// pos[w] on. In all but the last window of a half scalar, digits are from
// −2^(width−1) to 2^(width−1) − 1: its bits less 2^(width−1), for which half
// scalars are made greater by as much (half.recode). The last has what is left,
// which is not negative.
type windows struct {
	count      int
	pos, width [maxWindows + 1]uint8
}

const (
	maxWindows = 43 // of 3 bits
	minWindows = 8  // of 16 bits
	fullBits   = 128
	shortBits  = 64
)

// cut returns count windows that cover so many bits, of widths as equal as can be,
// with the wider ones spread evenly. The last is no wider than any other.
func cut(count int) (w windows) {
	w.count = count
	for i := range count {
		w.pos[i+1] = uint8((fullBits*(i+1) + count - 1) / count)
		w.width[i] = w.pos[i+1] - w.pos[i]
	}
	return w
}

// last returns the number of the last window of half scalars of bits bits. For
// short ones it is the window that bit 64 is in, so that its digits, at most
// 2^(64−pos), are in the range of a window's that is not the last.
func (w *windows) last(bits uint8) int {
	if bits == fullBits {
		return w.count - 1
	}
	for i := range w.count {
		if w.pos[i+1] > bits {
			return i
		}
	}
	panic("sums: windows end before the half scalars")
}

// buckets returns how great the digits of window i can be in magnitude.
//
// Those of the last one are the top bits of k + Σ 2^(pos+width−1), with k <
// 0.636·2^128 (scalar.Split) and the sum below 0.572·2^pos, because each width is 3 at
// least: pos is that of the last window, and its digits are below
// 0.636·2^width + 0.572.
func (w *windows) buckets(i int) int {
	if i == w.count-1 {
		return 652<<w.width[i]>>10 + 1
	}
	return 1 << (w.width[i] - 1)
}

// offset returns what recode adds to half scalars whose last window is given.
func (w *windows) offset(last int) (lo, hi uint64) {
	for i := range last {
		if p := w.pos[i] + w.width[i] - 1; p < 64 {
			lo |= 1 << p
		} else {
			hi |= 1 << (p - 64)
		}
	}
	return lo, hi
}

// unrecode takes the offset from every half scalar.
func unrecode(h []half, lo, hi uint64) {
	for i := range h {
		k := &h[i]
		var b uint64
		k[0], b = bits.Sub64(k[0], lo, 0)
		k[1], _ = bits.Sub64(k[1], hi, b)
	}
}

// recode adds the offset to every half scalar.
func recode(h []half, lo, hi uint64) {
	for i := range h {
		k := &h[i]
		var c uint64
		k[0], c = bits.Add64(k[0], lo, 0)
		k[1], _ = bits.Add64(k[1], hi, c)
	}
}
