package engine

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file chooses the numbers of workers and the sizes of blocks.

// minBlock is the smallest block if there are several workers: small, so that they end at the same
// time. All blocks but the last are multiples of it, so that they fill vectors.
const minBlock = lanes.Width

// mostWorkers is the greatest number of workers of a call. A column of one value can have any
// number of rows, and a caller may ask for any number of workers.
const mostWorkers = 1024

// workersFor returns the number of workers that verify a number of rows without an equation, at
// most most.
func workersFor(rows, most int) int {
	return max(1, min(most, rows/profile.Current().RowsPerWorker, mostWorkers))
}

// blockFor returns the size of the next block of a worker, at most most, if left rows are left.
func blockFor(left, workers, most int) int {
	if workers > 1 {
		// Half of a worker's share, so that a worker that begins late still finds rows.
		share := left / (2 * workers)
		left = min(left, max(minBlock, share/minBlock*minBlock))
	}
	return min(left, most)
}

// QueueRows returns how many rows a queue of BIP-340 and a queue of ECDSA signatures verify at a
// time.
func QueueRows() (schnorr, ecdsa int) {
	p := profile.Current()
	return p.QueueSchnorr, p.QueueECDSA
}
