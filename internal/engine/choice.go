package engine

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// What is chosen for a call by the number of its rows stands here; the numbers that
// depend on the CPU are in its profile.

// minBlock is how few rows a worker takes if there are several workers, so that they end
// together. Blocks are whole multiples of it, but for the last: they fill vectors.
const minBlock = lanes.Width

// useLanes returns whether lanes are the faster way for a job with this number of rows.
func useLanes(kind Kind, rows int) bool {
	p := profile.Current()
	least := p.Rows
	if kind == Decompress {
		least = p.Lifts
	}
	return least > 0 && rows >= least
}

// mostWorkers is the most workers of a call. A column of one value can have any number of rows,
// and a caller may ask for any number of workers.
const mostWorkers = 1024

// workersFor returns how many workers verify a number of rows without an equation, of
// which there may be at most most.
func workersFor(rows, most int) int {
	return max(1, min(most, rows/profile.Current().RowsPerWorker, mostWorkers))
}

// blockFor returns how many of the rows that are left a worker takes as its next block.
func blockFor(left, workers, most int) int {
	if workers > 1 {
		// Half of a worker's share, so that one that begins late still finds rows.
		share := left / (2 * workers)
		left = min(left, max(minBlock, share/minBlock*minBlock))
	}
	return min(left, most)
}

// QueueRows returns how many rows a queue verifies at a time.
func QueueRows(kind Kind) int {
	if kind == Schnorr {
		return profile.Current().QueueSchnorr
	}
	return profile.Current().QueueECDSA
}
