package engine

import "github.com/koblitz-go/koblitz/internal/profile"

// Costs are counted in hundredths of what it costs to verify one row without an equation,
// whatever the machine is; profiles say what equations cost in that measure.

// allowance is what a verification may cost, whatever the rows are, for each costly row.
// The prices in profiles are medians, and what it costs to parse rows and to copy some is
// not counted: 116 leaves room for that below the 120 that are promised as measured.
const allowance = 116

// costOfEquation returns what one equation for all of the rows costs.
func costOfEquation(rows int) int64 { return int64(rows) * profile.Current().Price(rows) }

// costOfEach returns what it costs to verify each of the rows without an equation.
func costOfEach(rows int) int64 { return 100 * int64(rows) }

// EquationPays returns whether one equation for all of the rows is over sooner than the
// verification of each by the same number of workers. That number is what an equation
// for those rows has: at most workers, or at most GOMAXPROCS if that is below 1.
//
// A part of an equation is done by one worker while the others have nothing to do. So
// more workers gain less by an equation than by the verification of each row, where they
// wait for nothing (Amdahl's law). That some more workers than an equation has could
// verify few rows each still sooner does not count: it would take twice the work, and on
// a machine that is busy those workers do not come.
func EquationPays(rows, workers int) bool {
	if profile.Current().Price(rows) == 0 {
		return false
	}
	n := max(1, equationWorkers(rows, workers))
	return spanOfEquation(rows, n) < costOfEach(rows)/int64(n)
}

// spanOfEquation returns the time of an equation by the clock, with the given number of
// workers, in the measure of costs. With one worker it is costOfEquation.
func spanOfEquation(rows, workers int) int64 {
	p := profile.Current()
	n, w := int64(rows), int64(workers)
	serial := p.SerialPerRow * n
	shared := max(0, p.Price(rows)*n-serial-p.SerialPerWorker)
	return serial + p.SerialPerWorker*w + shared/w
}

// A verification gives each of some rows its verdict: by equations for parts of them, and
// one by one where an equation does not hold.
type verification struct {
	total   int // rows
	most    int // rows of an equation
	workers int

	// isCostly says whether verifying row i by itself would cost anything. What its
	// input says at once to be bad does not, and is no reason to spend anything on
	// other rows.
	isCostly func(i int) bool
	// together tries an equation for the rows from lo to hi. It returns for how many of
	// them there was one, and whether it holds.
	together func(lo, hi int) (tried int, ok bool, err error)
	// each verifies the rows from lo to hi that have no verdict. It is called after
	// together too, for those that had no part in the equation, or if it does not hold.
	each func(lo, hi int) error
}

// run returns what the verdicts have cost: at most the allowance for every costly row,
// whatever the rows are. It ends with the first error.
func (v *verification) run() (spent int64, err error) {
	costly := 0
	for i := range v.total {
		if v.isCostly(i) {
			costly++
		}
	}
	left := costly
	for at := 0; at < v.total; {
		n := v.next(costly, left, spent)
		if n == 0 {
			return spent + costOfEach(left), v.each(at, v.total)
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
			return spent, err
		}
		spent += costOfEquation(tried) + costOfEach(found)
		if ok {
			spent -= costOfEach(tried)
		}
		if err := v.each(at, hi); err != nil {
			return spent, err
		}
		at = hi
	}
	return spent, nil
}

// next returns for how many of the left costly rows the next equation is; 0 means that
// all of them are to be verified each. all is how many costly rows there were, and spent
// what was done for those that are not left.
//
// An equation that does not hold is lost, and its rows are still to be verified. So it
// may be for no more rows than that all that is spent then, with the verification of all
// rows left, comes to the allowance. A good batch takes a few equations, the first for a
// quarter of the rows or less; a batch that is all bad, that one.
func (v *verification) next(all, left int, spent int64) int {
	free := allowance*int64(all) - spent - costOfEach(left)
	for rows := min(left, v.most); EquationPays(rows, v.workers); {
		if costOfEquation(rows) <= free {
			return rows
		}
		// Fewer rows cost more each.
		rows = min(rows-1, int(free/profile.Current().Price(rows)))
	}
	return 0
}
