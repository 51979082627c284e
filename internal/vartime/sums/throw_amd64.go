//go:build !purego

package sums

import "github.com/koblitz-go/koblitz/internal/lanes"

// digits is digitsSingle, in lanes where there are any.
func digits(b []ref, bucket []uint32, halves []half, row ref, d *digitsAt) {
	if groups := len(halves) / lanes.Width; groups > 0 && haveLanes() {
		n := groups * lanes.Width
		_, _ = b[n-1], bucket[n-1]
		digitsIFMA(&b[0], &bucket[0], &halves[0], groups, int(d.pos), int(d.width), d.middle, row, d.base)
		b, bucket, halves, row = b[n:], bucket[n:], halves[n:], row+ref(n)<<rowShift
	}
	digitsSingle(b, bucket, halves, row, d)
}

// throwAll is throwSingle, in lanes where there are any. The lists have fillRoom
// for more.
func throwAll(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	if n == 0 || !haveLanes() {
		return throwSingle(a, b, bucket, buckets, n)
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], bucket[n+fillRoom-1]
	return throwIFMA(&a[0], &b[0], &bucket[0], &buckets[0], n)
}

// sums is sumsSingle, in lanes where there are any. The lists have fillRoom for
// more, and so has free.
func sums(a, b, out, free []ref, first ref, n int) []ref {
	if n == 0 || !haveLanes() {
		return sumsSingle(a, b, out, free, first, n)
	}
	_, _, _ = a[n+fillRoom-1], b[n+fillRoom-1], out[n+fillRoom-1]
	top := len(free)
	freed := sumsIFMA(&a[0], &b[0], &out[0], &free[:top+1][top], first, n)
	return free[:top+freed]
}

// halve is halveSingle, in lanes where there are any. The lists have fillRoom for
// more than the pairs. There are a multiple of halveStep buckets, and some.
func halve(src, dst []ref, first, position uint32, a, b []ref, bucket []uint32) (pairs int, left ref) {
	if !haveLanes() {
		return halveSingle(src, dst, first, position, a, b, bucket)
	}
	groups := len(src) / halveStep
	most := len(src) + fillRoom
	_, _, _, _ = dst[len(src)/2-1], a[most-1], b[most-1], bucket[most-1]
	return halveIFMA(&src[0], &dst[0], groups, first, position, &a[0], &b[0], &bucket[0])
}
