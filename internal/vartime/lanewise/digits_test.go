package lanewise

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// codeDigit returns the digit of a lane as digitAt encodes it: an odd multiple and its sign.
func codeDigit(words *[3]lanes.Vector, j, shift, width int) int64 {
	index, negate := digitAt(words, j, shift, width)
	d := int64(2*index + 1)
	if negate.Bool() {
		return -d
	}
	return d
}

// checkWindows returns an error if the digits of some number b of width·count bits, in windows of
// width bits, have another sum than 2·b − (2^(width·count) − 1), or if a table of 2^(width−1) odd
// multiples has no entry for a digit. at returns the bit where window i begins: i·width, or another
// one to plant a fault.
//
// A digit depends only on the bits of its window, and the first loop checks the digit for all
// values of these bits. It remains to check that windows have the right bits of b. Shifts, ors and
// masks cut a window, so each of its bits is the or of some bits of b. The second loop checks the
// sum for every b with a single bit, and thereby finds where this bit gets. So the sum is right for
// all numbers.
func checkWindows(width, count int, at func(i int) int) error {
	var words [3]lanes.Vector
	for code := range int64(1) << width {
		words[0].Set(5, uint64(code))
		d := codeDigit(&words, 5, 0, width)
		if want := 2*code - (1<<width - 1); d != want || max(d, -d)>>1 >= 1<<(width-1) {
			return fmt.Errorf("the window %#x of %d bits is the digit %d", code, width, d)
		}
	}
	for bit := -1; bit < width*count; bit++ {
		words = [3]lanes.Vector{}
		want := new(big.Int)
		if bit >= 0 {
			words[bit/64].Set(5, 1<<(bit%64))
			want.Lsh(big.NewInt(2), uint(bit))
		}
		want.Add(want, big.NewInt(1)).Sub(want, new(big.Int).Lsh(big.NewInt(1), uint(width*count)))
		sum := new(big.Int)
		for i := range count {
			d := big.NewInt(codeDigit(&words, 5, at(i), width))
			sum.Add(sum, d.Lsh(d, uint(i*width)))
		}
		if sum.Cmp(want) != 0 {
			return fmt.Errorf("%d windows of %d bits: the digits of 2^%d have the sum %x", count, width,
				bit, sum)
		}
	}
	return nil
}

// shapes returns one table for each pair of a window and a stride that this package uses. The first
// two are the embedded tables of G.
func shapes() []vartime.SplitTable {
	tables := []vartime.SplitTable{vartime.GeneratorTable(), vartime.GeneratorSplitTable()}
	var g point.Affine
	g.SetGenerator()
	for _, size := range vartimetest.SplitTableSizes() {
		tables = append(tables, vartime.NewSplitTable(&g, size))
	}
	return tables
}

// TestWindowsOfAll proves, for each window width that this package uses, that the odd digits of
// every half scalar have the right sum. lanes.SplitOdd encodes a half scalar as a number b of
// width·count bits, and checkWindows proves the sum for all such numbers.
func TestWindowsOfAll(t *testing.T) {
	check := func(width, count int) {
		t.Helper()
		if l := width * count; l < lanes.MinSplitBits || l > 192 {
			t.Errorf("%d windows of %d bits have %d bits", count, width, l)
		}
		if err := checkWindows(width, count, func(i int) int { return i * width }); err != nil {
			t.Error(err)
		}
		// Plant faults: a window begins one bit too high or too low.
		for wrong := range count {
			for _, by := range []int{-1, 1} {
				if wrong == 0 && by < 0 || wrong*width+width+by > 192 {
					continue
				}
				if checkWindows(width, count, func(i int) int {
					if i == wrong {
						return i*width + by
					}
					return i * width
				}) == nil {
					t.Errorf("%d windows of %d bits: window %d moved by %d: not found", count, width, wrong, by)
				}
			}
		}
	}
	seen := map[int]bool{}
	for _, c := range shapes() {
		var s laneTerm
		s.set(nil, &c)
		// Every digit has its subtable, and an entry in it.
		window, stride := c.Shape()
		subtables := (wnaf.Positions + int(stride) - 1) / int(stride)
		if last := (s.windows - 1) * s.window / s.stride; last >= subtables || s.window != int(window)-1 {
			t.Errorf("%d windows of %d bits: subtable %d of %d", s.windows, s.window, last, subtables)
		}
		if !seen[s.window] {
			seen[s.window] = true
			check(s.window, s.windows)
		}
	}
	if len(seen) != 6 || !seen[laneBaseWindow] {
		t.Errorf("tables of %d windows, want 6", len(seen))
	}
}
