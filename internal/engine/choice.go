package engine

import "github.com/koblitz-go/koblitz/internal/lanes"

// What is chosen for a call, by the number of its rows and the CPU. The numbers
// are measured; docs/batch.md says how.
const (
	// maxBlock is how many rows a worker takes at a time. With more of them the
	// shared inversions are no cheaper to speak of; a worker's memory, and the
	// time between two looks at the context, grow.
	maxBlock = 64
	// minLanes is from how many rows on eight lanes are faster than one row
	// after another, though some of them are empty.
	minLanes = 2
	// minBlock is how few a worker takes if there are several workers, so that
	// they end together. Blocks are whole multiples of it, but for the last.
	minBlock = 8
	// rowsPerWorker is how many rows make another worker worth its start.
	rowsPerWorker = 16
)

// useLanes returns whether a job for so many rows has use for lanes.
func useLanes(rows int) bool { return rows >= minLanes && lanes.Available() }

// workersFor returns how many workers serve rows rows, if there may be at most so
// many.
func workersFor(rows, most int) int {
	return max(1, min(most, rows/rowsPerWorker))
}

// blockFor returns how many rows a worker takes of those that are left.
func blockFor(left, workers int) int {
	if workers > 1 {
		// Half of its share: those who come late still find something.
		share := left / (2 * workers)
		left = min(left, max(minBlock, share/minBlock*minBlock))
	}
	return min(left, maxBlock)
}

// Group returns how many rows a queue should verify at a time: enough for the
// lanes and for the shared inversion, and no more, because all of them wait for
// the last.
func Group() int {
	if lanes.Available() {
		return 64
	}
	return 16
}
