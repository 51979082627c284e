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
	l := newLayout(cut(13), 1, 16*4096, 1024)
	start := func(u *units, workers int) {
		u.layout = l
		u.start(workers)
	}
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
			var s units
			start(&s, workers)
			taken := make([]int, l.count)
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
			for k := range s.deques {
				for n := s.next(k); n >= 0; n = s.next(k) {
					taken[n]++
				}
			}
			check(fmt.Sprint(workers, " workers in turn"), taken)

			// The deques may still hold units of a sum that ended early when start is called.
			start(&s, workers)
			for k := range workers {
				s.next(k)
			}
			start(&s, workers)
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

// TestDequesHalf checks that a worker that steals before any unit was taken gets half of all units,
// and that a worker steals nothing if it would gain too little.
func TestDequesHalf(t *testing.T) {
	for _, count := range []int{9, 12, 13, 17} {
		u := units{layout: newLayout(cut(count), 1, 4096, 0)}
		u.start(2)
		if first := u.next(1); first != (u.count+1)/2 {
			t.Errorf("%d windows: unit %d of %d", count, first, u.count)
		}
		set := u.count / u.sets // units of a set
		for units := range 4 * set {
			gain := units / 2 * (u.profile.UnitHalves + 2*u.buckets(0)/set)
			u.start(2)
			u.deques[0].hi = units
			if got, want := u.next(1) >= 0, gain >= 2*u.buckets(0)+u.profile.StealGain; got != want {
				t.Errorf("%d windows: %d units stolen: %v", count, units/2, got)
			}
		}
	}
}
