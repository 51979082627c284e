package sums

import (
	"fmt"
	"math/rand"
	"sync"
	"testing"
)

// TestDequesShared: every block is taken once, whoever asks in whatever order, also at
// the same time.
func TestDequesShared(t *testing.T) {
	w := cut(13)
	l := lay(&w, maxWindows, 16*4096, 1024)
	check := func(what string, taken []int) {
		t.Helper()
		for b, times := range taken {
			if times != 1 {
				t.Fatalf("%s: block %d was taken %d times", what, b, times)
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
				if b := s.next(left[i]); b >= 0 {
					taken[b]++
				} else {
					left = append(left[:i], left[i+1:]...)
				}
			}
			// What it does not pay to share is left to those who have it.
			for k := range s.of {
				for b := s.next(k); b >= 0; b = s.next(k) {
					taken[b]++
				}
			}
			check(fmt.Sprint(workers, " workers in turn"), taken)

			// From the beginning, also if much is left: a sum may have been given up.
			s.start(&l, workers)
			for k := range workers {
				s.next(k)
			}
			s.start(&l, workers)
			clear(taken)
			var wg sync.WaitGroup
			for k := range workers {
				wg.Go(func() {
					for b := s.next(k); b >= 0; b = s.next(k) {
						taken[b]++ // not atomic: the race detector looks at it
					}
				})
			}
			wg.Wait()
			check(fmt.Sprint(workers, " workers at the same time"), taken)
		}
	}
}

// TestDequesHalf: who comes when nothing has been done gets about half of it.
func TestDequesHalf(t *testing.T) {
	for _, count := range []int{9, 12, 13, 17} {
		w := cut(count)
		l := lay(&w, maxWindows, 4096, 0)
		var s deques
		s.start(&l, 2)
		first := s.next(1)
		// But for the buckets of a window, which one may have to itself or both have.
		most := 2*l.profile.UnitHalves + 4*l.bucketsOf(0)
		if a, b := l.cost(0, first), l.cost(first, l.units); a < b-most || a > b+most {
			t.Errorf("%d windows: costs %d and %d", count, a, b)
		}
	}
}
