package sums

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/cpu"
	"github.com/koblitz-go/koblitz/internal/cpu/cputest"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/internal/vartime/vartimetest"
)

// onLevels runs f at each level with kernels for sums, and without kernels.
func onLevels(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	cputest.Run(t, f, append(cputest.AllLanes(), cputest.Portable, cputest.Registers())...)
}

// A looked context calls f whenever its method Err is called.
type looked struct {
	context.Context
	f func()
}

func (l looked) Err() error {
	l.f()
	return l.Context.Err()
}

// inOrder sets r to the sum of the units of the layout by the given workers. They run one after
// another, each until it finds no more work units. If few is set, a worker fills the buckets of one
// set at a time.
func (s *Sum) inOrder(ctx context.Context, r *point.Jacobian, few bool, workers ...int) {
	if few {
		s.units.room = 0
		for set := range s.units.sets {
			s.units.room = max(s.units.room, s.units.buckets(set))
		}
	}
	s.start(len(workers))
	for _, k := range workers {
		s.run(ctx, k)
	}
	s.horner(r)
}

// A way computes the sum of the terms of s. It returns false if it gives up.
type way struct {
	name        string
	least, most int // numbers of terms to try it with
	sum         func(s *Sum, r *point.Jacobian) bool
}

// byWindows sets r to the sum of the terms by buckets, with the given number of windows.
func (s *Sum) byWindows(r *point.Jacobian, count int, c *forkjoin.Team) error {
	return s.pippenger(context.Background(), r, cut(count), 1, c)
}

// byWindows returns a way that computes the sum by buckets, with the given number of windows.
func byWindows(count int) way {
	return way{fmt.Sprint(count, " windows"), 1, 30, func(s *Sum, r *point.Jacobian) bool {
		team := forkjoin.New(3)
		defer team.Stop()
		return s.byWindows(r, count, team) == nil
	}}
}

// inTurn returns a way that computes the sum by buckets, by workers that run one after another.
func inTurn(count int, few bool, workers ...int) way {
	name := fmt.Sprint(count, " windows, workers ", workers, ", few buckets ", few)
	return way{name, 700, 700, func(s *Sum, r *point.Jacobian) bool {
		s.recode(cut(count), 1, nil)
		s.inOrder(context.Background(), r, few, workers...)
		return true
	}}
}

// inPairs computes the sum by Straus' algorithm with additions in pairs.
var inPairs = way{"in pairs", 0, 60, func(s *Sum, r *point.Jacobian) bool {
	s.strausPairs(r)
	return true
}}

// stolen returns a way in which workers take work from each other. While worker 0 runs, others
// steal half of its work units again and again, and it steals them back, so it processes units out
// of order and returns to some windows several times.
func stolen(count int) way {
	return way{fmt.Sprint(count, " windows, stolen"), 1500, 1500,
		func(s *Sum, r *point.Jacobian) bool {
			looks := 0
			s.recode(cut(count), 1, nil)
			s.inOrder(looked{context.Background(), func() {
				looks++
				k := 1 + looks%2
				if d := &s.units.deques[k]; d.lo == d.hi && looks%3 != 0 {
					s.units.steal(k)
				}
			}}, r, false, 0, 1, 2)
			return true
		}}
}

// ways returns all ways to compute a sum. They include plans that are never chosen for the number
// of terms. In small batches, odd multiples and positions each take several batches.
func ways() []way {
	all := []way{
		{"interleaved", 0, 60, func(s *Sum, r *point.Jacobian) bool { s.interleave(r); return true }},
		{"in lanes", 1, 60, (*Sum).strausLanes},
		inPairs,
		{"in small batches", 0, 60, func(s *Sum, r *point.Jacobian) bool {
			small := &profile.Current().Sums
			defer func(p profile.Sums) { *small = p }(*small)
			small.BatchPairs, small.UnitHalves = 8, 32
			s.strausPairs(r)
			return true
		}},
		inTurn(12, false, 0), inTurn(12, false, 0, 1), inTurn(12, true, 1, 0),
		inTurn(12, false, 2, 1, 0), inTurn(12, true, 3, 1, 0, 2), inTurn(12, true, 0),
		stolen(minWindows), stolen(12), stolen(24), stolen(maxWindows),
	}
	step := 4
	if cputest.Deep() {
		step = 1
	}
	for count := minWindows; count <= maxWindows; count += step {
		all = append(all, byWindows(count))
	}
	return all
}

