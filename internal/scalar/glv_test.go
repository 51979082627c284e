package scalar

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// The vectors of the lattice that docs/endomorphism.md and the comments of glv.go name, and λ.
var (
	lambda     = reference.Lambda()
	a1, b1, a2 = splitOf().A1, splitOf().B1, splitOf().A2
)

// TestConstantsOfSplit checks all constants. TestSplitBounds would pass even if g1 or g2 were
// changed by one.
func TestConstantsOfSplit(t *testing.T) {
	s := splitOf()
	if v, _ := reference.ShortVectors(); a1.Cmp(v[0]) != 0 || b1.CmpAbs(v[1]) != 0 || b1.Sign() < 0 ||
		a2.Cmp(new(big.Int).Add(a1, b1)) != 0 {
		t.Errorf("a1, b1 and a2 are %x, %x and %x", a1, b1, a2)
	}
	for _, tt := range []struct{ got, a *big.Int }{{s.G1, a1}, {s.G2, b1}} {
		want := new(big.Int).Lsh(tt.a, 321) // round(2^320·a/n)
		want.Add(want, order).Div(want, new(big.Int).Lsh(order, 1))
		if tt.got.Cmp(want) != 0 {
			t.Errorf("the reciprocal of %x is %x, want %x", tt.a, tt.got, want)
		}
	}
	if l := reference.FromWords(Lambda0, Lambda1, Lambda2, Lambda3); l.Cmp(lambda) != 0 {
		t.Errorf("λ is %x", l)
	}
}

func (h *Half) int() *big.Int {
	x := (&Scalar{l0: h.Lo, l1: h.Hi}).int()
	if h.Neg.Bool() {
		x.Neg(x)
	}
	return x
}

// The proven bounds of the halves, which are slightly larger than (a1+a2)/2 and (a1+b1)/2.
var bounds = [2]*big.Int{halfBound(a1, a2), halfBound(a1, b1)}

// halfBound returns (1/2 + 2^-62)·(a + b), rounded down.
func halfBound(a, b *big.Int) *big.Int {
	sum := new(big.Int).Add(a, b)
	return new(big.Int).Add(new(big.Int).Rsh(sum, 1), new(big.Int).Rsh(sum, 62))
}

// checkSplit splits x, checks the halves, and returns them.
func checkSplit(t *testing.T, x *big.Int) [2]*big.Int {
	t.Helper()
	k := fromInt(x)
	h1, h2 := k.Split()
	k1, k2 := h1.int(), h2.int()
	sum := new(big.Int).Mul(k2, lambda)
	if mod(sum.Add(sum, k1)).Cmp(x) != 0 {
		t.Fatalf("Split(%x) = %x, %x", x, k1, k2)
	}
	if k1.CmpAbs(bounds[0]) > 0 || k2.CmpAbs(bounds[1]) > 0 {
		t.Fatalf("Split(%x) = %x, %x: above the bound", x, k1, k2)
	}
	for _, h := range []Half{h1, h2} {
		if h.Neg > 1 || h.int().Sign() == 0 && h.Neg != 0 {
			t.Fatalf("Split(%x): sign %d", x, h.Neg)
		}
		if v := new(Scalar).SetHalf(&h); v.int().Cmp(mod(h.int())) != 0 {
			t.Fatalf("SetHalf(%x) = %x", h.int(), v.int())
		}
	}
	return [2]*big.Int{k1, k2}
}

// TestSplit splits random scalars, and those with extreme halves or quotients, into halves and into
// odd halves. The largest halves must come near the bounds.
func TestSplit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 13))
	all := append(samples(many(20000)), reference.SplitSides(rnd, many(6000))...)
	var largest, largestOdd [2]big.Int
	for _, x := range append(all, reference.SplitCorners(8)...) {
		halves, odd := checkSplit(t, x), checkSplitOdd(t, x)
		for i := range largest {
			if halves[i].CmpAbs(&largest[i]) > 0 {
				largest[i].Abs(halves[i])
			}
			if odd[i].CmpAbs(&largestOdd[i]) > 0 {
				largestOdd[i].Abs(odd[i])
			}
		}
	}
	for i, sum := range []*big.Int{new(big.Int).Add(a1, a2), new(big.Int).Add(a1, b1)} {
		half := new(big.Int).Rsh(sum, 1)
		if half.Sub(half, &largest[i]).CmpAbs(big.NewInt(32)) > 0 {
			t.Errorf("the largest half is %x, %x short of the bound", &largest[i], half)
		}
		short := new(big.Int).Sub(sum, &largestOdd[i])
		if short.Cmp(new(big.Int).Rsh(sum, 53)) > 0 {
			t.Errorf("the largest odd half is %x, %x short of the bound", &largestOdd[i], short)
		}
	}
	// For a small pair (u, v), Split must split the scalar u + v·λ into u and v again.
	for u := int64(-20); u <= 20; u++ {
		for v := int64(-20); v <= 20; v++ {
			x := new(big.Int).Mul(big.NewInt(v), lambda)
			k := checkSplit(t, mod(x.Add(x, big.NewInt(u))))
			if k[0].Cmp(big.NewInt(u)) != 0 || k[1].Cmp(big.NewInt(v)) != 0 {
				t.Fatalf("%d + %d·λ splits to %d, %d", u, v, k[0], k[1])
			}
		}
	}
}

