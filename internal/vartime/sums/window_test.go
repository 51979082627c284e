package sums

import (
	"math/big"
	"math/rand"
	"testing"
)

// digitOf returns the digit of a recoded half scalar's magnitude in bits pos to pos + width − 1.
// last is set if these bits are the topmost window.
func digitOf(h *half, pos, width uint8, last bool) int64 {
	word, shift := pos>>6&1, pos&63
	// Bits above bit 127 do not belong to the magnitude. The mask clears them.
	x := (h[word]>>shift | h[word+1]<<1<<(63-shift)) & (1<<width - 1)
	if last {
		return int64(x)
	}
	return int64(x) - 1<<(width-1)
}

// TestCut checks that the windows of cut cover all bits, that digits are at most as large as
// windows.buckets returns, and that they add up to the half scalar.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for count := minWindows; count <= maxWindows; count++ {
		w := cut(count)
		if w.pos[0] != 0 || w.pos[count] != fullBits {
			t.Fatalf("%d windows: from %d to %d", count, w.pos[0], w.pos[count])
		}
		if w.width[count-1] > w.width[0] || w.width[count-1] < 2 {
			t.Errorf("%d windows: the first has %d bits, the last %d", count, w.width[0], w.width[count-1])
		}
		for _, size := range []uint8{fullBits, shortBits} {
			last := w.last(size)
			greatest := new(big.Int).Lsh(big.NewInt(1), uint(size))
			if size == fullBits { // half scalars are below 0.636·2^128
				greatest.Mul(greatest, big.NewInt(636)).Div(greatest, big.NewInt(1000))
			}
			for i := range 200 {
				k := new(big.Int).Rand(r, greatest)
				switch i {
				case 0:
					k.SetInt64(0)
				case 1:
					k.Sub(greatest, big.NewInt(1))
				}
				h := []half{{k.Uint64(), new(big.Int).Rsh(k, 64).Uint64(), 0}}
				lo, hi := w.offset(last)
				recode(h, lo, hi)
				sum := new(big.Int)
				for j := 0; j <= last; j++ {
					d := digitOf(&h[0], w.pos[j], w.width[j], j == last)
					if d > int64(w.buckets(j)) || -d > int64(w.buckets(j)) {
						t.Fatalf("%d windows: digit %d in window %d", count, d, j)
					}
					sum.Add(sum, new(big.Int).Lsh(big.NewInt(d), uint(w.pos[j])))
				}
				if sum.Cmp(k) != 0 {
					t.Fatalf("%d windows: %x comes out as %x", count, k, sum)
				}
			}
		}
	}
}
