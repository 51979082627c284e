//go:build !amd64 || purego

package sums

// There are no lanes here.

func digits(b []ref, bucket []uint32, halves []half, row ref, d *digitsAt) {
	digitsSingle(b, bucket, halves, row, d)
}

func throwAll(a, b []ref, bucket []uint32, buckets []ref, n int) (pairs int) {
	return throwSingle(a, b, bucket, buckets, n)
}

func sums(a, b, out, free []ref, first ref, n int) []ref {
	return sumsSingle(a, b, out, free, first, n)
}

func halve(src, dst []ref, first, position uint32, a, b []ref, bucket []uint32) (pairs int, left ref) {
	return halveSingle(src, dst, first, position, a, b, bucket)
}
