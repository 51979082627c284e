package ecmult

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
)

func TestScalarMult(t *testing.T) {
	c := reference.Secp256k1()
	rnd := rand.New(rand.NewPCG(2, 2))
	points := []reference.Point{c.G, c.Neg(c.G), c.MulBeta(c.G)}
	for len(points) < 12 {
		if p, ok := c.LiftX(reference.RandInt(rnd), rnd.IntN(2) == 1); ok {
			points = append(points, p)
		}
	}
	for i, k := range edgeScalars() {
		p := points[i%len(points)]
		s, a := toScalar(k), toAffine(p)
		if i%3 == 0 {
			a.X, a.Y = notCanonical(a.X), notCanonical(a.Y)
		}
		before, beforeA := s, a
		r := garbage()
		ScalarMult(&r, &s, &a)
		if !fromJacobian(&r).Equal(c.ScalarMult(k, p)) {
			t.Errorf("%x·(%x, %x) is wrong", k, p.X, p.Y)
		}
		if s != before || a != beforeA {
			t.Errorf("%x·(%x, %x) changes its arguments", k, p.X, p.Y)
		}
	}
}

// TestScalarMultParallel compares scalarMultParallel to ScalarMultIsomorphic. The formulas of
// package vector hold for the curve's own b only, so no small group can replace it.
func TestScalarMultParallel(t *testing.T) {
	rnd := reference.Rand(t)
	ks := edgeScalars()
	for range cputest.Cases(3000, 20_000) {
		ks = append(ks, reference.RandInt(rnd))
	}
	var p, next point.Affine
	p.SetGenerator()
	for i, k := range ks {
		s, a := toScalar(k), p
		if i%3 == 0 {
			a.X, a.Y = notCanonical(a.X), notCanonical(a.Y)
		}
		before, beforeA := s, a
		got, want := garbage(), garbage()
		scalarMultParallel(&got, &s, &a)
		if s != before || a != beforeA {
			t.Fatalf("%x·%+v: the arguments change", k, p)
		}
		ScalarMultIsomorphic(&want, &s, &a)
		if got.IsInfinity() != want.IsInfinity() || !got.Equal(&want).Bool() {
			t.Fatalf("%x·%+v is wrong", k, p)
		}
		if next.SetJacobian(&got).Bool() {
			p = next
		}
	}
}

func TestMultiples(t *testing.T) {
	for _, c := range reference.Curves() {
		points := []reference.Point{c.G, c.Neg(c.Double(c.G)), c.ScalarMult(big.NewInt(5), c.G)}
		for _, count := range []int{1, 2, 4, 8, 16} {
			if c.Order.Cmp(big.NewInt(int64(2*count-1))) <= 0 {
				continue
			}
			for _, p := range points {
				var m multiples
				a := toAffine(p)
				m.set(&a, count)
				for i := range count {
					want := c.ScalarMult(big.NewInt(int64(2*i+1)), p)
					for _, e := range []struct {
						entry point.Entry
						want  reference.Point
					}{{m.p[i], want}, {m.lambdaP[i], c.MulBeta(want)}} {
						var a point.Affine
						a.SetEntry(&e.entry, 0)
						r := point.Jacobian{X: a.X, Y: a.Y, Z: m.z}
						if !fromJacobian(&r).Equal(e.want) {
							t.Errorf("order %d: multiple %d of %d is wrong", c.Order, 2*i+1, count)
						}
					}
				}
			}
		}
	}
}

// TestMultSmallGroups checks that mult computes the right products of points of small groups with
// every pair of numbers that the windows can represent. The expected product uses the halves as
// integers, because the small group has another λ and another order.
func TestMultSmallGroups(t *testing.T) {
	for _, c := range reference.SmallCurves() {
		all := c.Points()
		order, lambda := c.Order.Int64(), c.Lambda.Int64()
		for _, shape := range []struct {
			w       uint
			windows int
		}{{1, 5}, {1, 6}, {2, 1}, {2, 3}, {3, 1}, {3, 2}, {4, 1}, {5, 1}} {
			if int64(1)<<shape.w-1 >= order {
				continue
			}
			t.Run(fmt.Sprint(order, shape), func(t *testing.T) {
				for j, p := range all[1:] {
					if order > 13 && j%40 != 0 {
						continue
					}
					var m multiples
					a := toAffine(p)
					m.set(&a, 1<<(shape.w-1))
					l := shape.w * uint(shape.windows)
					for b1 := range int64(1) << l {
						for b2 := range int64(1) << l {
							var s multScratch
							s.b1[0], s.b2[0] = uint64(b1), uint64(b2)
							r := garbage()
							m.mult(&r, &s, shape.w, shape.windows, true)
							d1, d2 := 2*b1-(1<<l-1), 2*b2-(1<<l-1)
							k := ((d1+d2*lambda)*int64(j+1)%order + order) % order
							if !fromJacobian(&r).Equal(all[k]) {
								t.Fatalf("(%d + %d·λ)·%dG is wrong", d1, d2, j+1)
							}
						}
					}
				}
			})
		}
	}
}

