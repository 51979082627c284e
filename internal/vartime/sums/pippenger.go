package sums

import (
	"cmp"
	"context"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds Pippenger's algorithm: bucket accumulation, bucket reduction, and the final sum
// over powers of two. docs/msm.md describes the algorithm and names its sources.

// positionSums holds a point for each position i, which is to be multiplied by 2^i; (0, 0)
// represents infinity.
type positionSums [sumPositions]point.Affine

// pippenger sets r to the sum of the terms by buckets, with the windows w and at most the given
// number of bucket sets. Bucket accumulation adds a point with the digit d in window i to the
// bucket for |d| in the set for i; if d is negative it adds the opposite of the point. Bucket
// reduction turns the bucket sums S_d into sums by position: Σ d·S_d = Σ 2^j·U_j, where U_j is the
// sum of all S_d with bit j set in d.
//
// unused is the number of the first free row: that row and all rows after it are for the workers'
// sums. If ctx ends first, pippenger returns the error of ctx, does not set r, and keeps the terms.
func (s *Sum) pippenger(
	ctx context.Context, r *point.Jacobian, w *windows, sets, unused int, c *forkjoin.Team,
) error {
	workers := min(c.Workers(), MaxWorkers)
	l := s.recode(w, sets, c)
	s.start(&l, unused, workers)
	work := func(_, k, _ int) { s.run(ctx, k) }
	for b := c.Begin(workers, 1, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	if s.units.cancelled.Load() {
		s.recodeTerms(w, 0, s.full+s.short, true)
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if Err of ctx forgets its own
	}
	horner(r, s.sums)
	return nil
}

// recode prepares the terms for the windows w: it adds the windows' offset to the half scalars, and
// sets the row after every P to λ·P. It returns the layout of the sum, with at most the given
// number of sets.
func (s *Sum) recode(w *windows, sets int, c *forkjoin.Team) layout {
	work := func(_, lo, hi int) {
		s.recodeTerms(w, lo, hi, false)
		timesLambdaAll(s.rows[firstBase+2*lo : firstBase+2*hi])
	}
	l := newLayout(w, sets, 2*s.full, 2*s.short)
	for b := c.Begin(s.full+s.short, l.profile.RecodeTerms, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	return l
}

// recodeTerms recodes the half scalars of the terms with numbers from lo to hi − 1 for the windows
// w. If undo is set it restores the half scalars.
func (s *Sum) recodeTerms(w *windows, lo, hi int, undo bool) {
	full := min(max(lo, s.full), hi) // end of the full terms
	w.recode(s.halves[2*lo:2*full], fullBits, undo)
	w.recode(s.halves[2*full:2*hi], shortBits, undo)
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
	s.resizeRows(unused + workers*l.rowsFor(s.buckets))
}

// run does the work of worker k: it takes work units until the method next has none left for it,
// and appends the sums of the points in these units by position to s.sums. It returns early when
// ctx ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l := &s.workers[k], &s.units.layout
	perWorker := l.rowsFor(s.buckets)
	first := s.free + k*perWorker
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
				w.start(l.profile, s.rows, first, first+perWorker,
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
