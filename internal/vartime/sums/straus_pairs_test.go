package sums

import (
	"context"
	"fmt"
	"math/big"
	"math/rand"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// TestStrausPairs checks that strausPairs computes the right sum for terms of every structure in
// sumStructures, with each set of CPU instructions, in a Sum that has been used before. The batches
// are so small that odd multiples and positions each take many batches.
func TestStrausPairs(t *testing.T) {
	cputest.Run(t, func(t *testing.T) {
		small := profile.Current().Sums
		small.BatchPairs, small.UnitHalves = 8, 32
		var s Sum
		r := rand.New(rand.NewSource(14))
		for _, structure := range sumStructures {
			for _, n := range []int{0, 1, 7, 60} {
				c := structure.make(t, r, n)
				for _, p := range []*profile.Sums{&small, &profile.Current().Sums} {
					c.set(&s)
					var got point.Jacobian
					if !s.strausPairs(&got, p) {
						t.Fatalf("%s, %d terms: given up", structure.name, n)
					}
					wantLog(t, fmt.Sprint(structure.name, ", ", n, " terms"), &got, c.log())
				}
			}
		}
	}, append(cputest.AllLanes(), cputest.Portable, cputest.Registers())...)
}

// TestStrausPairsUnset checks that terms that are not set count as zero, and that their rows, which
// may hold no point, are not added.
func TestStrausPairsUnset(t *testing.T) {
	r := rand.New(rand.NewSource(15))
	points, logs := walk(t, 9, uniform(r), uniform(r))
	var s Sum
	s.Reset(9, 0)
	want := new(big.Int)
	for _, i := range []int{1, 4, 5} {
		k := uniform(r)
		s.SetFull(i, vartimetest.Scalar(k), &points[i])
		want.Add(want, k.Mul(k, logs[i]))
	}
	var got point.Jacobian
	if !s.strausPairs(&got, &profile.Current().Sums) {
		t.Fatal("given up")
	}
	wantLog(t, "three of nine", &got, want.Mod(want, reference.N()))
}

// TestStrausPairsSmallGroups checks that strausPairs returns false for points with an odd multiple
// that is infinity, and that Result then computes the sum in another way. For all other points the
// sums must be right, although most additions meet an exception.
func TestStrausPairsSmallGroups(t *testing.T) {
	defer func(p profile.Profile) { *profile.Current() = p }(*profile.Current())
	profile.Current().Plans = [20]profile.Plan{{Terms: 1, Method: profile.InPairs}}
	r := rand.New(rand.NewSource(16))
	var s Sum
	for _, c := range reference.SmallCurves() {
		order := c.Order.Int64()
		for range 40 {
			n := 1 + r.Intn(60)
			set := func() *big.Int {
				s.Reset(0, n)
				sum := new(big.Int)
				for i := range n {
					log := big.NewInt(1 + r.Int63n(order-1))
					p := vartimetest.Affine(c.ScalarMult(log, c.G))
					u, v := big.NewInt(r.Int63n(400)-200), big.NewInt(r.Int63n(400)-200)
					hu, hv := toHalf(u), toHalf(v)
					s.SetShort(i, &hu, &hv, p)
					u.Add(u, v.Mul(v, c.Lambda))
					sum.Add(sum, u.Mul(u, log))
				}
				return sum.Mod(sum, c.Order)
			}
			set()
			var got point.Jacobian
			if s.strausPairs(&got, &profile.Current().Sums) != (order > 1<<window) {
				t.Errorf("order %d, %d terms: in pairs although a multiple is infinity, or not", order, n)
			}
			want := c.ScalarMult(set(), c.G)
			if err := s.Result(context.Background(), &got, nil); err != nil {
				t.Fatal(err)
			}
			if !vartimetest.Reference(&got).Equal(want) {
				t.Errorf("order %d, %d terms: wrong sum", order, n)
			}
		}
	}
}