// sumSizes returns all numbers of terms up to 100 (in short tests every ninth of them) and numbers
// near every threshold.
func sumSizes() (sizes []int) {
	for n := 0; n <= 100; n++ {
		if cputest.Deep() || n < 5 || n%9 == 0 {
			sizes = append(sizes, n)
		}
	}
	for _, t := range profile.Current().Plans {
		if n := t.Terms; n > 0 && (n < 1000 || cputest.Deep() && n < 7000) {
			sizes = append(sizes, n-1, n, n+1)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// check checks Result and IsZero with a team of the given number of workers.
func (c *sumCase) check(t *testing.T, what string, s *Sum, workers int) {
	t.Helper()
	var r point.Jacobian
	team := forkjoin.New(workers)
	defer team.Stop()
	c.set(s)
	if err := s.Result(context.Background(), &r, team); err != nil {
		t.Fatal(err)
	}
	log := c.log()
	wantPoint(t, what, &r, multipleOfG(log))
	c.set(s)
	zero, err := s.IsZero(context.Background(), team)
	if err != nil || zero != (log.Sign() == 0) {
		t.Errorf("%s: IsZero %v, %v", what, zero, err)
	}
}

// TestSum checks, with terms of every structure, Result and IsZero for many numbers of terms, and
// every method of summation for some numbers. The same Sum computes all these sums.
func TestSum(t *testing.T) {
	t.Log(cpu.Implementations())
	onLevels(t, func(t *testing.T) {
		var s Sum
		all := ways()
		for _, structure := range sumStructures {
			r := rand.New(rand.NewSource(1))
			for _, n := range []int{0, 1, 2, 3, 7, 12, 30, 60, 700, 1500} {
				c := structure.make(t, r, n)
				want := multipleOfG(c.log())
				for _, w := range all {
					if n < w.least || n > w.most {
						continue
					}
					what := fmt.Sprint(structure.name, ", ", n, " terms, ", w.name)
					c.set(&s)
					var got point.Jacobian
					if w.sum(&s, &got) {
						wantPoint(t, what, &got, want)
					} else if w.name != "in lanes" || structure.name == "unrelated" {
						t.Errorf("%s: given up", what)
					}
				}
			}
			for _, n := range sumSizes() {
				c := structure.make(t, r, n)
				c.check(t, fmt.Sprint(structure.name, ", ", n, " terms"), &s, 1+n%3)
			}
		}
	})
}

// TestRoom checks that a worker that fills the buckets of one set at a time has enough rows. In one
// case nearly every bucket is in use; in the other, buckets are so few that most points are in
// pairs.
func TestRoom(t *testing.T) {
	c := structureOf("random").make(t, rand.New(rand.NewSource(4)), 20000)
	want := multipleOfG(c.log())
	for _, count := range []int{9, maxWindows} {
		var s Sum
		var got point.Jacobian
		c.set(&s)
		inTurn(count, true, 0).sum(&s, &got)
		wantPoint(t, fmt.Sprint(count, " windows"), &got, want)
	}
}

// TestSmallGroups checks that sums of points of small groups are right, where most additions are
// exceptional cases. The terms are (u + v·λ)·P with small random numbers u and v. strausPairs needs
// a group in which no odd multiple of a point is infinity.
func TestSmallGroups(t *testing.T) { onLevels(t, testSmallGroups) }

func testSmallGroups(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	var s Sum
	for _, c := range reference.SmallCurves() {
		order := c.Order.Int64()
		var multiples []reference.Point
		for p := (reference.Point{}); len(multiples) < int(order); p = c.Add(p, c.G) {
			multiples = append(multiples, p)
		}
		for round := range 60 {
			n, sum := 1+r.Intn(200), new(big.Int)
			set := func() {
				s.Reset(0, n)
				sum.SetInt64(0)
				for i := range n {
					log := big.NewInt(1 + r.Int63n(order-1))
					u, v := big.NewInt(r.Int63n(400)-200), big.NewInt(r.Int63n(400)-200)
					hu, hv := toHalf(u), toHalf(v)
					s.SetShort(i, &hu, &hv, vartimetest.Affine(multiples[log.Int64()]))
					u.Add(u, v.Mul(v, c.Lambda))
					sum.Add(sum, u.Mul(u, log)).Mod(sum, c.Order)
				}
			}
			ways := []way{byWindows(minWindows + round%(maxWindows-minWindows))}
			if order > 1<<window {
				ways = append(ways, inPairs)
			}
			for _, w := range ways {
				set()
				var got point.Jacobian
				w.sum(&s, &got)
				what := fmt.Sprint("order ", order, ", ", n, " terms, ", w.name)
				wantPoint(t, what, &got, multiples[sum.Int64()])
			}
		}
	}
}

// TestSumGivenUp checks that Result returns an error if the context ends before it or while workers
// run, and that the next sum is right.
func TestSumGivenUp(t *testing.T) {
	team := forkjoin.New(3)
	defer team.Stop()
	r := rand.New(rand.NewSource(5))
	var s Sum
	for _, n := range []int{3, 1200} {
		c := structureOf("random").make(t, r, n)
		for _, after := range []int32{1, 2, 5, 20, 50} {
			if n == 3 && after > 1 {
				continue // a short sum looks once
			}
			ctx, cancel := context.WithCancel(context.Background())
			var looks atomic.Int32
			c.set(&s)
			var got point.Jacobian
			err := s.Result(looked{ctx, func() {
				if looks.Add(1) == after {
					cancel()
				}
			}}, &got, team)
			if !errors.Is(err, context.Canceled) || got != (point.Jacobian{}) {
				t.Errorf("%d terms, ended at look %d: %v, %v", n, after, got, err)
			}
			c.check(t, "after it", &s, 3)
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add(int64(1), uint8(3), uint8(2), []byte{1, 2, 3})
	f.Add(int64(2), uint8(100), uint8(0), []byte{0, 0xff, 1})
	f.Fuzz(func(t *testing.T, seed int64, full, short uint8, pattern []byte) {
		r := rand.New(rand.NewSource(seed))
		n := int(full) + int(short)
		if n == 0 || len(pattern) == 0 {
			return
		}
		// The points are few, so that equal and opposite addends are frequent; pattern selects the
		// point of each term.
		points, logs := walk(t, 4, big.NewInt(int64(1+r.Intn(4))), big.NewInt(int64(r.Intn(2))))
		var c sumCase
		for i := range n {
			b := int(pattern[i%len(pattern)])
			c.points, c.logs = append(c.points, points[b&3]), append(c.logs, logs[b&3])
			if b&4 != 0 {
				c.negate(i)
			}
			if b&8 != 0 {
				c.timesLambda(i)
			}
			k := reference.RandInt(r)
			if b&16 != 0 {
				k.SetInt64(int64(b >> 5))
			}
			if i < int(full) {
				c.addFull(k)
			} else {
				c.short = append(c.short, [2]*big.Int{new(big.Int).SetUint64(k.Uint64()), shortHalf(r)})
			}
		}
		var s Sum
		c.check(t, "fuzz", &s, 1+int(seed&1))
		for _, w := range ways() {
			c.set(&s)
			var got point.Jacobian
			if w.sum(&s, &got) {
				wantPoint(t, w.name, &got, multipleOfG(c.log()))
			}
		}
	})
}
