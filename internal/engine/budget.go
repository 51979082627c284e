package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// This file holds the rule that decides whether rows are verified by an equation. Calls,
// accumulators and queues share it. Costs are counted in hundredths of the cost of verifying one
// row without an equation; profiles hold the cost of equations in that unit.

// allowance limits the cost of verification, however many rows are invalid. It is the cost per row
// that parsing leaves undecided, in hundredths of the cost of verifying one row without an
// equation. docs/batch.md promises at most 120, as measured. 116 leaves room for two errors: the
// prices in profiles are medians, and the cost of parsing and copying rows is not counted.
const allowance = 116

// costOfEquation returns the cost of one equation for the given number of rows.
func costOfEquation(rows int) int64 { return int64(rows) * profile.Current().Price(rows) }

// costOfEach returns the cost of verifying the given number of rows without an equation.
func costOfEach(rows int) int64 { return 100 * int64(rows) }

// EquationPays reports whether one equation for the given number of rows takes less time than
// verifying each row with the same number of workers. workers is the limit of that number, or
// GOMAXPROCS is the limit if workers is below 1. An equation for few rows uses fewer workers than
// the limit.
//
// One worker computes a part of an equation while its other workers wait, so an equation saves less
// with more workers (Amdahl's law). EquationPays ignores workers beyond those of the equation.
// Verifying a few rows on each of them would end sooner, but with twice the work, and a busy
// machine lacks the cores.
func EquationPays(rows, workers int) bool {
	if profile.Current().Price(rows) == 0 {
		return false
	}
	n := max(1, equationWorkers(rows, workers))
	return spanOfEquation(rows, n) < costOfEach(rows)/int64(n)
}

// spanOfEquation returns the wall-clock time of an equation, in the unit of costs. With one worker
// it equals costOfEquation.
func spanOfEquation(rows, workers int) int64 {
	p := profile.Current()
	n, w := int64(rows), int64(workers)
	serial := p.SerialPerRow * n
	shared := max(0, p.Price(rows)*n-serial-p.SerialPerWorker)
	return serial + p.SerialPerWorker*w + shared/w
}

// A Budget limits the cost of equations that do not hold. Each row that parsing leaves undecided
// adds the difference between the allowance and the cost of verifying the row. An equation
// subtracts its cost, and if it holds, adds back the cost of verifying its rows one by one. The
// zero value is empty.
type Budget struct{ left int64 }

// add adds to the budget for the given number of rows that must be verified.
func (b *Budget) add(rows int) { b.left += int64(rows)*allowance - costOfEach(rows) }

// spend subtracts the cost of an equation for the given number of rows. If the equation held, it
// adds the cost that the equation saved: its rows need no verification one by one.
func (b *Budget) spend(rows int, held bool) {
	b.left -= costOfEquation(rows)
	if held {
		b.left += costOfEach(rows)
	}
}

// next returns the number of rows for the next equation: at most limit, and no more than the budget
// can pay for if the equation fails. It returns 0 if no equation saves time.
//
// If an equation does not hold, its cost is lost and its rows still need verification. Suppose that
// a budget is empty before rows are added. If these are valid, they take a few equations, the first
// for less than half of them. If they are invalid, only one equation is tried.
func (b *Budget) next(limit, workers int) int {
	for rows := limit; EquationPays(rows, workers); {
		if costOfEquation(rows) <= b.left {
			return rows
		}
		// An equation for fewer rows costs more per row, so try ever fewer rows until the budget
		// covers the cost.
		rows = min(rows-1, int(b.left/profile.Current().Price(rows)))
	}
	return 0
}

// queueLimit caps the budget of a queue at the cost of a few equations. Otherwise a long run of
// valid signatures would pay for failing equations in a long run of invalid ones.
const queueLimit = 100 * 1000

// Pay reports whether a queue may try one equation for the given number of rows with one worker.
// The equation must save time if it holds, and the budget must cover its cost if it fails. If so,
// Pay subtracts the cost at once, so that concurrent callers do not spend the same budget.
func (b *Budget) Pay(rows int) bool {
	if !profile.Current().QueueEquations || b.next(rows, 1) < rows {
		return false
	}
	b.left -= costOfEquation(rows)
	return true
}

// Settle replaces the cost that Pay has subtracted for the given number of rows by the cost of the
// equation of tried rows. held says whether that equation held. If too many rows were malformed,
// tried is 0.
func (b *Budget) Settle(rows, tried int, held bool) {
	b.left += costOfEquation(rows)
	b.spend(tried, held)
}

// Earn adds to the budget for rows of a queue whose verdicts are known. Malformed rows add nothing,
// because it costs next to nothing to find that a key is not on the curve.
func (b *Budget) Earn(rows, malformed int) {
	b.add(rows - malformed)
	b.left = min(b.left, queueLimit)
}
