package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// Bucket accumulation (Pippenger): every point goes into the bucket for its half scalar's digit,
// and two points that meet in a bucket become a pair to be added.
//
// The kernels process whole groups of lanes, and need free elements after the ends of their lists.

// readBuckets sets bucket[i] to the number of the bucket for halves[i], and b[i] to the ref (row
// and sign) of its point, or to 0 if the digit is 0. The digit is the number in bits pos to pos +
// width − 1, minus middle, and the bucket for a digit d has the number base + |d|. first is the ref
// of the first point; the other points are in the rows after it. The slices must have capacity for
// a multiple of eight elements. The elements past their ends are read and overwritten. halves must
// not be empty.
func readBuckets(
	b []ref, bucket []uint32, halves []half, pos, width int, middle uint64, first ref, base uint32,
) {
	groups := lanes.Groups(len(halves))
	n := groups * lanes.Width
	digits(b[:n], bucket[:n], halves[:n], groups, pos, width, middle, first, base)
}

// accumulateAll adds the points of the refs b[0] to b[n−1], in this order, to buckets: b[i] goes to
// bucket number bucket[i]. If that bucket is empty, b[i] stays in it. Otherwise the bucket becomes
// empty, and its ref and b[i] become a pair. If b[i] is 0, its bucket must be empty. The refs of
// the pairs overwrite the first elements of a and b, and the numbers of their buckets those of
// bucket; the other elements of the lists are lost. accumulateAll returns the number of pairs. The
// lists must have padLength more elements.
func accumulateAll(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	if n == 0 {
		return 0
	}
	_, _, _ = a[n+padLength-1], b[n+padLength-1], bucket[n+padLength-1]
	return accumulate(a, b, bucket, buckets, n)
}

// replacePairs replaces n pairs by their sums: a[i] and b[i] refer to the summands of pair i, and
// sums[i] to the row of its sum. It sets b[i] to the ref of the sum: its row, and its sign. It
// appends the rows of all summands to the list free, in any order, except rows before the one that
// the parameter first refers to. The lists and free must have padLength more elements.
func replacePairs(a, b, sums, free []ref, first ref, n int) []ref {
	if n == 0 {
		return free
	}
	_, _, _ = a[n+padLength-1], b[n+padLength-1], sums[n+padLength-1]
	top := len(free)
	freed := sumRefs(a, b, sums, free[top:cap(free)], first, n)
	return free[:top+freed]
}

// halveAll adds buckets src[2·i] and src[2·i+1] to bucket dst[i], which has the number first + i
// and is overwritten. It also adds each src[2·i+1] to bucket number position, which must be empty.
// Where two points meet, it lists them as a pair, with the number of their bucket. It returns the
// number of pairs, and the ref that remains in bucket number position, or 0. len(src) must be a
// multiple of halveStep, and src is lost. The lists must have room for len(src) pairs and
// padLength more.
func halveAll(
	src, dst []ref, first, position uint32, a, b []ref, bucket []uint32,
) (pairs int, remaining ref) {
	groups := len(src) / halveStep
	most := len(src) + padLength
	_, _, _, _ = dst[len(src)/2-1], a[most-1], b[most-1], bucket[most-1]
	return halve(src, dst, groups, first, position, a, b, bucket)
}
