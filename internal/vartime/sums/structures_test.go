package sums

import (
	"context"
	"math/big"
	"math/rand"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/internal/crew"
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

// sumCase is a sum of full and short terms. Point i is logs[i]·G.
type sumCase struct {
	full   []*big.Int
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
		s.SetFull(i, vartimetest.Scalar(k), &c.points[i])
	}
	for i, k := range c.short {
		u, v := toHalf(k[0]), toHalf(k[1])
		s.SetShort(i, &u, &v, &c.points[len(c.full)+i])
	}
}

// log returns the discrete logarithm of the sum.
func (c *sumCase) log() *big.Int {
	sum, t := new(big.Int), new(big.Int)
	for i, k := range c.full {
		sum.Add(sum, t.Mul(k, c.logs[i]))
	}
	for i, k := range c.short {
		t.Mul(k[1], reference.Lambda())
		t.Add(t, k[0])
		sum.Add(sum, t.Mul(t, c.logs[len(c.full)+i]))
	}
	return sum.Mod(sum, reference.N())
}

// wantLog fails the test unless r is log·G, computed by package reference.
func wantLog(t *testing.T, what string, r *point.Jacobian, log *big.Int) {
	t.Helper()
	c := reference.Secp256k1()
	want := c.ScalarMult(log, c.G)
	if got := vartimetest.Reference(r); !got.Equal(want) {
		t.Errorf("%s: (%x, %x), want (%x, %x)", what, got.X, got.Y, want.X, want.Y)
	}
}

func (c *sumCase) check(t *testing.T, what string, s *Sum, workers int) {
	t.Helper()
	var r point.Jacobian
	team := crew.New(workers)
	defer team.Stop()
	c.set(s)
	if err := s.Result(context.Background(), &r, team); err != nil {
		t.Fatal(err)
	}
	want := c.log()
	wantLog(t, what, &r, want)

	c.set(s)
	zero, err := s.IsZero(context.Background(), team)
	if err != nil || zero != (want.Sign() == 0) {
		t.Errorf("%s: IsZero %v, %v", what, zero, err)
	}
}

// sumStructures lists kinds of sums of n terms, one kind for each special case of the code.
var sumStructures = []struct {
	name string
	make func(t *testing.T, r *rand.Rand, n int) sumCase
}{
	{"random", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		return c
	}},
	{"edges", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(7), big.NewInt(3))
		for range n {
			c.full = append(c.full, reference.RandInt(r))
		}
		return c
	}},
	{"one point", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		return c
	}},
	{"one point and its opposite", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for i := range n {
			if r.Intn(2) == 0 {
				c.points[i].Neg(&c.points[i])
				c.logs[i] = new(big.Int).Neg(c.logs[i])
			}
			c.full = append(c.full, big.NewInt(int64(r.Intn(3))))
		}
		return c
	}},
	{"one term", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
		}
		return c
	}},
	{"one term and its opposite", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
			k = new(big.Int).Neg(k)
		}
		return c
	}},
	{"one scalar", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		k := uniform(r)
		for range n {
			c.full = append(c.full, k)
		}
		return c
	}},
	{"all one", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), big.NewInt(1))
		for range n {
			c.full = append(c.full, big.NewInt(1))
		}
		return c
	}},
	{"all zero", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), big.NewInt(1))
		for range n {
			c.full = append(c.full, new(big.Int))
		}
		return c
	}},
	{"cancelling pairs", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for i := range n {
			c.full = append(c.full, uniform(r))
			if i%2 == 1 {
				c.full[i] = new(big.Int).Neg(c.full[i-1])
				c.points[i], c.logs[i] = c.points[i-1], c.logs[i-1]
			}
		}
		return c
	}},
	{"cancelling as a whole", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(1), uniform(r))
		for range n {
			c.full = append(c.full, uniform(r))
		}
		if n > 0 {
			c.full[n-1] = new(big.Int)
			inverse := new(big.Int).ModInverse(c.logs[n-1], reference.N())
			c.full[n-1] = inverse.Mul(inverse, c.log()).Neg(inverse)
		}
		return c
	}},
	{"points times λ", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		// The points are P, λ·P and λ²·P, whose sum is zero. Each scalar is 0, 1 or 2 times a power
		// of λ, so every term is 0, 1 or 2 times one of these points.
		c.points, c.logs = walk(t, n, big.NewInt(5), new(big.Int))
		for i := range n {
			k := big.NewInt(int64(r.Intn(3)))
			for range r.Intn(3) {
				k.Mul(k, reference.Lambda())
			}
			for range i % 3 {
				c.points[i].MulBeta(&c.points[i])
				c.logs[i] = new(big.Int).Mul(c.logs[i], reference.Lambda())
			}
			c.full = append(c.full, k)
		}
		return c
	}},
	{"short", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		for range n {
			c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
		}
		return c
	}},
	{"short and full", func(t *testing.T, r *rand.Rand, n int) (c sumCase) {
		c.points, c.logs = walk(t, n, big.NewInt(5), uniform(r))
		for i := range n {
			if i < n/3 {
				c.full = append(c.full, reference.RandInt(r))
			} else {
				c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
			}
		}
		return c
	}},
}

func uniform(r *rand.Rand) *big.Int { return new(big.Int).Rand(r, reference.N()) }

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
