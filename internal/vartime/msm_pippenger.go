package vartime

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/point"
)

// maxGroupBuckets is how many buckets a worker fills at a time, unless one
// window alone has more: with their sums they should stay in a core's cache.
const maxGroupBuckets = 8192

// A task is the part of a sum that one worker computes at a time: some
// windows, from first up to last, of every parts-th block of terms.
type task struct {
	first, last int
	part        int
}

// positionSums holds what is to be multiplied by 2^i and added up, for every i;
// (0, 0) stands for infinity.
type positionSums [sumPositions]point.Affine

// pippenger sets r to the sum of the terms with buckets: what is multiplied by
// the digit d of window w is thrown into a bucket of d and w (Pippenger; with
// signed digits), and the buckets' sums S_d are weighed by position: the sum of
// d·S_d is that of 2^j·U_j, where U_j adds up the S_d with bit j set in d.
func (s *Sum) pippenger(ctx context.Context, r *point.Jacobian, p *plan) error {
	w := &p.windows
	windows := 0
	if s.full > 0 {
		last := w.last(fullBits)
		lo, hi := w.offset(last)
		recode(s.halves[:2*s.full], lo, hi)
		windows = last + 1
	}
	if s.short > 0 {
		last := w.last(shortBits)
		lo, hi := w.offset(last)
		recode(s.halves[2*s.full:], lo, hi)
		windows = max(windows, last+1)
	}

	tasks := p.tasks(windows)
	workers := min(p.workers, len(tasks))
	if len(s.workers) < workers {
		s.workers = append(s.workers, make([]worker, workers-len(s.workers))...)
	}
	entries := 2 * (s.full + s.short)
	room := 0
	for _, t := range tasks {
		room = max(room, w.room(t, entries))
	}
	base := firstBase + entries
	s.setBase(base + workers*room)

	sums := s.sumsOf(len(tasks))
	var next atomic.Int32
	work := func(k int) {
		first := base + k*room
		for {
			i := int(next.Add(1)) - 1
			if i >= len(tasks) || ctx.Err() != nil {
				return
			}
			s.run(ctx, &s.workers[k], p, tasks[i], first, first+room, &sums[i])
		}
	}
	var wg sync.WaitGroup
	for k := 1; k < workers; k++ {
		wg.Go(func() { work(k) })
	}
	work(0)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	horner(r, sums)
	return nil
}

// tasks cuts the work on so many windows.
func (p *plan) tasks(windows int) []task {
	total := 0
	for i := range windows {
		total += p.windows.buckets(i) + 1
	}
	groups := max(p.workers, (total+maxGroupBuckets-1)/maxGroupBuckets)
	groups = min((groups+p.workers-1)/p.workers*p.workers, windows)
	var tasks []task
	for i := range groups {
		for part := range p.parts {
			tasks = append(tasks, task{windows * i / groups, windows * (i + 1) / groups, part})
		}
	}
	return tasks
}

// size returns how many buckets the windows of t have. Each has one for zero
// too, which stays empty.
func (w *windows) size(t task) (n int) {
	for i := t.first; i < t.last; i++ {
		n += w.buckets(i) + 1
	}
	return n
}

// room returns how many rows a worker needs for t, at most. While points are
// thrown, there is a sum in every bucket, two in every pair, and one coming from
// every pair. Then weigh adds at most two for every bucket, and uses none again.
func (w *windows) room(t task, entries int) int {
	return 3*w.size(t) + 3*min(maxPairs, entries*(t.last-t.first))
}

// run computes what t asks for. It gives up when ctx ends.
func (s *Sum) run(ctx context.Context, w *worker, p *plan, t task, first, last int, sums *positionSums) {
	// The buckets: one for every position, then those of every window, and
	// half as many again for weigh.
	size := p.windows.size(t)
	w.start(s.rows, first, last, sumPositions+size+size/2+t.last-t.first)
	base := sumPositions
	for i := t.first; i < t.last; i++ {
		full, short := s.halves[:2*s.full], s.halves[2*s.full:]
		for _, h := range []struct {
			halves []half
			first  int
			bits   uint8
		}{{full, firstBase, fullBits}, {short, firstBase + 2*s.full, shortBits}} {
			if len(h.halves) == 0 || i > p.windows.last(h.bits) {
				continue
			}
			isLast := i == p.windows.last(h.bits)
			// Blocks go to the parts in turn.
			for at := t.part * blockSize; at < len(h.halves); at += p.parts * blockSize {
				end := min(at+blockSize, len(h.halves))
				w.throwDigits(h.halves[at:end], uint32(h.first+at), uint32(base), p.windows.pos[i], p.windows.width[i], isLast)
				w.enough()
				if ctx.Err() != nil {
					return
				}
			}
		}
		base += p.windows.buckets(i) + 1
	}
	w.drain()
	var pos [maxWindows]uint8
	var sizes [maxWindows]int
	for i := t.first; i < t.last; i++ {
		pos[i-t.first], sizes[i-t.first] = p.windows.pos[i], p.windows.buckets(i)+1
	}
	w.weigh(pos[:t.last-t.first], sizes[:t.last-t.first])
	w.collect(sums)
}

// weigh turns the sums S_d in the buckets of windows at positions pos, which are
// all drained, into sums in the buckets of positions, so that the sum of d·S_d,
// times 2^pos, is that of 2^i times bucket i. sizes says how many buckets a window
// has, and is overwritten. There is room behind them for half as many, rounded up.
//
// Those S_d with an odd d belong to position pos. S_d + S_(d+1) for even d are
// the sums by d/2 for the bits above, and so on: two additions a bucket and a
// depth that is logarithmic, and all windows at once.
func (w *worker) weigh(pos []uint8, sizes []int) {
	w.keep = true // a sum goes two ways
	from, to := sumPositions, sumPositions
	for _, n := range sizes {
		to += n
	}
	for level, more := 0, true; more; level++ {
		more = false
		src, dst := from, to
		for i, n := range sizes {
			if n > 1 {
				more = true
				position := uint32(int(pos[i]) + level)
				for d, r := range w.buckets[src : src+n] {
					if r == 0 {
						continue
					}
					w.buckets[src+d] = 0
					if d > 1 {
						w.throw(uint32(dst+d>>1), r)
					}
					if d&1 != 0 {
						w.throw(position, r)
					}
					w.enough()
				}
			}
			src += n
			sizes[i] = (n + 1) >> 1
			dst += sizes[i]
		}
		if w.pairs.n > 0 {
			// Two meet in a bucket of the next level at most, so that it is
			// done after this. Those of positions may go on.
			w.flush()
		}
		from, to = to, from
	}
	w.drain()
}
