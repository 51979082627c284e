package sums

import (
	"cmp"
	"context"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds Pippenger's algorithm: bucket accumulation, bucket reduction, and the final sum
// over powers of two. docs/msm.md describes the algorithm and names its sources.

// pippenger sets r to the sum of the terms by buckets, with the windows w. Bucket accumulation adds
// a point with the digit d in window i to the bucket for |d| in the set for i; if d is negative it
// adds the opposite of the point. Bucket reduction turns the bucket sums S_d into sums by position:
// Σ d·S_d = Σ 2^j·U_j, where U_j is the sum of all S_d with bit j set in d.
//
// The rows of the terms must hold the given number of tables, one for a sum without tables. If ctx
// ends first, pippenger returns the error of ctx, does not set r, and keeps the terms. It also
// keeps them if a method of ctx panics.
func (s *Sum) pippenger(
	ctx context.Context, r *point.Jacobian, w windows, tables int, c *forkjoin.Team,
) error {
	workers := min(c.Workers(), MaxWorkers)
	s.recode(w, tables, c)
	s.start(workers)
	done := false
	defer func() {
		if !done { // also if a method of ctx panics
			c.End()
			s.units.windows.recode(s.halves, true)
		}
	}()
	work := func(_, k, _ int) { s.run(ctx, k) }
	for b := c.Begin(workers, 1, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	if s.units.cancelled.Load() {
		return cmp.Or(ctx.Err(), context.Canceled) // an error even if ctx.Err() is nil by now
	}
	done = true
	s.horner(r)
	return nil
}

// recode prepares the terms for the windows w: it sets the layout, adds the windows' offset to the
// half scalars, and sets the row after every P to λ·P.
func (s *Sum) recode(w windows, tables int, c *forkjoin.Team) {
	if s.units == nil {
		s.units = new(units)
	}
	s.units.layout = newLayout(w, tables, 2*s.full, 2*s.short)
	work := func(_, lo, hi int) {
		s.units.windows.recode(s.halves[2*lo:2*hi], false)
		timesLambdaAll(s.rows[firstBase+2*lo : firstBase+2*hi])
	}
	for b := c.Begin(s.full+s.short, s.units.profile.RecodeTerms, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
}

// start prepares s for the given number of workers, which run all units of the layout.
func (s *Sum) start(workers int) {
	s.units.start(workers)
	s.startWorkers(s.units.free, s.units.rows(), workers)
}

// startWorkers gives each worker the given number of rows, from row number free on. The first rows
// of a worker hold its sums by position: for each position i, a point that is to be multiplied by
// 2^i. startWorkers sets them to (0, 0), which represents infinity.
func (s *Sum) startWorkers(free, rows, workers int) {
	s.rows = extend(s.rows, free+workers*rows)
	s.workers = extend(s.workers, workers)
	s.first = resize(s.first, workers)
	for k := range s.first {
		s.first[k] = free + k*rows
		clear(s.rows[s.first[k]:][:sumPositions])
	}
}

// run does the work of worker k: it takes work units until the method next has none left for it,
// and adds the sums of the points in these units to its sums by position. It returns early when ctx
// ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l := &s.workers[k], &s.units.layout
	w.sets = w.sets[:0]
	base, end := 0, 0 // bounds of the buckets of the current set, the last of w.sets
	current := -1     // number of the current set
	for n := s.units.next(k); n >= 0; n = s.units.next(k) {
		if ctx.Err() != nil {
			s.units.cancelled.Store(true)
			return
		}
		set, window, lo, hi := l.unit(n)
		if window >= l.used {
			continue
		}
		if set != current {
			size := l.buckets(set)
			if end+size > sumPositions+l.room {
				w.reduce()
			}
			if len(w.sets) == 0 {
				// The worker gets one bucket for every position (power of two), then the buckets of
				// sets, and then as many for the method reduce.
				w.start(s.rows[:s.first[k]+l.rows()], s.first[k], sumPositions+2*l.room)
				end = sumPositions
			}
			w.sets = append(w.sets, bucketSet{l.windows.pos[set], size})
			base, end, current = end, end+size, set
		}
		p := &w.pairs
		a, b, bucket := p.a[p.n:], p.b[p.n:], p.bucket[p.n:]
		row := ref(firstBase+window/l.sets*l.all+lo) << rowShift
		readBuckets(b, bucket, s.halves[lo:hi], int(l.windows.pos[window]),
			int(l.windows.width[window]), l.windows.middle(window), row, uint32(base))
		p.n += accumulateAll(a, b, bucket, w.buckets, hi-lo)
		w.flushFull()
	}
	if len(w.sets) > 0 {
		w.reduce()
	}
}
