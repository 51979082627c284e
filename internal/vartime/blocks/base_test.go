package blocks

import (
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// meeting returns scalars k for which the last addition of Lanes.ScalarBaseMult adds two equal
// points.
//
// Split k as k1 + k2·λ. Write k2 as T + d·2^120, where d is its top odd digit and T is the sum of
// its lower digits, each times its power of two. The last addition adds d·2^120·λ·G to (k1 +
// T·λ)·G. These points are equal if k1 + (T − d·2^120)·λ ≡ 0 modulo n. So k1 = u and T − d·2^120 =
// v for a vector (u, v) of the lattice u + v·λ ≡ 0 in docs/endomorphism.md. It follows that k = u +
// (v + d·2^121)·λ. This holds for short vectors (u, v) of odd numbers and for odd d with |T| = |v +
// d·2^120| < 2^120.
func meeting() (ks []*big.Int) {
	n, lambda := reference.N(), reference.Lambda()
	a1, _ := new(big.Int).SetString("3086d221a7d46bcde86c90e49284eb15", 16)
	b1, _ := new(big.Int).SetString("e4437ed6010e88286f547fa90abfe4c3", 16)
	for c1 := int64(-2); c1 <= 2; c1++ {
		for c2 := int64(-2); c2 <= 2; c2++ {
			// The vector (u, v) is c1·(a1, −b1) + c2·(a1 + b1, a1), a combination of the two
			// vectors that generate the lattice.
			a2 := new(big.Int).Add(a1, b1)
			u := new(big.Int).Add(mul(c1, a1), mul(c2, a2))
			v := new(big.Int).Sub(mul(c2, a1), mul(c1, b1))
			for d := int64(-1023); d <= 1023; d += 2 {
				rest := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(d), 120))
				if rest.BitLen() > 120 || u.Bit(0) == 0 || v.Bit(0) == 0 {
					continue
				}
				k := new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(d), 121))
				k.Mul(k, lambda).Add(k, u)
				ks = append(ks, k.Mod(k, n))
			}
		}
	}
	return ks
}

func mul(c int64, x *big.Int) *big.Int { return new(big.Int).Mul(big.NewInt(c), x) }

// TestScalarBaseMult checks that multiples of G are those that package reference computes, and that
// no result depends on the rows in the other lanes.
func TestScalarBaseMult(t *testing.T) {
	c := reference.Secp256k1()
	rnd := rand.New(rand.NewSource(40))
	var ks []*big.Int
	for _, k := range reference.EdgeInts() {
		ks = append(ks, k.Mod(k, c.Order))
	}
	ks = append(ks, vartimetest.Special()...)
	ks = append(ks, meeting()...)
	for len(ks)%8 != 5 {
		ks = append(ks, new(big.Int).Mod(reference.RandInt(rnd), c.Order))
	}
	a := make([]scalar.Scalar, len(ks))
	for i, k := range ks {
		a[i] = *vartimetest.Scalar(new(big.Int).Mod(k, c.Order))
	}
	want := make([]reference.Point, len(ks))
	for i, k := range ks {
		want[i] = c.ScalarMult(new(big.Int).Mod(k, c.Order), c.G)
	}
	vartimetest.OnLanes(t, func(t *testing.T) {
		w := NewLanes(1)
		for _, n := range []int{0, 1, 7, 8, 9, len(a)} {
			r := make([]point.Jacobian, n)
			w.ScalarBaseMult(r, a[len(a)-n:])
			for i := range r {
				if at := len(a) - n + i; !vartimetest.Reference(&r[i]).Equal(want[at]) {
					t.Errorf("%x·G is wrong among %d", ks[at], n)
				}
			}
		}
		met := 0
		for _, k := range meeting() {
			acc := NewLanes(1).sumBase([]scalar.Scalar{*vartimetest.Scalar(k)})
			if acc.Z.IsZero().Has(0) {
				met++
			}
		}
		if met == 0 {
			t.Error("no equal addends have met")
		}
		t.Logf("equal addends met for %d of %d scalars", met, len(meeting()))
		r := make([]point.Jacobian, 20)
		if n := testing.AllocsPerRun(10, func() { w.ScalarBaseMult(r, a[:20]) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

// TestAddBaseMult checks that sums of points and multiples of G are those of package reference,
// also if both are equal or opposite, if the multiple is infinity, or if its own sum meets equal
// addends. No result may depend on the rows in the other lanes.
func TestAddBaseMult(t *testing.T) {
	c := reference.Secp256k1()
	rnd := rand.New(rand.NewSource(42))
	var ks []*big.Int
	for _, k := range append(reference.EdgeInts(), meeting()...) {
		ks = append(ks, new(big.Int).Mod(k, c.Order))
	}
	for range 21 {
		ks = append(ks, new(big.Int).Mod(reference.RandInt(rnd), c.Order))
	}
	n := len(ks)
	a, p, want := make([]scalar.Scalar, n), make([]point.Affine, n), make([]reference.Point, n)
	for i, k := range ks {
		multiple := c.ScalarMult(k, c.G)
		addend := multiple
		if i%3 == 1 {
			addend = c.Neg(addend)
		}
		if i%3 == 2 || addend.IsInfinity() {
			addend = c.ScalarMult(big.NewInt(int64(i+1)), c.G)
		}
		a[i] = *vartimetest.Scalar(k)
		p[i] = *vartimetest.Affine(addend)
		want[i] = c.Add(addend, multiple)
	}
	vartimetest.OnLanes(t, func(t *testing.T) {
		w := NewLanes(1)
		for _, n := range []int{0, 1, 7, 8, 9, n} {
			r := make([]point.Jacobian, n)
			from := len(a) - n
			w.AddBaseMult(r, a[from:], p[from:])
			for i := range r {
				if !vartimetest.Reference(&r[i]).Equal(want[from+i]) {
					t.Errorf("row %d of %d is wrong: %x·G", i, n, ks[from+i])
				}
			}
		}
		r := make([]point.Jacobian, 20)
		if n := testing.AllocsPerRun(10, func() { w.AddBaseMult(r, a[:20], p[:20]) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func BenchmarkScalarBaseMult(b *testing.B) {
	rnd := rand.New(rand.NewSource(41))
	a, r := make([]scalar.Scalar, 64), make([]point.Jacobian, 64)
	for i := range a {
		a[i] = *vartimetest.Scalar(new(big.Int).Mod(reference.RandInt(rnd), reference.N()))
	}
	w := NewLanes(len(a))
	for b.Loop() {
		w.ScalarBaseMult(r, a)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(a)), "ns/row")
}
