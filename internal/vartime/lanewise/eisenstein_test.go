package lanewise

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// digitsIn returns the digits a + b·ω in v, as pairs of a and b. It reads them by Load, from a
// table with x coordinates that tell multiples and lanes apart.
func digitsIn(t *testing.T, v *eisenstein.DigitVector) (digits [lanes.Width][2]int) {
	t.Helper()
	var multiples [][2]int
	table := make([]lanes.Packed, eisenstein.EntryParts*eisenstein.MaxEntries)
	for i, e := range [eisenstein.MaxEntries][2]int{ // a + b·ω', where ω' = 1 + ω
		{1, 0}, {2, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 1}, {3, 0}, {4, 0}, {3, 1}, {3, 2},
	} {
		a, b := e[0]+e[1], e[1]
		parts := table[eisenstein.EntryParts*i:]
		for _, x := range [...]struct{ part, word int }{{0, 0}, {1, 0}, {1, 4}} {
			for j := range lanes.Width {
				parts[x.part][j][x.word] = uint64(lanes.Width*len(multiples) + j)
				parts[0][j][4] = 1
			}
			multiples = append(multiples, [2]int{a, b})
			a, b = -b, a-b // times ω
		}
	}
	var p lanes.Affine
	var packed lanes.Packed
	some := v.Load(&p, table)
	p.Pack(&packed)
	for j := range digits {
		if !some.Has(j) {
			continue
		}
		i, lane := packed[j][0]/lanes.Width, packed[j][0]%lanes.Width
		if int(lane) != j {
			t.Fatalf("lane %d reads the table of lane %d", j, lane)
		}
		digits[j] = multiples[i]
		if packed[j][4] != 1 {
			digits[j] = [2]int{-digits[j][0], -digits[j][1]}
		}
	}
	return digits
}
