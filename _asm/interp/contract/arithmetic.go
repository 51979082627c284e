package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Ring is what a kernel computes in, and how strict its values are.
type Ring struct {
	Modulus *big.Int
	// Loose: values are any below 2^256, congruent to what they mean. If not
	// set, they are below the modulus.
	Loose bool
}

// Field returns the integers modulo p, as kernels hold them: loose.
func Field() Ring { return Ring{reference.P(), true} }

// Scalars returns the integers modulo n, which kernels hold canonical.
func Scalars() Ring { return Ring{reference.N(), false} }

// check returns a check of a result against a number.
func (g Ring) check(param string, want *big.Int) func(Values) error {
	want = new(big.Int).Mod(want, g.Modulus)
	return func(out Values) error {
		got := Int(out[param])
		if !g.Loose && got.Cmp(g.Modulus) >= 0 {
			return fmt.Errorf("%#x is not below the modulus", got)
		}
		if new(big.Int).Mod(got, g.Modulus).Cmp(want) != 0 {
			return fmt.Errorf("%#x, want %#x", got, want)
		}
		return nil
	}
}

// Multiplications returns calls of a kernel that sets v = a·b. The output
// shares memory with either factor, with both, or with none; the factors may be
// one.
func (g Ring) Multiplications(v, a, b string, r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, ab := range Pairs(g.Modulus, r, n, g.Loose, full) {
		x, y := ab[0], ab[1]
		// 5 and the 4 kinds of Pairs have no common factor.
		bx, by := Buffer{Param: a, Words: 4, In: Limbs(x)}, Buffer{Param: b, Words: 4, In: Limbs(y)}
		bv := Buffer{Param: v, Words: 4, Out: true}
		switch k % 5 {
		case 1:
			bv.Same = a
		case 2:
			bv.Same = b
		case 3:
			by.Same, y = a, x
		case 4:
			if k%3 == 0 {
				by.Same, bv.Same, y = a, a, x
			}
		}
		out = append(out, &Call{
			Name:    fmt.Sprintf("%#x · %#x, memory %d", x, y, k%5),
			Buffers: []Buffer{bx, by, bv},
			Check:   g.check(v, new(big.Int).Mul(x, y)),
		})
	}
	return out
}

// Squarings returns calls of a kernel that sets v = a^(2^times). The number of
// times is the argument named count, if it has one.
func (g Ring) Squarings(v, a, count string, times []int, r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, x := range Bases(g.Modulus, r, n, g.Loose, full) {
		t := times[k%len(times)]
		// A target may be the result of any of the squarings.
		if x.Cmp(g.Modulus) < 0 && g.Modulus.Bit(1) == 1 {
			for range r.IntN(t) {
				x = rootOf(x, g.Modulus)
			}
		}
		want := new(big.Int).Exp(x, new(big.Int).Lsh(big.NewInt(1), uint(t)), g.Modulus)
		c := &Call{
			Name:    fmt.Sprintf("%#x squared %d times", x, t),
			Buffers: []Buffer{{Param: a, Words: 4, In: Limbs(x)}, {Param: v, Words: 4, Out: true}},
			Check:   g.check(v, want),
		}
		if k%3 == 1 {
			c.Buffers[1].Same = a
		}
		if count != "" {
			c.Numbers = []Number{{Param: count, Value: uint64(t)}}
		}
		out = append(out, c)
	}
	return out
}

// rootOf returns a square root of x or -x modulo m, which is 3 mod 4.
func rootOf(x, m *big.Int) *big.Int {
	if a := new(big.Int).ModSqrt(x, m); a != nil {
		return a
	}
	return new(big.Int).ModSqrt(new(big.Int).Sub(m, x), m)
}

// Doublings returns calls of a kernel that sets v = 2^times·a.
func Doublings(v, a, count string, times []int, r *rand.Rand, n int) []*Call {
	var out []*Call
	for k := range n {
		t := times[k%len(times)]
		x := DoubleInput(r).Loose(r)
		want := x
		for range t {
			want = want.Double()
		}
		c := &Call{
			Name:    fmt.Sprintf("%v doubled %d times", x, t),
			Buffers: []Buffer{{Param: a, Words: 12, In: x.Words()}, {Param: v, Words: 12, Out: true}},
			Check:   PointCheck(v, want),
		}
		if k%2 == 1 {
			c.Buffers[1].Same = a
		}
		if count != "" {
			c.Numbers = []Number{{Param: count, Value: uint64(t)}}
		}
		out = append(out, c)
	}
	return out
}

// A Sum is a pair of points for an addition.
type Sum struct {
	A, B Jacobian
	Kind string
}

