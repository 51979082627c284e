package ecmult

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/reference"
)

// A cutting is a way to cut a number into windows, which stand for odd digits.
type cutting struct {
	name string
	bits uint // the number is below 2^bits

	// digits returns the digits of b, each times its power of two.
	digits func(b *[5]uint64) []*big.Int

	// zero is the sum that the digits of zero must have. Those of b must have the sum 2·b + zero.
	zero *big.Int
}

// check returns an error if the sum of the digits of some b is not 2·b + c.zero.
//
// A digit of w bits is 2·window − (2^w − 1), as TestOddDigit checks for every window. The code cuts
// a window by shifts, by | and by masks, so each bit of it is the or of some bits of b. The numbers
// with a single bit show which these are. So if the sums are right for them and for 0, each bit of
// b is in one window, with the right weight, and the sum is right for every b.
func (c *cutting) check() error {
	for i := -1; i < int(c.bits); i++ {
		x := new(big.Int)
		if i >= 0 {
			x.Lsh(big.NewInt(1), uint(i))
		}
		b := toBits(x)
		want := new(big.Int).Lsh(x, 1)
		want.Add(want, c.zero)
		sum := new(big.Int)
		for _, d := range c.digits(&b) {
			sum.Add(sum, d)
		}
		if sum.Cmp(want) != 0 {
			return fmt.Errorf("%s: the digits of %x have the sum %x, want %x", c.name, x, sum, want)
		}
	}
	return nil
}

// negativeOnes returns −(2^l − 1), the sum of the digits of 0 in l bits.
func negativeOnes(l uint) *big.Int {
	x := new(big.Int).Lsh(big.NewInt(1), l)
	return x.Sub(big.NewInt(1), x)
}

// windows returns the digits of b in windows of w bits.
func windows(b *[5]uint64, w uint, count int) (digits []*big.Int) {
	for i := range uint(count) {
		d := digit(b, i*w, w)
		digits = append(digits, d.Lsh(d, i*w))
	}
	return digits
}

// inLane returns the digits of b in windows of w bits, except for the last window, which has last
// bits, as kernels read them from the words of a lane.
func inLane(b *[5]uint64, words int, w uint, count int, last uint) (digits []*big.Int) {
	v := make([]lanes.Vector, words)
	for i := range v {
		v[i].Set(3, b[i])
	}
	for i := range uint(count) {
		width := w
		if i == uint(count)-1 {
			width = last
		}
		var hot lanes.Vector
		negative := laneDigits(&hot, v, i*w, width)
		d := big.NewInt(int64(2*bits.LeadingZeros64(hot.At(3)) + 1))
		if negative.Has(3) {
			d.Neg(d)
		}
		digits = append(digits, d.Lsh(d, i*w))
	}
	return digits
}

// cuttings returns all cuttings of this package.
func cuttings() []cutting {
	return []cutting{
		{
			name: "multiples.mult", bits: multWindow * multWindows,
			digits: func(b *[5]uint64) []*big.Int { return windows(b, multWindow, multWindows) },
			zero:   negativeOnes(multWindow * multWindows),
		},
		{
			name: "scalarMultParallel", bits: parallelWindow * parallelWindows,
			digits: func(b *[5]uint64) []*big.Int { return windows(b, parallelWindow, parallelWindows) },
			zero:   negativeOnes(parallelWindow * parallelWindows),
		},
		{
			name: "manyTables.mult", bits: multWindow * multWindows,
			digits: func(b *[5]uint64) []*big.Int {
				return inLane(b, 3, multWindow, multWindows, multWindow)
			},
			zero: negativeOnes(multWindow * multWindows),
		},
		{
			name: "addRounds", bits: 4 * laneBits,
			digits: func(b *[5]uint64) (digits []*big.Int) {
				for j := range uint(4) {
					part := [5]uint64{window(b, laneBits*j, laneBits)}
					pos := uint(0)
					for round := range laneRounds {
						d := digit(&part, pos, laneWindow(round))
						digits = append(digits, d.Lsh(d, laneBits*j+pos))
						pos += laneWindow(round)
					}
				}
				return digits
			},
			zero: negativeOnes(4 * laneBits),
		},
		{
			// The number m of a comb stands for 2·m + 1.
			name: "comb.mult", bits: 255,
			digits: func(b *[5]uint64) []*big.Int {
				at := uint(baseBlocks-1) * baseWindow
				top := new(big.Int).SetUint64(2*window(b, at, baseTop) + 1)
				return append(windows(b, baseWindow, baseBlocks-1), top.Lsh(top, at))
			},
			zero: big.NewInt(1),
		},
		{
			name: "multiplyBase", bits: 255,
			digits: func(b *[5]uint64) []*big.Int {
				m := *b
				m[3] |= 1 << 63 // as setDigits does
				return inLane(&m, 5, baseWindow, baseBlocks, baseTop+1)
			},
			zero: big.NewInt(1),
		},
	}
}

// TestRecode proves for all scalars that their digits have the right sum. It checks that windows
// are right for all numbers that have their bits, and that the recoded numbers have as many.
func TestRecode(t *testing.T) {
	for _, c := range cuttings() {
		if err := c.check(); err != nil {
			t.Error(err)
		}
		// Plant faults: lose a digit, count it twice, double it, and negate it.
		for i := range c.digits(new([5]uint64)) {
			for name, fault := range map[string]int64{"lost": 0, "doubled": 2, "negated": -1} {
				wrong := c
				wrong.digits = func(b *[5]uint64) []*big.Int {
					digits := slices.Clone(c.digits(b))
					digits[i] = new(big.Int).Mul(digits[i], big.NewInt(fault))
					return digits
				}
				if wrong.check() == nil {
					t.Errorf("%s: digit %d %s: not found", c.name, i, name)
				}
			}
		}
		for i := uint(0); i < c.bits; i += 7 { // a bit that the code does not read
			wrong := c
			wrong.digits = func(b *[5]uint64) []*big.Int {
				b[i/64] &^= 1 << (i % 64)
				return c.digits(b)
			}
			if wrong.check() == nil {
				t.Errorf("%s: bit %d lost: not found", c.name, i)
			}
		}
	}

	// A half is less than 0.636·2^128 in absolute value (scalar.Split), so b = s + 2^(l−1) has l
	// bits for l ≥ 129. For l = 128 it would not.
	half := new(big.Int).Lsh(big.NewInt(636), 128)
	half.Div(half, big.NewInt(1000))
	for l := uint(128); l <= 192; l++ {
		middle := new(big.Int).Lsh(big.NewInt(1), l-1)
		least, greatest := new(big.Int).Sub(middle, half), new(big.Int).Add(middle, half)
		if fits := least.Sign() >= 0 && greatest.BitLen() <= int(l); fits != (l >= 129) {
			t.Errorf("halves fit %d bits: %v", l, fits)
		}
	}
	for _, l := range []uint{
		multWindow * multWindows, parallelWindow * parallelWindows, 4 * laneBits,
	} {
		if l < 129 || l > 192 {
			t.Errorf("halves are recoded in %d bits", l)
		}
	}
	// The number of a comb is (d − 1)/2 for an odd d from 1 to n.
	if most := new(big.Int).Rsh(reference.N(), 1); most.BitLen() > 255 {
		t.Errorf("%x has more than 255 bits", most)
	}
}
