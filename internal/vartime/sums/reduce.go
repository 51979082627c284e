package sums

// This file holds bucket reduction: from the sums of the buckets to sums by powers of two.
// docs/msm.md, "Bucket reduction", describes it.

// halveStep is how many buckets a step of the kernel halve reads. It is the kernel's: two
// registers of lanes.
const halveStep = 16

// reduce adds all pairs of the sets of buckets at positions pos, and turns the sums S_d of
// their buckets into sums in the buckets of positions: the sum of d·S_d, times 2^pos, becomes
// that of 2^i times bucket i. sizes has the number of buckets of each set, and is overwritten.
// Behind the sets there is room for half as many buckets, rounded up.
//
// The S_d with an odd d belong to position pos. S_d + S_(d+1), for even d, are the sums by d/2
// for the bits above, and so on. That takes two additions a bucket. Its depth is the logarithm
// of a set's size, and all sets share each batch. The last few S_d belong to every position
// whose bit d has.
func (w *worker) reduce(pos []uint8, sizes []int) {
	w.drain()
	w.keep = true // a sum has two uses
	from, to := sumPositions, sumPositions
	for _, n := range sizes {
		to += n
	}
	for level, more := 0, true; more; level++ {
		more = false
		src, dst := from, to
		for i, n := range sizes {
			position := uint32(int(pos[i]) + level)
			if n <= w.profile.FewBuckets {
				w.reduceFew(src, n, position)
				sizes[i] = 0
			} else {
				w.reduceLevel(src, dst, n, position)
				sizes[i] = (n + 1) >> 1
				more = true
			}
			w.flushFull()
			src += n
			dst += sizes[i]
		}
		if w.pairs.n > 0 {
			// No more than two sums meet in a bucket of the next level, which is done
			// after this. Sums of positions may be left as pairs.
			w.flush()
		}
		from, to = to, from
	}
	w.drain()
}

// reduceFew accumulates what is in bucket number src + d, for d below n, in the bucket of
// position + j for every bit j of d.
func (w *worker) reduceFew(src, n int, position uint32) {
	for d, r := range w.buckets[src : src+n] {
		for at := position; r != 0 && d != 0; at, d = at+1, d>>1 {
			if d&1 != 0 {
				w.accumulate(at, r)
			}
		}
	}
}

// reduceLevel accumulates what is in bucket number src + d, for d below n, in bucket number
// dst + d/2 if d > 1, and in that of position if d is odd. What was in the buckets from dst on
// is overwritten.
func (w *worker) reduceLevel(src, dst, n int, position uint32) {
	l, s := &w.pairs, w.buckets[src:src+n]
	if s[1] != 0 {
		w.accumulate(position, s[1])
		s[1] = 0
	}
	whole := n / halveStep * halveStep
	for d := 0; d < whole; d += w.profile.UnitHalves {
		first := dst + d/2
		// There is just enough room: fewer than BatchPairs pairs are there, one more may come
		// from position, and the buckets that are halved make at most one pair each.
		from := s[d:min(d+w.profile.UnitHalves, whole)]
		pairs, left := halveAll(from, w.buckets[first:], uint32(first), position,
			l.a[l.n:], l.b[l.n:], l.bucket[l.n:])
		if l.n += pairs; left != 0 {
			w.accumulate(position, left)
		}
		w.flushFull()
	}
	for d := whole; d < n; d++ {
		if d&1 == 0 {
			w.buckets[dst+d/2] = 0
		}
		if s[d] != 0 {
			w.accumulate(uint32(dst+d/2), s[d])
			if d&1 != 0 {
				w.accumulate(position, s[d])
			}
		}
	}
}
