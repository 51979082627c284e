package contract

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"github.com/koblitz-go/koblitz/internal/reference"
)

// Modulus returns the words that stand for m = 2^256 - c in package divsteps: c,
// three words long, and 1/c modulo 2^64.
func Modulus(m *big.Int) []uint64 {
	c := new(big.Int).Lsh(big.NewInt(1), 256)
	c.Sub(c, m)
	inv := new(big.Int).ModInverse(c, new(big.Int).Lsh(big.NewInt(1), 64))
	return append(Limbs(c)[:3], inv.Uint64())
}

// inverseModuli are those of the curve, and the largest prime of 256 bits.
func inverseModuli() []*big.Int {
	largest := new(big.Int).Lsh(big.NewInt(1), 256)
	return []*big.Int{reference.P(), reference.N(), largest.Sub(largest, big.NewInt(189))}
}

// inverseInput returns an element of [0, m): an edge, a power of two or close to
// one, the inverse of such, a fraction of m, or random.
func inverseInput(m *big.Int, r *rand.Rand) *big.Int {
	x := new(big.Int)
	switch r.IntN(6) {
	case 0:
		x.SetInt64(r.Int64N(9) - 4)
	case 1, 2:
		x.Lsh(big.NewInt(1), uint(r.IntN(256)))
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	case 3: // close to a fraction: a step brings it down to little
		x.Div(new(big.Int).Mul(m, big.NewInt(1+r.Int64N(9))), big.NewInt(1+r.Int64N(9)))
		x.Add(x, big.NewInt(r.Int64N(5)-2))
	case 4:
		x.Lsh(random(r, 1+r.IntN(192)), uint(r.IntN(256)))
	default:
		x = Unit(m, r)
	}
	x.Mod(x, m)
	if r.IntN(3) == 0 && x.Sign() != 0 {
		x.ModInverse(x, m)
	}
	return x
}

// Inversions returns calls of a kernel that sets out = 1/in modulo what m points
// to, canonical, 0 for 0.
func Inversions(out, in, m string, r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		calls = append(calls, inversion(out, in, m, r, k))
	}
	return calls
}

func inversion(out, in, m string, r *rand.Rand, k int) *Call {
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
			{Param: in, Words: 4, In: Limbs(x)},
			{Param: m, Words: 4, In: Modulus(modulus), Public: true},
			{Param: out, Words: 4, Out: true},
		},
		Check: func(v Values) error {
			if !slices.Equal(v[out], Limbs(want)) {
				return fmt.Errorf("%#x, want %#x", Int(v[out]), want)
			}
			return nil
		},
	}
	if k%2 == 1 {
		c.Buffers[2].Same = in
	}
	return c
}

// InversionsIn returns such calls of a kernel that makes at most so many runs, and
// returns in ok whether they were enough. They are more than enough, or, for one
// call in eight, they cannot be.
func InversionsIn(out, in, m, runs, ok string, r *rand.Rand, n int) []*Call {
	var calls []*Call
	for k := range n {
		c := inversion(out, in, m, r, k)
		c.Results = []string{ok}
		limit, done := 9+r.IntN(50), uint64(1)
		// At the end 0 = u·x - v·m with u + v ≤ 2^(63·runs), so that the prime m
		// divides u, and there are at least five runs.
		x := Int(c.Buffers[0].In)
		if k%8 == 0 && x.Sign() != 0 {
			limit, done = r.IntN(5), 0
			before := c.Buffers[0].In
			if c.Buffers[2].Same == "" {
				before = []uint64{r.Uint64(), 2, 3, 4}
				c.Buffers[2].In = before
			}
			c.Check = func(v Values) error {
				if !slices.Equal(v[out], before) {
					return fmt.Errorf("it gave up and wrote %#x", Int(v[out]))
				}
				return nil
			}
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