// Sums returns pairs of points: with different x, aimed at products that are
// hard to reduce; and if exceptions is set, equal points, opposite points and
// points at infinity, with all denominators.
func Sums(r *rand.Rand, n int, mixed, exceptions bool) []Sum {
	var out []Sum
	for k := range n {
		a, b := AddInput(r, mixed)
		s := Sum{a, b, "general"}
		if exceptions && k%3 == 2 {
			s = exception(r, a, b, mixed, k/3)
		}
		s.A = s.A.Loose(r)
		z := s.B.Z
		s.B = s.B.Loose(r)
		if mixed {
			s.B.Z = z
		}
		out = append(out, s)
	}
	return out
}

// exception changes a pair of points to one that has no chord.
func exception(r *rand.Rand, a, b Jacobian, mixed bool, k int) Sum {
	zero := new(big.Int)
	// a becomes b with another denominator.
	z := divP(a.Z, b.Z)
	zz := mulP(z, z)
	same := Jacobian{mulP(b.X, zz), mulP(b.Y, zz, z), a.Z}
	infinite := Jacobian{a.X, a.Y, zero}
	if k%2 == 1 { // the canonical one, and one with a loose zero
		infinite = Jacobian{big.NewInt(1), big.NewInt(1), []*big.Int{zero, reference.P()}[r.IntN(2)]}
	}
	switch k % 5 {
	case 0:
		return Sum{same, b, "equal"}
	case 1:
		return Sum{same.Neg(), b, "opposite"}
	case 2:
		return Sum{infinite, b, "first infinite"}
	case 3:
		if mixed {
			return Sum{same, b, "equal"}
		}
		return Sum{a, Jacobian{b.X, b.Y, zero}, "second infinite"}
	}
	if mixed {
		// The other point with the same y: only x differs.
		return Sum{Jacobian{mulP(reference.Beta(), same.X), same.Y, same.Z}, b, "same y"}
	}
	return Sum{infinite, Jacobian{b.X, b.Y, zero}, "both infinite"}
}

// MixedSums returns calls of a kernel that sets sum = q + a, a affine, or if
// scale names an argument, q + (x·s², y·s³) for it. If result names one, the
// kernel has a result: 1, or 0 for points with the same x, for which it leaves
// the sum alone. Without one it is not called for equal points.
func MixedSums(sum, q, a, scale, result string, r *rand.Rand, n int) []*Call {
	var out []*Call
	for k, s := range Sums(r, n, true, true) {
		if s.A.IsInfinity() || result == "" && s.A.Same(s.B) {
			continue
		}
		c := &Call{Buffers: []Buffer{
			{Param: q, Words: 12}, {Param: a, Words: 8, In: s.B.Affine()}, {Param: sum, Words: 12, Out: true}}}
		if scale != "" {
			z := new(big.Int).Mod(s.A.Z, p)
			f := Unit(p, r)
			if t := goal(r); t.Sign() != 0 {
				switch r.IntN(4) { // the denominator with the scale, or without
				case 2:
					f = big.NewInt(1)
				case 0:
					f = divP(z, t)
				case 1:
					h := new(big.Int)
					u1, _, u2, _ := s.A.parts(s.B)
					if h = subP(u2, u1); h.Sign() != 0 {
						f = divP(mulP(z, h), t)
					}
				}
			}
			s.A.Z = divP(z, f)
			ff := mulP(f, f)
			c.Buffers = append(c.Buffers, Buffer{Param: scale, Words: 4, In: Limbs(f)})
			s.B = Jacobian{mulP(s.B.X, ff), mulP(s.B.Y, ff, f), s.B.Z}
		}
		c.Buffers[0].In = s.A.Words()
		c.Name = fmt.Sprintf("%s: %v + %v", s.Kind, s.A, s.B)
		if k%2 == 1 {
			c.Buffers[2].Same = q
		}
		want := s.A.Add(s.B)
		c.Check = PointCheck(sum, want)
		if result != "" {
			c.Results = []string{result}
			check := c.Check
			c.Check = func(out Values) error {
				if out[result][0] != 1 {
					return fmt.Errorf("the result is %d", out[result][0])
				}
				return check(out)
			}
			if u1, _, u2, _ := s.A.parts(s.B); u1.Cmp(u2) == 0 {
				before := c.Buffers[0].In
				if c.Buffers[2].Same == "" {
					before = Jacobian{Unit(p, r), Unit(p, r), Unit(p, r)}.Words()
					c.Buffers[2].In = before
				}
				c.Check = func(out Values) error {
					if out[result][0] != 0 {
						return fmt.Errorf("the result is %d", out[result][0])
					}
					if !slices.Equal(out[sum], before) {
						return fmt.Errorf("the sum was written")
					}
					return nil
				}
			}
		}
		out = append(out, c)
	}
	return out
}
