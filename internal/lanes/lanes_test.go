package lanes

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

var prime, order = reference.P(), reference.N()

// int returns the number that the limbs represent.
func (e limbs) int() *big.Int { return reference.FromLimbs52(e) }

func toLimbs(x *big.Int) limbs { return reference.Limbs52(x) }

// shapes returns reduced limbs of many kinds: values near the ends of the ranges modulo p and n and
// of machine words, these values plus p, and the smallest and largest limbs.
func shapes() []limbs {
	var all []limbs
	for _, x := range reference.EdgeInts() {
		all = append(all, toLimbs(x), toLimbs(new(big.Int).Add(x, prime)))
	}
	twice := new(big.Int).Lsh(prime, 1)
	for x := int64(0); x < 3; x++ { // only small x have a third representation
		all = append(all, toLimbs(new(big.Int).Add(twice, big.NewInt(x))))
	}
	for pattern := range 32 {
		var ones, nearly limbs
		for i := range ones {
			if pattern>>i&1 == 1 {
				ones[i] = limbMax(i)
				nearly[i] = limbMax(i) - 1
			}
		}
		all = append(all, ones, nearly)
	}
	return all
}

// limbMax returns the maximum of limb i of a reduced element.
func limbMax(i int) uint64 {
	if i == 4 {
		return 1<<49 - 1
	}
	return mask52
}

// randomLimbs returns random reduced limbs, often the smallest or largest ones.
func randomLimbs(r *rand.Rand) (e limbs) {
	for i := range e {
		switch r.IntN(4) {
		case 0:
			e[i] = limbMax(i) - uint64(r.IntN(3))
		case 1:
			e[i] = uint64(r.IntN(3))
		default:
			e[i] = r.Uint64() & limbMax(i)
		}
	}
	return e
}

func elementOf(lane func(j int) limbs) (v Element) {
	for j := range Width {
		e := lane(j)
		v.put(j, &e)
	}
	return v
}

func randomElement(r *rand.Rand) Element {
	return elementOf(func(int) limbs { return randomLimbs(r) })
}

func isReduced(a *Element) bool {
	for i := range a {
		for _, l := range a[i] {
			if l > limbMax(i) {
				return false
			}
		}
	}
	return true
}

func isCanonical(a *Element) bool {
	for j := range Width {
		if a.get(j).int().Cmp(prime) >= 0 {
			return false
		}
	}
	return isReduced(a)
}

// checkLanes fails the test unless every lane j of got is reduced and congruent to want(j).
func checkLanes(t *testing.T, name string, got *Element, want func(j int) *big.Int) {
	t.Helper()
	if !isReduced(got) {
		t.Fatalf("%s: %x is not reduced", name, *got)
	}
	for j := range Width {
		w := new(big.Int).Mod(want(j), prime)
		if g := new(big.Int).Mod(got.get(j).int(), prime); g.Cmp(w) != 0 {
			t.Fatalf("%s, lane %d: %x, want %x", name, j, g, w)
		}
	}
}

func checkMask(t *testing.T, name string, got Mask, want func(j int) bool) {
	t.Helper()
	for j := range Width {
		if got.Has(j) != want(j) {
			t.Fatalf("%s, lane %d: the mask is %08b", name, j, got)
		}
	}
}

func toField(x *big.Int) (v field.Element) {
	l := reference.Words(x)
	return *v.SetLimbs(l[0], l[1], l[2], l[3])
}

func fromField(a *field.Element) *big.Int {
	l := a.Limbs()
	return reference.FromWords(l[:]...)
}

func toScalar(x *big.Int) (v scalar.Scalar) {
	l := reference.Words(new(big.Int).Mod(x, order))
	v.SetLimbs(&l)
	return v
}

func fromScalar(a *scalar.Scalar) *big.Int {
	l := a.Limbs()
	return reference.FromWords(l[:]...)
}

// maskOf returns the mask that contains lane j if bit j of bits is set.
func maskOf(bits int) Mask {
	m := None()
	for j := range Width {
		m.Put(j, uint64(bits)>>j&1)
	}
	return m
}
