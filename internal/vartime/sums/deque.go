package sums

import (
	"sort"
	"sync"
	"sync/atomic"
)

// This file divides the work units of a sum among workers by work stealing (Blumofe and Leiserson,
// "Scheduling Multithreaded Computations by Work Stealing", JACM 46, 1999), except that a thief
// takes half of its victim's units. docs/msm.md, "Workers", gives the reasons.

// deques has a deque for each worker: the range of the work units that the worker still has to do.
// At first worker 0 has all units. A worker takes units from the lower end of its deque. A worker
// without units steals the upper half of another worker's deque. So a worker's units are adjacent,
// and few sets of buckets are filled by two workers.
type deques struct {
	layout
	mu  sync.Mutex // one for all, because a unit takes a thousand times as long as next
	of  []deque    // by worker
	all [MaxWorkers]deque

	cancelled atomic.Bool // whether a worker has left work because the context was done
}

// A deque holds the units with numbers from lo to hi − 1.
type deque struct{ lo, hi int }

// start prepares the deques of the given number of workers, and gives all units of l to worker 0.
func (s *deques) start(l *layout, workers int) {
	s.layout = *l
	s.of = s.all[:workers]
	clear(s.of)
	s.of[0].hi = l.units
	s.cancelled.Store(false)
}

// next returns the number of the next unit for worker k, or -1 if worker k has none and it would
// not be worthwhile to steal one.
func (s *deques) next(k int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &s.of[k]
	if d.lo == d.hi && !s.steal(k) {
		return -1
	}
	d.lo++
	return d.lo - 1
}

// steal moves units to worker k, whose deque is empty: the upper half of the deque with the highest
// cost. It returns false if stealing would gain too little. The caller must hold the lock.
func (s *deques) steal(k int) bool {
	most, victim := 0, &s.of[k]
	for i := range s.of {
		if c := s.cost(s.of[i].lo, s.of[i].hi); c > most {
			most, victim = c, &s.of[i]
		}
	}
	middle, cost := s.middle(victim.lo, victim.hi)
	if most-cost < s.profile.StealGain {
		return false
	}
	s.of[k] = deque{middle, victim.hi}
	victim.hi = middle
	return true
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
