package sums

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein/eisensteintest"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestReadDigits checks that the digits of random and extreme terms add up to the halves of their
// scalars.
func TestReadDigits(t *testing.T) {
	// The bound from docs/endomorphism.md on the halves of full scalars.
	full := new(big.Int).Lsh(big.NewInt(1), 128)
	full.Mul(full, big.NewInt(636)).Div(full, big.NewInt(1000))
	short := new(big.Int).Lsh(big.NewInt(1), 64)
	r := rand.New(rand.NewSource(10))
	pick := func(bound *big.Int) *big.Int {
		k := new(big.Int).Rand(r, bound)
		switch r.Intn(4) {
		case 0:
			k.SetInt64(int64(r.Intn(10)))
		case 1:
			k.Sub(bound, big.NewInt(int64(1+r.Intn(10))))
		}
		if k.Cmp(bound) >= 0 {
			k.SetInt64(0)
		}
		if r.Intn(2) == 0 {
			k.Neg(k)
		}
		return k
	}
	for round := range 2000 {
		var s Sum
		n, m := r.Intn(12), r.Intn(12)
		s.Reset(n, m)
		want := make([][2]*big.Int, n+m)
		for i := range want {
			for k := range 2 {
				x := pick(full)
				if i >= n {
					x = pick(short)
				}
				want[i][k] = x
				h := toHalf(x)
				s.halves[2*i+k] = half{h.Lo, h.Hi, uint64(h.Neg)}
			}
		}
		groups := s.groupTerms()
		for g := range groups {
			g := &groups[g]
			if round%2 == 1 && g.parts == 1 {
				// Use the width that groupTerms does not choose for this number of terms.
				g.width, g.step = 2, 2
				g.rows = make([]eisenstein.Row, eisenstein.Count(2, g.first >= n))
			}
			s.readUnits(g)
			if k := len(g.rows); k > 0 && g.rows[k-1].IsZero() {
				t.Fatal("a row of nothing at the top")
			}
			var digits [][lanes.Width][2]int
			for i := range g.rows {
				digits = append(digits, eisensteintest.Digits(t, &g.rows[i]))
			}
			for j := range g.count {
				var sum [2]big.Int
				for i := range digits {
					for part := range g.parts {
						for k, x := range digits[i][j*g.parts+part] {
							b := big.NewInt(int64(x))
							sum[k].Add(&sum[k], b.Lsh(b, uint(i*g.step+part*g.width)))
						}
					}
				}
				if w := want[g.first+j]; sum[0].Cmp(w[0]) != 0 || sum[1].Cmp(w[1]) != 0 {
					t.Fatalf("%x + %x·ω comes out as %x + %x·ω in %d parts", w[0], w[1], &sum[0], &sum[1], g.parts)
				}
			}
		}
	}
}

// TestStrausLanes checks that strausLanes returns the right sum for every number of different
// terms. For terms that are equal or opposite to the sum of their lane, it must return the right
// sum or give up.
func TestStrausLanes(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		var s Sum
		r := rand.New(rand.NewSource(11))
		check := func(what string, c *sumCase, must bool) {
			t.Helper()
			c.set(&s)
			var got point.Jacobian
			if s.strausLanes(&got) {
				wantLog(t, what, &got, c.log())
			} else if must {
				t.Error(what, "given up")
			}
		}
		for n := range 40 {
			if !cputest.Deep() && n%7 > 2 {
				continue
			}
			for m := 0; m < 20; m += 1 + n {
				c := sumCase{}
				for i := range n + m {
					// Choose unrelated points: points in an arithmetic progression are more often
					// equal to a sum.
					p, log := walk(t, 1, uniform(r), big.NewInt(1))
					c.points, c.logs = append(c.points, p[0]), append(c.logs, log[0])
					if i < n {
						c.full = append(c.full, reference.RandInt(r))
					} else {
						c.short = append(c.short, [2]*big.Int{shortHalf(r), shortHalf(r)})
					}
				}
				if n+m > 0 {
					check(fmt.Sprint(n, " and ", m, " terms"), &c, true)
				}
			}
		}
		for _, structure := range sumStructures {
			for n := 1; n < 20; n++ {
				c := structure.make(t, r, n)
				check(fmt.Sprint(structure.name, ", ", n, " terms"), &c, false)
			}
		}
	})
}

// TestStrausExceptions makes terms whose multiples are equal or opposite to the sum of their lane.
// It checks that strausLanes gives up, and that Result then computes the sum by buckets.
func TestStrausExceptions(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		var s Sum
		r := rand.New(rand.NewSource(12))
		points, logs := walk(t, 8, uniform(r), uniform(r))
		for _, sign := range []int64{1, -1} {
			for _, at := range []int{0, 1, 9, 60, 127} {
				var c sumCase
				for i := range 16 {
					c.points, c.logs = append(c.points, points[i%8]), append(c.logs, logs[i%8])
					k := uniform(r)
					if i%8 == 3 {
						k = new(big.Int).Lsh(big.NewInt(1), uint(at))
						if i > 8 {
							k.Mul(k, big.NewInt(sign))
						}
					}
					c.full = append(c.full, k)
				}
				c.set(&s)
				var got point.Jacobian
				if s.strausLanes(&got) {
					t.Errorf("%d·2^%d: not an exception", sign, at)
				}
				c.set(&s)
				if err := s.Result(context.Background(), &got, nil); err != nil {
					t.Fatal(err)
				}
				wantLog(t, fmt.Sprintf("%d·2^%d", sign, at), &got, c.log())
			}
		}
	})
}

// first returns the mask that contains only the lowest lane of m.
func first(m lanes.Mask) lanes.Mask {
	j := 0
	for !m.Has(j) {
		j++
	}
	return lanes.First(j + 1).AndNot(lanes.First(j))
}

// TestSumLanes checks that sumLanes returns the sum of the points in all lanes of the mask. Some
// lanes have equal points, opposite points, or are not in the mask.
func TestSumLanes(t *testing.T) {
	vartimetest.OnLanes(t, func(t *testing.T) {
		r := rand.New(rand.NewSource(13))
		points, logs := walk(t, 3, uniform(r), uniform(r))
		for range 300 {
			var p lanes.Jacobian
			mask := lanes.None()
			for j := range lanes.Width {
				mask.Put(j, uint64(r.Intn(2)))
			}
			log := new(big.Int)
			for j := range lanes.Width {
				at := r.Intn(len(points))
				q, l := points[at], logs[at]
				if r.Intn(2) == 0 {
					q.Neg(&q)
					l = new(big.Int).Neg(l)
				}
				var a lanes.Affine
				a.SetLane(j, &q.X, &q.Y)
				var one lanes.Jacobian
				one.SetAffine(&a)
				p.Select(lanes.First(j+1).AndNot(lanes.First(j)), &one, &p)
				if mask.Has(j) {
					log.Add(log, l)
				}
			}
			var got point.Jacobian
			if !sumLanes(&got, &p, mask) {
				t.Fatal("no sum of lanes that are not zero")
			}
			wantLog(t, fmt.Sprintf("lanes %v", mask), &got, log.Mod(log, reference.N()))
			if mask.Any() {
				p.Select(first(mask), &lanes.Jacobian{}, &p)
				if sumLanes(&got, &p, mask) {
					t.Errorf("lanes %v: a sum with one that is zero", mask)
				}
			}
		}
	})
}
