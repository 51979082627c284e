package scalar

import (
	"math/big"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// checkSplitOdd splits x into odd halves for several lengths l, checks them, and returns them.
func checkSplitOdd(t *testing.T, x *big.Int) (d [2]*big.Int) {
	t.Helper()
	k := fromInt(x)
	for _, l := range []uint{129, 130, 132, 135, 160, 192} {
		var b [2]OddHalf
		b[0], b[1] = k.SplitOdd(l)
		for i := range b {
			y := reference.FromWords(b[i].L0, b[i].L1, b[i].L2)
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

// TestSplitOddBounds proves, for all scalars, the bounds that the comment of SplitOdd states, and
// that the halves are odd.
func TestSplitOddBounds(t *testing.T) {
	s := splitOf()
	// mulTop loses less than 46·2^192 of the product, and then rounds down; SplitOdd may add one.
	s.Below = big.NewRat(46, 1<<62)
	s.Below.Quo(s.Below, big.NewRat(4, 1)).Add(s.Below, big.NewRat(1, 1))
	s.Above = big.NewRat(1, 1)
	checkBounds(t, s, 1272, 1083)

	// The halves are odd whether k is even or odd. The sums are those in the comment of SplitOdd.
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
