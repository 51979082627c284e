package ecmult

import (
	"math/big"
	"math/rand"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func toElement(x *big.Int) (v field.Element) {
	var b [32]byte
	v.SetBytes((*[32]byte)(x.FillBytes(b[:])))
	return v
}

func fromElement(v *field.Element) *big.Int {
	var b [32]byte
	v.PutBytes(&b)
	return new(big.Int).SetBytes(b[:])
}

// toScalar returns x mod n.
func toScalar(x *big.Int) (k scalar.Scalar) {
	var b [32]byte
	k.SetBytes((*[32]byte)(new(big.Int).Mod(x, reference.N()).FillBytes(b[:])))
	return k
}

func toAffine(a reference.Point) point.Affine {
	return point.Affine{X: toElement(a.X), Y: toElement(a.Y)}
}

func fromJacobian(p *point.Jacobian) reference.Point {
	var a point.Affine
	if !a.SetJacobian(p).Bool() {
		return reference.Point{}
	}
	return reference.Point{X: fromElement(&a.X), Y: fromElement(&a.Y)}
}

// toBits returns x, which must be below 2^256, in the form that the function window reads.
func toBits(x *big.Int) (b [5]uint64) {
	mask := new(big.Int).SetUint64(1<<64 - 1)
	for i := range b {
		b[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(64*i)), mask).Uint64()
	}
	return b
}

func fromBits(b *[5]uint64) *big.Int {
	x := new(big.Int)
	for i := len(b) - 1; i >= 0; i-- {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(b[i]))
	}
	return x
}

// garbage returns arbitrary contents for a result variable, which functions must overwrite.
func garbage() (r point.Jacobian) {
	r.X.SetUint64(3)
	r.Y.SetUint64(4)
	r.Z.SetUint64(5)
	return r
}

// smallCurves returns the result of reference.SmallCurves, which it computes once for all tests.
// Tests must not change it.
var smallCurves = sync.OnceValue(reference.SmallCurves)

// cyclic returns the multiples 0, G, 2G, … of the generator G of a small group.
func cyclic(c *reference.Curve) []reference.Point {
	all := make([]reference.Point, c.Order.Int64())
	for i := 1; i < len(all); i++ {
		all[i] = c.Add(all[i-1], c.G)
	}
	return all
}

// edgeScalars returns scalars with an extreme half, digit, carry or partial sum, and some random
// scalars.
func edgeScalars() []*big.Int {
	n, one := reference.N(), big.NewInt(1)
	lambda := reference.Lambda()
	seen := map[string]bool{}
	var ks []*big.Int
	add := func(k *big.Int) {
		k = new(big.Int).Mod(k, n)
		if !seen[k.String()] {
			seen[k.String()] = true
			ks = append(ks, k)
		}
	}
	for _, k := range reference.EdgeInts() {
		add(k)
	}
	// These are small multiples of 1, λ and λ². They include the values that digits can have.
	for i := int64(-4); i <= 4; i++ {
		for j := int64(-4); j <= 4; j++ {
			k := new(big.Int).Mul(lambda, big.NewInt(j))
			add(k.Add(k, big.NewInt(i)))
		}
	}
	for _, i := range []int64{7, 15, 16, 17, 29, 31, 32, 33, 58, 61, 62, 63, 64} {
		for _, unit := range []*big.Int{one, lambda, new(big.Int).Mul(lambda, lambda)} {
			k := new(big.Int).Mul(unit, big.NewInt(i))
			add(k)
			add(k.Neg(k))
		}
	}
	// For these scalars, the fixed-base multiplication adds equal points in the last addition.
	for t := int64(1); t < 2<<baseTop; t += 2 {
		k := big.NewInt(2 * t)
		add(k.Lsh(k, (baseBlocks-1)*baseWindow))
		add(k.Neg(k))
	}
	for _, k := range splitExtremes() {
		add(k)
	}
	r := rand.New(rand.NewSource(1))
	for range 100 {
		add(reference.RandInt(r))
	}
	return ks
}

// splitExtremes returns scalars k with the longest halves. The pairs (u, v) with u + vλ ≡ 0 form a
// lattice; (k − 1 − λ)/2 must be near a corner of the cell around a lattice point, that is, near
// thirds and halves of sums of the shortest pairs.
func splitExtremes() []*big.Int {
	n, lambda := reference.N(), reference.Lambda()
	a, b := shortest()
	var ks []*big.Int
	for _, den := range []int64{2, 3, 6} {
		for i := -den; i <= den; i++ {
			for j := -den; j <= den; j++ {
				if i%den == 0 && j%den == 0 {
					continue
				}
				at := func(x, y *big.Int) *big.Int {
					z := new(big.Int).Mul(x, big.NewInt(i))
					z.Add(z, new(big.Int).Mul(y, big.NewInt(j)))
					return z.Div(z, big.NewInt(den))
				}
				u, v := at(a[0], b[0]), at(a[1], b[1])
				s := new(big.Int).Mul(v, lambda)
				s.Add(s, u)
				k := s.Lsh(s, 1)
				k.Add(k, lambda).Add(k, big.NewInt(1))
				ks = append(ks, k.Mod(k, n))
			}
		}
	}
	return ks
}

// shortest returns two shortest pairs (u, v) with u + vλ ≡ 0 mod n that generate all such pairs. It
// runs the extended Euclidean algorithm on n and λ, and stops at the first remainder below the
// square root of n.
func shortest() (a, b [2]*big.Int) {
	root := new(big.Int).Sqrt(reference.N())
	r0, r1 := reference.N(), reference.Lambda()
	t0, t1 := new(big.Int), big.NewInt(1)
	for {
		q := new(big.Int).Div(r0, r1)
		r2 := new(big.Int).Sub(r0, new(big.Int).Mul(q, r1))
		t2 := new(big.Int).Sub(t0, new(big.Int).Mul(q, t1))
		if r1.Cmp(root) < 0 {
			return [2]*big.Int{r1, new(big.Int).Neg(t1)}, [2]*big.Int{r0, new(big.Int).Neg(t0)}
		}
		r0, r1, t0, t1 = r1, r2, t1, t2
	}
}

func TestAllocations(t *testing.T) {
	var r point.Jacobian
	var p point.Affine
	p.SetGenerator()
	k := toScalar(reference.Lambda())
	blinding := NewBlinding(&k)
	for name, f := range map[string]func(){
		"ScalarBaseMult":          func() { ScalarBaseMult(&r, &k) },
		"ScalarMult":              func() { ScalarMult(&r, &k, &p) },
		"Blinding.ScalarBaseMult": func() { blinding.ScalarBaseMult(&r, &k) },
	} {
		if n := testing.AllocsPerRun(10, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestConcurrent checks that many goroutines can use one table and one Blinding at the same time.
func TestConcurrent(t *testing.T) {
	b := toScalar(reference.Gx())
	blinding := NewBlinding(&b)
	var g point.Affine
	g.SetGenerator()
	for i := range int64(8) {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			k := new(big.Int).Mul(reference.Lambda(), big.NewInt(i+2))
			s := toScalar(k)
			want := reference.Secp256k1().ScalarMult(k.Mod(k, reference.N()), reference.Secp256k1().G)
			for range 20 {
				var r1, r2, r3 point.Jacobian
				ScalarBaseMult(&r1, &s)
				ScalarMult(&r2, &s, &g)
				blinding.ScalarBaseMult(&r3, &s)
				for _, r := range []*point.Jacobian{&r1, &r2, &r3} {
					if !fromJacobian(r).Equal(want) {
						t.Errorf("%x·G is wrong", k)
					}
				}
			}
		})
	}
}
