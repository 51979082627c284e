package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// equationCost returns what an equation for so many rows costs a row, as in
// profile.Price.
func equationCost(rows int) int64 { return profile.Current().Price(rows) }

// allowance is what VerifyEach may spend, whatever the rows are, in percent of the
// exact road for all. It is to be 120 at most when measured, and the rows of an
// accumulator are copied, which is not counted here.
const allowance = 116

// EquationPays returns whether one equation for so many rows is faster than to
// verify each.
func EquationPays(rows int) bool { return equationCost(rows) > 0 }

// VerifyEach gives each of so many rows its verdict: by equations for at most so many
// rows, of which holds says whether that of the rows from lo to hi does, and for how
// many of them there was one, or by the exact road, which is exact. After holds, exact
// is called for the same rows too, because some may not have had part in it. dear says
// whether a row costs anything on the exact road: what its input says at once to be bad
// does not, and is no reason to spend anything on others.
//
// VerifyEach returns what that cost, in hundredths of what one row costs exactly: at
// most the allowance for every dear row, whatever the rows are. It ends with the first
// error of its functions.
func VerifyEach(total, most int, dear func(i int) bool, holds func(lo, hi int) (tried int, ok bool, err error), exact func(lo, hi int) error) (spent int64, err error) {
	all := 0
	for i := range total {
		if dear(i) {
			all++
		}
	}
	left := all
	for at := 0; at < total; {
		n := nextEquation(all, min(left, most), left, spent)
		if n == 0 {
			return spent + SpentExactly(left), exact(at, total)
		}
		hi, found := at, 0
		for hi < total && hi-at < most && found < n {
			if dear(hi) {
				found++
			}
			hi++
		}
		left -= found
		tried, ok, err := holds(at, hi)
		if err != nil {
			return spent, err
		}
		spent += SpentOnEquation(tried)
		if ok {
			spent += SpentExactly(found - tried)
		} else {
			spent += SpentExactly(found)
		}
		if err := exact(at, hi); err != nil {
			return spent, err
		}
		at = hi
	}
	return spent, nil
}

// nextEquation returns for how many of the dear rows that are left, and at most so many,
// the next equation should be, when every row is to have its verdict; 0 means that all
// that are left should be verified exactly. spent is what has been done so far, in
// hundredths of what one row costs exactly.
//
// An equation that does not hold is lost, and its rows are still to be verified.
// So it may be for no more rows than that all that is spent then, and the exact
// road for all that is left, comes to the allowance. A good batch takes a few
// equations, the first for a quarter of the rows or less; a batch that is all bad,
// that one.
func nextEquation(total, most, left int, spent int64) int {
	free := allowance*int64(total) - spent - SpentExactly(left)
	for rows := most; EquationPays(rows); {
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