// halves returns the odd numbers d_1 and d_2 that s.b1 and s.b2 represent: d_j = 2·b_j − (2^l − 1).
func halves(s *multScratch, l uint) (d1, d2 *big.Int) {
	all := new(big.Int).Lsh(big.NewInt(1), l)
	all.Sub(all, big.NewInt(1))
	d1 = new(big.Int).Lsh(reference.FromWords(s.b1[:]...), 1)
	d2 = new(big.Int).Lsh(reference.FromWords(s.b2[:]...), 1)
	return d1.Sub(d1, all), d2.Sub(d2, all)
}

// join returns u + v·λ.
func join(u, v *big.Int) *big.Int {
	x := new(big.Int).Mul(v, reference.Lambda())
	return x.Add(x, u)
}

// TestMultExceptions checks that the integers in every incomplete addition of the method mult are
// in the ranges that the comment on it claims. TestRecode checks that they add up.
func TestMultExceptions(t *testing.T) {
	const l = multWindow * multWindows
	longest, last := 0, 0
	for _, k := range edgeScalars() {
		var s multScratch
		ks := toScalar(k)
		s.recode(&ks, l)
		d1, d2 := halves(&s, l)
		if sum := join(d1, d2); sum.Mod(sum, reference.N()).Cmp(k) != 0 {
			t.Fatalf("%x is split as %x + %x·λ", k, d1, d2)
		}
		longest = max(longest, d1.BitLen(), d2.BitLen())

		uv := [2]*big.Int{new(big.Int), new(big.Int)}
		for i := multWindows - 1; i >= 0; i-- {
			uv[0].Lsh(uv[0], multWindow)
			uv[1].Lsh(uv[1], multWindow)
			for j, b := range []*[5]uint64{&s.b1, &s.b2} {
				term := [2]*big.Int{new(big.Int), new(big.Int)}
				term[j] = digit(b, uint(i)*multWindow, multWindow)
				found := exceptional(join(uv[0], uv[1]), join(term[0], term[1]))
				uv[j].Add(uv[j], term[j])
				if i == multWindows-1 && j == 0 {
					continue // not an addition: the first entry is copied
				}
				if found && i == 0 {
					last++
				}
				if i > 0 && (found || uv[0].BitLen() > 127 || uv[1].BitLen() > 127) {
					t.Errorf("%x: exception in window %d: %x, %x", k, i, uv[0], uv[1])
				}
			}
		}
	}
	// Check that the scalars are extreme: the corner of a cell of the lattice is at 2/3·√n, and
	// twice this number is between 2^128 and 2^129, so the longest half must have 129 bits.
	if longest != 129 {
		t.Errorf("the longest half has %d bits, want 129", longest)
	}
	if last == 0 {
		t.Error("no exception in the last window")
	}
}

// TestMultLastWindow checks that the multiplication is right in the exceptional cases of the last
// window. These occur only for scalars k = a + b·λ with |a| and |b| at most twice the largest
// digit. The test tries all these scalars. Exactly two must be exceptional: for 0 the sum and the
// last term are opposite, and for −58λ they are equal.
func TestMultLastWindow(t *testing.T) {
	const l, most = multWindow * multWindows, 2<<multWindow - 2
	n := reference.N()
	c := reference.Secp256k1()
	g := toAffine(c.G)
	var found []string
	for a := int64(-most); a <= most; a++ {
		for b := int64(-most); b <= most; b++ {
			k := join(big.NewInt(a), big.NewInt(b))
			k.Mod(k, n)
			var s multScratch
			ks := toScalar(k)
			s.recode(&ks, l)
			d1, d2 := halves(&s, l)
			// The last window makes two additions, of the digits t1 and t2·λ, and the final sum is
			// d1 + d2·λ ≡ k. So before the second addition t2·λ is missing from the sum, and before
			// the first one t1 as well.
			t1, t2 := digit(&s.b1, 0, multWindow), join(new(big.Int), digit(&s.b2, 0, multWindow))
			second := join(d1, d2)
			second.Sub(second, t2)
			first := new(big.Int).Sub(second, t1)
			if exceptional(first, t1) || exceptional(second, t2) {
				found = append(found, fmt.Sprintf("%d%+dλ", a, b))
				var r point.Jacobian
				ScalarMult(&r, &ks, &g)
				if !fromJacobian(&r).Equal(c.ScalarMult(k, c.G)) {
					t.Errorf("(%d%+dλ)·G is wrong", a, b)
				}
			}
		}
	}
	if want := []string{"0-58λ", "0+0λ"}; !slices.Equal(found, want) {
		t.Errorf("exceptions for %v, want %v", found, want)
	}
}
