// Package eisensteintest reads the digits and tables of package eisenstein, for the tests of
// packages that use them.
package eisensteintest

//ci:untested The tests of the packages lanewise and sums run it.

import (
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// A Multiple is a multiple (a + b·λ)·P of a point P in a table of package eisenstein. Its x is in
// element Part of the table, in four words from X on. Its y is in element Y, in the last four
// words.
type Multiple struct {
	A, B       int
	Part, X, Y int
}

// Multiples returns the multiples that a table holds.
func Multiples() []Multiple {
	var all []Multiple
	for i, e := range [eisenstein.MaxEntries][2]int{ // a + b·ω', where ω' = 1 + ω
		{1, 0}, {2, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 1}, {3, 0}, {4, 0}, {3, 1}, {3, 2},
	} {
		a, b, y := e[0]+e[1], e[1], eisenstein.EntryParts*i
		for _, at := range [...][2]int{{y, 0}, {y + 1, 0}, {y + 1, 4}} {
			all = append(all, Multiple{a, b, at[0], at[1], y})
			a, b = -b, a-b // times ω
		}
	}
	return all
}

// Digits returns the digits a + b·ω in v, as pairs of a and b. It reads them by Load, from a
// table with x coordinates that tell multiples and lanes apart.
func Digits(t *testing.T, v *eisenstein.DigitVector) (digits [lanes.Width][2]int) {
	t.Helper()
	multiples := Multiples()
	table := make([]lanes.Packed, eisenstein.EntryParts*eisenstein.MaxEntries)
	for i, m := range multiples {
		for j := range lanes.Width {
			table[m.Part][j][m.X] = uint64(lanes.Width*i + j)
			table[m.Y][j][4] = 1
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
		digits[j] = [2]int{multiples[i].A, multiples[i].B}
		if packed[j][4] != 1 {
			digits[j] = [2]int{-digits[j][0], -digits[j][1]}
		}
	}
	return digits
}
