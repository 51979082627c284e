package sums

import (
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file cuts a sum by buckets into work units, and divides them among workers by work stealing
// (Blumofe and Leiserson, "Scheduling Multithreaded Computations by Work Stealing", JACM 46, 1999),
// except that a thief takes half of its victim's units. docs/msm.md, "Workers", gives the reasons.

// A layout numbers the work units of a sum: first the units of bucket set 0, then those of set 1,
// and so on. A unit is the digits of at most UnitHalves half scalars in one window. The digits of
// window j·sets + i go into set i, and their points are in table j. A [Sum] has one table, so it
// has a set for each window. A [Bases] has tables with the multiples of the points for the later
// windows of a set.
type layout struct {
	profile *profile.Sums
	windows windows

	used         int // number of windows in which some half scalar has digits
	sets, tables int
	all, full    int // numbers of half scalars, of all terms and of full terms
	both         int // number of windows in which all half scalars have digits
	count        int // number of units

	free int // number of the first row for the workers
	room int // maximum number of buckets that a worker fills before it reduces them
}

// newLayout returns the layout for the given numbers of full and short half scalars. With more than
// one table there must be no short half scalars.
func newLayout(w windows, tables, full, short int) layout {
	l := layout{profile: &profile.Current().Sums, windows: w, tables: tables}
	l.all, l.full, l.both, l.used = full+short, full, w.short(), w.count
	if full == 0 {
		l.used = l.both
	}
	l.sets = (l.used + tables - 1) / tables
	l.count = l.both*l.unitsOf(l.all) + (l.sets*tables-l.both)*l.unitsOf(full)
	l.free = firstBase + tables*l.all
	total, most := 0, 0
	for i := range l.sets {
		total, most = total+l.buckets(i), max(most, l.buckets(i))
	}
	l.room = most + min(total, l.profile.SetBuckets)
	return l
}

// unitsOf returns the number of units of one window with digits of the given number of half
// scalars.
func (l *layout) unitsOf(halves int) int {
	return (halves + l.profile.UnitHalves - 1) / l.profile.UnitHalves
}

// unit returns unit number n: the digits of the half scalars with numbers from lo to hi − 1 in a
// window. A window from number l.used on has no digits: the last table may serve fewer windows than
// the others.
func (l *layout) unit(n int) (set, window, lo, hi int) {
	halves, first := l.all, 0
	if units := l.both * l.unitsOf(l.all); n >= units {
		n, halves, first = n-units, l.full, l.both
	}
	i := first + n/l.unitsOf(halves)
	set, lo = i/l.tables, n%l.unitsOf(halves)*l.profile.UnitHalves
	return set, i%l.tables*l.sets + set, lo, min(lo+l.profile.UnitHalves, halves)
}

// buckets returns the number of buckets of a set, a multiple of halveStep. The first one is for the
// digit 0 and stays empty.
func (l *layout) buckets(set int) int {
	most := 0
	for i := set; i < l.used; i += l.sets {
		most = max(most, l.windows.buckets(i))
	}
	return wholeSteps(1 + most)
}

// rows returns the maximum number of rows that a worker needs. During bucket accumulation, every
// bucket holds one sum, every pair holds two, and the addition of a pair writes one more. Bucket
// reduction then makes at most two sums for every bucket, and frees no row.
func (l *layout) rows() int {
	return 2*sumPositions + 3*l.room + 3*min(maxPairs(l.profile), l.used*l.all)
}

// units holds a layout, and a deque for each worker. At first worker 0 has all units. A worker
// takes units from the lower end of its deque. A worker without units steals the upper half of
// another worker's deque. So a worker's units are adjacent, and few sets of buckets are filled by
// two workers.
type units struct {
	layout
	mu     sync.Mutex // one for all deques, because a unit takes a thousand times as long as next
	deques []deque    // by worker

	cancelled atomic.Bool // whether a worker has left work because the context was done
}

// A deque holds the units with numbers from lo to hi − 1, which a worker still has to do.
type deque struct{ lo, hi int }

// start prepares u for the given number of workers, and gives all units to worker 0.
func (u *units) start(workers int) {
	u.deques = resize(u.deques, workers)
	clear(u.deques)
	u.deques[0].hi = u.count
	u.cancelled.Store(false)
}

// next returns the number of the next unit for worker k, or -1 if worker k has none and it would
// not be worthwhile to steal one.
func (u *units) next(k int) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	d := &u.deques[k]
	if d.lo == d.hi && !u.steal(k) {
		return -1
	}
	d.lo++
	return d.lo - 1
}

// steal moves units to worker k, whose deque is empty: the upper half of the longest deque. It
// returns false if stealing would gain too little. The gain is the digits of these units, and the
// reduction of their sets, with two additions for each bucket. One set is subtracted, because both
// workers may have to reduce it. The caller must hold the lock.
func (u *units) steal(k int) bool {
	victim := &u.deques[0]
	for i := range u.deques {
		if d := &u.deques[i]; d.hi-d.lo > victim.hi-victim.lo {
			victim = d
		}
	}
	half := (victim.hi - victim.lo) / 2
	gain := half * u.profile.UnitHalves
	if u.count > 0 {
		gain += 2 * u.buckets(0) * (half*u.sets - u.count) / u.count
	}
	if gain < u.profile.StealGain {
		return false
	}
	u.deques[k] = deque{victim.hi - half, victim.hi}
	victim.hi -= half
	return true
}
