package sums

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestTopRows checks that readUnits removes the rows without digits from the top.
func TestTopRows(t *testing.T) {
	one := new(scalar.Scalar).One()
	for n := 1; n <= 17; n++ {
		var s Sum
		s.Reset(n, n)
		for i := range n {
			s.SetFull(i, one, new(point.Affine).SetGenerator())
			s.SetShort(i, &scalar.Half{Lo: 1}, &scalar.Half{}, new(point.Affine).SetGenerator())
		}
		for _, g := range s.groupTerms() {
			if s.readUnits(&g); len(g.digits) != 1 || g.digits[0].IsZero() {
				t.Errorf("%d and %d terms of 1·G: %d vectors of digits", n, n, len(g.digits))
			}
		}
	}
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
				wantPoint(t, fmt.Sprintf("%d·2^%d", sign, at), &got, multipleOfG(c.log()))
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
			wantPoint(t, fmt.Sprintf("lanes %v", mask), &got, multipleOfG(log))
			if mask.Any() {
				p.Select(first(mask), &lanes.Jacobian{}, &p)
				if sumLanes(&got, &p, mask) {
					t.Errorf("lanes %v: a sum with one that is zero", mask)
				}
			}
		}
	})
}
