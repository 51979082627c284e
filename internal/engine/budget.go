package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// A Budget keeps the equations of a queue that do not hold from costing more than 16 % of
// what its rows would have cost without equations: it is what the queue has earned by its
// rows, and not yet spent. The zero value is empty.
type Budget struct{ left int64 }

// budgetLimit is the most that is saved for bad times: a few equations.
const budgetLimit = 100 * 1000

// Pay pays for one equation for a number of rows of a kind, and returns whether it may be
// tried: whether an equation is over sooner than the verification of each row, and the
// budget is enough if it does not hold and the rows earn nothing. What is paid is gone at
// once, so that several leaders do not spend the same.
func (b *Budget) Pay(kind Kind, rows int) bool {
	if kind != Schnorr || !profile.Current().QueueEquations || !EquationPays(rows, 1) ||
		b.left < costOfEquation(rows) {
		return false
	}
	b.left -= costOfEquation(rows)
	return true
}

// Earn enters that a number of rows have their verdicts: by an equation that was paid for
// if together is set, and each by itself if not. Malformed rows earn nothing: to find that
// a key is not on the curve, which is what they are malformed for, costs next to nothing.
func (b *Budget) Earn(rows, malformed int, together bool) {
	earned := allowance * int64(rows-malformed)
	if !together {
		earned -= costOfEach(rows - malformed)
	}
	b.left = min(b.left+earned, budgetLimit)
}
