package sums

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// TestSumShared checks that a sum is right if its workers run one after another, in different
// orders; a worker runs until it finds no more work units. Some runs have so few buckets that a
// worker fills and reduces them several times.
func TestSumShared(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	var s Sum
	for _, structure := range sumStructures {
		c := structure.make(t, r, 700)
		want := c.log()
		for _, order := range [][]int{{0}, {1, 0}, {0, 1}, {2, 1, 0}, {3, 1, 0, 2}} {
			for _, few := range []bool{false, true} {
				c.set(&s)
				w := cut(12)
				l := s.recode(&w, nil)
				s.start(&l, firstBase+len(s.halves), len(order))
				if few {
					s.buckets = l.mostBuckets()
				}
				for _, k := range order {
					s.run(context.Background(), k)
				}
				var got point.Jacobian
				horner(&got, s.sums)
				wantLog(t, fmt.Sprint(structure.name, ", workers ", order, ", few buckets ", few), &got, want)
			}
		}
	}
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

// TestSumStolen checks that the sum is right if workers take work from each other. Other workers
// steal half of worker 0's work units again and again. Worker 0 then steals them back, so it
// processes units out of order, and returns to some windows several times.
func TestSumStolen(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for _, structure := range sumStructures {
		c := structure.make(t, r, 1500)
		want := c.log()
		for _, count := range []int{minWindows, 12, 24, maxWindows} {
			var s Sum
			c.set(&s)
			w := cut(count)
			l := s.recode(&w, nil)
			s.start(&l, firstBase+len(s.halves), 3)
			looks := 0
			s.run(looked{context.Background(), func() {
				looks++
				k := 1 + looks%2
				if lo, hi := unpackRange(s.units.of[k].Load()); lo == hi && looks%3 != 0 {
					s.units.steal(k)
				}
			}}, 0)
			s.run(context.Background(), 1)
			s.run(context.Background(), 2)
			var got point.Jacobian
			horner(&got, s.sums)
			what := fmt.Sprint(structure.name, ", ", count, " windows")
			wantLog(t, what, &got, want)
		}
	}
}

// TestRoom checks that a worker that fills the buckets of one set at a time has enough rows. In one
// case nearly every bucket is in use; in the other, buckets are so few that most points are in
// pairs.
func TestRoom(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	c := sumStructures[0].make(t, r, 20000)
	want := c.log()
	for _, count := range []int{9, maxWindows} {
		var s Sum
		c.set(&s)
		w := cut(count)
		l := s.recode(&w, nil)
		s.start(&l, firstBase+len(s.halves), 1)
		s.buckets = l.mostBuckets()
		s.run(context.Background(), 0)
		var got point.Jacobian
		horner(&got, s.sums)
		what := fmt.Sprint(count, " windows")
		wantLog(t, what, &got, want)
	}
}

// TestSumGivenUp checks that Result returns an error if the context ends while workers run, and
// that the next sum is right.
func TestSumGivenUp(t *testing.T) {
	team := crew.New(3)
	defer team.Stop()
	r := rand.New(rand.NewSource(5))
	c := sumStructures[0].make(t, r, 1200)
	var s Sum
	for _, after := range []int32{1, 2, 5, 20, 50} {
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
			t.Errorf("ended after %d looks: %v, %v", after, got, err)
		}
		c.check(t, "after it", &s, 3)
	}
}

// TestResume checks that points are added correctly to the position sums of an earlier run, also if
// a point is equal or opposite to the earlier sum at its position.
func TestResume(t *testing.T) {
	points, _ := walk(t, 1, big.NewInt(1), big.NewInt(1))
	p := points[0]
	rows := make([]point.Affine, firstBase+1+100)
	rows[fillRef>>rowShift].SetGenerator()
	rows[firstBase] = p
	var w worker
	var sums positionSums
	sums.set(5, &p)
	sums.set(6, &p)
	sums.set(7, &p)
	w.start(&profile.Current().Sums, rows, firstBase+1, len(rows), sumPositions)
	w.resume(&sums)
	w.accumulate(6, firstBase<<rowShift)
	w.accumulate(7, firstBase<<rowShift|1)
	w.drain()
	w.collect(&sums)
	var double point.Jacobian
	double.SetAffine(&p)
	double.DoubleN(&double, 1)
	for i := range sumPositions {
		q, ok := sums.point(i)
		var got point.Jacobian
		got.SetAffine(&q)
		switch i {
		case 5:
			if q != p {
				t.Error("a sum that nothing was added to has changed")
			}
		case 6:
			if !got.Equal(&double).Bool() {
				t.Error("P + P is not 2P")
			}
		default:
			if ok {
				t.Error("position", i, "is not infinity")
			}
		}
	}
}
