package scalar

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
)

var (
	prime = hexInt("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f")
	beta  = hexInt("7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501ee")
	baseX = hexInt("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	baseY = hexInt("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")

	// These are the constants that docs/endomorphism.md and the comments of glv.go name.
	lambda = hexInt("5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72")
	a1     = hexInt("3086d221a7d46bcde86c90e49284eb15")
	b1     = hexInt("e4437ed6010e88286f547fa90abfe4c3")
	a2     = hexInt("114ca50f7a8e2f3f657c1108d9d44cfd8")
)

// cubeRoots returns the two primitive cube roots of 1 modulo a prime q ≡ 1 mod 3. The first is
// x^((q-1)/3) for the smallest x for which this power is not 1. The second is the square of the
// first.
func cubeRoots(t *testing.T, q *big.Int) [2]*big.Int {
	t.Helper()
	e, rest := new(big.Int).DivMod(new(big.Int).Sub(q, one), big.NewInt(3), new(big.Int))
	if rest.Sign() != 0 {
		t.Fatalf("%x is not 1 modulo 3", q)
	}
	for x := int64(2); ; x++ {
		root := new(big.Int).Exp(big.NewInt(x), e, q)
		if root.Cmp(one) != 0 {
			square := new(big.Int).Mul(root, root)
			return [2]*big.Int{root, square.Mod(square, q)}
		}
	}
}

// multiply returns k·(x, y) on y² = x³ + 7. The result must be finite, and no addition on the way
// may have equal or opposite summands.
func multiply(k, x, y *big.Int) (*big.Int, *big.Int) {
	add := func(x1, y1, x2, y2 *big.Int) (*big.Int, *big.Int) {
		num, den := new(big.Int).Sub(y2, y1), new(big.Int).Sub(x2, x1)
		if den.Sign() == 0 { // doubling
			num.Mul(x1, x1).Mul(num, big.NewInt(3))
			den.Lsh(y1, 1)
		}
		slope := num.Mul(num, den.ModInverse(den.Mod(den, prime), prime))
		x3 := new(big.Int).Mul(slope, slope)
		x3.Sub(x3, x1).Sub(x3, x2).Mod(x3, prime)
		y3 := new(big.Int).Sub(x1, x3)
		y3.Mul(y3, slope).Sub(y3, y1).Mod(y3, prime)
		return x3, y3
	}
	rx, ry := x, y
	for i := k.BitLen() - 2; i >= 0; i-- {
		if rx, ry = add(rx, ry, rx, ry); k.Bit(i) == 1 {
			rx, ry = add(rx, ry, x, y)
		}
	}
	return rx, ry
}

// TestEndomorphism derives β and λ. There are two primitive cube roots of 1 modulo p, and two
// modulo n. A root modulo p and one modulo n belong together if β·x and λ·G agree on the generator.
// The test checks that β and λ of this package belong together, and which of the two pairs they
// are.
func TestEndomorphism(t *testing.T) {
	pairs := 0
	for _, l := range cubeRoots(t, order) {
		x, y := multiply(l, baseX, baseY)
		if y.Cmp(baseY) != 0 {
			t.Fatalf("%x·G has another y", l)
		}
		for _, b := range cubeRoots(t, prime) {
			bx := new(big.Int).Mul(b, baseX)
			if bx.Mod(bx, prime).Cmp(x) == 0 {
				pairs++
				if (l.Cmp(lambda) == 0) != (b.Cmp(beta) == 0) {
					t.Errorf("λ = %x belongs to β = %x", l, b)
				}
			}
		}
	}
	if pairs != 2 {
		t.Errorf("%d pairs of roots agree on G, want 2", pairs)
	}
	// Check that λ² + λ + 1 = 0.
	sum := new(big.Int).Mul(lambda, lambda)
	if sum.Add(sum, lambda).Add(sum, one); mod(sum).Sign() != 0 {
		t.Errorf("λ² + λ + 1 = %x", mod(sum))
	}
}

// TestBasis checks the constants of Split: it derives the short basis of the lattice from n and λ
// by the extended Euclidean algorithm, and then every constant from the basis.
func TestBasis(t *testing.T) {
	// r = s·n + t·λ at every step, so (r, -t) is in the lattice. The loop stops at the first
	// remainder r below √n, as in the paper of Gallant, Lambert and Vanstone.
	root := new(big.Int).Sqrt(order)
	r0, r1 := new(big.Int).Set(order), new(big.Int).Set(lambda)
	t0, t1 := new(big.Int), big.NewInt(1)
	step := func() {
		q, r := new(big.Int).QuoRem(r0, r1, new(big.Int))
		r0, r1, t0, t1 = r1, r, t1, new(big.Int).Sub(t0, q.Mul(q, t1))
	}
	for r1.Cmp(root) > 0 {
		step()
	}
	u1, v1 := r1, new(big.Int).Neg(t1)
	if u1.Cmp(a1) != 0 || new(big.Int).Neg(v1).Cmp(b1) != 0 {
		t.Errorf("v1 = (%x, %x), want (a1, -b1)", u1, v1)
	}
	// v1 belongs to the remainder r1 of this step. v2 is the shorter of the vectors that belong to
	// the previous and to the next remainder.
	before := [2]*big.Int{r0, new(big.Int).Neg(t0)}
	step()
	after := [2]*big.Int{r1, new(big.Int).Neg(t1)}
	norm := func(v [2]*big.Int) *big.Int {
		return new(big.Int).Add(new(big.Int).Mul(v[0], v[0]), new(big.Int).Mul(v[1], v[1]))
	}
	v2 := before
	if norm(after).Cmp(norm(before)) < 0 {
		v2 = after
	}
	if v2[0].Cmp(a2) != 0 || v2[1].Cmp(a1) != 0 {
		t.Errorf("v2 = (%x, %x), want (a2, a1)", v2[0], v2[1])
	}

	det := new(big.Int).Mul(a1, a1)
	det.Add(det, new(big.Int).Mul(a2, b1))
	if det.Cmp(order) != 0 || new(big.Int).Add(a1, b1).Cmp(a2) != 0 {
		t.Errorf("determinant %x, a1 + b1 = %x", det, new(big.Int).Add(a1, b1))
	}

	// reciprocal returns round(2^320·x/n).
	reciprocal := func(x *big.Int) *big.Int {
		y := new(big.Int).Lsh(x, 321)
		y.Add(y, order)
		return y.Div(y, new(big.Int).Lsh(order, 1))
	}
	for _, tt := range []struct {
		name string
		got  Scalar
		want *big.Int
	}{
		{"a1", Scalar{a10, a11, 0, 0}, a1},
		{"b1", Scalar{b10, b11, 0, 0}, b1},
		{"a2", Scalar{a20, a21, a22, 0}, a2},
		{"g1", Scalar{g10, g11, g12, 0}, reciprocal(a1)},
		{"g2", Scalar{g20, g21, g22, 0}, reciprocal(b1)},
	} {
		if tt.got.int().Cmp(tt.want) != 0 {
			t.Errorf("%s is %x, want %x", tt.name, tt.got.int(), tt.want)
		}
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
var (
	bound1 = halfBound(a1, a2)
	bound2 = halfBound(a1, b1)
)

// halfBound returns (1/2 + 2^-62)·(a + b), rounded down.
func halfBound(a, b *big.Int) *big.Int {
	sum := new(big.Int).Add(a, b)
	return new(big.Int).Add(new(big.Int).Rsh(sum, 1), new(big.Int).Rsh(sum, 62))
}

// checkSplit splits x, checks the halves, and returns them.
func checkSplit(t *testing.T, x *big.Int) (*big.Int, *big.Int) {
	t.Helper()
	k := fromInt(x)
	h1, h2 := k.Split()
	k1, k2 := h1.int(), h2.int()
	sum := new(big.Int).Mul(k2, lambda)
	if mod(sum.Add(sum, k1)).Cmp(x) != 0 {
		t.Fatalf("Split(%x) = %x, %x", x, k1, k2)
	}
	if k1.CmpAbs(bound1) > 0 || k2.CmpAbs(bound2) > 0 {
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
	return k1, k2
}

func TestSplit(t *testing.T) {
	for _, x := range samples(many(20000)) {
		checkSplit(t, x)
	}
	// For a small pair (u, v), Split must split the scalar u + v·λ into u and v again. Try the
	// smallest pairs around (0, 0).
	for u := int64(-20); u <= 20; u++ {
		for v := int64(-20); v <= 20; v++ {
			x := new(big.Int).Mul(big.NewInt(v), lambda)
			k1, k2 := checkSplit(t, mod(x.Add(x, big.NewInt(u))))
			if k1.Cmp(big.NewInt(u)) != 0 || k2.Cmp(big.NewInt(v)) != 0 {
				t.Fatalf("%d + %d·λ splits to %d, %d", u, v, k1, k2)
			}
		}
	}
}

// TestSplitExtremes checks that Split is right, and its halves are within their bounds, for scalars
// with the largest halves: those whose pair of halves is near one of the four corners of the region
// of all such pairs. It also tries scalars at the sides of the region, where a quotient is halfway
// between two integers.
func TestSplitExtremes(t *testing.T) {
	limit := new(big.Int).Lsh(one, 128)
	if bound1.Cmp(limit) >= 0 || bound2.Cmp(limit) >= 0 {
		t.Fatalf("bounds %x and %x do not fit 128 bits", bound1, bound2)
	}
	b := new(big.Int).Neg(b1)
	largest1, largest2 := new(big.Int), new(big.Int)
	try := func(x *big.Int) {
		k1, k2 := checkSplit(t, mod(x))
		if k1.CmpAbs(largest1) > 0 {
			largest1.Abs(k1)
		}
		if k2.CmpAbs(largest2) > 0 {
			largest2.Abs(k2)
		}
	}
	for _, s1 := range []int64{-1, 1} {
		for _, s2 := range []int64{-1, 1} {
			u := new(big.Int).Mul(big.NewInt(s1), a1)
			u.Add(u, new(big.Int).Mul(big.NewInt(s2), a2)).Rsh(u, 1)
			v := new(big.Int).Mul(big.NewInt(s1), b)
			v.Add(v, new(big.Int).Mul(big.NewInt(s2), a1)).Rsh(v, 1)
			for du := int64(-8); du <= 8; du++ {
				for dv := int64(-8); dv <= 8; dv++ {
					x := new(big.Int).Mul(new(big.Int).Add(v, big.NewInt(dv)), lambda)
					try(x.Add(x, u).Add(x, big.NewInt(du)))
				}
			}
		}
	}
	// The largest halves found must differ from the bounds by only a few units.
	for _, tt := range []struct{ got, a, b *big.Int }{{largest1, a1, a2}, {largest2, a1, b1}} {
		half := new(big.Int).Rsh(new(big.Int).Add(tt.a, tt.b), 1)
		if half.Sub(half, tt.got).CmpAbs(big.NewInt(32)) > 0 {
			t.Errorf("the largest half is %x, %x short of the bound", tt.got, half)
		}
	}
	// These scalars k have k·a mod n near n/2, where a is one of the lattice constants a1 and b1,
	// so that the quotient k·a/n is halfway between two integers. They include scalars for which
	// ignoring the lowest limb of k causes the largest errors.
	rnd := rand.New(rand.NewSource(13))
	for _, a := range []*big.Int{a1, b1} {
		inv := new(big.Int).ModInverse(a, order)
		for i := int64(-300); i <= 300; i++ {
			x := new(big.Int).Add(halfN, big.NewInt(i))
			try(x.Mul(x, inv))
		}
		for range many(3000) {
			x := new(big.Int).Rsh(order, 1)
			x.Add(x, new(big.Int).Mul(order, new(big.Int).Rand(rnd, a)))
			x.Div(x, a) // k·a1 ≈ (j + 1/2)·n as integers
			for i := int64(-1); i <= 1; i++ {
				try(new(big.Int).Add(x, big.NewInt(i)))
			}
			x.Rsh(x, 64).Lsh(x, 64)
			try(x)
			try(x.Add(x, new(big.Int).SetUint64(^uint64(0))))
		}
	}
}

// TestShortRelations checks that no (u, v) ≠ 0 in the lattice u + v·λ ≡ 0 mod n has u² - uv + v² <
// n. Proofs that additions are never exceptional use this fact. For the basis vectors this form is
// exactly n.
func TestShortRelations(t *testing.T) {
	form := func(u, v *big.Int) *big.Int {
		x := new(big.Int).Mul(u, u)
		x.Sub(x, new(big.Int).Mul(u, v))
		return x.Add(x, new(big.Int).Mul(v, v))
	}
	b := new(big.Int).Neg(b1)
	for i := int64(-30); i <= 30; i++ {
		for j := int64(-30); j <= 30; j++ {
			u := new(big.Int).Mul(big.NewInt(i), a1)
			u.Add(u, new(big.Int).Mul(big.NewInt(j), a2))
			v := new(big.Int).Mul(big.NewInt(i), b)
			v.Add(v, new(big.Int).Mul(big.NewInt(j), a1))
			q, rest := new(big.Int).QuoRem(form(u, v), order, new(big.Int))
			if rest.Sign() != 0 || q.Int64() != i*i+i*j+j*j {
				t.Fatalf("%d·v1 + %d·v2: the form is %x·n + %x", i, j, q, rest)
			}
		}
	}
	// This shows that √(n/3) > 2^127.
	if third := new(big.Int).Div(order, big.NewInt(3)); third.Cmp(new(big.Int).Lsh(one, 254)) <= 0 {
		t.Error("n/3 is not above 2^254")
	}
}

// splitOf describes Split by the constants of this package. mulShift rounds to the nearest integer.
func splitOf() reference.Split {
	limbs := func(l0, l1, l2 uint64) *big.Int { return (&Scalar{l0, l1, l2, 0}).int() }
	return reference.Split{
		A1: limbs(a10, a11, 0), B1: limbs(b10, b11, 0), A2: limbs(a20, a21, a22),
		G1: limbs(g10, g11, g12), G2: limbs(g20, g21, g22),
		Shift: 320, Cut: 64, Below: big.NewRat(1, 2), Above: big.NewRat(1, 2),
	}
}

// TestSplitBounds proves the bounds that the comment of Split states, for all scalars. Changes of
// g1 and g2 by one keep the bounds, because the errors of the quotients hardly change. Larger
// changes, by 2^55 and by 2^54, break them.
func TestSplitBounds(t *testing.T) {
	s := splitOf()
	if err := s.Check(636, 542, "g1+1", "g1−1", "g2+1", "g2−1"); err != nil {
		t.Error(err)
	}
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
	rnd := rand.New(rand.NewSource(17))
	s := splitOf()
	words := []uint64{0, 1, 7, 8, 1<<32 - 1, 1 << 32, 1 << 63, 1<<63 - 1, ^uint64(7), ^uint64(0)}
	word := func() uint64 {
		if i := rnd.Intn(2 * len(words)); i < len(words) {
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
			if want.Rsh(want, 256).Cmp((&Scalar{c0, c1, 0, 0}).int()) != 0 {
				t.Fatalf("mulShift(%x, g%d) = %x, %x, want %x", x.int(), i+1, c1, c0, want)
			}
			c0, c1 = mulTop(x.l0, x.l1, x.l2, y.l0, y.l1, y.l2)
			got := (&Scalar{c0, c1, 0, 0}).int()
			least := new(big.Int).Sub(product, new(big.Int).Lsh(big.NewInt(46), 192))
			if least.Rsh(least, 256).Cmp(got) > 0 || product.Rsh(product, 256).Cmp(got) < 0 {
				t.Fatalf("mulTop(%x, g%d) = %x", x.int(), i+1, got)
			}
		}
		a, b := Scalar{word(), word(), 0, 0}, Scalar{word(), word(), 0, 0}
		p0, p1, p2 := mulLow(a.l0, a.l1, b.l0, b.l1)
		want := new(big.Int).Mul(a.int(), b.int())
		if want.And(want, low192).Cmp((&Scalar{p0, p1, p2, 0}).int()) != 0 {
			t.Fatalf("mulLow(%x, %x) = %x", a.int(), b.int(), []uint64{p2, p1, p0})
		}
	}
}
