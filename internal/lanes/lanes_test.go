package lanes

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func random(t testing.TB) *rand.Rand {
	seed := rand.Int63()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewSource(seed))
}

// value returns the number in lane j of a.
func (a *Element) value(j int) *big.Int {
	x := new(big.Int)
	for i := 4; i >= 0; i-- {
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(a[i][j]))
	}
	return x
}

func TestSmoke(t *testing.T) {
	r := random(t)
	p := reference.P()
	one := func() (e Element) {
		for i := range e {
			for j := range e[i] {
				e[i][j] = r.Uint64() >> 12
				if r.Intn(3) == 0 {
					e[i][j] = mask52
				}
				if i == 4 {
					e[i][j] >>= 3
				}
			}
		}
		return e
	}
	for range 1000 {
		a, b, c, d := one(), one(), one(), one()
		check := func(name string, got *Element, want func(a, b, c, d *big.Int) *big.Int) {
			t.Helper()
			for j := range Width {
				w := want(a.value(j), b.value(j), c.value(j), d.value(j))
				if w.Mod(w, p).Cmp(new(big.Int).Mod(got.value(j), p)) != 0 {
					t.Fatal(name)
				}
				for i := range got {
					if got[i][j] > mask52 || i == 4 && got[i][j] >= 1<<49 {
						t.Fatal(name, "range")
					}
				}
			}
		}
		var v Element
		n := func() *big.Int { return new(big.Int) }
		v.Mul(&a, &b)
		check("mul", &v, func(a, b, _, _ *big.Int) *big.Int { return n().Mul(a, b) })
		v.Square(&a)
		check("sqr", &v, func(a, b, _, _ *big.Int) *big.Int { return n().Mul(a, a) })
		v.MulAdd(&a, &b, &c, &d)
		check("muladd", &v, func(a, b, c, d *big.Int) *big.Int { return n().Add(n().Mul(a, b), n().Mul(c, d)) })
		v.Add(&a, &b)
		check("add", &v, func(a, b, _, _ *big.Int) *big.Int { return n().Add(a, b) })
		v.Sub(&a, &b)
		check("sub", &v, func(a, b, _, _ *big.Int) *big.Int { return n().Sub(a, b) })
		v.MulSmall(&a, 16)
		check("small", &v, func(a, b, _, _ *big.Int) *big.Int { return n().Lsh(a, 4) })
		v.Normalize(&a)
		check("normalize", &v, func(a, b, _, _ *big.Int) *big.Int { return a })
		for j := range Width {
			if v.value(j).Cmp(p) >= 0 {
				t.Fatal("not canonical")
			}
		}
		v.Invert(&a)
		v.Mul(&v, &a)
		check("invert", &v, func(a, b, _, _ *big.Int) *big.Int { return big.NewInt(1) })
		ok := v.Sqrt(&a)
		v.Square(&v)
		if v.Equal(&a) != ok {
			t.Fatal("sqrt")
		}
	}
}

func TestSplitOdd(t *testing.T) {
	r := random(t)
	n, lambda := reference.N(), reference.Lambda()
	for range 300 {
		var k [Width]scalar.Scalar
		for j := range k {
			x := reference.RandInt(r)
			var b [32]byte
			x.FillBytes(b[:])
			k[j].SetBytes(&b)
		}
		for _, l := range []uint{129, 130, 132, 135, 192} {
			var b [2][3]Vector
			SplitOdd(&b[0], &b[1], &k, l)
			for j := range k {
				var d [2]*big.Int
				for i := range d {
					d[i] = new(big.Int)
					for w := 2; w >= 0; w-- {
						d[i].Lsh(d[i], 64).Add(d[i], new(big.Int).SetUint64(b[i][w][j]))
					}
					if d[i].BitLen() > int(l) {
						t.Fatalf("%d bits", d[i].BitLen())
					}
					d[i].Lsh(d[i], 1).Sub(d[i], new(big.Int).Lsh(big.NewInt(1), l)).Add(d[i], big.NewInt(1))
				}
				d[1].Mul(d[1], lambda).Add(d[1], d[0]).Mod(d[1], n)
				var bytes [32]byte
				k[j].PutBytes(&bytes)
				if d[1].Cmp(new(big.Int).SetBytes(bytes[:])) != 0 {
					t.Fatal("split")
				}
			}
		}
	}
}
