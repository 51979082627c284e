package divsteps

import (
	"maps"
	"math/big"
	"os"
	"slices"
	"testing"
)

// This file derives the number of division steps that are enough, by the method of Pieter Wuille
// (github.com/sipa/safegcd-bounds), in exact arithmetic.
//
// Let M be the largest modulus. Start from the triangle of all real pairs (f, g) with 0 ≤ g ≤ f ≤
// M. A step takes one of two linear maps, for an even and for an odd g; since g may be any real
// number now, take both. So the set of all reachable pairs with the same δ is an image of the
// triangle under many maps. A polygon that contains the set stands for it. Its image under a linear
// map is the polygon of the images of its vertices, and |g| < 1 holds in all of it if it holds at
// the vertices. Real g in the algorithm are integers, so g is 0 then, and remains 0. After a step
// the images of different polygons with the same δ are replaced by their convex hull, which
// contains them. When no polygon is left in which |g| ≥ 1 is possible, the number of steps is
// enough for all integers f and g with 0 ≤ g ≤ f ≤ M, f odd.
//
// All maps are linear and |g| < 1 does not depend on the sign. So the program replaces every
// polygon by its hull with its opposite, −1 times it, which does not change the result.

// A vertex is the point (f, g)·M/2^k after k steps.
type vertex struct{ f, g *big.Int }

// halfHull returns the vertices of the convex hull of the points and their opposites: of each pair
// of opposite vertices, one.
func halfHull(points []vertex) []vertex {
	both := make([]vertex, 0, 2*len(points))
	for _, p := range points {
		both = append(both, p, vertex{new(big.Int).Neg(p.f), new(big.Int).Neg(p.g)})
	}
	slices.SortFunc(both, func(p, q vertex) int {
		if c := p.f.Cmp(q.f); c != 0 {
			return c
		}
		return p.g.Cmp(q.g)
	})
	// The lower half of the hull leads from the leftmost vertex to the rightmost one, and turns to
	// the left at each vertex between. The upper half is opposite to it.
	var lower []vertex
	for _, p := range both {
		for len(lower) > 1 && !turnsLeft(lower[len(lower)-2], lower[len(lower)-1], p) {
			lower = lower[:len(lower)-1]
		}
		lower = append(lower, p)
	}
	return lower[:len(lower)-1]
}

// turnsLeft reports whether the path from a over b to c turns to the left at b.
func turnsLeft(a, b, c vertex) bool {
	df, dg := new(big.Int).Sub(b.f, a.f), new(big.Int).Sub(b.g, a.g)
	ef, eg := new(big.Int).Sub(c.f, a.f), new(big.Int).Sub(c.g, a.g)
	return df.Mul(df, eg).Cmp(ef.Mul(ef, dg)) > 0
}

// hullSteps returns a number of division steps after which g = 0 for all odd f up to M = 2^bits and
// all g from 0 to f, if 2δ is delta2 at first.
func hullSteps(bits uint, delta2 int) (steps int) {
	one := func() *big.Int { return big.NewInt(1) }
	polygons := map[int][]vertex{delta2: {{one(), new(big.Int)}, {one(), one()}}}
	for ; len(polygons) > 0; steps++ {
		next := map[int][]vertex{}
		for delta2, points := range polygons {
			// |g| < 1 is |p.g|·M < 2^steps.
			if !slices.ContainsFunc(points, func(p vertex) bool {
				return new(big.Int).Lsh(p.g, bits).CmpAbs(new(big.Int).Lsh(one(), uint(steps))) >= 0
			}) {
				continue
			}
			even, odd := delta2+2, delta2+2
			if delta2 > 0 {
				odd = 2 - delta2
			}
			for _, p := range points {
				f, g := p.f, p.g
				next[even] = append(next[even], vertex{new(big.Int).Lsh(f, 1), g})
				if delta2 > 0 {
					next[odd] = append(next[odd], vertex{new(big.Int).Lsh(g, 1), new(big.Int).Sub(g, f)})
				} else {
					next[odd] = append(next[odd], vertex{new(big.Int).Lsh(f, 1), new(big.Int).Add(g, f)})
				}
			}
		}
		for delta2 := range next {
			next[delta2] = halfHull(next[delta2])
		}
		polygons = next
	}
	return steps - 1
}

// TestHullSteps derives the number of division steps for moduli below 2^256, which Invert relies
// on. That takes minutes, and only acceptance does it, by KOBLITZ_STEPS=all. Other runs of the
// tests derive the numbers for short moduli.
//
// For comparison, it derives the published number of steps for the variant that starts from δ = 1.
func TestHullSteps(t *testing.T) {
	const most = 256
	for _, tt := range []struct {
		bits         uint
		delta2, want int
	}{{32, 1, 74}, {64, 1, 148}, {most, 1, provenSteps}, {most, 2, 724}} {
		if tt.bits > 32 && testing.Short() || tt.bits > 64 && os.Getenv("KOBLITZ_STEPS") != "all" {
			continue
		}
		if got := hullSteps(tt.bits, tt.delta2); got != tt.want {
			t.Errorf("moduli of %d bits, δ = %d/2: %d steps, want %d", tt.bits, tt.delta2, got, tt.want)
		}
	}
	if n := maxBatches * batchSteps; n < provenSteps {
		t.Errorf("%d steps, and %d are proven to be enough", n, provenSteps)
	}
}

// TestHullStepsSmall compares the bounds of hullSteps with all pairs of small numbers. No pair
// takes more steps. For each size from 5 bits on, some pair takes at most one step less.
func TestHullStepsSmall(t *testing.T) {
	const most = 10
	longest := make(map[uint]int) // by the bits of f
	for f := int64(1); f < 1<<most; f += 2 {
		bits := uint(big.NewInt(f).BitLen())
		for g := range f {
			delta2, a, b, n := 1, f, g, 0
			for ; b != 0; n++ {
				switch {
				case b&1 == 0:
					delta2, b = delta2+2, b/2
				case delta2 > 0:
					delta2, a, b = 2-delta2, b, (b-a)/2
				default:
					delta2, b = delta2+2, (b+a)/2
				}
			}
			longest[bits] = max(longest[bits], n)
		}
	}
	for _, bits := range slices.Sorted(maps.Keys(longest)) {
		bound := hullSteps(bits, 1)
		t.Logf("%d bits: at most %d steps, bound %d", bits, longest[bits], bound)
		if longest[bits] > bound || bits > 4 && longest[bits] < bound-1 {
			t.Errorf("%d bits: %d steps, and %d are derived", bits, longest[bits], bound)
		}
	}
}
