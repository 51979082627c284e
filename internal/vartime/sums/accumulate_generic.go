package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// The portable versions of the kernels for lists of references.

// digitsGeneric does the work of readBuckets for 8·groups half scalars.
func digitsGeneric(
	b []ref, bucket []uint32,
	halves []half, groups, pos, width int, middle uint64, row ref, base uint32,
) {
	halves = halves[:groups*lanes.Width]
	word, shift := uint(pos)>>6&1, uint(pos)&63
	mask := uint64(1)<<uint(width) - 1
	b, bucket = b[:len(halves)], bucket[:len(halves)]
	for i := range halves {
		h := &halves[i]
		// The bits from bit 128 up are copies of the sign, which the shift brings into the digit.
		// The mask clears them.
		x := int64((h[word]>>shift|h[word+1]<<1<<(63-shift))&mask - middle)
		sign := x >> 63
		r := (row + ref(i)<<rowShift) | ref(h[2]^uint64(sign))&1
		if x == 0 {
			r = 0
		}
		b[i], bucket[i] = r, base+uint32((x^sign)-sign)
	}
}

// accumulateGeneric is the portable version of accumulateAll.
func accumulateGeneric(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	// The loop has no branch on whether a bucket is empty, which is unpredictable. For an empty
	// bucket it makes no pair: what it writes to the lists is overwritten by the next pair.
	a, b, bucket = a[:n], b[:n], bucket[:n]
	for i, r := range b {
		at := bucket[i]
		was := buckets[at]
		a[pairs], b[pairs], bucket[pairs] = was, r, at
		full := uint32((uint64(was) + 1<<32 - 1) >> 32) // 1 if the bucket held a ref, else 0
		buckets[at] = r & (full - 1)
		pairs += int(full)
	}
	return pairs
}

// sumRefsGeneric does the work of replacePairs, except that it writes the freed rows to the first
// elements of free, and returns their number.
func sumRefsGeneric(a, b, out, free []ref, first ref, n int) (freed int) {
	for i := range n {
		// If a row is not freed, the next freed row overwrites it in the list.
		p, q := a[i], b[i]
		free[freed] = p &^ 1
		freed += int((uint64(first) - 1 - uint64(p)) >> 63)
		free[freed] = q &^ 1
		freed += int((uint64(first) - 1 - uint64(q)) >> 63)
		b[i] = out[i] | p&1
	}
	return freed
}

// halveGeneric does the work of halveAll for len(src) = groups·halveStep.
func halveGeneric(
	src, dst []ref, groups int, first, position uint32, a, b []ref, bucket []uint32,
) (pairs int, left ref) {
	pair := func(x, y ref, at uint32) {
		a[pairs], b[pairs], bucket[pairs] = x, y, at
		pairs++
	}
	src = src[:groups*halveStep]
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
