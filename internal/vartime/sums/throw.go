package sums

// A digitsAt says which digits of half scalars are meant: the width bits from bit
// pos on, less middle. What is multiplied by a digit d belongs into bucket
// number base + |d|.
type digitsAt struct {
	pos, width uint8
	middle     uint64
	base       uint32
}

// throwDigits throws the points of rows row, row+1, … into the buckets of their
// half scalars' digits: the bucket number base for 0, which stays empty, and so on.
// There are at most UnitHalves half scalars, and less than BatchPairs pairs wait.
func (w *worker) throwDigits(halves []half, row, base uint32, pos, width uint8, last bool) {
	d := digitsAt{pos, width, 1 << (width - 1), base}
	if last {
		d.middle = 0
	}
	l := &w.pairs
	from, to := l.n, l.n+len(halves)
	digits(l.b[from:to], l.bucket[from:to], halves, ref(row)<<rowShift, &d)
	l.n += throwAll(l.a[from:], l.b[from:], l.bucket[from:], w.buckets, len(halves))
}

// digitsSingle makes throws of the digits of half scalars, whose points are in row
// and those after it: reference b[i], or 0 for the digit 0, into bucket[i].
func digitsSingle(b []ref, bucket []uint32, halves []half, row ref, d *digitsAt) {
	word, shift := d.pos>>6&1, d.pos&63
	mask, middle, base := uint64(1)<<d.width-1, d.middle, d.base
	b, bucket = b[:len(halves)], bucket[:len(halves)]
	for i := range halves {
		h := &halves[i]
		// What comes in above bit 127 are no bits of the magnitude: the mask ends
		// before them.
		x := int64((h[word]>>shift|h[word+1]<<1<<(63-shift))&mask - middle)
		sign := x >> 63
		r := (row + ref(i)<<rowShift) | ref(h[2]^uint64(sign))&1
		if x == 0 {
			r = 0
		}
		b[i], bucket[i] = r, base+uint32((x^sign)-sign)
	}
}

// throwSingle throws the first n of b, one after the other, into the buckets with
// the numbers in bucket: b[i] stays in an empty one, and leaves another, with what it
// finds there, as a pair. 0 is only thrown into buckets that are empty. The pairs come to
// the front of a and b, with the numbers of their buckets, and what was behind
// them is lost. throwSingle returns how many there are.
func throwSingle(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	// No branch: nobody can predict whether a bucket is empty. A pair with none is
	// written over by the next one.
	a, b, bucket = a[:n], b[:n], bucket[:n]
	for i, r := range b {
		at := bucket[i]
		was := buckets[at]
		a[pairs], b[pairs], bucket[pairs] = was, r, at
		full := uint32((uint64(was) + 1<<32 - 1) >> 32) // 1 or 0
		buckets[at] = r & (full - 1)
		pairs += int(full)
	}
	return pairs
}

// sumsSingle puts the sums of the first n pairs, whose rows are in out, with their
// signs into the place of b, and appends the rows of summands that are first or
// come after it to free, in any order. There is room for them, and for one more.
func sumsSingle(a, b, out, free []ref, first ref, n int) []ref {
	top := len(free)
	free = free[:cap(free)]
	for i := range n {
		// One that is not free is written over.
		p, q := a[i], b[i]
		free[top] = p &^ 1
		top += int((uint64(first) - 1 - uint64(p)) >> 63)
		free[top] = q &^ 1
		top += int((uint64(first) - 1 - uint64(q)) >> 63)
		b[i] = out[i] | p&1
	}
	return free[:top]
}

// halveSingle throws what is in the buckets src, of which there are an even number, two by
// two into the buckets dst, which are numbered from first on, whatever was in
// them; and what is in those at odd places into bucket number position, which
// is taken to be empty. It lists the pairs that come of it, with the numbers of
// their buckets, and returns how many there are, and what stays for position, or
// 0. What is in src is lost.
func halveSingle(src, dst []ref, first, position uint32, a, b []ref, bucket []uint32) (pairs int, left ref) {
	pair := func(x, y ref, at uint32) {
		a[pairs], b[pairs], bucket[pairs] = x, y, at
		pairs++
	}
	for d := 0; d < len(src); d += 2 {
		x, y := src[d], src[d+1]
		if dst[d/2] = x | y; x != 0 && y != 0 {
			dst[d/2] = 0
			pair(x, y, first+uint32(d/2))
		}
	}
	for d := 1; d < len(src); d += 2 {
		switch y := src[d]; {
		case y == 0:
		case left == 0:
			left = y
		default:
			pair(left, y, position)
			left = 0
		}
	}
	return pairs, left
}
