package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file holds bucket accumulation by a worker. The worker decides in which batch each addition
// is made. docs/msm.md, "Additions in pairs", describes the method.

// A worker adds up the points in each of its buckets.
//
// A bucket holds at most one ref. A point that goes into an empty bucket stays there. If the bucket
// holds a point, both become a pair, and the bucket is empty. Once there are enough pairs for a
// batch, they are added with one inversion for all, and each sum goes into the bucket of its pair.
// So no two additions of a batch depend on each other, for any points and buckets. The m − 1
// additions of a bucket with m points form a tree: at most m/2 of them are in the first batch.
type worker struct {
	profile *profile.Sums // the parameters at the time of start

	rows    []point.Affine
	buckets []ref
	pairs   pairList // pairs that wait to be added
	free    []ref    // rows of sums that are no longer needed
	first   ref      // the first row for other sums than those by position
	unused  ref      // the first row that has never been used
	keep    bool     // do not free the rows of summands, because other pairs use them

	sets []bucketSet // the sets of buckets in use, in the order of their buckets

	products []field.Element // the memory of addSingle

	// The memory of addLanes. The first two elements of acc are products; the others are scratch.
	laneProducts, differences []lanes.Element
	acc                       *[12]lanes.Element
}

// A bucketSet is a set of size buckets for the digits of windows. pos is the exponent of the power
// of 2 by which the points in its buckets are to be multiplied, in addition to their digits.
type bucketSet struct {
	pos  uint8
	size int
}

// maxPairs returns an upper bound on the number of waiting pairs. Fewer than BatchPairs pairs wait
// when a work unit begins, and the unit makes at most one pair for each of its half scalars. When
// a batch is added, its sums make at most as many new pairs as the batch had, so the number does
// not grow.
func maxPairs(p *profile.Sums) int { return p.BatchPairs + p.UnitHalves }

// start gives w the given number of empty buckets, and the rows from row number first on. The first
// of these rows already hold sums by position, which go into the first buckets.
func (w *worker) start(rows []point.Affine, first, buckets int) {
	p := &profile.Current().Sums
	w.profile = p
	w.rows = rows
	w.buckets = resize(w.buckets, buckets)
	clear(w.buckets)
	for i := range sumPositions {
		if rows[first+i] != (point.Affine{}) {
			w.buckets[i] = ref(first+i) << rowShift
		}
	}
	l, n := &w.pairs, maxPairs(p)+padLength
	l.a, l.b, l.out, l.bucket = resize(l.a, n), resize(l.b, n), resize(l.out, n), resize(l.bucket, n)
	l.n = 0
	w.free = resize(w.free, len(rows)-first+padLength)[:0]
	w.first = ref(first+sumPositions) << rowShift
	w.unused = w.first
	w.keep = false
}

// collect moves the points in the first buckets, one bucket for each power of two in the sum, to
// the worker's first rows.
func (w *worker) collect() {
	sums := w.rows[int(w.first>>rowShift)-sumPositions:]
	for i, r := range w.buckets[:sumPositions] {
		var p point.Affine
		if r != 0 {
			p = w.rows[r>>rowShift]
		}
		if r&1 != 0 {
			p.Y.Neg(&p.Y)
		}
		sums[i] = p
	}
}

// accumulate adds the point of the ref r, which must not be 0, to a bucket.
func (w *worker) accumulate(bucket uint32, r ref) {
	// There is no branch on whether the bucket is empty, which is unpredictable. For an empty
	// bucket this call makes no pair: what it writes to the lists is overwritten by the next pair.
	l := &w.pairs
	n := l.n
	was := w.buckets[bucket]
	l.a[n], l.b[n], l.bucket[n] = was, r, bucket
	full := uint32((uint64(was) + 1<<32 - 1) >> 32) // 1 if the bucket held a ref, else 0
	w.buckets[bucket] = r & (full - 1)
	l.n = n + int(full)
}

// flushFull adds the points of waiting pairs, a full batch at a time, until the pairs that remain
// are fewer than a batch.
func (w *worker) flushFull() {
	for w.pairs.n >= w.profile.BatchPairs {
		w.flush()
	}
}

// flush adds the points of each waiting pair, and puts the sums into the buckets.
func (w *worker) flush() {
	l := &w.pairs
	n := l.n
	w.takeRows(l.out[:n])
	infinite := w.add()
	first := w.first
	if w.keep {
		first = ^ref(0)
	}
	w.free = replacePairs(l.a, l.b, l.out, w.free, first, n)
	if infinite {
		n = w.dropInfinite(n)
	}
	l.n = accumulateAll(l.a, l.b, l.bucket, w.buckets, n)
}

// takeRows sets dst to the refs of rows that hold no point. It uses the most recently freed rows
// first, because they are in a near cache. If the worker has too few rows, it panics: kernels do
// not check which rows they write to, and must not overwrite rows of another worker.
func (w *worker) takeRows(dst []ref) {
	kept := max(len(w.free)-len(dst), 0)
	n := copy(dst, w.free[kept:])
	w.free = w.free[:kept]
	dst = dst[n:]
	if int(w.unused>>rowShift)+len(dst) > len(w.rows) {
		//layers:allow this package computes the number of rows
		panic("sums: a worker has too few rows")
	}
	for i := range dst {
		dst[i] = w.unused + ref(i)<<rowShift
	}
	w.unused += ref(len(dst)) << rowShift
}

// dropInfinite removes the sums that are infinity from the first n elements of the lists, and
// returns the number of sums that remain.
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

// drain adds all waiting pairs, in one batch after another. Sums that meet in a bucket become new
// pairs, so it continues until no pair is left.
func (w *worker) drain() {
	for w.pairs.n > 0 {
		w.flush()
	}
}
