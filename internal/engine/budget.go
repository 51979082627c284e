package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// This file holds the one rule that decides whether rows are verified by an equation, for calls,
// accumulators and queues alike. Costs are counted in hundredths of the cost of verifying one row
// without an equation; profiles hold the cost of equations in that unit.

// allowance is the greatest cost of verification for each costly row, whatever the rows are. The
// prices in profiles are medians, and the cost of parsing and copying rows is not counted: 116
// leaves room for both below the 120 that docs/batch.md promises as measured.
const allowance = 116

// costOfEquation returns the cost of one equation for a number of rows.
func costOfEquation(rows int) int64 { return int64(rows) * profile.Current().Price(rows) }

// costOfEach returns the cost of verifying a number of rows without an equation.
func costOfEach(rows int) int64 { return 100 * int64(rows) }

// EquationPays reports whether one equation for a number of rows takes less time than verifying
// each row with the same number of workers. That is the number of workers that an equation for
// those rows has: at most workers, or at most GOMAXPROCS if workers is below 1.
//
// One worker computes a part of an equation while the others wait, so more workers save less by an
// equation (Amdahl's law). EquationPays ignores workers beyond those of the equation: they could
// verify few rows each still sooner, but with twice the work, and a busy machine lacks the cores.
func EquationPays(rows, workers int) bool {
	if profile.Current().Price(rows) == 0 {
		return false
	}
	n := max(1, equationWorkers(rows, workers))
	return spanOfEquation(rows, n) < costOfEach(rows)/int64(n)
}

// spanOfEquation returns the time of an equation by the clock, in the unit of costs. With one
// worker it is costOfEquation.
func spanOfEquation(rows, workers int) int64 {
	p := profile.Current()
	n, w := int64(rows), int64(workers)
	serial := p.SerialPerRow * n
	shared := max(0, p.Price(rows)*n-serial-p.SerialPerWorker)
	return serial + p.SerialPerWorker*w + shared/w
}

// A Budget limits what equations that do not hold may cost. Every costly row adds what the
// allowance exceeds the cost of verifying the row. An equation takes its cost away, and gives back
// the cost of verifying its rows if it holds. The zero value is empty.
type Budget struct{ left int64 }

// add adds rows that are to be verified.
func (b *Budget) add(rows int) { b.left += int64(rows)*allowance - costOfEach(rows) }

// held adds the saving of an equation that has held.
func (b *Budget) held(rows int) { b.left += costOfEach(rows) }

// next returns for how many rows, of at most most, the next equation should be: as many as the
// budget can lose. It returns 0 if no equation pays.
//
// If an equation does not hold, its cost is lost and its rows are still to be verified. A good
// batch takes a few equations, the first for a quarter of the rows or less. A batch of bad rows
// takes one.
func (b *Budget) next(most, workers int) int {
	for rows := most; EquationPays(rows, workers); {
		if costOfEquation(rows) <= b.left {
			return rows
		}
		// Fewer rows cost more each.
		rows = min(rows-1, int(b.left/profile.Current().Price(rows)))
	}
	return 0
}

// queueLimit limits the budget of a queue to the cost of a few equations, so that a long time of
// good signatures does not pay for a long time of bad ones.
const queueLimit = 100 * 1000

// Pay reports whether a queue may try one equation for a number of rows with one worker: whether it
// pays, and the budget could lose its cost. If so, Pay takes the cost away at once, so that several
// leaders do not spend the same budget.
func (b *Budget) Pay(rows int) bool {
	if !profile.Current().QueueEquations || b.next(rows, 1) < rows {
		return false
	}
	b.left -= costOfEquation(rows)
	return true
}

// Earn adds rows of a queue that have their verdicts, by an equation that was paid for if together
// is set. Malformed rows earn nothing, because it costs next to nothing to find that a key is not
// on the curve.
func (b *Budget) Earn(rows, malformed int, together bool) {
	b.add(rows - malformed)
	if together {
		b.held(rows - malformed)
	}
	b.left = min(b.left, queueLimit)
}

// A verification sets the verdicts of rows by equations for parts of them, and row by row where an
// equation does not hold. It keeps within the allowance, whatever the rows are.
type verification struct {
	total   int // number of rows
	most    int // limit of rows of an equation
	workers int
	budget  Budget

	// isCostly reports whether verifying row i alone costs anything. Rows that parsing settles
	// cost nothing, and add nothing to the budget.
	isCostly func(i int) bool
	// together tries an equation for the rows from lo to hi. It returns the number of rows in
	// the equation, and whether it holds.
	together func(lo, hi int) (tried int, ok bool, err error)
	// each verifies those of the rows from lo to hi that have no verdict. run calls it also
	// after together, for rows that had no part in the equation, or if it does not hold.
	each func(lo, hi int) error
}

// run sets all verdicts. It ends with the first error.
func (v *verification) run() error {
	left := 0 // number of costly rows from at on
	for i := range v.total {
		if v.isCostly(i) {
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
			if v.isCostly(hi) {
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
