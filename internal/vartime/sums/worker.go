package sums

import (
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file holds bucket accumulation: which points are added in which batch. docs/msm.md,
// "Additions in pairs", describes it.

// A worker adds up the points that are put into its buckets.
//
// A bucket holds one reference or none. A point that is put into an empty bucket stays there;
// one that finds another there leaves with it as a pair, and the bucket is empty. When a batch
// of pairs has come together they are added, with one inversion for all of them, and each sum
// is put into the bucket that its pair came from. So no two additions of a batch depend on each
// other, whatever the points and their buckets are. The additions of a bucket with m points
// form a tree: there are m − 1, at most half of them in the first batch, a quarter in the
// next, and so on.
type worker struct {
	adder
	profile *profile.Sums // in force since start

	rows    []point.Affine
	buckets []ref
	pairs   pairList // not yet added
	out     []ref    // the rows of their sums
	free    []ref    // rows whose points have been added
	first   ref      // the first row for sums
	unused  ref      // the first row that has held none
	last    int      // the number of the row behind its last one
	keep    bool     // do not free the rows of summands
}

// A pairList holds n pairs and the buckets that they came from.
type pairList struct {
	a, b   []ref
	bucket []uint32
	n      int
}

// maxPairs returns the most pairs that can wait: those of a work unit may come on top of a
// batch that lacks one, and no batch makes more pairs than it has.
func maxPairs(p *profile.Sums) int { return p.BatchPairs + p.UnitHalves }

// reset empties l and makes room for n pairs, and to fill up groups of lanes.
func (l *pairList) reset(n int) {
	n += fillRoom
	l.a, l.b, l.bucket = resize(l.a, n), resize(l.b, n), resize(l.bucket, n)
	l.n = 0
}

// start gives w so many empty buckets and, for the sums, the rows from number first up to last.
func (w *worker) start(p *profile.Sums, rows []point.Affine, first, last, buckets int) {
	w.profile = p
	w.rows = rows
	w.buckets = resize(w.buckets, buckets)
	clear(w.buckets)
	w.pairs.reset(maxPairs(p))
	w.out = resize(w.out, maxPairs(p)+fillRoom)
	w.free = resize(w.free, last-first+fillRoom)[:0]
	w.first = ref(first) << rowShift
	w.unused, w.last = w.first, last
	w.keep = false
}

// accumulate adds the point of r, which is not 0, to a bucket.
func (w *worker) accumulate(bucket uint32, r ref) {
	// No branch: whether the bucket is empty cannot be predicted. If it is, the pair is
	// written over by the next one.
	l := &w.pairs
	n := l.n
	was := w.buckets[bucket]
	l.a[n], l.b[n], l.bucket[n] = was, r, bucket
	full := uint32((uint64(was) + 1<<32 - 1) >> 32) // 1 or 0
	w.buckets[bucket] = r & (full - 1)
	l.n = n + int(full)
}

// flushFull adds batches until less than one is left.
func (w *worker) flushFull() {
	for w.pairs.n >= w.profile.BatchPairs {
		w.flush()
	}
}

// flush adds all pairs and accumulates their sums.
func (w *worker) flush() {
	l := &w.pairs
	n := l.n
	out := w.out[:n]
	w.takeRows(out)
	infinite := w.add(w.rows, l.a[:n], l.b[:n], out)
	first := w.first
	if w.keep {
		first = ^ref(0)
	}
	w.free = replacePairs(l.a, l.b, w.out, w.free, first, n)
	if infinite {
		n = w.dropInfinite(n)
	}
	l.n = accumulateAll(l.a, l.b, l.bucket, w.buckets, n)
}

// takeRows sets rows to ones that hold no point. The rows that were freed last come first,
// because they are in a near cache. It panics rather than take another worker's: kernels do not
// check the rows that they write to.
func (w *worker) takeRows(rows []ref) {
	kept := max(len(w.free)-len(rows), 0)
	n := copy(rows, w.free[kept:])
	w.free = w.free[:kept]
	rows = rows[n:]
	if int(w.unused>>rowShift)+len(rows) > w.last {
		panic("sums: a worker has too few rows")
	}
	for i := range rows {
		rows[i] = w.unused + ref(i)<<rowShift
	}
	w.unused += ref(len(rows)) << rowShift
}

// take returns a row that holds no point.
func (w *worker) take() ref {
	var row [1]ref
	w.takeRows(row[:])
	return row[0]
}

// dropInfinite removes the sums that are infinity from the first n of the lists, and returns
// how many sums are left.
func (w *worker) dropInfinite(n int) (left int) {
	l := &w.pairs
	for i, r := range l.b[:n] {
		if w.rows[r>>rowShift] == (point.Affine{}) {
			if !w.keep {
				w.free = append(w.free, r&^1)
			}
			continue
		}
		l.b[left], l.bucket[left] = r, l.bucket[i]
		left++
	}
	return left
}

// drain adds until no pair is left.
func (w *worker) drain() {
	for w.pairs.n > 0 {
		w.flush()
	}
}
