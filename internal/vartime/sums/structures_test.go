package sums

import (
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// walk returns the points (start + i·step)·G for i from 0 to n−1, and their discrete logarithms.
func walk(t testing.TB, n int, start, step *big.Int) ([]point.Affine, []*big.Int) {
	j := make([]point.Jacobian, n)
	logs := make([]*big.Int, n)
	var d point.Jacobian
	vartime.ScalarBaseMult(&d, vartimetest.Scalar(step))
	log := new(big.Int).Set(start)
	for i := range n {
		if i == 0 {
			vartime.ScalarBaseMult(&j[0], vartimetest.Scalar(log))
		} else {
			j[i].AddVartime(&j[i-1], &d)
		}
		logs[i] = new(big.Int).Mod(log, reference.N())
		log.Add(log, step)
	}
	points := make([]point.Affine, n)
	point.BatchToAffineVartime(points, j)
	if slices.Contains(points, point.Affine{}) {
		t.Fatal("infinity on the walk")
	}
	return points, logs
}

// A sumCase is a sum of full and short terms. Point i is logs[i]·G.
type sumCase struct {
	full   []*big.Int    // nil for a term that is not set
	short  [][2]*big.Int // u and v of each short term (u + v·λ)·P
	points []point.Affine
	logs   []*big.Int
}

func toHalf(x *big.Int) scalar.Half {
	var m big.Int
	m.Abs(x)
	h := scalar.Half{Lo: m.Uint64(), Hi: new(big.Int).Rsh(&m, 64).Uint64()}
	if x.Sign() < 0 {
		h.Neg = 1
	}
	return h
}

func (c *sumCase) set(s *Sum) {
	s.Reset(len(c.full), len(c.short))
	for i, k := range c.full {
		if k != nil {
			s.SetFull(i, vartimetest.Scalar(k), &c.points[i])
		}
	}
	for i, k := range c.short {
		u, v := toHalf(k[0]), toHalf(k[1])
		s.SetShort(i, &u, &v, &c.points[len(c.full)+i])
	}
}

// scalar returns the scalar of a full term.
func (c *sumCase) scalar(i int) *scalar.Scalar {
	if c.full[i] == nil {
		return new(scalar.Scalar)
	}
	return vartimetest.Scalar(c.full[i])
}

// log returns the discrete logarithm of the sum.
func (c *sumCase) log() *big.Int {
	sum, t := new(big.Int), new(big.Int)
	for i, k := range c.full {
		if k != nil {
			sum.Add(sum, t.Mul(k, c.logs[i]))
		}
	}
	for i, k := range c.short {
		t.Mul(k[1], reference.Lambda())
		t.Add(t, k[0])
		sum.Add(sum, t.Mul(t, c.logs[len(c.full)+i]))
	}
	return sum.Mod(sum, reference.N())
}

// multipleOfG returns log·G, computed by package reference.
func multipleOfG(log *big.Int) reference.Point {
	c := reference.Secp256k1()
	return c.ScalarMult(new(big.Int).Mod(log, c.Order), c.G)
}

// wantPoint fails the test unless r is want.
func wantPoint(t *testing.T, what string, r *point.Jacobian, want reference.Point) {
	t.Helper()
	if got := vartimetest.Reference(r); !got.Equal(want) {
		t.Errorf("%s: (%x, %x), want (%x, %x)", what, got.X, got.Y, want.X, want.Y)
	}
}

// A structure is a kind of sums. Its points are those of a walk.
type structure struct {
	name        string
	start, step int64 // of the walk; a step of −1 is a random one
	// add adds term i to c, which has all points. It may change point i.
	add func(c *sumCase, r *rand.Rand, i int)
}

// make returns a sum of n terms.
func (s *structure) make(t *testing.T, r *rand.Rand, n int) sumCase {
	var c sumCase
	step := big.NewInt(s.step)
	if s.step < 0 {
		step = uniform(r)
	}
	c.points, c.logs = walk(t, n, big.NewInt(s.start), step)
	for i := range n {
		s.add(&c, r, i)
	}
	return c
}

func (c *sumCase) addFull(k *big.Int) { c.full = append(c.full, k) }

func (c *sumCase) addShort(r *rand.Rand) {
	c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
}

// negate replaces point i by its opposite.
func (c *sumCase) negate(i int) {
	c.points[i].Neg(&c.points[i])
	c.logs[i] = new(big.Int).Neg(c.logs[i])
}

// timesLambda multiplies point i by λ.
func (c *sumCase) timesLambda(i int) {
	c.points[i].MulBeta(&c.points[i])
	c.logs[i] = new(big.Int).Mul(c.logs[i], reference.Lambda())
}

// addUniform adds a full term with a random scalar.
func addUniform(c *sumCase, r *rand.Rand, _ int) { c.addFull(uniform(r)) }

// addFirst adds a full term with the scalar of the first term.
func addFirst(c *sumCase, r *rand.Rand, i int) {
	if addUniform(c, r, i); i > 0 {
		c.full[i] = c.full[0]
	}
}

// addNumber returns a function that adds a full term with a scalar below n.
func addNumber(n int) func(c *sumCase, r *rand.Rand, i int) {
	return func(c *sumCase, r *rand.Rand, _ int) { c.addFull(big.NewInt(int64(r.Intn(n)))) }
}

// sumStructures lists kinds of sums, one kind for each special case of the code.
var sumStructures = []structure{
	{"few are set", 1, -1, func(c *sumCase, r *rand.Rand, i int) {
		if addUniform(c, r, i); i%7 != 1 {
			c.full[i] = nil
		}
	}},
	{"random", 1, -1, addUniform},
	{"unrelated", 1, 1, func(c *sumCase, r *rand.Rand, i int) {
		// If the points were in an arithmetic progression, partial sums would more often be equal to a
		// point. With unrelated points, the sum in lanes must not give up.
		c.points[i], c.logs[i] = unrelated(r)
		if i < 2*len(c.points)/3 {
			c.addFull(reference.RandInt(r))
		} else {
			c.addShort(r)
		}
	}},
	{"edges", 7, 3, func(c *sumCase, r *rand.Rand, _ int) { c.addFull(reference.RandInt(r)) }},
	{"one point", 5, 0, addUniform},
	{"one point and its opposite", 5, 0, func(c *sumCase, r *rand.Rand, i int) {
		if addNumber(3)(c, r, i); r.Intn(2) == 0 {
			c.negate(i)
		}
	}},
	{"one term", 5, 0, addFirst},
	{"one term and its opposite", 5, 0, func(c *sumCase, r *rand.Rand, i int) {
		if addFirst(c, r, i); i%2 == 1 {
			c.negate(i)
		}
	}},
	{"one scalar", 5, -1, addFirst},
	{"all one", 1, 1, func(c *sumCase, _ *rand.Rand, _ int) { c.addFull(big.NewInt(1)) }},
	{"all zero", 1, 1, addNumber(1)},
	{"cancelling pairs", 1, -1, func(c *sumCase, r *rand.Rand, i int) {
		if addUniform(c, r, i); i%2 == 1 {
			c.full[i] = new(big.Int).Neg(c.full[i-1])
			c.points[i], c.logs[i] = c.points[i-1], c.logs[i-1]
		}
	}},
	{"cancelling as a whole", 1, -1, func(c *sumCase, r *rand.Rand, i int) {
		if addUniform(c, r, i); i == len(c.points)-1 {
			c.full[i] = new(big.Int)
			inverse := new(big.Int).ModInverse(c.logs[i], reference.N())
			c.full[i] = inverse.Mul(inverse, c.log()).Neg(inverse)
		}
	}},
	{"points times λ", 5, 0, func(c *sumCase, r *rand.Rand, i int) {
		// The points are P, λ·P and λ²·P, whose sum is zero. Each scalar is 0, 1 or 2 times a power
		// of λ, so every term is 0, 1 or 2 times one of these points.
		addNumber(3)(c, r, i)
		for range r.Intn(3) {
			c.full[i].Mul(c.full[i], reference.Lambda())
		}
		for range i % 3 {
			c.timesLambda(i)
		}
	}},
	{"short", 5, -1, func(c *sumCase, r *rand.Rand, _ int) { c.addShort(r) }},
	{"short and full", 5, -1, func(c *sumCase, r *rand.Rand, i int) {
		if i < len(c.points)/3 {
			c.addFull(reference.RandInt(r))
		} else {
			c.addShort(r)
		}
	}},
}

// structureOf returns the structure with the given name.
func structureOf(name string) *structure {
	return &sumStructures[slices.IndexFunc(sumStructures, func(s structure) bool {
		return s.name == name
	})]
}

func uniform(r *rand.Rand) *big.Int { return new(big.Int).Rand(r, reference.N()) }

// unrelated returns a random point and its discrete logarithm.
func unrelated(r *rand.Rand) (point.Affine, *big.Int) {
	var j point.Jacobian
	var p point.Affine
	log := uniform(r)
	vartime.ScalarBaseMult(&j, vartimetest.Scalar(log))
	p.SetJacobianVartime(&j)
	return p, log
}

// shortHalf returns a number of either sign with a magnitude below 2^64, often one near an end of
// this range.
func shortHalf(r *rand.Rand) *big.Int {
	x := new(big.Int).SetUint64(r.Uint64() >> r.Intn(64))
	switch r.Intn(8) {
	case 0:
		x.SetUint64(1<<64 - 1 - uint64(r.Intn(3)))
	case 1:
		x.SetInt64(int64(r.Intn(3)))
	}
	if r.Intn(2) == 0 {
		x.Neg(x)
	}
	return x
}
