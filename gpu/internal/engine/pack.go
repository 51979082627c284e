package engine

import (
	"runtime"
	"sync"

	"github.com/koblitz-go/koblitz/device"
)

const (
	// packers is how many goroutines at most pack a column, or unpack results. One copies some
	// 10 GB a second, which is 13 ns for a row of ECDSA; a large GPU is done with a row in
	// 20 ns, and waits for as long as the host packs the first launch. Memory is not much
	// faster for more than a few of them.
	packers = 4
	// pieceRows is the least number of rows for which a goroutine is worth its while.
	pieceRows = 8192
)

// inPieces calls f for pieces of n rows, which are those from lo to hi, at the same time.
func inPieces(n int, f func(lo, hi int)) {
	pieces := min(packers, runtime.GOMAXPROCS(0), n/pieceRows)
	if pieces <= 1 {
		f(0, n)
		return
	}
	var all sync.WaitGroup
	for i := 1; i < pieces; i++ {
		all.Go(func() { f(n*i/pieces, n*(i+1)/pieces) })
	}
	f(0, n/pieces)
	all.Wait()
}

// pack copies values of a column from row first on to dst, one after the other.
func pack(dst []byte, c *device.Column, width, first int) {
	inPieces(len(dst)/width, func(lo, hi int) {
		packPiece(dst[lo*width:hi*width], c, width, first+lo)
	})
}

// packPiece is pack by one goroutine.
func packPiece(dst []byte, c *device.Column, width, first int) {
	if c.Stride == width {
		copy(dst, c.Data[first*width:])
		return
	}
	for at := first * c.Stride; len(dst) > 0; at += c.Stride {
		copy(dst[:width], c.Data[at:])
		dst = dst[width:]
	}
}

// unpack writes verdicts and results, of size bytes each, of rows from first on to c. out is nil if
// the kind has no results. Those of rows that are not Valid are zeros, whatever the device has
// written there.
func unpack(c *device.Call, first int, verdicts, out []byte, size int) {
	inPieces(len(verdicts), func(lo, hi int) {
		for i, v := range verdicts[lo:hi] {
			c.Verdicts[first+lo+i] = device.Verdict(v)
		}
		if out == nil {
			return
		}
		to := c.Results[(first+lo)*size : (first+hi)*size]
		copy(to, out[lo*size:])
		for i, v := range verdicts[lo:hi] {
			if device.Verdict(v) != device.Valid {
				clear(to[i*size:][:size])
			}
		}
	})
}

// fill sets all of b, by copies of what is filled.
func fill(b []byte, value byte) {
	if len(b) == 0 {
		return
	}
	b[0] = value
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
