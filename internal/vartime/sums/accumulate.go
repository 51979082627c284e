package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// Bucket accumulation (Pippenger): every point goes into the bucket of its half scalar's digit, and
// two points that meet in a bucket become a pair to be added.
//
// The kernels process whole groups of lanes, and need room after the ends of their lists. Their
// portable twins process the elements that do not fill a group.

// A digitsAt selects a digit of each half scalar: the width bits from bit pos on, less middle. The
// bucket for a digit d has the number base + |d|.
type digitsAt struct {
	pos, width uint8
	middle     uint64
	base       uint32
}

// accumulateDigits puts the points of rows row, row+1, … into the buckets of their half scalars'
// digits. The first bucket, number base, is for the digit 0 and stays empty. There must be at most
// UnitHalves half scalars, and fewer than BatchPairs waiting pairs (package profile).
func (w *worker) accumulateDigits(halves []half, row, base uint32, pos, width uint8, last bool) {
	d := digitsAt{pos, width, 1 << (width - 1), base}
	if last {
		d.middle = 0
	}
	l := &w.pairs
	from, to := l.n, l.n+len(halves)
	readBuckets(l.b[from:to], l.bucket[from:to], halves, ref(row)<<rowShift, &d)
	l.n += accumulateAll(l.a[from:], l.b[from:], l.bucket[from:], w.buckets, len(halves))
}

// readBuckets sets bucket[i] to the bucket of half scalar i, and b[i] to the ref of its point, or
// to 0 if the digit is 0. The points are in consecutive rows from row on.
func readBuckets(b []ref, bucket []uint32, halves []half, row ref, d *digitsAt) {
	b, bucket = b[:len(halves)], bucket[:len(halves)]
	if groups := len(halves) / lanes.Width; groups > 0 {
		digits(b, bucket, halves, groups, int(d.pos), int(d.width), d.middle, row, d.base)
		n := groups * lanes.Width
		b, bucket, halves, row = b[n:], bucket[n:], halves[n:], row+ref(n)<<rowShift
	}
	readDigits(b, bucket, halves, int(d.pos), int(d.width), d.middle, row, d.base)
}

// accumulateAll adds b[0] to b[n−1], in this order, to the buckets with the numbers in bucket. If
// the bucket is empty, b[i] stays there. Otherwise the bucket becomes empty, and its ref and b[i]
// become a pair. A b[i] of 0 must belong to an empty bucket. The pairs, and the numbers of their
// buckets, overwrite the fronts of a, b and bucket; the rest of the lists is lost. accumulateAll
// returns the number of pairs. The lists must have fillRoom more elements.
func accumulateAll(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	if n == 0 {
		return 0
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], bucket[n+fillRoom-1]
	return accumulate(a, b, bucket, buckets, n)
}

// replacePairs sets b[i], for the first n pairs, to the ref of the pair's sum, with its sign;
// out[i] is the row of the sum. It appends the rows of summands to free, in any order, if they are
// not before row first. The lists and free must have fillRoom more elements.
func replacePairs(a, b, out, free []ref, first ref, n int) []ref {
	if n == 0 {
		return free
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], out[n+fillRoom-1]
	top := len(free)
	freed := sumRefs(a, b, out, free[top:cap(free)], first, n)
	return free[:top+freed]
}

// halveAll adds buckets src[2·i] and src[2·i+1] to bucket dst[i], which it overwrites and which has
// the number first + i. It also adds the src at odd places to bucket number position, which must be
// empty. Where two points meet, it lists a pair with the number of its bucket. It returns the
// number of pairs, and the ref that is left for bucket position, or 0. len(src) must be a multiple
// of halveStep, and src is lost. The lists must have room for len(src) pairs and fillRoom more.
func halveAll(
	src, dst []ref, first, position uint32, a, b []ref, bucket []uint32,
) (pairs int, left ref) {
	groups := len(src) / halveStep
	most := len(src) + fillRoom
	_, _, _, _ = dst[len(src)/2-1], a[most-1], b[most-1], bucket[most-1]
	return halve(src, dst, groups, first, position, a, b, bucket)
}
