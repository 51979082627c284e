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

// TestBatch checks the kernels' function for a batch of 30 division steps. For all δ near 0, its
// results must equal those of these steps by their definition, and it must return the matrix of the
// steps.
func TestBatch(t *testing.T) {
	one := bigint(1)
	word := power2(32)
	onHost(t, func(t *testing.T, prog *program) {
		r := random(t)
		var rows [][]*big.Int
		for zeta := int64(-60); zeta < 60; zeta++ {
			for range 20 {
				f, g := reference.RandInt(r), reference.RandInt(r)
				f.SetBit(f, 0, 1)
				if r.IntN(4) == 0 {
					g.Lsh(g, uint(r.IntN(40)))
				}
				row := []*big.Int{bigint(zeta), residue(f, power2(30)), residue(g, power2(30))}
				rows = append(rows, []*big.Int{residue(row[0], word), row[1], row[2]})
			}
		}
		signed := func(x *big.Int) *big.Int { return bigint(int64(int32(x.Uint64()))) }
		for i, got := range prog.call(t, 'B', rows) {
			zeta := signed(rows[i][0]).Int64()
			f, g := rows[i][1], rows[i][2]
			// u, v, q and w are the entries of the matrix of the steps so far. The matrix is
			// multiplied by 2 for each step.
			u, v, q, w := one, new(big.Int), new(big.Int), one
			for range 30 {
				add := func(x, y *big.Int, k uint) *big.Int {
					return new(big.Int).Add(y, new(big.Int).Mul(x, bigint(int64(k))))
				}
				odd := g.Bit(0)
				if zeta < 0 && odd == 1 {
					zeta = -zeta - 1
					f, u, v, g, q, w = g, q, w, new(big.Int).Neg(f), new(big.Int).Neg(u), new(big.Int).Neg(v)
				}
				zeta--
				g, q, w = add(f, g, odd), add(u, q, odd), add(v, w, odd)
				g = new(big.Int).Rsh(g, 1)
				u, v = new(big.Int).Lsh(u, 1), new(big.Int).Lsh(v, 1)
			}
			want := []*big.Int{u, v, q, w}
			for k := range want {
				limb := new(big.Int).Rsh(got.out[0], uint(32*k))
				if signed(residue(limb, word)).Cmp(want[k]) != 0 {
					t.Fatalf("%x: the matrix is %x, want %x", rows[i], got.out[0], want)
				}
			}
			if int64(int32(got.flag)) != zeta {
				t.Fatalf("%x: ζ is %d, want %d", rows[i], int32(got.flag), zeta)
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
