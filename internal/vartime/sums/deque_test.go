package sums

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
)

// TestDequesShared checks that every unit is taken exactly once, for any order of the workers'
// calls, and also if they call at the same time.
func TestDequesShared(t *testing.T) {
	w := cut(13)
	l := newLayout(&w, maxWindows, 16*4096, 1024)
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
					i = 0 // call the workers one after another
				}
				if n := s.next(left[i]); n >= 0 {
					taken[n]++
				} else {
					left = append(left[:i], left[i+1:]...)
				}
			}
			// Let each worker take the units that it still has: no other worker has stolen them,
			// because that would not have been worthwhile.
			for k := range s.of {
				for n := s.next(k); n >= 0; n = s.next(k) {
					taken[n]++
				}
			}
			check(fmt.Sprint(workers, " workers in turn"), taken)

			// The deques may still hold units of a sum that ended early when start is called.
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
						taken[n]++ // not atomic, so that the race detector checks it
					}
				})
			}
			wg.Wait()
			check(fmt.Sprint(workers, " workers at the same time"), taken)
		}
	}
}

// TestDequesHalf checks that a worker that steals before any unit was taken gets about half of all
// units.
func TestDequesHalf(t *testing.T) {
	for _, count := range []int{9, 12, 13, 17} {
		w := cut(count)
		l := newLayout(&w, maxWindows, 4096, 0)
		var s deques
		s.start(&l, 2)
		first := s.next(1)
		// The costs of the two workers' parts may also differ by the buckets of one set, which both
		// workers may have to reduce.
		most := 2*l.profile.UnitHalves + 4*l.buckets[0]
		if a, b := l.cost(0, first), l.cost(first, l.units); a < b-most || a > b+most {
			t.Errorf("%d windows: costs %d and %d", count, a, b)
		}
	}
}
