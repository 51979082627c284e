package sums

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/point"
)

// maxGroupBuckets is how many buckets a worker fills at a time, unless one
// window alone has more: with their sums they should stay in a core's cache.
const maxGroupBuckets = 8192

// positionSums holds what is to be multiplied by 2^i and added up, for every i;
// (0, 0) stands for infinity.
type positionSums [sumPositions]point.Affine

// pippenger sets r to the sum of the terms with buckets: what is multiplied by
// the digit d of window w is thrown into a bucket of d and w (Pippenger; with
// signed digits), and the buckets' sums S_d are weighed by position: the sum of
// d·S_d is that of 2^j·U_j, where U_j adds up the S_d with bit j set in d.
func (s *Sum) pippenger(ctx context.Context, r *point.Jacobian, p *plan, c *crew.Crew) error {
	l := s.recode(&p.windows, c)
	workers := min(c.Workers(), MaxWorkers)
	s.deal(&l, workers)
	c.Do(func(k int) {
		if k < workers {
			s.run(ctx, k)
		}
	})
	if err := ctx.Err(); err != nil {
		s.restore(&p.windows, &l)
		return err
	}
	horner(r, s.sums)
	return nil
}

// recodeBlock is how many terms one worker makes ready at a time.
const recodeBlock = 2048

// recode makes the terms ready to be cut into windows: their half scalars, and λ·P
// beside every P. It returns the layout of their blocks.
func (s *Sum) recode(w *windows, c *crew.Crew) layout {
	l := lay(w, 2*s.full, 2*s.short)
	if s.full > 0 {
		s.recodeTerms(0, s.full, l.lastOf[0], w, c)
	}
	if s.short > 0 {
		s.recodeTerms(s.full, s.full+s.short, l.lastOf[1], w, c)
	}
	return l
}

// recodeTerms is recode for the terms from number first up to end, whose last window
// is given.
func (s *Sum) recodeTerms(first, end, last int, w *windows, c *crew.Crew) {
	addLo, addHi := w.offset(last)
	c.Share(end-first, recodeBlock, func(_, lo, hi int) {
		lo, hi = 2*(first+lo), 2*(first+hi)
		recode(s.halves[lo:hi], addLo, addHi)
		timesLambdaAll(s.rows[firstBase+lo : firstBase+hi])
	})
}

// restore undoes recode for the half scalars: the rows of λ·P are the same whenever
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

// deal makes run ready for so many workers and all blocks of a layout.
func (s *Sum) deal(l *layout, workers int) {
	s.shares.deal(l, workers)
	s.sumsOf(workers)
	s.buckets = l.groupBuckets(workers)
	s.setBase(firstBase + len(s.halves) + workers*l.room(s.buckets))
}

// groupBuckets returns how many buckets each of so many workers may fill at a
// time. If one fills them several times, they are about as many each time.
func (l *layout) groupBuckets(workers int) int {
	total, most := 0, 0
	for i := range l.count {
		n := l.bucketsOf(i)
		total, most = total+n, max(most, n)
	}
	// More than a worker's part, because others may come late.
	total = 2 * total / (workers + 1)
	groups := (total + maxGroupBuckets - 1) / maxGroupBuckets
	return total/max(groups, 1) + most
}

// room returns how many rows a worker needs for so many buckets, at most. While
// points are thrown, there is a sum in every bucket, two in every pair, and one
// coming from every pair. Then weigh adds at most two for every bucket, and uses
// none again. Those of the positions may be there from before.
func (l *layout) room(buckets int) int {
	return sumPositions + 3*buckets + 3*min(maxPairs, l.blocks*blockSize)
}

// run is the part of worker k: it throws blocks until none are left for it, and
// sets s.sums[k] to what comes of them. It gives up when ctx ends.
func (s *Sum) run(ctx context.Context, k int) {
	w, l, sums := &s.workers[k], &s.shares.layout, &s.sums[k]
	room := l.room(s.buckets)
	first := firstBase + len(s.halves) + k*room
	var pos [maxWindows]uint8
	var sizes [maxWindows]int
	count := 0        // windows that have buckets
	base, end := 0, 0 // the buckets of the last one
	window := -1      // its number
	for n := s.shares.next(k); n >= 0; n = s.shares.next(k) {
		if ctx.Err() != nil {
			return
		}
		t := l.block(n)
		if t.window != window {
			window = t.window
			size := l.bucketsOf(window)
			if count > 0 && (count == maxWindows || end+size > sumPositions+s.buckets) {
				w.weigh(pos[:count], sizes[:count])
				w.collect(sums)
				count = 0
			}
			if count == 0 {
				// The buckets: one for every position, then those of windows, and
				// half as many again for weigh.
				w.start(s.rows, first, first+room, sumPositions+s.buckets+s.buckets/2+maxWindows)
				w.resume(sums)
				end = sumPositions
			}
			pos[count], sizes[count] = l.windows.pos[window], size
			count++
			base, end = end, end+size
		}
		w.accumulateDigits(s.halves[t.lo:t.hi], uint32(firstBase+t.lo), uint32(base), l.windows.pos[window], l.windows.width[window], t.last)
		w.enough()
	}
	if count > 0 {
		w.weigh(pos[:count], sizes[:count])
		w.collect(sums)
	}
}

// resume moves sums into the buckets of positions, which are empty.
func (w *worker) resume(sums *positionSums) {
	for i := range sums {
		if sums[i] != (point.Affine{}) {
			row := w.take()
			w.buckets[i] = row
			w.rows[row>>rowShift], sums[i] = sums[i], point.Affine{}
		}
	}
}
