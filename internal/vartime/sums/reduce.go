package sums

// halveStep is how many buckets a step of the kernel halve reads. It is the kernel's: two
// registers of lanes.
const halveStep = 16

// weigh drains the buckets of windows at positions pos, and turns their sums S_d
// into sums in the buckets of positions, so that the sum of d·S_d, times 2^pos, is
// that of 2^i times bucket i. sizes says how many buckets a window has, and is
// overwritten. There is room behind them for half as many, rounded up.
//
// Those S_d with an odd d belong to position pos. S_d + S_(d+1) for even d are
// the sums by d/2 for the bits above, and so on: two additions a bucket and a
// depth that is logarithmic, and all windows at once. The last few S_d belong to
// every position whose bit d has.
func (w *worker) reduce(pos []uint8, sizes []int) {
	w.drain()
	w.keep = true // a sum goes two ways
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
			// Two meet in a bucket of the next level at most, so that it is
			// done after this. Those of positions may go on.
			w.flush()
		}
		from, to = to, from
	}
	w.drain()
}

// reduceFew throws what is in bucket number src + d, for d below n, into the bucket
// of position + j for every bit j of d.
func (w *worker) reduceFew(src, n int, position uint32) {
	for d, r := range w.buckets[src : src+n] {
		for at := position; r != 0 && d != 0; at, d = at+1, d>>1 {
			if d&1 != 0 {
				w.throw(at, r)
			}
		}
	}
}

// reduceLevel throws what is in bucket number src + d, for d below n, into bucket
// number dst + d/2, whatever was in it, if d > 1, and into that of position if d is odd.
func (w *worker) reduceLevel(src, dst, n int, position uint32) {
	l, s := &w.pairs, w.buckets[src:src+n]
	if s[1] != 0 {
		w.throw(position, s[1])
		s[1] = 0
	}
	whole := n / halveStep * halveStep
	for d := 0; d < whole; d += w.profile.UnitHalves {
		first := dst + d/2
		// There is just enough room: less than BatchPairs wait, with one throw more,
		// and a block of buckets leaves as many pairs as it has buckets, at most.
		pairs, left := halve(s[d:min(d+w.profile.UnitHalves, whole)], w.buckets[first:], uint32(first), position, l.a[l.n:], l.b[l.n:], l.bucket[l.n:])
		if l.n += pairs; left != 0 {
			w.throw(position, left)
		}
		w.flushFull()
	}
	for d := whole; d < n; d++ {
		if d&1 == 0 {
			w.buckets[dst+d/2] = 0
		}
		if s[d] != 0 {
			w.throw(uint32(dst+d/2), s[d])
			if d&1 != 0 {
				w.throw(position, s[d])
			}
		}
	}
}
