package sums

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds Pippenger's algorithm: bucket accumulation, bucket reduction, and the powers
// of two at the end. docs/msm.md describes it and names its sources.

// positionSums holds a point for each i, to be multiplied by 2^i and added up; (0, 0) stands
// for infinity. Each lane has lanePositions of them, one after the other. The points that lanes
// add at a time lie together, in rows that a kernel reads as they are.
type positionSums [lanePositions]lanes.Packed

// at returns where the coordinates of the point for i are.
func (s *positionSums) at(i int) *[lanes.RowWords]uint64 {
	return &s[i%lanePositions][i/lanePositions]
}

// point returns the point for i, and whether there is one.
func (s *positionSums) point(i int) (p point.Affine, ok bool) {
	r := s.at(i)
	p.X.SetLimbs(r[0], r[1], r[2], r[3])
	p.Y.SetLimbs(r[4], r[5], r[6], r[7])
	return p, !empty(r)
}

// set sets the point for i.
func (s *positionSums) set(i int, p *point.Affine) { lanes.SetRow(s.at(i), &p.X, &p.Y) }

// empty returns whether r stands for infinity.
func empty(r *[lanes.RowWords]uint64) bool {
	return r[0]|r[1]|r[2]|r[3]|r[4]|r[5]|r[6]|r[7] == 0
}

// pippenger sets r to the sum of the terms with buckets. Bucket accumulation adds each point
// to the bucket of its digit d in window w, or its opposite to that of −d. Bucket reduction
// turns the buckets' sums S_d into sums by position: that of d·S_d is that of 2^j·U_j, where
// U_j adds up the S_d with bit j set in d.
func (s *Sum) pippenger(ctx context.Context, r *point.Jacobian, p *plan, c *crew.Crew) error {
	l := s.recode(&p.windows, c)
	err := s.sumUnits(ctx, r, &l, firstBase+len(s.halves), c)
	if err != nil {
		s.restore(&p.windows, &l)
	}
	return err
}

// recode makes the terms ready to be cut into windows: it adds the windows' offset to the half
// scalars, and sets λ·P beside every P. It returns the layout of the sum.
func (s *Sum) recode(w *windows, c *crew.Crew) layout {
	l := lay(w, maxWindows, 2*s.full, 2*s.short)
	if s.full > 0 {
		s.recodeRange(&l, 0, s.full, l.lastOf[0], c)
	}
	if s.short > 0 {
		s.recodeRange(&l, s.full, s.full+s.short, l.lastOf[1], c)
	}
	return l
}

// recodeRange is recode for the terms from number first up to end, whose last window is given.
func (s *Sum) recodeRange(l *layout, first, end, last int, c *crew.Crew) {
	addLo, addHi := l.windows.offset(last)
	c.Share(end-first, l.profile.RecodeTerms, func(_, lo, hi int) {
		lo, hi = 2*(first+lo), 2*(first+hi)
		recode(s.halves[lo:hi], addLo, addHi)
		timesLambdaAll(s.rows[firstBase+lo : firstBase+hi])
	})
}

// restore undoes recode for the half scalars. The rows of λ·P stay: they are the same whenever
// they are set.
func (s *Sum) restore(w *windows, l *layout) {
	if s.full > 0 {
		addLo, addHi := w.offset(l.lastOf[0])
		unrecode(s.halves[:2*s.full], addLo, addHi)
	}
	if s.short > 0 {
		addLo, addHi := w.offset(l.lastOf[1])
		unrecode(s.halves[2*s.full:], addLo, addHi)
	}
}

// sumUnits sets r to the sum of all work units of a layout. The rows from number free on are
// those of its workers. If ctx ends before the sum is there its error is returned, and r is not
// set.
func (s *Sum) sumUnits(
	ctx context.Context, r *point.Jacobian, l *layout, free int, c *crew.Crew,
) error {
	workers := min(c.Workers(), MaxWorkers)
	s.start(l, free, workers)
	c.Do(func(k int) {
		if k < workers {
			s.run(ctx, k)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	horner(r, s.sums)
	return nil
}

// start makes s ready for so many workers to run all units of a layout, with the rows from
// number free on as theirs.
func (s *Sum) start(l *layout, free, workers int) {
	s.units.start(l, workers)
	if len(s.workers) < workers {
		s.workers = append(s.workers, make([]worker, workers-len(s.workers))...)
	}
	s.sums = resize(s.sums, workers)
	clear(s.sums)
	s.buckets = l.bucketsFor(workers)
	s.free = free
	s.setBase(free + workers*l.room(s.buckets))
}

// run is the part of worker k: it takes units until none are left for it, and sets s.sums[k] to
// the sums of their points by position. It gives up when ctx ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l, sums := &s.workers[k], &s.units.layout, &s.sums[k]
	room := l.room(s.buckets)
	first := s.free + k*room
	var pos [maxWindows]uint8
	var sizes [maxWindows]int
	count := 0        // sets that have buckets
	base, end := 0, 0 // the buckets of the last one
	set := -1         // its number
	again := false    // whether buckets were filled before, so that there are sums
	for n := s.units.next(k); n >= 0; n = s.units.next(k) {
		if ctx.Err() != nil {
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
				// The buckets: one for every position, then those of sets, and half as
				// many again for reduce.
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

// resume moves sums into the buckets of positions, which are empty.
func (w *worker) resume(sums *positionSums) {
	for i := range sumPositions {
		if p, ok := sums.point(i); ok {
			row := w.take()
			w.buckets[i] = row
			w.rows[row>>rowShift] = p
		}
	}
	clear(sums[:])
}
