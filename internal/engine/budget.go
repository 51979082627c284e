package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// This file holds the rule that decides whether rows are verified by an equation. Calls,
// accumulators and queues share it. Costs are counted in hundredths of the cost of verifying one
// row without an equation; profiles hold the cost of equations in that unit.

// allowance is the greatest cost of verification, in hundredths of the cost of verifying one row
// without an equation, for each row that has no verdict from parsing, however many rows are
// invalid. The prices in profiles are medians, and the cost of parsing and copying rows is not
// counted: 116 leaves room for both below the 120 that docs/batch.md promises as measured.
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

// held adds to the budget the cost that an equation saved: the equation held for the given number
// of rows, so they need no verification one by one.
func (b *Budget) held(rows int) { b.left += costOfEach(rows) }

// next returns the number of rows for the next equation: at most limit, and no more than the budget
// can pay for if the equation fails. It returns 0 if no equation saves time.
//
// If an equation does not hold, its cost is lost and its rows still need verification. A batch of
// valid rows takes a few equations, the first for a quarter of the rows or less. A batch of invalid
// rows takes one.
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

// Earn adds to the budget for rows of a queue whose verdicts are known. byEquation says that an
// equation that Pay allowed gave the verdicts. Malformed rows add nothing, because it costs next to
// nothing to find that a key is not on the curve.
func (b *Budget) Earn(rows, malformed int, byEquation bool) {
	b.add(rows - malformed)
	if byEquation {
		b.held(rows - malformed)
	}
	b.left = min(b.left, queueLimit)
}

// A verification sets the verdicts of rows by equations for parts of them, and row by row where an
// equation does not hold. Its total cost keeps within the allowance, however many rows are invalid.
type verification struct {
	total   int // number of rows
	most    int // greatest number of rows in an equation
	workers int
	budget  Budget

	// isUndecided reports whether verifying row i takes arithmetic. Rows whose verdict is known
	// from parsing cost nothing, and add nothing to the budget.
	isUndecided func(i int) bool
	// together tries an equation for the rows from lo to hi. tried is the number of rows in the
	// equation, and ok reports whether it holds.
	together func(lo, hi int) (tried int, ok bool, err error)
	// each verifies those rows from lo to hi that have no verdict. The method run calls the
	// function together first. Then it calls each for the rows that were not in the equation, or
	// for all rows if the equation did not hold.
	each func(lo, hi int) error
}

// run sets all verdicts. It stops at the first error and returns it.
func (v *verification) run() error {
	left := 0 // number of undecided rows not yet verified
	for i := range v.total {
		if v.isUndecided(i) {
			left++
		}
	}
	v.budget.add(left)
	for at := 0; at < v.total; {
		n := v.budget.next(min(left, v.most), v.workers)
		if n == 0 {
			return v.each(at, v.total)
		}
		hi, found := at, 0
		for hi < v.total && hi-at < v.most && found < n {
			if v.isUndecided(hi) {
				found++
			}
			hi++
		}
		left -= found
		tried, ok, err := v.together(at, hi)
		if err != nil {
			return err
		}
		v.budget.left -= costOfEquation(tried)
		if ok {
			v.budget.held(tried)
		}
		if err := v.each(at, hi); err != nil {
			return err
		}
		at = hi
	}
	return nil
}
