package ecmult

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/lanes"
)

// Share calls f for blocks of rows that cover the given number of rows, on at most the given number
// of goroutines, or GOMAXPROCS if it is below 1. Each goroutine has memory of its own: the function
// memory makes it for a number of rows, and Share wipes it at the end. Once ctx is done, Share
// begins no further block. f must do its work on secrets under package secret.
//
//ct:public divides rows among workers
func Share[M interface{ Wipe() }](
	ctx context.Context, rows, workers int, memory func(rows int) M, f func(m M, lo, hi int),
) {
	const rowsPerWorker, most = 64, 1024
	workers = max(1, min(forkjoin.Limit(workers), rows/rowsPerWorker, most))

	// Blocks have about the same size, because the rows of a small one would share an inversion
	// with few others.
	count := max(workers, (rows+MaxRows-1)/MaxRows)
	size := lanes.Groups((rows+count-1)/count) * lanes.Width
	memories := make([]*M, workers)
	defer func() { // also if f panics and the caller recovers
		for _, m := range memories {
			if m != nil {
				(*m).Wipe()
			}
		}
	}()
	team := forkjoin.New(workers)
	defer team.Stop() // before the memory is wiped
	work := func(k, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		if memories[k] == nil {
			m := memory(min(size, rows))
			memories[k] = &m
		}
		f(*memories[k], lo, hi)
	}
	for b := team.Begin(rows, size, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
}
