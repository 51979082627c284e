package sums

import (
	"sort"
	"sync/atomic"
)

// This file divides the work units of a sum among workers by work stealing (Blumofe and Leiserson,
// "Scheduling Multithreaded Computations by Work Stealing", JACM 46, 1999), except that a thief
// takes half of its victim's units. docs/msm.md, "Workers", gives the reasons.

// A deque holds the range of the work units that a worker still has to do: the numbers from lo to
// hi − 1, both packed into one word. Its worker takes units from the lower end, and other workers
// steal the upper half.
type deque struct {
	atomic.Uint64
	_ [56]byte // fills the cache line, so that no two deques share a line
}

// deques has a deque for each worker. At first worker 0 has all units. A worker without units
// steals the upper half of another worker's deque. So a worker's units are adjacent, and few sets
// of buckets are filled by two workers.
type deques struct {
	layout
	of []deque
}

func packRange(lo, hi int) uint64 { return uint64(lo)<<32 | uint64(hi) }

func unpackRange(s uint64) (lo, hi int) { return int(s >> 32), int(s & (1<<32 - 1)) }

// start prepares the deques of the given number of workers, and gives all units of l to worker 0.
func (s *deques) start(l *layout, workers int) {
	s.layout = *l
	s.of = resize(s.of, workers)
	for k := range s.of {
		s.of[k].Store(0)
	}
	s.of[0].Store(packRange(0, l.units))
}

// next returns the number of the next unit for worker k, or -1 if worker k has none and it would
// not be worthwhile to steal one.
func (s *deques) next(k int) int {
	for {
		old := s.of[k].Load()
		lo, hi := unpackRange(old)
		if lo == hi {
			if !s.steal(k) {
				return -1
			}
		} else if s.of[k].CompareAndSwap(old, packRange(lo+1, hi)) {
			return lo
		}
	}
}

// steal moves units to worker k, whose deque is empty: the upper half of the deque with the highest
// cost. It returns false if stealing would gain too little.
func (s *deques) steal(k int) bool {
	for {
		most, victim, old := 0, 0, uint64(0)
		for i := range s.of {
			v := s.of[i].Load()
			if c := s.cost(unpackRange(v)); c > most {
				most, victim, old = c, i, v
			}
		}
		lo, hi := unpackRange(old)
		middle, cost := s.middle(lo, hi)
		if most-cost < s.profile.StealGain {
			return false
		}
		if s.of[victim].CompareAndSwap(old, packRange(lo, middle)) {
			// While the deque of worker k is empty, only worker k writes to it.
			s.of[k].Store(packRange(middle, hi))
			return true
		}
	}
}

// middle returns the number of the unit at which to cut the units from lo to hi in two, so that the
// costlier part costs as little as possible, and the cost of that part. If a cut is inside a set of
// buckets, both parts must reduce the buckets of that set, so a cut between two sets is sometimes
// better.
func (l *layout) middle(lo, hi int) (cut, cost int) {
	if lo >= hi {
		return lo, 0
	}
	greater := func(at int) int { return max(l.cost(lo, at), l.cost(at, hi)) }
	cut = lo + sort.Search(hi-lo, func(n int) bool {
		return l.cost(lo, lo+n) >= l.cost(lo+n, hi)
	})
	cost = greater(cut)
	set := l.setOf(cut - 1)
	for _, edge := range []int{l.first[set], l.first[set+1]} {
		if edge > lo && edge < hi && greater(edge) < cost {
			cut, cost = edge, greater(edge)
		}
	}
	return cut, cost
}
