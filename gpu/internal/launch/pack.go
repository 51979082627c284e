package launch

import (
	"runtime"
	"sync"

	"github.com/koblitz-go/koblitz/device"
)

const (
	// packers is the most goroutines that pack a column or unpack results. One goroutine copies
	// some 10 GB a second, so a row of ECDSA takes 13 ns. A large GPU computes a row in 20 ns, and
	// is idle while the host packs the first launch. More than a few goroutines gain little, as
	// they share the memory's bandwidth.
	packers = 4
	// pieceRows is the least number of rows for each goroutine: with fewer, another goroutine gains
	// nothing.
	pieceRows = 8192
)

// inPieces divides n rows into ranges [lo, hi), calls f for all of them at the same time, each in a
// goroutine, and waits for them.
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

// pack copies the values of a column to dst, without gaps. The first row that it copies is the one
// with the index start.
func pack(dst []byte, c *device.Column, width, start int) {
	inPieces(len(dst)/width, func(lo, hi int) {
		dst := dst[lo*width : hi*width]
		if c.Stride == width {
			copy(dst, c.Data[(start+lo)*width:])
			return
		}
		for at := (start + lo) * c.Stride; len(dst) > 0; at += c.Stride {
			copy(dst[:width], c.Data[at:])
			dst = dst[width:]
		}
	})
}

// unpack writes verdicts and results to the rows of c, beginning with the row whose index is start.
// The parameter size is the number of bytes of a result; results is nil if the kind has no results.
// The result of a row that is not Valid becomes zeros, even if the device has written other bytes.
func unpack(c *device.Call, start int, verdicts, results []byte, size int) {
	inPieces(len(verdicts), func(lo, hi int) {
		for i, v := range verdicts[lo:hi] {
			c.Verdicts[start+lo+i] = device.Verdict(v)
		}
		if results == nil {
			return
		}
		to := c.Results[(start+lo)*size : (start+hi)*size]
		copy(to, results[lo*size:])
		for i, v := range verdicts[lo:hi] {
			if device.Verdict(v) != device.Valid {
				clear(to[i*size:][:size])
			}
		}
	})
}

// fill sets all bytes of b to value. It repeatedly copies the part of b that is filled already, so
// that each copy doubles that part.
func fill(b []byte, value byte) {
	if len(b) == 0 {
		return
	}
	b[0] = value
	for n := 1; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
