package sums

import (
	"cmp"
	"context"
	"math/bits"

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

// pippenger sets r to the sum of the terms by buckets, with the given number of windows. Bucket
// accumulation adds a point with the digit d in window w to the bucket for |d| in the set for w; if
// d is negative it adds the opposite of the point. Bucket reduction turns the bucket sums S_d into
// sums by position: Σ d·S_d = Σ 2^j·U_j, where U_j is the sum of all S_d with bit j set in d.
func (s *Sum) pippenger(ctx context.Context, r *point.Jacobian, windows int, c *crew.Crew) error {
	w := cut(windows)
	l := s.recode(&w, c)
	err := s.sumUnits(ctx, r, &l, firstBase+len(s.halves), c)
	if err != nil {
		s.restore(&w)
	}
	return err
}

// recode prepares the terms for the windows w: it adds the windows' offset to the half scalars, and
// sets the row after every P to λ·P. It returns the layout of the sum.
func (s *Sum) recode(w *windows, c *crew.Crew) layout {
	l := lay(w, maxWindows, 2*s.full, 2*s.short)
	for kind, terms := range [2]int{s.full, s.short} {
		first := kind * s.full // full terms come first
		addLo, addHi := w.offset([2]uint8{fullBits, shortBits}[kind])
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
func (s *Sum) restore(w *windows) {
	for kind, halves := range [2][]half{s.halves[:2*s.full], s.halves[2*s.full:]} {
		lo, hi := w.offset([2]uint8{fullBits, shortBits}[kind])
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
	work := func(_, k, _ int) { s.run(ctx, k) }
	for b := c.Begin(workers, 1, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	if s.units.cancelled.Load() {
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if Err of ctx forgets its own
	}
	horner(r, s.sums)
	return nil
}

// start prepares s for the given number of workers, which run all units of l. unused is the number
// of the first free row: that row and all rows after it are for the workers' sums.
func (s *Sum) start(l *layout, unused, workers int) {
	if s.units == nil {
		s.units = new(deques)
	}
	s.units.start(l, workers)
	if len(s.workers) < workers {
		s.workers = append(s.workers, make([]worker, workers-len(s.workers))...)
	}
	s.sums = resize(s.sums, workers)[:0]
	s.buckets = l.bucketsFor(workers)
	s.free = unused
	s.setBase(unused + workers*l.room(s.buckets))
}

// run does the work of worker k: it takes work units until the method next has none left for it,
// and appends the sums of the points in these units by position to s.sums. It returns early when
// ctx ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l := &s.workers[k], &s.units.layout
	room := l.room(s.buckets)
	first := s.free + k*room
	w.sets = w.sets[:0]
	base, end := 0, 0 // bounds of the buckets of the current set, the last of w.sets
	set := -1         // number of the current set
	for n := s.units.next(k); n >= 0; n = s.units.next(k) {
		if ctx.Err() != nil {
			s.units.cancelled.Store(true)
			return
		}
		u := l.workUnit(n)
		if int(u.set) != set {
			set = int(u.set)
			size := l.buckets[set]
			if len(w.sets) == maxWindows || end+size > sumPositions+s.buckets {
				s.reduce(w)
			}
			if len(w.sets) == 0 {
				// The worker gets one bucket for every position (power of two), then the buckets of
				// sets, and then half as many for the method reduce.
				w.start(l.profile, s.rows, first, first+room,
					sumPositions+s.buckets+s.buckets/2+maxWindows)
				end = sumPositions
			}
			w.sets = append(w.sets, bucketSet{l.windows.pos[set], size})
			base, end = end, end+size
		}
		w.accumulateDigits(s.halves[u.lo:u.hi], uint32(u.row), uint32(base),
			l.windows.pos[u.window], l.windows.width[u.window], u.last)
		w.flushFull()
	}
	s.reduce(w)
}

// reduce reduces the sets of buckets that w has filled, and appends the sums by position to s.sums.
func (s *Sum) reduce(w *worker) {
	if len(w.sets) == 0 {
		return
	}
	w.reduce()
	w.sets = w.sets[:0]
	s.units.mu.Lock()
	defer s.units.mu.Unlock()
	s.sums = append(s.sums, positionSums{})
	w.collect(&s.sums[len(s.sums)-1])
}
