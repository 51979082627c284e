package vartime

import "github.com/koblitz-go/koblitz/internal/point"

// A worker adds up the points that are thrown into its buckets.
//
// A bucket holds one reference or none. What is thrown into an empty bucket
// stays there; what finds one there leaves with it as a pair. When enough pairs
// have come together they are added, which is an inversion for all of them,
// and the sums are thrown into the buckets that the pairs came from. So no two
// additions of a batch depend on each other, whatever the points and their
// buckets are; and a bucket with m points costs m − 1 additions, half of them in
// the first batch at the earliest, a quarter in the next: a tree.
type worker struct {
	adder
	tabling tabling

	rows     []point.Affine
	buckets  []ref
	pairs    pairList // that wait
	adding   pairList // that are being added
	out      []ref    // their sums' rows
	free     []ref    // rows that hold nothing
	first    ref      // the first row that free may hold
	keep     bool     // rows of summands are not to be used again
	infinite bool     // some sum was infinity
}

// A pairList holds n pairs and the buckets that they came from.
type pairList struct {
	a, b   []ref
	bucket []uint32
	n      int
}

const (
	// batchPairs is how many pairs share an inversion, if there are as many.
	// Kernels are not interrupted, and twice as many would take too long.
	batchPairs = 1536

	// blockSize is how many references are thrown between two looks at how many
	// pairs there are.
	blockSize = 512

	// maxPairs is the most pairs that can wait: a block may come on top of a
	// batch that lacked one, and no batch makes more pairs than it has.
	maxPairs = batchPairs + blockSize
)

func (l *pairList) reset() {
	// With room to fill up groups of lanes.
	l.a, l.b, l.bucket = resize(l.a, maxPairs+fillRoom), resize(l.b, maxPairs+fillRoom), resize(l.bucket, maxPairs+fillRoom)
	l.n = 0
}

// start gives w empty buckets and, for the sums, the rows from number first
// up to last.
func (w *worker) start(rows []point.Affine, first, last int, buckets int) {
	w.rows = rows
	w.buckets = resize(w.buckets, buckets)
	clear(w.buckets)
	w.pairs.reset()
	w.adding.reset()
	w.out = resize(w.out, maxPairs+fillRoom)
	w.free = resize(w.free, last-first)[:0]
	for i := last; i > first; i-- {
		w.free = append(w.free, ref(i-1)<<rowShift)
	}
	w.first = ref(first) << rowShift
	w.keep = false
	w.infinite = false
}

// throw throws r, which is not 0, into a bucket.
func (w *worker) throw(bucket uint32, r ref) {
	// No branch: nobody can predict whether the bucket is empty. A pair with
	// none is written over by the next one.
	l := &w.pairs
	n := l.n
	was := w.buckets[bucket]
	l.a[n], l.b[n], l.bucket[n] = was, r, bucket
	full := uint32((uint64(was) + 1<<32 - 1) >> 32) // 1 or 0
	w.buckets[bucket] = r & (full - 1)
	l.n = n + int(full)
}

// enough adds what waits if it is a batch.
func (w *worker) enough() {
	for w.pairs.n >= batchPairs {
		w.flush()
	}
}

// flush adds the pairs that wait and throws their sums.
func (w *worker) flush() {
	w.pairs, w.adding = w.adding, w.pairs
	n := w.adding.n
	a, b, bucket, out := w.adding.a[:n], w.adding.b[:n], w.adding.bucket[:n], w.out[:n]
	room := w.free[len(w.free)-n:]
	w.free = w.free[:len(w.free)-n]
	for i := range out {
		out[i] = room[n-1-i]
	}
	w.infinite = w.add(w.rows, a, b, out) || w.infinite

	// The summands' rows are free if they were sums. One that is not is
	// written past the end.
	if !w.keep {
		f, top, first := w.free[:cap(w.free)], len(w.free), uint64(w.first)-1
		for i, p := range a {
			p, q := p&^1, b[i]&^1
			f[top] = p
			top += int((first - uint64(p)) >> 63)
			f[top] = q
			top += int((first - uint64(q)) >> 63)
		}
		w.free = f[:top]
	}

	w.pairs.n = 0
	if w.infinite {
		w.throwFinite(a, bucket, out)
		return
	}
	// As throw does it.
	buckets, l, next := w.buckets, &w.pairs, 0
	la, lb, lbucket := l.a, l.b[:len(l.a)], l.bucket[:len(l.a)]
	for i, row := range out {
		at := bucket[i]
		r := row | a[i]&1
		was := buckets[at]
		la[next], lb[next], lbucket[next] = was, r, at
		full := uint32((uint64(was) + 1<<32 - 1) >> 32)
		buckets[at] = r & (full - 1)
		next += int(full)
	}
	l.n = next
}

// throwFinite throws the sums in out of which some may be infinity.
func (w *worker) throwFinite(a []ref, bucket []uint32, out []ref) {
	for i, row := range out {
		if w.rows[row>>rowShift] != (point.Affine{}) {
			w.throw(bucket[i], row|a[i]&1)
		} else if !w.keep {
			w.free = append(w.free, row)
		}
	}
}

// drain adds until no pair waits.
func (w *worker) drain() {
	for w.pairs.n > 0 {
		w.flush()
	}
}