// splitOf describes Split by the constants of this package. mulShift rounds to the nearest integer.
func splitOf() reference.Split {
	return reference.Split{
		A1: reference.FromWords(a10, a11), B1: reference.FromWords(b10, b11),
		A2: reference.FromWords(a20, a21, a22),
		G1: reference.FromWords(g10, g11, g12), G2: reference.FromWords(g20, g21, g22),
		Shift: 320, Cut: 64, Below: big.NewRat(1, 2), Above: big.NewRat(1, 2),
	}
}

// checkBounds checks that the halves of the split s are below the limits, in thousandths of 2^128,
// and that Within refuses s if a1, b1, a2 or the shift is one larger or smaller.
func checkBounds(t *testing.T, s reference.Split, limit1, limit2 int64) {
	t.Helper()
	if err := s.Within(limit1, limit2); err != nil {
		t.Error(err)
	}
	for _, d := range []int64{1, -1} {
		for i, name := range []string{"a1", "b1", "a2", "the shift"} {
			wrong := s
			if i < 3 {
				x := []**big.Int{&wrong.A1, &wrong.B1, &wrong.A2}[i]
				*x = new(big.Int).Add(*x, big.NewInt(d))
			} else {
				wrong.Shift += uint(d)
			}
			if wrong.Within(limit1, limit2) == nil {
				t.Errorf("a change of %s by %d keeps the bounds", name, d)
			}
		}
	}
}

// TestSplitBounds proves the bounds that the comment of Split states, for all scalars. Small
// changes of g1 and g2 keep the bounds, because the errors of the quotients hardly change. Changes
// by 2^55 and by 2^54 break them.
func TestSplitBounds(t *testing.T) {
	s := splitOf()
	checkBounds(t, s, 636, 542)
	s.Below, s.Above = new(big.Rat), big.NewRat(1, 1)
	if k1, _, err := s.Bounds(); err != nil || k1.BitLen() <= 128 {
		t.Errorf("quotients rounded up: %x, %v", k1, err)
	}
	for i, last := range []uint{54, 53} {
		for bit := uint(0); bit < 64; bit++ {
			s := splitOf()
			g := []**big.Int{&s.G1, &s.G2}[i]
			*g = new(big.Int).Add(*g, new(big.Int).Lsh(one, bit))
			if err := s.Within(636, 542); (err == nil) != (bit <= last) {
				t.Errorf("g%d + 2^%d: %v", i+1, bit, err)
			}
		}
	}
}

// TestProducts checks the products of Split and SplitOdd against math/big. TestSplitBounds and
// TestSplitOddBounds rely on their roundings.
func TestProducts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 17))
	s := splitOf()
	words := []uint64{0, 1, 7, 8, 1<<32 - 1, 1 << 32, 1 << 63, 1<<63 - 1, ^uint64(7), ^uint64(0)}
	word := func() uint64 {
		if i := rnd.IntN(2 * len(words)); i < len(words) {
			return words[i]
		}
		return rnd.Uint64()
	}
	low192 := new(big.Int).Sub(new(big.Int).Lsh(one, 192), one)
	for range many(100000) {
		x := Scalar{word(), word(), word(), 0}
		if x.int().Cmp(new(big.Int).Rsh(order, 64)) > 0 {
			continue
		}
		for i, g := range []*big.Int{s.G1, s.G2} {
			y := fromInt(g)
			product := new(big.Int).Mul(x.int(), g)
			c0, c1 := mulShift(x.l0, x.l1, x.l2, y.l0, y.l1, y.l2)
			want := new(big.Int).Add(product, new(big.Int).Lsh(one, 255))
			if want.Rsh(want, 256).Cmp(reference.FromWords(c0, c1)) != 0 {
				t.Fatalf("mulShift(%x, g%d) = %x, %x, want %x", x.int(), i+1, c1, c0, want)
			}
			c0, c1 = mulTop(x.l0, x.l1, x.l2, y.l0, y.l1, y.l2)
			got := reference.FromWords(c0, c1)
			least := new(big.Int).Sub(product, new(big.Int).Lsh(big.NewInt(46), 192))
			if least.Rsh(least, 256).Cmp(got) > 0 || product.Rsh(product, 256).Cmp(got) < 0 {
				t.Fatalf("mulTop(%x, g%d) = %x", x.int(), i+1, got)
			}
		}
		a, b := Scalar{word(), word(), 0, 0}, Scalar{word(), word(), 0, 0}
		p0, p1, p2 := mulLow(a.l0, a.l1, b.l0, b.l1)
		want := new(big.Int).Mul(a.int(), b.int())
		if want.And(want, low192).Cmp(reference.FromWords(p0, p1, p2)) != 0 {
			t.Fatalf("mulLow(%x, %x) = %x", a.int(), b.int(), []uint64{p2, p1, p0})
		}
	}
}
