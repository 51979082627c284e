package ecmult

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestScalarBaseMult checks multiplication in lanes, which has portable code too, multiplication by
// the comb, and that ScalarBaseMult does one or the other, as the CPU's features ask.
func TestScalarBaseMult(t *testing.T) {
	c := reference.Secp256k1()
	for _, k := range append(edgeScalars(), partExtremes(t)...) {
		s := toScalar(k)
		before := s
		want := c.ScalarMult(k, c.G)
		inLanes, byComb, chosen := garbage(), garbage(), garbage()
		scalarBaseMultLanes(&inLanes, &s)
		scalarBaseMultComb(&byComb, &s)
		if !fromJacobian(&inLanes).Equal(want) {
			t.Errorf("in lanes, %x·G is wrong", k)
		}
		if !fromJacobian(&byComb).Equal(want) {
			t.Errorf("by the comb, %x·G is wrong", k)
		}
		if ScalarBaseMult(&chosen, &s); cpu.Has(cpu.Lanes) && chosen != inLanes ||
			!cpu.Has(cpu.Lanes) && chosen != byComb {
			t.Errorf("%x·G is computed in the other way, or wrong", k)
		}
		if s != before {
			t.Errorf("%x·G changes the scalar", k)
		}
	}
	// Compare both ways for random scalars, fewer if the CPU has no lanes.
	n := 300
	if cpu.Has(cpu.Lanes) {
		n = cputest.Cases(20_000, 100_000)
	}
	r := rand.New(rand.NewPCG(29, 29))
	for range n {
		var k scalar.Scalar
		var r1, r2 point.Jacobian
		k.SetLimbs(&[4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()})
		scalarBaseMultLanes(&r1, &k)
		scalarBaseMultComb(&r2, &k)
		if !r1.Equal(&r2).Bool() {
			t.Fatalf("%x·G: the results differ", k.Limbs())
		}
	}
}

func TestBaseTable(t *testing.T) {
	c := reference.Secp256k1()
	if packComb(c, c.G, baseWindow, baseTop, baseBlocks) != baseTable {
		t.Error("base_table.bin is not what it should be; run go generate")
	}
}

// packComb builds the table of a comb, entry by entry, from the definition of comb.
func packComb(c *reference.Curve, p reference.Point, w, top uint, blocks int) string {
	var table []byte
	for i := range blocks {
		count := 1 << (w - 1)
		if i == blocks-1 {
			count = 1 << top
		}
		unit := new(big.Int).Lsh(big.NewInt(1), w*uint(i))
		table = c.AppendPacked(table, c.ScalarMult(unit.Mod(unit, c.Order), p), count)
	}
	return string(table)
}

// TestCombSmallGroups checks that combs compute the right product of every point of small groups
// and every number that their blocks can represent. It uses only windows for which no entry of the
// table is the point at infinity, because a table cannot hold this point.
func TestCombSmallGroups(t *testing.T) {
	for _, c := range reference.SmallCurves() {
		all := c.Points()
		order := c.Order.Int64()
		for _, shape := range []struct {
			w, top uint
			blocks int
		}{
			{1, 0, 9}, {1, 1, 8},
			{2, 1, 5}, {2, 1, 2}, {2, 2, 4},
			{3, 2, 3}, {3, 0, 4},
			{4, 3, 3}, {5, 5, 2}, {6, 6, 2}, {7, 2, 2},
		} {
			if int64(1)<<shape.w-1 >= order || int64(2)<<shape.top-1 >= order {
				continue
			}
			t.Run(fmt.Sprint(order, shape), func(t *testing.T) {
				for j, p := range all[1:] {
					if order > 13 && j%40 != 0 {
						continue
					}
					cm := comb{packComb(c, p, shape.w, shape.top, shape.blocks), shape.w, shape.top, shape.blocks}
					l := uint(shape.blocks-1)*shape.w + shape.top
					for m := range int64(1) << l {
						s := baseScratch{bits: [5]uint64{uint64(m)}}
						r := garbage()
						cm.mult(&r, &s, true)
						want := all[(2*m+1)*int64(j+1)%order]
						if !fromJacobian(&r).Equal(want) {
							t.Fatalf("(2·%d + 1)·%dG is wrong", m, j+1)
						}
					}
				}
			})
		}
	}
}

// exceptional reports whether incomplete formulas fail for the sum of sum·G and term·G, which then
// are equal, opposite or infinity.
func exceptional(sum, term *big.Int) bool {
	plus, minus := new(big.Int).Add(sum, term), new(big.Int).Sub(sum, term)
	for _, x := range []*big.Int{sum, term, plus, minus} {
		if new(big.Int).Mod(x, reference.N()).Sign() == 0 {
			return true
		}
	}
	return false
}

// TestCombExceptions checks that the integers in every incomplete addition of comb.mult are in the
// ranges that the comment on it claims. TestRecode checks that they add up.
func TestCombExceptions(t *testing.T) {
	n := reference.N()
	doubled := 0
	for _, k := range edgeScalars() {
		var s baseScratch
		ks := toScalar(k)
		negative := s.recode(&ks)

		m := reference.FromWords(s.bits[:]...)
		d := new(big.Int).Lsh(m, 1)
		d.Add(d, big.NewInt(1))
		want := new(big.Int).Set(k)
		if negative.Bool() {
			want.Sub(n, k)
		}
		if m.BitLen() > 255 || d.Cmp(want) != 0 {
			t.Fatalf("%x is recoded as %x", k, m)
		}

		sum := new(big.Int)
		for i := range baseBlocks {
			pos := uint(i) * baseWindow
			var term *big.Int
			if i < baseBlocks-1 {
				term = digit(&s.bits, pos, baseWindow)
			} else {
				term = new(big.Int).SetUint64(2*window(&s.bits, pos, baseTop) + 1)
			}
			term.Lsh(term, pos)
			plus, minus := new(big.Int).Add(sum, term), new(big.Int).Sub(sum, term)
			if i > 0 {
				if sum.Bit(0) != 1 || sum.BitLen() > int(pos) || term.BitLen() <= int(pos) {
					t.Errorf("%x: sum %x, term %x of block %d", k, sum, term, i)
				}
				if i < baseBlocks-1 && (exceptional(sum, term) || plus.BitLen() > 253 ||
					minus.BitLen() > 253) {
					t.Errorf("%x: exception in block %d", k, i)
				}
				if i == baseBlocks-1 && minus.Mod(minus, n).Sign() == 0 {
					doubled++
				}
			}
			sum = plus
		}
	}
	// For one scalar and its negative, the last addition adds equal points, so it must be complete.
	// The test includes both scalars.
	if doubled != 2 {
		t.Errorf("the last addition doubles for %d scalars of the test, want 2", doubled)
	}
}

// digit returns the odd digit in bits pos to pos + w − 1 of b. It calls the same functions as the
// code that reads the tables.
func digit(b *[5]uint64, pos, w uint) *big.Int {
	negative, index := oddDigit(window(b, pos, w), w)
	d := new(big.Int).SetUint64(2*index + 1)
	if negative.Bool() {
		d.Neg(d)
	}
	return d
}
