package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// A Ring is the integers modulo Modulus. Kernels compute in it on integers below 2^256, each of
// which represents its residue.
type Ring struct {
	Modulus *big.Int
	// Canonical says that results are below the modulus. Otherwise they are only below 2^256.
	Canonical bool
}

// Field returns the ring of the integers modulo the field prime p. Results of field kernels are
// only below 2^256.
func Field() Ring { return Ring{reference.P(), false} }

// Scalars returns the ring of the integers modulo the group order n. Results of scalar kernels are
// below n.
func Scalars() Ring { return Ring{reference.N(), true} }

// check returns a function that checks a kernel's result. The result named by param must be
// congruent to want modulo g's modulus. If g is canonical, it must also be below the modulus.
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

// Multiplications returns calls of a kernel that sets v = a·b. Successive calls cycle through the
// ways in which the buffers can share memory: no sharing, v with a, v with b, a with b, and
// sometimes all three.
func (g Ring) Multiplications(r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, ab := range Pairs(g.Modulus, r, n, full) {
		x, y := ab[0], ab[1]
		// Pairs returns four kinds of factors in turn, and the switch below has five cases. Since 4
		// and 5 have no common factor, each kind of factors meets every case.
		bx, by := Buffer{Param: "a", Words: 4, In: Limbs(x)}, Buffer{Param: "b", Words: 4, In: Limbs(y)}
		bv := Buffer{Param: "v", Words: 4, Out: true}
		switch k % 5 {
		case 1:
			bv.Same = "a"
		case 2:
			bv.Same = "b"
		case 3:
			by.Same, y = "a", x
		case 4:
			if k%3 == 0 {
				by.Same, bv.Same, y = "a", "a", x
			}
		}
		out = append(out, &Call{
			Name:    fmt.Sprintf("%#x · %#x, memory %d", x, y, k%5),
			Buffers: []Buffer{bx, by, bv},
			Check:   g.check("v", new(big.Int).Mul(x, y)),
		})
	}
	return out
}

// Squarings returns calls of a kernel that sets v = a^(2^times). count is the name of the argument
// that holds the number of squarings; count is empty if the kernel has no such argument.
func (g Ring) Squarings(v, a, count string, times []int, r *rand.Rand, n int, full bool) []*Call {
	var out []*Call
	for k, x := range Bases(g.Modulus, r, n, full) {
		t := times[k%len(times)]
		// Choose x so that the result of one of the squarings is a target that is hard to reduce.
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
// unchanged and return 0 if a carry goes beyond the limbs that it corrects. Random numbers
// practically never cause such a carry, so the kernel must return 1 for the random numbers of one
// call in four. The inputs of the other calls may cause one.
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

// rootOf returns a number whose square is x or −x modulo m. m must be a prime with m ≡ 3 mod 4.
func rootOf(x, m *big.Int) *big.Int {
	if a := new(big.Int).ModSqrt(x, m); a != nil {
		return a
	}
	return new(big.Int).ModSqrt(new(big.Int).Sub(m, x), m)
}

// Doublings returns calls of a kernel that sets p = 2^n·q by repeated doubling. times lists the n.
func Doublings(times []int, r *rand.Rand, n int) []*Call {
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
			Buffers: []Buffer{{Param: "q", Words: 12, In: x.Words()}, {Param: "p", Words: 12, Out: true}},
			Numbers: []Number{{Param: "n", Value: uint64(t)}},
			Check:   PointCheck("p", want),
		}
		if k%2 == 1 {
			c.Buffers[1].Same = "q"
		}
		out = append(out, c)
	}
	return out
}

// DoublingsInPlace returns calls of a kernel that doubles the point p up to n times. The result
// left is the number of doublings that the kernel did not do because a carry went beyond the limbs
// that it corrects. Random coordinates practically never cause such a carry. In one call in four
// the coordinates are random, and the kernel must do all doublings. The coordinates of the other
// calls may cause such a carry.
func DoublingsInPlace(times []int, r *rand.Rand, n int) []*Call {
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
			Buffers: []Buffer{{Param: "p", Words: 12, In: x.Words(), Out: true}},
			Numbers: []Number{{Param: "n", Value: uint64(t)}},
			Results: []string{"left"},
			Check: func(out Values) error {
				l := out["left"][0]
				switch {
				case l > uint64(t) || l != 0 && !aimed:
					return fmt.Errorf("%d of %d doublings are left", l, t)
				case l == uint64(t):
					return untouched(out["p"], x.Words())
				}
				want := x
				for range uint64(t) - l {
					want = want.Double()
				}
				return PointCheck("p", want)(out)
			},
		})
	}
	return out
}

// untouched returns an error if words differs from old, its value before the call.
func untouched(words, old []uint64) error {
	if !slices.Equal(words, old) {
		return fmt.Errorf("%#x, which was %#x and should be left alone", words, old)
	}
	return nil
}

// A Sum is a pair of points to be added.
type Sum struct {
	A, B Jacobian
	Kind string
}

