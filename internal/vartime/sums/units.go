package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// This file cuts a sum by buckets into work units, which deque.go divides among workers.

// A layout numbers the work units of a sum: first the units of bucket set 0, then those of set 1,
// and so on. A set has one bucket for each magnitude of a digit. The digits of window w of the half
// scalars go into set number w mod sets. A [Sum] has a set for each window. A [Bases] has fewer,
// because its tables hold the multiples of the points for the later windows of a set.
type layout struct {
	profile *profile.Sums

	windows     *windows
	used        int // number of windows; short half scalars may need fewer
	sets        int
	full, short int                 // numbers of half scalars; short is 0 if windows share a set
	lastOf      [2]int              // by kind, number of its last window; -1 if none
	first       [maxWindows + 1]int // number of each set's first unit; then the number of all units
	units       int
}

// A workUnit is the task to accumulate the digits of the half scalars lo…hi−1 in one window. Their
// points are in consecutive rows; the field row is the number of the first. last is set for the
// topmost window of a half scalar, whose digit includes the final carry.
type workUnit struct {
	set, window, lo, hi, row int
	last                     bool
}

// lay returns the layout for the given numbers of full and short half scalars. It has one set of
// buckets for each window, but at most maxSets sets.
func lay(w *windows, maxSets, full, short int) layout {
	l := layout{
		profile: &profile.Current().Sums, windows: w,
		full: full, short: short, lastOf: [2]int{-1, -1},
	}
	if full > 0 {
		l.lastOf[0] = w.last(fullBits)
	}
	if short > 0 {
		l.lastOf[1] = w.last(shortBits)
	}
	l.used = max(l.lastOf[0], l.lastOf[1]) + 1
	l.sets = min(maxSets, l.used)
	for set := range l.sets {
		l.first[set] = l.units
		for i := set; i < l.used; i += l.sets {
			if i <= l.lastOf[0] {
				l.units += l.unitsOf(full)
			}
			if i <= l.lastOf[1] {
				l.units += l.unitsOf(short)
			}
		}
	}
	l.first[l.sets] = l.units
	return l
}

// unitsOf returns the number of work units for the given number of half scalars in one window.
func (l *layout) unitsOf(halves int) int {
	return (halves + l.profile.UnitHalves - 1) / l.profile.UnitHalves
}

// bucketsOf returns the number of buckets of a set. The first bucket is for the digit 0 and stays
// empty.
func (l *layout) bucketsOf(set int) int {
	most := 0
	for i := set; i < l.used; i += l.sets {
		most = max(most, l.windows.buckets(i))
	}
	return most + 1
}

// setOf returns the set that a unit belongs to.
func (l *layout) setOf(unit int) int {
	set := 0
	for l.first[set+1] <= unit {
		set++
	}
	return set
}

// unit returns unit number n. The units of a set are ordered by window, and in a window, full half
// scalars come before short ones.
func (l *layout) unit(n int) (u workUnit) {
	u.set = l.setOf(n)
	u.window = u.set
	k, full := n-l.first[u.set], l.unitsOf(l.full)
	table := 0
	if l.short == 0 {
		table, k = k/full, k%full
		u.window += table * l.sets
	}
	start, count, kind := 0, l.full, 0
	if k >= full {
		start, count, kind = l.full, l.short, 1
		k -= full
	}
	u.lo, u.hi = start+k*l.profile.UnitHalves, start+min((k+1)*l.profile.UnitHalves, count)
	u.row = firstBase + table*l.full + u.lo
	u.last = u.window == l.lastOf[kind]
	return u
}

// bucketsFor returns the maximum number of buckets that each worker fills before it reduces them.
// If a worker fills buckets several times, it fills about as many each time.
func (l *layout) bucketsFor(workers int) int {
	total, most := 0, 0
	for i := range l.sets {
		n := l.bucketsOf(i)
		total, most = total+n, max(most, n)
	}
	// The result is more than an equal share of the buckets, because other workers may begin late.
	total = 2 * total / (workers + 1)
	times := (total + l.profile.SetBuckets - 1) / l.profile.SetBuckets
	return total/max(times, 1) + most
}

// room returns the maximum number of rows that a worker needs for the given number of buckets.
// During bucket accumulation, every bucket holds one sum, every pair holds two, and the addition of
// a pair writes one more. Bucket reduction then makes at most two sums for every bucket, and frees
// no row. The sums of positions may remain from an earlier reduction.
func (l *layout) room(buckets int) int {
	return sumPositions + 3*buckets + 3*min(maxPairs(l.profile), l.units*l.profile.UnitHalves)
}

// cost returns the cost for one worker of the units with numbers from lo to hi − 1, including the
// reduction of their sets' buckets. The unit of cost is accumulating one digit, with its addition.
// Reducing a bucket takes two additions, but accumulating its first point took none.
func (l *layout) cost(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	c := (hi - lo) * l.profile.UnitHalves
	for i := l.setOf(lo); i < l.sets && l.first[i] < hi; i++ {
		c += 2 * l.bucketsOf(i)
	}
	return c
}
