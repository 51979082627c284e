package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Ring is the integers modulo a number, in which a kernel computes. Inputs are any integers below
// 2^256, which represent their residues.
type Ring struct {
	Modulus *big.Int
	// Canonical: results are below the modulus. Otherwise they are only below 2^256.
	Canonical bool
}

// Field returns the integers modulo p. Field kernels leave results below 2^256.
func Field() Ring { return Ring{reference.P(), false} }

// Scalars returns the integers modulo n. Scalar kernels leave results below n.
func Scalars() Ring { return Ring{reference.N(), true} }

// check returns a function that compares the result param with want.
func (g Ring) check(param string, want *big.Int) func(Values) error {
	want = new(big.Int).Mod(want, g.Modulus)
	return func(out Values) error {
		got := Int(out[param])
		if g.Canonical && got.Cmp(g.Modulus) >= 0 {
			return fmt.Errorf("%#x is not below the modulus", got)
		}
		if new(big.Int).Mod(got, g.Modulus).Cmp(want) != 0 {
			return fmt.Errorf("%#x, want %#x", got, want)
		}
		return nil
	}
}

// Multiplications returns calls of a kernel that sets v = a·b. They alias v with a, with b, with
// both and with neither; a and b may also be the same buffer.
func (g Ring) Multiplications(v, a, b string, r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, ab := range Pairs(g.Modulus, r, n, full) {
		x, y := ab[0], ab[1]
		// The step of 5 has no common factor with the 4 kinds of Pairs, so each meets every
		// aliasing.
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

// Squarings returns calls of a kernel that sets v = a^(2^times). count names the argument that
// holds the number of squarings; it is empty if the kernel has none.
func (g Ring) Squarings(v, a, count string, times []int, r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, x := range Bases(g.Modulus, r, n, full) {
		t := times[k%len(times)]
		// Aim the target at the result of any of the squarings.
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

// SquaringsOrNot returns the calls of Squarings for a variable-time kernel. That kernel may leave v
// unchanged and return 0 if a carry passes the limbs that it handles. Random numbers practically
// never cause such a carry, and the numbers aimed at it do. One call in four has only random
// numbers.
func (g Ring) SquaringsOrNot(v, a, count, result string, times []int, r *rand.Rand, n int) []*Call {
	out := g.Squarings(v, a, count, times, r, n, false)
	for k, c := range out {
		aimed, right := k%4 != 0, c.Check
		in, sum := &c.Buffers[0], &c.Buffers[1]
		if !aimed {
			x := random(r, 256)
			in.In = Limbs(x)
			t := new(big.Int).Lsh(big.NewInt(1), uint(c.Numbers[0].Value))
			right = g.check(v, new(big.Int).Exp(x, t, g.Modulus))
		}
		before := in.In
		if sum.Same == "" {
			before = Limbs(random(r, 256))
			sum.In = before
		}
		c.Results = []string{result}
		c.Check = func(out Values) error {
			switch out[result][0] {
			case 1:
				return right(out)
			case 0:
				if aimed {
					return untouched(out[v], before)
				}
			}
			return fmt.Errorf("the result is %d", out[result][0])
		}
	}
	return out
}

// rootOf returns a square root modulo m of x or of −x. m must be a prime ≡ 3 mod 4.
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

// DoublingsInPlace returns calls of a kernel that doubles the point v up to count times. The result
// named left is the number of doublings that the kernel did not do because a carry passed the limbs
// that it handles. Random numbers practically never cause such a carry, and the numbers aimed at it
// do. One call in four has three random coordinates; the kernel must do all of its doublings.
func DoublingsInPlace(v, count, left string, times []int, r *rand.Rand, n int) []*Call {
	var out []*Call
	for k := range n {
		t := times[k%len(times)]
		aimed := k%4 != 0
		x := DoubleInput(r).Loose(r)
		if !aimed {
			x = Jacobian{random(r, 256), random(r, 256), random(r, 256)}
		}
		out = append(out, &Call{
			Name:    fmt.Sprintf("%v doubled %d times, aimed: %v", x, t, aimed),
			Buffers: []Buffer{{Param: v, Words: 12, In: x.Words(), Out: true}},
			Numbers: []Number{{Param: count, Value: uint64(t)}},
			Results: []string{left},
			Check: func(out Values) error {
				l := out[left][0]
				switch {
				case l > uint64(t) || l != 0 && !aimed:
					return fmt.Errorf("%d of %d doublings are left", l, t)
				case l == uint64(t):
					return untouched(out[v], x.Words())
				}
				want := x
				for range uint64(t) - l {
					want = want.Double()
				}
				return PointCheck(v, want)(out)
			},
		})
	}
	return out
}

// untouched returns an error if words differ from before.
func untouched(words, before []uint64) error {
	if !slices.Equal(words, before) {
		return fmt.Errorf("%#x, which was %#x and should be left alone", words, before)
	}
	return nil
}

// A Sum is the two points of an addition.
type Sum struct {
	A, B Jacobian
	Kind string
}

// Sums returns pairs of points with different x that are aimed at products that are hard to reduce.
// If exceptions is set, it also returns equal points, opposite points and points at infinity, each
// with several denominators.
func Sums(r *rand.Rand, n int, mixed, exceptions bool) []Sum {
	var out []Sum
	for k := range n {
		a, b := AddInput(r, mixed)
		s := Sum{a, b, "general"}
		if exceptions && k%3 == 2 {
			s = exception(r, a, b, mixed, k/3)
		}
		if r.IntN(3) != 0 { // a third keep the representation that the aim needs
			s.A = s.A.Loose(r)
			z := s.B.Z
			s.B = s.B.Loose(r)
			if mixed {
				s.B.Z = z
			}
		}
		out = append(out, s)
	}
	return out
}

// exception changes a pair of points to one that has no chord: equal, opposite or infinite points.
func exception(r *rand.Rand, a, b Jacobian, mixed bool, k int) Sum {
	zero := new(big.Int)
	// Represent the point b with another denominator.
	z := divP(a.Z, b.Z)
	zz := mulP(z, z)
	same := Jacobian{mulP(b.X, zz), mulP(b.Y, zz, z), a.Z}
	infinite := Jacobian{a.X, a.Y, zero}
	if k%2 == 1 { // infinity with Z = 0 or with Z = p
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
		// The point λ·b has the same y and another x.
		return Sum{Jacobian{mulP(reference.Beta(), same.X), same.Y, same.Z}, b, "same y"}
	}
	return Sum{infinite, Jacobian{b.X, b.Y, zero}, "both infinite"}
}

// An Addition names the arguments of a kernel that sets Sum = A + B.
type Addition struct {
	Sum, A, B string
	// Mixed: B is affine.
	Mixed bool
	// Scale names the argument s if B represents (x·s², y·s³). Otherwise it is empty.
	Scale string
	// Result names a result that is 1, or 0 if the kernel leaves Sum unchanged: because the points
	// have the same x, or because a carry passes the limbs that the kernel handles. Random points
	// practically never cause such a carry, and the numbers aimed at it do. One call in four has
	// random points only.
	Result string
	// Exact applies if Result is empty: equal points give X ≡ Z ≡ 0, and opposite points give Z ≡ 0
	// and X ≢ 0. If Exact is false, the kernel is never called with equal points.
	Exact bool
}

// Calls returns calls of the kernel. No point is at infinity.
func (d Addition) Calls(r *rand.Rand, n int) []*Call {
	var out []*Call
	for k, s := range Sums(r, n, d.Mixed, true) {
		if s.A.IsInfinity() || s.B.IsInfinity() || d.Result == "" && !d.Exact && s.A.Same(s.B) {
			continue
		}
		aimed := d.Result == "" || k%4 != 0
		if !aimed {
			s = randomSum(r, d.Mixed)
		}
		a := Buffer{Param: d.A, Words: 12}
		b := Buffer{Param: d.B, Words: 12, In: s.B.Words()}
		sum := Buffer{Param: d.Sum, Words: 12, Out: true}
		if d.Mixed {
			b.Words, b.In = 8, s.B.Affine()
		}
		c := &Call{}
		if d.Scale != "" {
			f := d.scale(r, &s)
			c.Buffers = append(c.Buffers, Buffer{Param: d.Scale, Words: 4, In: Limbs(f)})
		}
		a.In = s.A.Words()
		switch {
		case k%3 == 1:
			sum.Same = d.A
		case k%3 == 2 && !d.Mixed:
			sum.Same = d.B
		}
		c.Name = fmt.Sprintf("%s: %v + %v, memory %q", s.Kind, s.A, s.B, sum.Same)
		before := a.In
		switch {
		case d.Result == "":
		case sum.Same == d.B:
			before = b.In
		case sum.Same == "":
			before = Jacobian{Unit(p, r), Unit(p, r), Unit(p, r)}.Words()
			sum.In = before
		}
		u1, _, u2, _ := s.A.parts(s.B)
		switch {
		case u1.Cmp(u2) != 0 && d.Result != "" && aimed:
			sum, alone := d.point(s.A.Chord(s.B), 1), d.untouched(before)
			c.Check = func(out Values) error {
				if out[d.Result][0] == 0 {
					return alone(out)
				}
				return sum(out)
			}
		case u1.Cmp(u2) != 0:
			c.Check = d.point(s.A.Chord(s.B), 1)
		case d.Result != "":
			c.Check = d.untouched(before)
		default:
			c.Check = d.infinity(s.A.Same(s.B))
		}
		if d.Result != "" {
			c.Results = []string{d.Result}
		}
		c.Buffers = append(c.Buffers, a, b, sum)
		out = append(out, c)
	}
	return out
}

// randomSum returns two points with random coordinates. If mixed is set, the second has Z = 1.
func randomSum(r *rand.Rand, mixed bool) Sum {
	number := func() *big.Int { return random(r, 256) }
	s := Sum{Jacobian{number(), number(), number()}, Jacobian{number(), number(), number()}, "random"}
	if mixed {
		s.B.Z = big.NewInt(1)
	}
	return s
}

// scale divides the denominator of s.A by a random number, which it returns, and scales s.B by the
// same number. The intermediate values of the sum stay the same.
func (d Addition) scale(r *rand.Rand, s *Sum) *big.Int {
	z := new(big.Int).Mod(s.A.Z, p)
	f := Unit(p, r)
	if s.Kind == "random" {
		f = random(r, 256)
	}
	if t := goal(r); z.Cmp(big.NewInt(1)) == 0 && r.IntN(4) != 0 {
		f = big.NewInt(1) // small coordinates stay small
	} else if t.Sign() != 0 && s.Kind != "random" {
		switch r.IntN(4) { // include the denominator in the scale, or not
		case 2:
			f = big.NewInt(1)
		case 0:
			f = divP(z, t)
		case 1:
			u1, _, u2, _ := s.A.parts(s.B)
			if h := subP(u2, u1); h.Sign() != 0 {
				f = divP(mulP(z, h), t)
			}
		}
	}
	ff := mulP(f, f)
	s.A.Z = divP(z, f)
	s.B = Jacobian{mulP(s.B.X, ff), mulP(s.B.Y, ff, f), s.B.Z}
	return f
}

func (d Addition) result(out Values, want uint64) error {
	if d.Result != "" && out[d.Result][0] != want {
		return fmt.Errorf("the result is %d", out[d.Result][0])
	}
	return nil
}

// point returns a check of a sum against the point want and the value of the result.
func (d Addition) point(want Jacobian, result uint64) func(Values) error {
	check := PointCheck(d.Sum, want)
	return func(out Values) error {
		if err := d.result(out, result); err != nil {
			return err
		}
		return check(out)
	}
}

// untouched returns a check that the kernel left the sum alone, for points with the same x.
func (d Addition) untouched(before []uint64) func(Values) error {
	return func(out Values) error {
		if err := untouched(out[d.Sum], before); err != nil {
			return err
		}
		return d.result(out, 0)
	}
}

// infinity returns a check for a sum of points with the same x. equal tells equal from opposite
// points.
func (d Addition) infinity(equal bool) func(Values) error {
	return func(out Values) error {
		got := FromWords(out[d.Sum])
		if !got.IsInfinity() {
			return fmt.Errorf("%v is not the point at infinity", got)
		}
		if d.Exact && equal != (mod(got.X).Sign() == 0) {
			return fmt.Errorf("equal points: %v, but X is %#x", equal, got.X)
		}
		return nil
	}
}
