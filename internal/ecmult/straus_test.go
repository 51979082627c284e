package ecmult

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// TestSum compares sums with the oracle. All points are small multiples of G, so that many are
// equal or opposite, and scalars include 0, 1, −1, λ and scalars with which products cancel.
func TestSum(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 41))
	order, lambda := reference.N(), reference.Lambda()
	edges := []*big.Int{new(big.Int), big.NewInt(1), big.NewInt(2), big.NewInt(-1), lambda,
		new(big.Int).Neg(lambda), new(big.Int).Rsh(order, 1)}
	infinite := 0
	for i := range 300 {
		n := i % 6
		k, p, numbers := make([]scalar.Scalar, n), make([]point.Affine, n), make([]*big.Int, n)
		total := new(big.Int)
		for j := range k {
			m := big.NewInt(int64(1 + r.IntN(3)))
			if r.IntN(2) == 0 {
				m.Neg(m)
			}
			if r.IntN(4) == 0 {
				m.Mul(m, lambda)
			}
			var q point.Jacobian
			mk := toScalar(new(big.Int).Mod(m, order))
			ScalarBaseMult(&q, &mk)
			p[j].SetJacobian(&q)
			switch {
			case r.IntN(2) == 0:
				numbers[j] = edges[r.IntN(len(edges))]
			case j > 0 && r.IntN(2) == 0: // make the sum so far 0
				numbers[j] = new(big.Int).ModInverse(new(big.Int).Mod(m, order), order)
				numbers[j].Mul(numbers[j], total).Neg(numbers[j])
			default:
				numbers[j] = reference.RandInt(r)
			}
			k[j] = toScalar(new(big.Int).Mod(numbers[j], order))
			total.Add(total, m.Mul(m, numbers[j])).Mod(total, order)
		}
		var s Sum
		var got, want point.Jacobian
		s.Mult(&got, k, p)
		s.Wipe()
		if total.Sign() == 0 {
			infinite++
		}
		tk := toScalar(total)
		if ScalarBaseMult(&want, &tk); got.Equal(&want) != 1 {
			t.Fatalf("%d terms: a sum is wrong: %v", n, numbers)
		}
	}
	if infinite < 60 {
		t.Errorf("only %d sums are infinity", infinite)
	}
}

// TestSumWipe checks that Wipe leaves nothing, and that a second sum leaves nothing of the first.
func TestSumWipe(t *testing.T) {
	var s Sum
	var r point.Jacobian
	k, p := manyScalars(rand.New(rand.NewPCG(42, 42)), 3), make([]point.Affine, 3)
	for i := range p {
		p[i].SetGenerator()
	}
	wiped := func(what string, wipe func()) {
		terms, parallel := s.terms, s.parallel
		wipe()
		for i := range terms {
			if terms[i] != (term{}) {
				t.Errorf("%s: term %d is not wiped", what, i)
			}
		}
		for i := range parallel {
			if parallel[i] != (parallelTerm{}) {
				t.Errorf("%s: term %d is not wiped", what, i)
			}
		}
	}
	s.Mult(&r, k, p)
	wiped("second sum", func() { s.Mult(&r, k[:2], p[:2]) })
	if wiped("Wipe", s.Wipe); s.terms != nil || s.parallel != nil {
		t.Error("Wipe keeps terms")
	}
	if s.scratch != (multScratch{}) || s.digits != (point.Jacobian{}) || s.sum != ([5][4]uint64{}) {
		t.Error("the scratch memory is not wiped")
	}
}

func BenchmarkSum(b *testing.B) {
	for _, n := range []int{2, 3, 8} {
		k, p := manyScalars(rand.New(rand.NewPCG(43, 43)), n), make([]point.Affine, n)
		for i := range p {
			p[i].SetGenerator()
		}
		var r, q point.Jacobian
		b.Run("terms="+string(rune('0'+n)), func(b *testing.B) {
			for range b.N {
				var s Sum
				s.Mult(&r, k, p)
			}
		})
		b.Run("singly="+string(rune('0'+n)), func(b *testing.B) {
			for range b.N {
				r.SetInfinity()
				for i := range k {
					ScalarMult(&q, &k[i], &p[i])
					r.Add(&r, &q)
				}
			}
		})
	}
}
