package sums

import (
	"cmp"
	"context"
	"math/bits"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds Pippenger's algorithm: bucket accumulation, bucket reduction, and the final sum
// over powers of two. docs/msm.md describes the algorithm and names its sources.

// positionSums holds a point for each position i, which is to be multiplied by 2^i; (0, 0)
// represents infinity. Lane j holds lanePositions consecutive positions. The points that the lanes
// add at the same time are in adjacent rows, which a kernel loads together.
type positionSums [lanePositions]lanes.Packed

// at returns the row that holds the point for position i, which is to be multiplied by 2^i.
func (s *positionSums) at(i int) *[lanes.RowWords]uint64 {
	return &s[i%lanePositions][i/lanePositions]
}

// point returns the point for position i. ok is false if the point is infinity.
func (s *positionSums) point(i int) (p point.Affine, ok bool) {
	r := s.at(i)
	p.X.SetLimbs(r[0], r[1], r[2], r[3])
	p.Y.SetLimbs(r[4], r[5], r[6], r[7])
	return p, !empty(r)
}

// set sets the point for position i.
func (s *positionSums) set(i int, p *point.Affine) { lanes.SetRow(s.at(i), &p.X, &p.Y) }

// empty reports whether the row r is (0, 0), which represents infinity.
func empty(r *[lanes.RowWords]uint64) bool {
	return r[0]|r[1]|r[2]|r[3]|r[4]|r[5]|r[6]|r[7] == 0
}

// pippenger sets r to the sum of the terms by buckets. Bucket accumulation adds a point with the
// digit d in window w to the bucket for |d| in the set for w; if d is negative it adds the opposite
// of the point. Bucket reduction turns the bucket sums S_d into sums by position: Σ d·S_d = Σ
// 2^j·U_j, where U_j is the sum of all S_d with bit j set in d.
func (s *Sum) pippenger(ctx context.Context, r *point.Jacobian, p *plan, c *crew.Crew) error {
	l := s.recode(&p.windows, c)
	err := s.sumUnits(ctx, r, &l, firstBase+len(s.halves), c)
	if err != nil {
		s.restore(&l)
	}
	return err
}

// recode prepares the terms for the windows w: it adds the windows' offset to the half scalars, and
// sets the row after every P to λ·P. It returns the layout of the sum.
func (s *Sum) recode(w *windows, c *crew.Crew) layout {
	l := lay(w, maxWindows, 2*s.full, 2*s.short)
	for kind, terms := range [2]int{s.full, s.short} {
		first := kind * s.full // full terms come first
		addLo, addHi := w.offset(l.lastOf[kind])
		work := func(_, lo, hi int) {
			lo, hi = 2*(first+lo), 2*(first+hi)
			recode(s.halves[lo:hi], addLo, addHi)
			timesLambdaAll(s.rows[firstBase+lo : firstBase+hi])
		}
		for b := c.Begin(terms, l.profile.RecodeTerms, work); b.Next(); {
			work(0, b.Lo, b.Hi)
		}
	}
	return l
}

// restore undoes the changes of recode to the half scalars. It leaves the rows of λ·P, because
// recode would set them to the same points again.
func (s *Sum) restore(l *layout) {
	for kind, halves := range [2][]half{s.halves[:2*s.full], s.halves[2*s.full:]} {
		lo, hi := l.windows.offset(l.lastOf[kind])
		minusLo, borrow := bits.Sub64(0, lo, 0)
		minusHi, _ := bits.Sub64(0, hi, borrow)
		recode(halves, minusLo, minusHi)
	}
}

// sumUnits sets r to the sum of all work units of a layout. unused is the number of the first free
// row: that row and all rows after it are for the workers' sums. If ctx ends first, sumUnits
// returns the error of ctx and does not set r.
func (s *Sum) sumUnits(
	ctx context.Context, r *point.Jacobian, l *layout, unused int, c *crew.Crew,
) error {
	workers := min(c.Workers(), MaxWorkers)
	s.start(l, unused, workers)
	atomic.StoreUint32(&s.cancelled, 0)
	work := func(_, k, _ int) { s.run(ctx, k) }
	for b := c.Begin(workers, 1, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	if atomic.LoadUint32(&s.cancelled) != 0 {
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if Err of ctx forgets its own
	}
	horner(r, s.sums)
	return nil
}

// start prepares s for the given number of workers, which run all units of l. unused is the number
// of the first free row: that row and all rows after it are for the workers' sums.
func (s *Sum) start(l *layout, unused, workers int) {
	s.units.start(l, workers)
	if len(s.workers) < workers {
		s.workers = append(s.workers, make([]worker, workers-len(s.workers))...)
	}
	s.sums = resize(s.sums, workers)
	clear(s.sums)
	s.buckets = l.bucketsFor(workers)
	s.free = unused
	s.setBase(unused + workers*l.room(s.buckets))
}

// run does the work of worker k: it takes work units until the method next has none left for it,
// and sets s.sums[k] to the sums of the points in these units by position. It returns early when
// ctx ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l, sums := &s.workers[k], &s.units.layout, &s.sums[k]
	room := l.room(s.buckets)
	first := s.free + k*room
	var pos [maxWindows]uint8
	var sizes [maxWindows]int
	count := 0        // number of sets whose buckets are in use
	base, end := 0, 0 // bounds of the buckets of the current set
	set := -1         // number of the current set
	again := false    // buckets were reduced before; sums holds points
	for n := s.units.next(k); n >= 0; n = s.units.next(k) {
		if ctx.Err() != nil {
			atomic.StoreUint32(&s.cancelled, 1)
			return
		}
		u := l.unit(n)
		if u.set != set {
			set = u.set
			size := l.bucketsOf(set)
			if count > 0 && (count == maxWindows || end+size > sumPositions+s.buckets) {
				w.reduce(pos[:count], sizes[:count])
				w.collect(sums)
				count, again = 0, true
			}
			if count == 0 {
				// The worker gets one bucket for every position (power of two), then the buckets of
				// sets, and then half as many for the method reduce.
				w.start(l.profile, s.rows, first, first+room, sumPositions+s.buckets+s.buckets/2+maxWindows)
				if again {
					w.resume(sums)
				}
				end = sumPositions
			}
			pos[count], sizes[count] = l.windows.pos[set], size
			count++
			base, end = end, end+size
		}
		width := l.windows.width[u.window]
		w.accumulateDigits(s.halves[u.lo:u.hi], uint32(u.row), uint32(base),
			l.windows.pos[u.window], width, u.last)
		w.flushFull()
	}
	if count > 0 {
		w.reduce(pos[:count], sizes[:count])
		w.collect(sums)
	}
}

// resume moves the points of src, one for each position, into the worker's first buckets, which
// must be empty.
func (w *worker) resume(src *positionSums) {
	for i := range sumPositions {
		if p, ok := src.point(i); ok {
			w.takeRows(w.buckets[i : i+1])
			w.rows[w.buckets[i]>>rowShift] = p
		}
	}
	clear(src[:])
}
