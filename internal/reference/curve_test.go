package reference

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestParameters(t *testing.T) {
	p := new(big.Int).Lsh(big.NewInt(1), 256)
	p.Sub(p, big.NewInt(1<<32+977))
	if p.Cmp(P()) != 0 || !p.ProbablyPrime(32) || !N().ProbablyPrime(32) {
		t.Fatal("p or n is not what it should be")
	}
	c := Secp256k1()
	if !c.IsOnCurve(c.G) || c.G.IsInfinity() || !c.ScalarMult(N(), c.G).IsInfinity() {
		t.Fatal("the generator does not have order n")
	}
}

// TestEndomorphism derives β and λ as roots of x² + x + 1 modulo p and n, and checks that the two
// constants satisfy λ·(x, y) = (βx, y).
func TestEndomorphism(t *testing.T) {
	for _, tt := range []struct {
		name    string
		root, m *big.Int
	}{{"β", Beta(), P()}, {"λ", Lambda(), N()}} {
		// The roots of x² + x + 1 are (-1 ± √-3) / 2.
		r := new(big.Int).ModSqrt(new(big.Int).Sub(tt.m, big.NewInt(3)), tt.m)
		half := new(big.Int).ModInverse(big.NewInt(2), tt.m)
		r.Sub(r, big.NewInt(1)).Mul(r, half).Mod(r, tt.m)
		other := new(big.Int).Sub(tt.m, new(big.Int).Add(r, big.NewInt(1)))
		if tt.root.Cmp(r) != 0 && tt.root.Cmp(other) != 0 {
			t.Errorf("%s is no primitive cube root of unity", tt.name)
		}
	}
	c := Secp256k1()
	if !c.ScalarMult(c.Lambda, c.G).Equal(c.MulBeta(c.G)) {
		t.Error("λ·G is not (β·Gx, Gy)")
	}
}

func TestSmallCurves(t *testing.T) {
	curves := SmallCurves()
	if len(curves) != 3 {
		t.Fatalf("%d groups", len(curves))
	}
	for i, c := range curves {
		if want := []int64{7, 13, 199}[i]; c.Order.Int64() != want {
			t.Fatalf("group %d has order %d", i, c.Order)
		}
		l := new(big.Int).Mul(c.Lambda, c.Lambda)
		l.Add(l, c.Lambda).Add(l, big.NewInt(1)).Mod(l, c.Order)
		if l.Sign() != 0 {
			t.Errorf("order %d: λ = %d is no root of x² + x + 1", c.Order, c.Lambda)
		}
		var multiples []Point
		var a Point
		for range c.Order.Int64() {
			multiples = append(multiples, a)
			a = c.Add(a, c.G)
		}
		if !a.IsInfinity() {
			t.Errorf("order %d: the generator has another order", c.Order)
		}
		for k, a := range multiples {
			if !c.IsOnCurve(a) || k > 0 && a.IsInfinity() {
				t.Errorf("order %d: %d·G is wrong", c.Order, k)
			}
			kl := new(big.Int).Mul(big.NewInt(int64(k)), c.Lambda)
			if want := multiples[kl.Mod(kl, c.Order).Int64()]; !c.MulBeta(a).Equal(want) {
				t.Errorf("order %d: the endomorphism of %d·G is not λ times it", c.Order, k)
			}
			for j, b := range multiples {
				if want := multiples[(k+j)%len(multiples)]; !c.Add(a, b).Equal(want) {
					t.Fatalf("order %d: %d·G + %d·G is wrong", c.Order, k, j)
				}
			}
		}
		t.Logf("order %d: y² = x³ + %d, λ = %d", c.Order, c.B, c.Lambda)
	}
}

func TestScalarMult(t *testing.T) {
	c := Secp256k1()
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		k, l := RandInt(r), RandInt(r)
		sum := c.Add(c.ScalarMult(k, c.G), c.ScalarMult(l, c.G))
		if !c.ScalarMult(new(big.Int).Add(k, l), c.G).Equal(sum) {
			t.Fatalf("k·G + l·G is not (k+l)·G for k = %x, l = %x", k, l)
		}
		if !c.Add(sum, c.Neg(sum)).IsInfinity() {
			t.Fatal("a - a is not infinity")
		}
		if !c.ScalarMult(new(big.Int).Neg(k), c.G).Equal(c.Neg(c.ScalarMult(k, c.G))) {
			t.Fatal("(-k)·G is not -(k·G)")
		}
		for _, odd := range []bool{false, true} {
			a, ok := c.LiftX(sum.X, odd)
			if !ok || a.X.Cmp(sum.X) != 0 || (a.Y.Bit(0) == 1) != odd || !c.IsOnCurve(a) {
				t.Fatal("LiftX does not find a point that is there")
			}
		}
	}
	if _, ok := c.LiftX(P(), false); ok {
		t.Error("LiftX takes a coordinate that is not in the field")
	}
	if _, ok := c.LiftX(big.NewInt(5), false); ok {
		t.Error("LiftX finds a point with first coordinate 5")
	}
	if c.IsOnCurve(Point{Gx(), Gx()}) || c.IsOnCurve(Point{new(big.Int).Add(Gx(), P()), Gy()}) {
		t.Error("IsOnCurve takes what is not on the curve")
	}
}

func TestEdgeInts(t *testing.T) {
	top := new(big.Int).Lsh(big.NewInt(1), 256)
	has := map[string]bool{}
	for _, x := range EdgeInts() {
		if x.Sign() < 0 || x.Cmp(top) >= 0 || has[x.String()] {
			t.Fatalf("%x is out of range or there twice", x)
		}
		has[x.String()] = true
	}
	for _, x := range []*big.Int{
		new(big.Int), big.NewInt(1), new(big.Int).Sub(top, big.NewInt(1)), P(), N(), Beta(), Lambda(),
		new(big.Int).Sub(P(), big.NewInt(1)), new(big.Int).Add(N(), big.NewInt(1)),
	} {
		if !has[x.String()] {
			t.Errorf("%x is missing", x)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		if x := RandInt(r); x.Sign() < 0 || x.Cmp(top) >= 0 {
			t.Fatalf("RandInt returned %x", x)
		}
	}
}
