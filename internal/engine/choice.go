package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// What is chosen for a call, by the number of its rows and the CPU. The numbers
// are measured; docs/batch.md says how.
const (
	// MaxBlock is how many rows a worker takes at a time. With more of them the
	// shared inversions are no cheaper to speak of; a worker's memory, and the
	// time between two looks at the context, grow.
	MaxBlock = 64
	// minBlock is how few a worker takes if there are several workers, so that
	// they end together. Blocks are whole multiples of it, but for the last.
	minBlock = 8
)

// useLanes returns whether a job for so many rows has use for lanes.
func useLanes(kind Kind, rows int) bool {
	p := profile.Current()
	least := p.Rows
	if kind == Decompress {
		least = p.Lifts
	}
	return least > 0 && rows >= least
}

// workersFor returns how many workers serve rows rows, if there may be at most so
// many.
func workersFor(rows, most int) int {
	return max(1, min(most, rows/profile.Current().RowsPerWorker))
}

// blockFor returns how many rows a worker takes of those that are left, at most
// so many.
func blockFor(left, workers, most int) int {
	if workers > 1 {
		// Half of its share: those who come late still find something.
		share := left / (2 * workers)
		left = min(left, max(minBlock, share/minBlock*minBlock))
	}
	return min(left, most)
}

// Group returns how many rows a queue verifies at a time.
func Group(kind Kind) int {
	if kind == Schnorr {
		return profile.Current().QueueSchnorr
	}
	return profile.Current().QueueECDSA
}

// An Account keeps the equations of a queue that did not hold from costing more
// than a fifth of what all of its rows would have cost without: in hundredths of
// what a row costs for itself, the allowance for every row less what was spent.
type Account struct{ balance int64 }

// accountLimit is the most that is kept for bad times: a few equations.
const accountLimit = 100 * 1000

// Allows returns whether so many rows may be tried together.
func (a *Account) Allows(kind Kind, rows int) bool {
	if kind != Schnorr || !EquationPays(rows) || !profile.Current().QueueEquations {
		return false
	}
	// If it does not hold, this remains.
	return a.balance+allowance*int64(rows)-SpentOnEquation(rows)-SpentExactly(rows) >= 0
}

// Enter notes that so many rows have cost so much.
func (a *Account) Enter(rows int, cost int64) {
	a.balance = min(a.balance+allowance*int64(rows)-cost, accountLimit)
}
