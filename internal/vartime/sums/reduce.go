package sums

// This file holds bucket reduction, which turns the sums of the buckets into sums by powers of two.
// docs/msm.md, "Bucket reduction", describes the algorithm.

// halveStep is the number of buckets that one iteration of halveAll's kernel reads: two vector
// registers. A set with at most halveStep buckets is not halved again. Instead, each of its
// buckets is added to the sum for every power of two in its digit, which takes no more additions
// and fewer batches.
const halveStep = 16

// wholeSteps returns n, rounded up to a multiple of halveStep.
func wholeSteps(n int) int { return (n + halveStep - 1) &^ (halveStep - 1) }

// reduce adds all waiting pairs, and then reduces the sets of buckets in use. A position is the
// exponent of a power of two. For the set at position pos it turns the sums S_d in its buckets into
// sums in the buckets of positions: Σ 2^pos·d·S_d = Σ 2^i·(bucket i). At the end no set is in use,
// and the worker's first rows hold the sums by position. After the buckets of the sets there must
// be room for as many buckets. The sizes of sets are multiples of halveStep.
//
// The S_d with odd d are added to position pos. Then S_d + S_(d+1), for even d, are the sums for
// d/2 at the next position, and so on. This takes two additions per bucket. The number of levels is
// the logarithm of a set's size, and all sets share the batches of a level. The last few S_d are
// added to every position whose bit is set in d.
func (w *worker) reduce() {
	w.drain()
	w.keep = true // every sum is added to two others, so its row must not be freed early
	from, to := sumPositions, sumPositions
	for _, set := range w.sets {
		to += set.size
	}
	for level, more := 0, true; more; level++ {
		more = false
		src, dst := from, to
		for i := range w.sets {
			set := &w.sets[i]
			n, position := set.size, uint32(int(set.pos)+level)
			if n <= halveStep {
				w.reduceFew(src, n, position)
				set.size = 0
			} else {
				w.reduceLevel(src, dst, n, position)
				set.size = wholeSteps(n / 2)
				more = true
			}
			w.flushFull()
			src += n
			dst += set.size
		}
		if w.pairs.n > 0 {
			// At most two sums meet in a bucket of the next level, so one batch is enough to add
			// them. Pairs whose sums go to the buckets of powers of two may wait.
			w.flush()
		}
		from, to = to, from
	}
	w.drain()
	w.collect()
	w.sets = w.sets[:0]
}

// reduceFew adds the point in bucket src + d, for every d below n, to each bucket position + j for
// which bit j of d is 1. The parameters src and position are bucket numbers.
func (w *worker) reduceFew(src, n int, position uint32) {
	for d, r := range w.buckets[src : src+n] {
		for at := position; r != 0 && d != 0; at, d = at+1, d>>1 {
			if d&1 != 0 {
				w.accumulate(at, r)
			}
		}
	}
}

// reduceLevel halves the number of the n buckets that begin with bucket src. For every d below n,
// it adds the point in bucket src + d to bucket dst + ⌊d/2⌋, unless d is 0 or 1. If d is odd, it
// also adds the point to the bucket whose number is position. Bucket src must be empty, and n a
// multiple of halveStep. It overwrites as many buckets from number dst on as the next level reads.
func (w *worker) reduceLevel(src, dst, n int, position uint32) {
	l := &w.pairs
	for d := 0; d < n; d += w.profile.UnitHalves {
		first := dst + d/2
		// The list of pairs has just enough room: it holds fewer than BatchPairs pairs, the bucket
		// whose number is position may add one, and each bucket that is halved makes at most one
		// pair.
		from := w.buckets[src+d : src+min(d+w.profile.UnitHalves, n)]
		pairs, left := halveAll(from, w.buckets[first:], uint32(first), position,
			l.a[l.n:], l.b[l.n:], l.bucket[l.n:])
		if l.n += pairs; left != 0 {
			w.accumulate(position, left)
		}
		w.flushFull()
	}
	w.buckets[dst] = 0 // held the point of bucket src + 1
	clear(w.buckets[dst+n/2 : dst+wholeSteps(n/2)])
}
