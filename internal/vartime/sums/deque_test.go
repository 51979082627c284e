package sums

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
)

// TestDequesShared: every unit is taken once, in any order of the workers' calls, also at the same
// time.
func TestDequesShared(t *testing.T) {
	w := cut(13)
	l := lay(&w, maxWindows, 16*4096, 1024)
	check := func(what string, taken []int) {
		t.Helper()
		for n, times := range taken {
			if times != 1 {
				t.Fatalf("%s: unit %d was taken %d times", what, n, times)
			}
		}
	}
	r := rand.New(rand.NewSource(1))
	for _, workers := range []int{1, 2, 3, 7, 64} {
		for round := range 20 {
			var s deques
			s.start(&l, workers)
			taken := make([]int, l.units)
			left := r.Perm(workers)
			for len(left) > 0 {
				i := r.Intn(len(left))
				if round == 0 {
					i = 0 // one after the other
				}
				if n := s.next(left[i]); n >= 0 {
					taken[n]++
				} else {
					left = append(left[:i], left[i+1:]...)
				}
			}
			// Units that it does not pay to steal are left to the workers that have
			// them.
			for k := range s.of {
				for n := s.next(k); n >= 0; n = s.next(k) {
					taken[n]++
				}
			}
			check(fmt.Sprint(workers, " workers in turn"), taken)

			// start may find units of a sum that ended early.
			s.start(&l, workers)
			for k := range workers {
				s.next(k)
			}
			s.start(&l, workers)
			clear(taken)
			var wg sync.WaitGroup
			for k := range workers {
				wg.Go(func() {
					for n := s.next(k); n >= 0; n = s.next(k) {
						taken[n]++ // not atomic: the race detector looks at it
					}
				})
			}
			wg.Wait()
			check(fmt.Sprint(workers, " workers at the same time"), taken)
		}
	}
}

// TestDequesHalf: a worker that comes before any unit was taken gets about half of them.
func TestDequesHalf(t *testing.T) {
	for _, count := range []int{9, 12, 13, 17} {
		w := cut(count)
		l := lay(&w, maxWindows, 4096, 0)
		var s deques
		s.start(&l, 2)
		first := s.next(1)
		// But for the buckets of a set, which both workers may have to reduce.
		most := 2*l.profile.UnitHalves + 4*l.bucketsOf(0)
		if a, b := l.cost(0, first), l.cost(first, l.units); a < b-most || a > b+most {
			t.Errorf("%d windows: costs %d and %d", count, a, b)
		}
	}
}
