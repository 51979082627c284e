package engine

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file chooses the number of workers and the sizes of blocks.

// minBlock is the smallest block if there are several workers. It is small, so that the workers
// finish at about the same time. All blocks but the last are multiples of it, so that they fill
// vectors.
const minBlock = lanes.Width

// mostWorkers is the greatest number of workers of a call. The limit is needed because a column
// that repeats one value can have any number of rows, and a caller may ask for any number of
// workers.
const mostWorkers = 1024

// workersFor returns the number of workers that verify the given number of rows without an
// equation. It is at most most.
func workersFor(rows, most int) int {
	return max(1, min(most, rows/profile.Current().RowsPerWorker, mostWorkers))
}

// blockFor returns the size of the next block of a worker when left rows remain. It is at most
// most.
func blockFor(left, workers, most int) int {
	if workers > 1 {
		// A block is half of a worker's share, so that a worker that starts late still finds rows.
		share := left / (2 * workers)
		left = min(left, max(minBlock, share/minBlock*minBlock))
	}
	return min(left, most)
}

// QueueRows returns the number of rows that a queue of BIP-340 signatures and a queue of ECDSA
// signatures verify at a time.
func QueueRows() (schnorr, ecdsa int) {
	p := profile.Current()
	return p.QueueSchnorr, p.QueueECDSA
}
