package engine

import "github.com/koblitz-go/koblitz/internal/lanes"

// equationCost returns what an equation for so many rows costs a row, in percent
// of the exact road for the same rows. Measured on Zen 5, unparsed keys, memory
// kept, and rounded up: with lanes 89, 81, 75, 65, 62, 54, 51 and 46 for 64, 96,
// 128, 256, 512, 1024, 2048 and 4096 rows; 99, 84, 80, 73, 67 and 64 without lanes
// for 32, 96 and so on up to 1024.
func equationCost(rows int) int64 {
	if lanes.Available() {
		switch {
		case rows < 96:
			return 90
		case rows < 128:
			return 83
		case rows < 256:
			return 77
		case rows < 512:
			return 67
		case rows < 1024:
			return 64
		case rows < 2048:
			return 57
		case rows < 4096:
			return 53
		}
		return 49
	}
	switch {
	case rows < 96:
		return 100
	case rows < 128:
		return 85
	case rows < 256:
		return 81
	case rows < 512:
		return 74
	}
	return 68
}

// minEquation returns from how many rows on an equation takes less time than to
// verify each.
func minEquation() int {
	if lanes.Available() {
		return 64
	}
	return 48
}

// allowance is what VerifyEach may spend, whatever the rows are, in percent of the
// exact road for all. It is to be 120 at most when measured, and the rows of an
// accumulator are copied, which is not counted here.
const allowance = 116

// EquationPays returns whether one equation for so many rows is faster than to
// verify each.
func EquationPays(rows int) bool { return rows >= minEquation() }

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