// Sums returns pairs of points with different x, pairs of equal points, of opposite points, and
// with points at infinity, each in several Jacobian representations.
func Sums(r *rand.Rand, n int, mixed bool) []Sum {
	var out []Sum
	for k := range n {
		a, b := AddInput(r, mixed)
		s := Sum{a, b, "general"}
		if k%3 == 2 {
			s = exception(r, a, b, mixed, k/3)
		}
		if r.IntN(3) != 0 { // in a third of the cases, keep the coordinates of AddInput
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

// exception replaces a pair of points by one to which the chord formula does not apply: equal
// points, opposite points, or points at infinity.
func exception(r *rand.Rand, a, b Jacobian, mixed bool, k int) Sum {
	zero := new(big.Int)
	// Represent the point b with a different Z coordinate.
	z := divP(a.Z, b.Z)
	zz := mulP(z, z)
	same := Jacobian{mulP(b.X, zz), mulP(b.Y, zz, z), a.Z}
	infinite := Jacobian{a.X, a.Y, zero}
	if k%2 == 1 { // represent infinity with Z = 0 or with Z = p
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
		// Use the point λ·b, which has the same y as b and another x.
		return Sum{Jacobian{mulP(reference.Beta(), same.X), same.Y, same.Z}, b, "same y"}
	}
	return Sum{infinite, Jacobian{b.X, b.Y, zero}, "both infinite"}
}

// An Addition describes a kernel that adds two points: p = q + a for an affine a, or p = q + r.
type Addition struct {
	Mixed bool // the second point is a
	// Scaled says that the second point is (x·s², y·s³) for the affine point a = (x, y) and the
	// argument s.
	Scaled bool
	// Vartime says that the kernel has a result ok. It is 1 if the kernel computes the sum. It is 0 if
	// the kernel leaves p unchanged, because the points have the same x, or because a carry goes
	// beyond the limbs that the kernel corrects. Random points practically never cause such a
	// carry, so the result must be 1 for the random points of one call in four. The inputs of the
	// other calls may cause one.
	Vartime bool
	// Exact applies if Vartime is not set. It says that equal points give X ≡ Z ≡ 0, and that opposite
	// points give Z ≡ 0 and X ≢ 0. If Exact is false, the kernel is never called with equal points.
	Exact bool
}

// Calls returns n calls of the kernel and their checks. No point is at infinity.
func (d Addition) Calls(r *rand.Rand, n int) []*Call {
	second := "r"
	if d.Mixed {
		second = "a"
	}
	var out []*Call
	for k, s := range Sums(r, n, d.Mixed) {
		if s.A.IsInfinity() || s.B.IsInfinity() || !d.Vartime && !d.Exact && s.A.Same(s.B) {
			continue
		}
		aimed := !d.Vartime || k%4 != 0
		if !aimed {
			s = randomSum(r, d.Mixed)
		}
		a := Buffer{Param: "q", Words: 12}
		b := Buffer{Param: second, Words: 12, In: s.B.Words()}
		sum := Buffer{Param: "p", Words: 12, Out: true}
		if d.Mixed {
			b.Words, b.In = 8, s.B.Affine()
		}
		c := &Call{}
		if d.Scaled {
			f := d.scale(r, &s)
			c.Buffers = append(c.Buffers, Buffer{Param: "s", Words: 4, In: Limbs(f)})
		}
		a.In = s.A.Words()
		switch {
		case k%3 == 1:
			sum.Same = "q"
		case k%3 == 2 && !d.Mixed:
			sum.Same = second
		}
		c.Name = fmt.Sprintf("%s: %v + %v, memory %q", s.Kind, s.A, s.B, sum.Same)
		before := a.In
		switch {
		case !d.Vartime:
		case sum.Same == second:
			before = b.In
		case sum.Same == "":
			before = Jacobian{Unit(p, r), Unit(p, r), Unit(p, r)}.Words()
			sum.In = before
		}
		u1, _, u2, _ := s.A.parts(s.B)
		chord := u1.Cmp(u2) != 0
		right := PointCheck("p", s.A.Chord(s.B))
		switch {
		case !d.Vartime && chord:
			c.Check = right
		case !d.Vartime:
			c.Check = d.infinity(s.A.Same(s.B))
		default:
			c.Check = func(out Values) error {
				switch {
				case out["ok"][0] == 1 && chord:
					return right(out)
				case out["ok"][0] == 0 && (aimed || !chord):
					return untouched(out["p"], before)
				}
				return fmt.Errorf("the result is %d", out["ok"][0])
			}
		}
		if d.Vartime {
			c.Results = []string{"ok"}
		}
		c.Buffers = append(c.Buffers, a, b, sum)
		out = append(out, c)
	}
	return out
}

// randomSum returns two points with random coordinates. If mixed is set, the second point has Z =
// 1.
func randomSum(r *rand.Rand, mixed bool) Sum {
	number := func() *big.Int { return random(r, 256) }
	s := Sum{Jacobian{number(), number(), number()}, Jacobian{number(), number(), number()}, "random"}
	if mixed {
		s.B.Z = big.NewInt(1)
	}
	return s
}

// scale divides the Z coordinate of s.A by a random number, and returns that number. It scales s.B
// by the same number, so that the intermediate values of the sum stay the same.
func (d Addition) scale(r *rand.Rand, s *Sum) *big.Int {
	z := new(big.Int).Mod(s.A.Z, p)
	f := Unit(p, r)
	switch {
	case s.Kind == "random":
		f = random(r, 256)
	case z.Cmp(big.NewInt(1)) == 0 && r.IntN(4) != 0:
		f.SetInt64(1) // keep the coordinates
	case r.IntN(2) == 0:
		f = coordinate(r, r.IntN(2))
	}
	if f.Sign() == 0 {
		f.SetInt64(1)
	}
	ff := mulP(f, f)
	s.A.Z = divP(z, f)
	s.B = Jacobian{mulP(s.B.X, ff), mulP(s.B.Y, ff, f), s.B.Z}
	return f
}

// infinity returns a check of the kernel's output for the sum of two points with the same x. equal
// says that the points are equal; otherwise they are opposite.
func (d Addition) infinity(equal bool) func(Values) error {
	return func(out Values) error {
		got := FromWords(out["p"])
		if !got.IsInfinity() {
			return fmt.Errorf("%v is not the point at infinity", got)
		}
		if d.Exact && equal != (mod(got.X).Sign() == 0) {
			return fmt.Errorf("equal points: %v, but X is %#x", equal, got.X)
		}
		return nil
	}
}
