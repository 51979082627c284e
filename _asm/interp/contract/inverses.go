package contract

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// Modulus returns m as the fields of package divsteps' Modulus: the three words of c = 2^256 - m,
// and 1/c modulo 2^64.
func Modulus(m *big.Int) []uint64 {
	c := new(big.Int).Sub(two256, m)
	inv := new(big.Int).ModInverse(c, new(big.Int).Lsh(big.NewInt(1), 64))
	return append(Limbs(c)[:3], inv.Uint64())
}

// inverseModuli returns the moduli for inversions: p, n and the largest 256-bit prime.
func inverseModuli() []*big.Int {
	return []*big.Int{reference.P(), reference.N(), new(big.Int).Sub(two256, big.NewInt(189))}
}

// inverseInput returns an element of [0, m): an edge case, a number near a power of two, the
// inverse of such a number, a number near a fraction of m or near m, or a random number.
func inverseInput(m *big.Int, r *rand.Rand) *big.Int {
	x := new(big.Int)
	switch r.IntN(7) {
	case 0:
		x.SetInt64(r.Int64N(9) - 4)
	case 1, 2:
		x.Lsh(big.NewInt(1), uint(r.IntN(256)))
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	case 3: // near a fraction of m, so that one step of the algorithm reduces it to a small number
		x.Div(new(big.Int).Mul(m, big.NewInt(1+r.Int64N(9))), big.NewInt(1+r.Int64N(9)))
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	case 4:
		x.Lsh(random(r, 1+r.IntN(192)), uint(r.IntN(256)))
	case 5: // the leading words of x and m do not show which is larger
		x.Sub(m, random(r, 1+r.IntN(191)))
	default:
		x = Unit(m, r)
	}
	x.Mod(x, m)
	if r.IntN(3) == 0 && x.Sign() != 0 {
		x.ModInverse(x, m)
	}
	return x
}

// DivisionSteps returns calls of a kernel that runs batches of division steps from (d, e, f, g) =
// (0, 1, m, input). The kernel writes ±d modulo the number that m points to, with the sign of f, to
// the buffer output, and leaves no secret in its frame. With enough batches, ±d is 1/input.
func DivisionSteps(output, input, m, batches string, steps int, r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		c, modulus := inversion(output, input, m, r, k)
		x := Int(c.Buffers[0].In)
		number := []int{1, 2, 1, 3, 10, 2, 1, 10, 15}[k%9]
		d := divisionSteps(modulus, x, steps*number)
		if number >= 10 && x.Sign() != 0 && d.Cmp(new(big.Int).ModInverse(x, modulus)) != 0 {
			panic("enough division steps do not make an inverse")
		}
		c.Numbers = []Number{{Param: batches, Value: uint64(number)}}
		c.Check, c.Wipes = equal(output, d), true
		calls = append(calls, c)
	}
	return calls
}

// PairedSteps returns calls of a kernel that does what DivisionSteps describes for two inputs, a
// modulo m and b modulo n, and replaces both.
func PairedSteps(a, m, b, n, batches string, steps int, r *rand.Rand, count int) []*Call {
	first := DivisionSteps(a, a, m, batches, steps, r, count)
	second := DivisionSteps(b, b, n, batches, steps, r, count+1)[1:] // other moduli than first
	for k, c := range first {
		other := second[k]
		number := int(c.Numbers[0].Value)
		x, modulus := Int(other.Buffers[0].In), inverseModuli()[(k+1)%3]
		c.Name += ", " + other.Name
		left, right := c.Check, equal(b, divisionSteps(modulus, x, steps*number))
		c.Buffers = []Buffer{
			{Param: a, Words: 4, In: c.Buffers[0].In, Out: true},
			{Param: m, Words: 4, In: c.Buffers[1].In, Public: true},
			{Param: b, Words: 4, In: other.Buffers[0].In, Out: true},
			{Param: n, Words: 4, In: other.Buffers[1].In, Public: true},
		}
		c.Check = func(v Values) error { return errors.Join(left(v), right(v)) }
	}
	return first
}

