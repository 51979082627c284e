package kernels

import (
	"fmt"
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

// TestInverse checks that the device computes the right inverses of numbers with long runs of equal
// bits, and of numbers whose inverses have such runs. These numbers need an unusual number of
// division steps or unusual matrices.
func TestInverse(t *testing.T) {
	onHost(t, func(t *testing.T, prog *program) {
		for _, c := range []struct {
			function byte
			modulus  *big.Int
		}{{'i', reference.P()}, {'I', reference.N()}} {
			t.Run(fmt.Sprintf("%c", c.function), func(t *testing.T) {
				r := random(t)
				var rows [][]*big.Int
				add := func(x *big.Int) { rows = append(rows, []*big.Int{residue(x, c.modulus)}) }
				for i := range uint(256) {
					for _, d := range []int64{-1, 0, 1} {
						x := new(big.Int).Add(power2(i), bigint(d))
						add(x)
						add(new(big.Int).Neg(x))
						if x = residue(x, c.modulus); x.Sign() != 0 {
							add(x.ModInverse(x, c.modulus))
						}
					}
				}
				for range 5000 {
					add(reference.RandInt(r))
				}
				for i, got := range prog.call(t, c.function, rows) {
					want, x := new(big.Int), rows[i][0]
					if x.Sign() != 0 {
						want.ModInverse(x, c.modulus)
					}
					if residue(got.out[0], c.modulus).Cmp(want) != 0 {
						t.Fatalf("1/%x is %x, want %x", x, got.out[0], want)
					}
				}
			})
		}
	})
}
