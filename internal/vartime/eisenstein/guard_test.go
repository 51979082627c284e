package eisenstein

import (
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// TestGuardPages checks that the kernel of each level returns what the portable version returns,
// and accesses no byte outside its arguments.
func TestGuardPages(t *testing.T) {
	cputest.Run(t, testGuardPages, cputest.AllLanes()...)
}

func testGuardPages(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	const entries = 2
	flags := uint64(digitCarry | digitNegative | digitSome)
	tables := cputest.Slices[lanes.Packed](t, entries*EntryParts)
	numbers, results := cputest.Memory[lanes.Vector](t), cputest.Memory[lanes.Affine](t)
	for i, table := range tables {
		digits, result := numbers[i], results[i]
		for k := range table {
			for j := range table[k] {
				for w := range table[k][j] {
					table[k][j][w] = r.Uint64() >> 1
					if r.IntN(2) == 0 { // often causes a carry when y is negated
						table[k][j][w] = ^uint64(0) >> (w % 4 / 3)
					}
				}
			}
		}
		for j, row := range r.Perm(lanes.Width) {
			d := uint64(row % entries * entrySize)
			d |= [...]uint64{0, digitSecond, digitSecond | digitHalf}[r.IntN(3)]
			digits.Set(j, d|r.Uint64()&flags)
		}
		got := loadRows(result, table, digits)
		var want lanes.Affine
		if some := loadRowsGeneric(&want, table, digits); got != some {
			t.Errorf("lanes %v, want %v", got, some)
		}
		var x, y lanes.Packed
		result.Pack(&x)
		if want.Pack(&y); x != y {
			t.Errorf("%#x, want %#x", x, y)
		}
	}
}