// divisionSteps returns the result ±d after n division steps. It follows their definition, but uses
// 2δ instead of δ, because δ is not an integer.
func divisionSteps(m, x *big.Int, n int) *big.Int {
	d, e, f, g := big.NewInt(0), big.NewInt(1), new(big.Int).Set(m), new(big.Int).Set(x)
	half := func(x *big.Int) *big.Int {
		if x.Bit(0) == 1 {
			x.Add(x, m)
		}
		return x.Rsh(x, 1)
	}
	for delta2 := 1; n > 0; n-- {
		odd := g.Bit(0) == 1
		switch {
		case odd && delta2 > 0:
			delta2 = -delta2
			d, e = e, new(big.Int).Sub(e, d)
			f, g = g, new(big.Int).Sub(g, f)
		case odd:
			e.Add(e, d)
			g.Add(g, f)
		}
		delta2 += 2
		half(e)
		g.Rsh(g, 1)
	}
	if f.Sign() < 0 {
		d.Neg(d)
	}
	return d.Mod(d, m)
}

// equal returns a check that the buffer output holds the number want itself. A number that is only
// congruent to want fails.
func equal(output string, want *big.Int) func(Values) error {
	return func(v Values) error {
		if !slices.Equal(v[output], Limbs(want)) {
			return fmt.Errorf("%#x, want %#x", Int(v[output]), want)
		}
		return nil
	}
}

// inversion returns a call that expects output = 1/input, and the modulus of this inversion.
func inversion(output, input, m string, r *rand.Rand, k int) (*Call, *big.Int) {
	moduli := inverseModuli()
	modulus := moduli[k%len(moduli)]
	x := inverseInput(modulus, r)
	want := new(big.Int)
	if x.Sign() != 0 {
		want.ModInverse(x, modulus)
	}
	c := &Call{
		Name: fmt.Sprintf("1/%#x modulo %#x", x, modulus),
		Buffers: []Buffer{
			{Param: input, Words: 4, In: Limbs(x)},
			{Param: m, Words: 4, In: Modulus(modulus), Public: true},
			{Param: output, Words: 4, Out: true},
		},
		Check: equal(output, want),
	}
	if k/3%2 == 1 {
		c.Buffers[2].Same = input
	}
	return c, modulus
}

// InversionsIn returns calls of a kernel that sets output = 1/input modulo the number that m points
// to (canonical; 0 for 0). The argument runs limits the number of runs, and the result ok says
// whether that limit sufficed. In these calls the limit is exactly the number needed, more than
// that, or one less.
func InversionsIn(output, input, m, runs, ok string, r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		c, modulus := inversion(output, input, m, r, k)
		c.Results = []string{ok}
		limit, done := runsOf(modulus, Int(c.Buffers[0].In)), uint64(1)
		switch k % 4 {
		case 0:
			limit += r.IntN(50)
		case 1:
			limit, done = limit-1, 0
			before := c.Buffers[0].In
			if c.Buffers[2].Same == "" {
				before = []uint64{r.Uint64(), 2, 3, 4}
				c.Buffers[2].In = before
			}
			c.Check = equal(output, Int(before))
		}
		c.Numbers = []Number{{Param: runs, Value: uint64(limit)}}
		right := c.Check
		c.Check = func(v Values) error {
			if v[ok][0] != done {
				return fmt.Errorf("after %d runs the result is %d", limit, v[ok][0])
			}
			return right(v)
		}
		calls = append(calls, c)
	}
	return calls
}

// runsOf returns the number of runs of 63 halvings that the binary Euclidean algorithm needs for x
// and m.
func runsOf(m, x *big.Int) (runs int) {
	a, b := x, m
	for {
		runs++
		a, b = euclidRun(a, b, 63)
		a.Abs(a)
		b.Abs(b)
		if a.Sign() == 0 {
			return runs
		}
	}
}

// euclidRun returns a and b after a run of halvings of the binary Euclidean algorithm. At the start
// of the run, it takes the 64 leading bits of both numbers. During the run, it compares the
// remainders of these leading bits instead of the numbers. So the results may be negative.
func euclidRun(a, b *big.Int, halvings int) (*big.Int, *big.Int) {
	a, b = new(big.Int).Set(a), new(big.Int).Set(b)
	shift := uint(max(a.BitLen(), b.BitLen(), 64) - 64)
	ah, bh := new(big.Int).Rsh(a, shift), new(big.Int).Rsh(b, shift)
	for range halvings {
		if a.Bit(0) == 1 {
			if ah.Cmp(bh) < 0 {
				a, b, ah, bh = b, a, bh, ah
			}
			a, ah = new(big.Int).Sub(a, b), new(big.Int).Sub(ah, bh)
		}
		a.Rsh(a, 1)
		ah.Rsh(ah, 1)
	}
	return a, b
}
