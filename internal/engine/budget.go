package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// A Budget keeps the equations of a queue that do not hold from costing more than a fifth
// of what its rows would have cost without equations: it is what the queue has earned by
// its rows, and not yet spent. The zero value is empty.
type Budget struct{ left int64 }

// budgetLimit is the most that is saved for bad times: a few equations.
const budgetLimit = 100 * 1000

// Allows returns whether one equation for so many rows of a kind may be tried: whether
// it pays, and the budget is enough if it does not hold and the rows earn nothing.
func (b *Budget) Allows(kind Kind, rows int) bool {
	return kind == Schnorr && profile.Current().QueueEquations && EquationPays(rows, 1) &&
		b.left >= costOfEquation(rows)
}

// Enter enters that so many rows were verified, by one equation that holds if together
// is set, or each of them, after one that does not hold if tried is set. Rows that
// cost nothing to speak of if each is verified, because their keys are not on the curve,
// are malformed: they earn nothing.
func (b *Budget) Enter(rows, malformed int, tried, together bool) {
	earned := allowance * int64(rows-malformed)
	spent := int64(0)
	if tried {
		spent += costOfEquation(rows)
	}
	if !together {
		spent += costOfEach(rows - malformed)
	}
	b.left = min(b.left+earned-spent, budgetLimit)
}
