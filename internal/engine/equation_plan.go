package engine

import "github.com/koblitz-go/koblitz/internal/lanes"

// What an equation costs, in percent of the exact road for the same rows, and
// from how many rows on it is worth trying. Measured; docs/performance.md.
const (
	lanesEquationCost    = 60
	portableEquationCost = 65
	minEquation          = 16
)

func equationCost() int64 {
	if lanes.Available() {
		return lanesEquationCost
	}
	return portableEquationCost
}

// EquationPays returns whether one equation for so many rows is faster than to
// verify each.
func EquationPays(rows int) bool { return rows >= minEquation }

// NextEquation returns for how many of the rows that are left the next equation
// should be, when every row is to have its verdict; 0 means that all that are
// left should be verified exactly. spent is what has been done so far, in
// hundredths of what one row costs exactly.
//
// An equation that does not hold is lost, and its rows are still to be verified.
// So it may be for no more rows than that all that is spent then, and the exact
// road for all that is left, comes to 1.2 times the exact road for all rows. A
// good batch takes three equations, the first for a third of the rows; a batch
// that is all bad, that one.
func NextEquation(total, left int, spent int64) int {
	free := 120*int64(total) - spent - SpentExactly(left)
	rows := int(min(int64(left), free/equationCost()))
	if !EquationPays(rows) {
		return 0
	}
	return rows
}

// SpentOnEquation returns what an equation costs in the measure of NextEquation.
func SpentOnEquation(rows int) int64 { return int64(rows) * equationCost() }

// SpentExactly returns what the exact road costs in that measure.
func SpentExactly(rows int) int64 { return 100 * int64(rows) }
