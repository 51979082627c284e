package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// This file cuts a sum by buckets into work units, which deque.go divides among workers.

// A layout numbers the work units of a sum: first the units of bucket set 0, then those of set 1,
// and so on. A set has one bucket for each magnitude of a digit. The digits of window w of the half
// scalars go into set number w mod sets. A [Sum] has a set for each window. A [Bases] has fewer,
// because its tables hold the multiples of the points for the later windows of a set.
type layout struct {
	profile *profile.Sums

	windows  windows
	sets     int
	buckets  [maxWindows]int     // by set, the number of its buckets
	first    [maxWindows + 1]int // by set, the number of its first unit; then the number of all units
	units    int
	segments [2 * maxWindows]segment // the first count elements, in the order of their units
	count    int
}

// A segment is the digits that the half scalars lo…hi−1 have in one window. Their points are in
// consecutive rows; the field row is the number of the first. last is set if the window is the
// topmost one of these half scalars, whose digits include the final carry.
type segment struct {
	lo, hi, row int
	unit        int // number of its first work unit
	set, window uint8
	last        bool
}

// newLayout returns the layout for the given numbers of full and short half scalars. It has one set
// of buckets for each window, but at most maxSets sets. If windows share a set, there must be no
// short half scalars.
func newLayout(w *windows, maxSets, full, short int) layout {
	l := layout{profile: &profile.Current().Sums, windows: *w}
	lastFull, lastShort := w.last(fullBits), w.last(shortBits)
	used := lastFull + 1
	if full == 0 {
		used = lastShort + 1 // short half scalars may need fewer windows
	}
	l.sets = min(maxSets, used)
	for set := range l.sets {
		l.first[set] = l.units
		for i := set; i < used; i += l.sets {
			// The first bucket is for the digit 0 and stays empty.
			l.buckets[set] = max(l.buckets[set], 1+w.buckets(i))
			s := segment{set: uint8(set), window: uint8(i)}
			s.lo, s.hi, s.last = 0, full, i == lastFull
			s.row = firstBase + i/l.sets*full
			l.add(s)
			if i <= lastShort {
				s.lo, s.hi, s.last = full, full+short, i == lastShort
				s.row = firstBase + full
				l.add(s)
			}
		}
	}
	l.first[l.sets] = l.units
	return l
}

// add numbers the work units of a segment, unless it is empty.
func (l *layout) add(s segment) {
	if s.lo == s.hi {
		return
	}
	s.unit = l.units
	l.segments[l.count] = s
	l.count++
	l.units += (s.hi - s.lo + l.profile.UnitHalves - 1) / l.profile.UnitHalves
}

// workUnit returns unit number n, which is a part of a segment.
func (l *layout) workUnit(n int) segment {
	i := 0
	for i+1 < l.count && l.segments[i+1].unit <= n {
		i++
	}
	s := l.segments[i]
	skip := (n - s.unit) * l.profile.UnitHalves
	s.unit, s.lo, s.row = n, s.lo+skip, s.row+skip
	s.hi = min(s.hi, s.lo+l.profile.UnitHalves)
	return s
}

// setOf returns the set that a unit belongs to.
func (l *layout) setOf(unit int) int {
	set := 0
	for l.first[set+1] <= unit {
		set++
	}
	return set
}

// bucketsFor returns the maximum number of buckets that each worker fills before it reduces them.
// If a worker fills buckets several times, it fills about as many each time.
func (l *layout) bucketsFor(workers int) int {
	total, most := 0, 0
	for _, n := range l.buckets {
		total, most = total+n, max(most, n)
	}
	// The result is more than an equal share of the buckets, because other workers may begin late.
	total = 2 * total / (workers + 1)
	times := (total + l.profile.SetBuckets - 1) / l.profile.SetBuckets
	return total/max(times, 1) + most
}

// rowsFor returns the maximum number of rows that a worker needs for the given number of buckets.
// During bucket accumulation, every bucket holds one sum, every pair holds two, and the addition of
// a pair writes one more. Bucket reduction then makes at most two sums for every bucket, and frees
// no row.
func (l *layout) rowsFor(buckets int) int {
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
		c += 2 * l.buckets[i]
	}
	return c
}
