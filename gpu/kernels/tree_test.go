package kernels

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// TestInverseGroup checks that each work item of a group gets the inverse of its own number. For 0
// and p it must get 0, and numbers that are 0 must not disturb the other work items.
func TestInverseGroup(t *testing.T) {
	onHost(t, func(t *testing.T, prog *program) {
		r := random(t)
		rows := numbers(r, 10, 6)[:8]
		p, n := reference.P(), reference.N()
		for _, m := range []*big.Int{new(big.Int), p, n} {
			rows = append(rows, []*big.Int{m, m, m, m, m, m})
			for i := range 6 {
				row := numbers(r, 1, 6)
				rows = append(rows, row[len(row)-1])
				rows[len(rows)-1][i] = m
			}
		}
		for _, function := range []byte{'g', 'V'} {
			for i, got := range prog.call(t, function, rows) {
				if got.flag != GroupSize {
					t.Errorf("%c%x: %d are right", function, rows[i], got.flag)
				}
			}
		}
	})
}
