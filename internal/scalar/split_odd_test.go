package scalar

import (
	"math/big"
	"testing"
)

// checkSplitOdd splits x into odd halves for several lengths l, checks them, and returns them.
func checkSplitOdd(t *testing.T, x *big.Int) (d [2]*big.Int) {
	t.Helper()
	k := fromInt(x)
	for _, l := range []uint{129, 130, 132, 135, 160, 192} {
		var b [2]OddHalf
		b[0], b[1] = k.SplitOdd(l)
		for i := range b {
			y := (&Scalar{b[i].L0, b[i].L1, b[i].L2, 0}).int()
			if y.BitLen() > int(l) {
				t.Fatalf("SplitOdd(%x, %d) has %d bits", x, l, y.BitLen())
			}
			y.Lsh(y, 1).Sub(y, new(big.Int).Lsh(one, l)).Add(y, one)
			if d[i] != nil && y.Cmp(d[i]) != 0 {
				t.Fatalf("SplitOdd(%x): %x and, in %d bits, %x", x, d[i], l, y)
			}
			d[i] = y
		}
	}
	sum := new(big.Int).Mul(d[1], lambda)
	if mod(sum.Add(sum, d[0])).Cmp(x) != 0 {
		t.Fatalf("SplitOdd(%x) = %x, %x", x, d[0], d[1])
	}
	for i, bound := range []*big.Int{oddBound(a1, a2), oddBound(a1, b1)} {
		if d[i].Bit(0) != 1 || d[i].CmpAbs(bound) > 0 {
			t.Fatalf("SplitOdd(%x) = %x, %x: even, or above the bound", x, d[0], d[1])
		}
	}
	return d
}

// oddBound returns (1 + 2^-57)·(a + b), rounded down.
func oddBound(a, b *big.Int) *big.Int {
	sum := new(big.Int).Add(a, b)
	return new(big.Int).Add(sum, new(big.Int).Rsh(sum, 57))
}

func TestSplitOdd(t *testing.T) {
	for _, x := range samples(many(10000)) {
		checkSplitOdd(t, x)
	}
}

// TestSplitOddExtremes checks that SplitOdd is right, and that its halves are within their bounds,
// for extreme scalars. For some of them, the pair of halves is at a corner of the region of all
// pairs of odd halves, or so near that rounding matters. For some it is near a corner, but far
// enough inside the region that the parts of products that mulTop ignores do not matter. For others
// it is at a side of the region, where a quotient is near an integer.
func TestSplitOddExtremes(t *testing.T) {
	var largest [2]*big.Int
	try := func(x *big.Int) {
		for i, d := range checkSplitOdd(t, mod(x)) {
			if largest[i] == nil || d.CmpAbs(largest[i]) > 0 {
				largest[i] = d.Abs(d)
			}
		}
	}
	b := new(big.Int).Neg(b1)
	for _, s1 := range []int64{-1, 1} {
		for _, s2 := range []int64{-1, 1} {
			u := new(big.Int).Mul(big.NewInt(s1), a1)
			u.Add(u, new(big.Int).Mul(big.NewInt(s2), a2))
			v := new(big.Int).Mul(big.NewInt(s1), b)
			v.Add(v, new(big.Int).Mul(big.NewInt(s2), a1))
			for _, inside := range []uint{200, 55} {
				u.Sub(u, new(big.Int).Rsh(u, inside))
				v.Sub(v, new(big.Int).Rsh(v, inside))
				for du := int64(-8); du <= 8; du++ {
					for dv := int64(-8); dv <= 8; dv++ {
						x := new(big.Int).Mul(new(big.Int).Add(v, big.NewInt(dv)), lambda)
						try(x.Add(x, u).Add(x, big.NewInt(du)))
					}
				}
			}
		}
	}
	for i, sum := range []*big.Int{new(big.Int).Add(a1, a2), new(big.Int).Add(a1, b1)} {
		if short := new(big.Int).Sub(sum, largest[i]); short.Cmp(new(big.Int).Rsh(sum, 53)) > 0 {
			t.Errorf("the largest half is %x, %x short of the bound", largest[i], short)
		}
	}
	// These scalars k have k·a/n near an integer j, where a is one of the lattice constants a1 and
	// b1.
	for _, a := range []*big.Int{a1, b1} {
		for j := int64(0); j < 300; j++ {
			x := new(big.Int).Mul(order, big.NewInt(j))
			x.Div(x, a)
			for i := int64(-2); i <= 2; i++ {
				try(new(big.Int).Add(x, big.NewInt(i)))
				try(new(big.Int).Sub(order, new(big.Int).Add(x, big.NewInt(i))))
			}
		}
	}
}

// TestSplitOddBounds proves, for all scalars, the bounds that the comment of SplitOdd states, and
// that the halves are odd.
func TestSplitOddBounds(t *testing.T) {
	s := splitOf()
	// mulTop loses less than 46·2^192 of the product, and then rounds down; SplitOdd may add one.
	s.Below = big.NewRat(46, 1<<62)
	s.Below.Quo(s.Below, big.NewRat(4, 1)).Add(s.Below, big.NewRat(1, 1))
	s.Above = big.NewRat(1, 1)
	if err := s.Check(1272, 1083, "g1+1", "g1−1", "g2+1", "g2−1"); err != nil {
		t.Error(err)
	}

	// The parities of the halves: see SplitOdd.
	for k := range uint(2) {
		c1, c2 := k^1, k
		if d1 := k + c1*s.A1.Bit(0) + c2*s.A2.Bit(0); d1&1 == 0 {
			t.Errorf("k ≡ %d modulo 2: d1 is even", k)
		}
		if d2 := c1*s.B1.Bit(0) + c2*s.A1.Bit(0); d2&1 == 0 {
			t.Errorf("k ≡ %d modulo 2: d2 is even", k)
		}
	}
}

func BenchmarkSplitOdd(b *testing.B) {
	x, _ := operands()
	for b.Loop() {
		d1, d2 := x.SplitOdd(130)
		x.l0 += d1.L0 + d2.L0
	}
}
