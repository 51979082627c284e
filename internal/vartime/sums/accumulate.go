package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// Bucket accumulation (Pippenger): points are put into the buckets of their half scalars'
// digits, and two that meet in one are a pair to be added.
//
// The kernels take whole groups of lanes, and their lists need room behind what they hold.
// What does not fill a group is left to their portable twins.

// A digitsAt says which digits of half scalars are meant: the width bits from bit
// pos on, less middle. What is multiplied by a digit d belongs into bucket
// number base + |d|.
type digitsAt struct {
	pos, width uint8
	middle     uint64
	base       uint32
}

// accumulateDigits puts the points of rows row, row+1, … into the buckets of their
// half scalars' digits: the bucket number base for 0, which stays empty, and so on.
// There are at most UnitHalves half scalars, and less than BatchPairs pairs wait (package profile).
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

// readBuckets finds the buckets of half scalars, whose points are in row and those after
// it: reference b[i], or 0 for the digit 0, belongs into bucket[i].
func readBuckets(b []ref, bucket []uint32, halves []half, row ref, d *digitsAt) {
	b, bucket = b[:len(halves)], bucket[:len(halves)]
	if groups := len(halves) / lanes.Width; groups > 0 {
		digits(b, bucket, halves, groups, int(d.pos), int(d.width), d.middle, row, d.base)
		n := groups * lanes.Width
		b, bucket, halves, row = b[n:], bucket[n:], halves[n:], row+ref(n)<<rowShift
	}
	readDigits(b, bucket, halves, int(d.pos), int(d.width), d.middle, row, d.base)
}

// accumulateAll adds the first n of b, one after the other, to the buckets with the
// numbers in bucket: b[i] stays in an empty one, and leaves another, with what it
// finds there, as a pair. 0 is only added to buckets that are empty. The pairs come to
// the front of a and b, with the numbers of their buckets, and what was behind
// them is lost. It returns how many there are. The lists have fillRoom for more.
func accumulateAll(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	if n == 0 {
		return 0
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], bucket[n+fillRoom-1]
	return accumulate(a, b, bucket, buckets, n)
}

// replacePairs puts the sums of the first n pairs, whose rows are in out, with their
// signs into the place of b, and appends the rows of summands that are first or
// come after it to free, in any order. The lists have fillRoom for more, and so has free.
func replacePairs(a, b, out, free []ref, first ref, n int) []ref {
	if n == 0 {
		return free
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], out[n+fillRoom-1]
	top := len(free)
	freed := sumRefs(a, b, out, free[top:cap(free)], first, n)
	return free[:top+freed]
}

// halveAll puts what is in the buckets src, a multiple of halveStep of them, two by two
// into the buckets dst, which are numbered from first on, whatever was in them; and what
// is in those at odd places into bucket number position, which is taken to be empty. It
// lists the pairs that come of it, with the numbers of their buckets, and returns how many
// there are, and what stays for position, or 0. What is in src is lost. The lists have
// fillRoom for more than len(src) pairs.
func halveAll(
	src, dst []ref, first, position uint32, a, b []ref, bucket []uint32,
) (pairs int, left ref) {
	groups := len(src) / halveStep
	most := len(src) + fillRoom
	_, _, _, _ = dst[len(src)/2-1], a[most-1], b[most-1], bucket[most-1]
	return halve(src, dst, groups, first, position, a, b, bucket)
}
