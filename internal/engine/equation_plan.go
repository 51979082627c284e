package engine

import "github.com/koblitz-go/koblitz/internal/lanes"

// An equationPrice says what an equation for so many rows or more costs a row, in
// percent of the exact road for the same rows, in lanes and without them; 0 means more
// than that.
type equationPrice struct {
	rows          int
	lanes, single int64
}

// equationPrices are measured on Zen 5 by BenchmarkEquationCost of package batch and
// rounded up by two or three. Without lanes they are those with the other kernels;
// portable code has lower ones.
func equationPrices() [11]equationPrice {
	return [...]equationPrice{
		{4096, 47, 61},
		{2048, 48, 62},
		{1024, 49, 64},
		{512, 52, 66},
		{256, 56, 72},
		{128, 64, 79},
		{96, 66, 83},
		{64, 77, 89},
		{48, 83, 95},
		{32, 96, 0},
		{0, 0, 0},
	}
}

// equationCost returns what an equation for so many rows costs a row, as in
// equationPrice.
func equationCost(rows int) int64 {
	for _, p := range equationPrices() {
		if rows < p.rows {
			continue
		}
		if lanes.Available() {
			return p.lanes
		}
		return p.single
	}
	return 0
}

// allowance is what VerifyEach may spend, whatever the rows are, in percent of the
// exact road for all. It is to be 120 at most when measured, and the rows of an
// accumulator are copied, which is not counted here.
const allowance = 116

// EquationPays returns whether one equation for so many rows is faster than to
// verify each.
func EquationPays(rows int) bool { return equationCost(rows) > 0 }

// VerifyEach gives each of so many rows its verdict: by equations, of which
// holds says whether that of the rows from lo to hi does, or by the exact road,
// which is exact. It returns what that cost, in hundredths of what one row costs
// exactly: at most the allowance for every row, whatever the rows are.
func VerifyEach(total int, holds func(lo, hi int) bool, exact func(lo, hi int)) (spent int64) {
	for at := 0; at < total; {
		n := nextEquation(total, total-at, spent)
		if n == 0 {
			exact(at, total)
			return spent + SpentExactly(total-at)
		}
		spent += SpentOnEquation(n)
		if !holds(at, at+n) {
			spent += SpentExactly(n)
			exact(at, at+n)
		}
		at += n
	}
	return spent
}

// nextEquation returns for how many of the rows that are left the next equation
// should be, when every row is to have its verdict; 0 means that all that are
// left should be verified exactly. spent is what has been done so far, in
// hundredths of what one row costs exactly.
//
// An equation that does not hold is lost, and its rows are still to be verified.
// So it may be for no more rows than that all that is spent then, and the exact
// road for all that is left, comes to the allowance. A good batch takes a few
// equations, the first for a quarter of the rows or less; a batch that is all bad,
// that one.
func nextEquation(total, left int, spent int64) int {
	free := allowance*int64(total) - spent - SpentExactly(left)
	for rows := left; EquationPays(rows); {
		if SpentOnEquation(rows) <= free {
			return rows
		}
		// Fewer rows cost more each.
		rows = min(rows-1, int(free/equationCost(rows)))
	}
	return 0
}

// SpentOnEquation returns what an equation costs in the measure of VerifyEach.
func SpentOnEquation(rows int) int64 { return int64(rows) * equationCost(rows) }

// SpentExactly returns what the exact road costs in that measure.
func SpentExactly(rows int) int64 { return 100 * int64(rows) }
