package sums

import (
	"sort"
	"sync/atomic"
)

// A layout numbers the blocks of half scalars that are to be thrown: those of
// window 0 first, then of window 1, and so on.
type layout struct {
	windows       *windows
	full, short   int // half scalars
	first         [maxWindows + 1]int
	lastOf        [2]int // windows of full ones and of short ones; -1 if there are none
	count, blocks int    // windows, and blocks in all
}

// A throwing is what a block asks for: the half scalars from lo to hi in a window,
// the last that they have or not.
type throwing struct {
	window, lo, hi int
	last           bool
}

// lay returns the layout for so many half scalars in windows.
func lay(w *windows, full, short int) layout {
	l := layout{windows: w, full: full, short: short, lastOf: [2]int{-1, -1}}
	if full > 0 {
		l.lastOf[0] = w.last(fullBits)
	}
	if short > 0 {
		l.lastOf[1] = w.last(shortBits)
	}
	l.count = max(l.lastOf[0], l.lastOf[1]) + 1
	for i := range l.count {
		l.first[i] = l.blocks
		if i <= l.lastOf[0] {
			l.blocks += blocksOf(full)
		}
		if i <= l.lastOf[1] {
			l.blocks += blocksOf(short)
		}
	}
	l.first[l.count] = l.blocks
	return l
}

// bucketsOf returns how many buckets a window has with one for zero, which stays
// empty.
func (l *layout) bucketsOf(window int) int { return l.windows.buckets(window) + 1 }

// blocksOf returns how many blocks so many half scalars are.
func blocksOf(halves int) int { return (halves + blockSize - 1) / blockSize }

// windowOf returns the window that a block is in.
func (l *layout) windowOf(block int) int {
	i := 0
	for l.first[i+1] <= block {
		i++
	}
	return i
}

// block returns what block number n asks for. Full half scalars come before short
// ones.
func (l *layout) block(n int) (t throwing) {
	t.window = l.windowOf(n)
	k := n - l.first[t.window]
	if t.window <= l.lastOf[0] {
		if full := blocksOf(l.full); k >= full {
			k -= full
		} else {
			t.lo, t.hi, t.last = k*blockSize, min((k+1)*blockSize, l.full), t.window == l.lastOf[0]
			return t
		}
	}
	t.lo, t.hi, t.last = l.full+k*blockSize, l.full+min((k+1)*blockSize, l.short), t.window == l.lastOf[1]
	return t
}

// cost returns what it costs one worker to throw the blocks from lo to hi and to
// weigh the buckets of their windows, where a throw, with its addition, costs 1:
// measured. To weigh a bucket takes two additions, and its first point comes
// without one.
func (l *layout) cost(lo, hi int) int {
	if lo >= hi {
		return 0
	}
	c := (hi - lo) * blockSize
	for i := l.windowOf(lo); i < l.count && l.first[i] < hi; i++ {
		c += 2 * l.bucketsOf(i)
	}
	return c
}

// middle returns where to cut the blocks from lo to hi in two, so that the part
// that costs more costs least, and what that costs. Inside a window both have its
// buckets, so it is sometimes better to cut between windows.
func (l *layout) middle(lo, hi int) (at, cost int) {
	if lo >= hi {
		return lo, 0
	}
	greater := func(at int) int { return max(l.cost(lo, at), l.cost(at, hi)) }
	at = lo + sort.Search(hi-lo, func(n int) bool { return l.cost(lo, lo+n) >= l.cost(lo+n, hi) })
	cost = greater(at)
	window := l.windowOf(at - 1)
	for _, edge := range []int{l.first[window], l.first[window+1]} {
		if edge > lo && edge < hi && greater(edge) < cost {
			at, cost = edge, greater(edge)
		}
	}
	return at, cost
}

// A share is the blocks that a worker still has to do, from the upper half of the
// number up to the lower.
type share struct {
	atomic.Uint64
	_ [56]byte // others are in other cache lines
}

// shares are those of all workers. At first worker 0 has all blocks. Who has none
// left, or has come late, takes half of what somebody else still has: so the
// blocks of a worker are next to each other, and few windows are shared.
type shares struct {
	layout
	of []share
}

func packShare(lo, hi int) uint64 { return uint64(lo)<<32 | uint64(hi) }

func unpackShare(s uint64) (lo, hi int) { return int(s >> 32), int(s & (1<<32 - 1)) }

// deal gives all blocks of a layout to the first of so many workers.
func (s *shares) deal(l *layout, workers int) {
	s.layout = *l
	s.of = resize(s.of, workers)
	for k := range s.of {
		s.of[k].Store(0)
	}
	s.of[0].Store(packShare(0, l.blocks))
}

// next returns the number of a block for worker k, or -1 if there is none that it
// would pay to take.
func (s *shares) next(k int) int {
	for {
		old := s.of[k].Load()
		lo, hi := unpackShare(old)
		if lo == hi {
			if !s.steal(k) {
				return -1
			}
		} else if s.of[k].CompareAndSwap(old, packShare(lo+1, hi)) {
			return lo
		}
	}
}

// minGain is what it must save, in the measure of cost, to share somebody's work:
// the last additions of a worker are in small batches, whose inversions cost more.
const minGain = 512

// steal gives worker k, who has nothing left, the upper half of the share that
// costs most.
func (s *shares) steal(k int) bool {
	for {
		most, victim, old := 0, 0, uint64(0)
		for i := range s.of {
			v := s.of[i].Load()
			if c := s.cost(unpackShare(v)); c > most {
				most, victim, old = c, i, v
			}
		}
		lo, hi := unpackShare(old)
		middle, cost := s.middle(lo, hi)
		if most-cost < minGain {
			return false
		}
		if s.of[victim].CompareAndSwap(old, packShare(lo, middle)) {
			// Nobody else writes to a share that is empty.
			s.of[k].Store(packShare(middle, hi))
			return true
		}
	}
}
