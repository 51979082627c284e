package ecmult

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

func toElement(x *big.Int) (v field.Element) {
	l := reference.Words(x)
	return *v.SetLimbs(l[0], l[1], l[2], l[3])
}

func fromElement(v *field.Element) *big.Int {
	l := v.Limbs()
	return reference.FromWords(l[:]...)
}

// toScalar returns x mod n.
func toScalar(x *big.Int) (k scalar.Scalar) {
	l := reference.Words(new(big.Int).Mod(x, reference.N()))
	k.SetLimbs(&l)
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
	l := reference.Words(x)
	copy(b[:], l[:])
	return b
}

// garbage returns arbitrary contents for a result variable, which functions must overwrite.
func garbage() (r point.Jacobian) {
	r.X.SetUint64(3)
	r.Y.SetUint64(4)
	r.Z.SetUint64(5)
	return r
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
	// For these, scalarBaseMultLanes adds equal points in the last addition.
	short, _ := reference.ShortVectors()
	k := new(big.Int).Lsh(short[0], 1)
	add(k)
	add(k.Neg(k))
	for _, k := range reference.SplitCorners(1) {
		add(k)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		add(reference.RandInt(r))
	}
	return ks
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
