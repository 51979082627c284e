package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A chunk holds parsed rows of a call that may share an equation.
type chunk struct {
	rows     Rows
	part     Rows  // a window of rows
	some     Rows  // copies of some of the rows in part, if a step leaves others out
	list     []int // the numbers in part of the rows in some
	equation equation
}

// parse sets the rows of the chunk to those of c. The workers of the team w parse them.
func (b *chunk) parse(c *columns, w *forkjoin.Team) {
	c.prepare(&b.rows, c.Rows)
	parse := func(_, lo, hi int) { c.parse(&b.rows, 0, lo, hi) }
	for block := w.Begin(c.Rows, profile.Current().LiftRows, parse); block.Next(); {
		parse(0, block.Lo, block.Hi)
	}
}

// verify sets the verdicts of the rows of c, by equations as far as the budget allows and one by
// one where there is no equation, or where it does not hold. So the total cost keeps within the
// allowance, however many rows are not valid. If ctx ends first, verify returns the error of ctx.
func (b *chunk) verify(ctx context.Context, c *columns, budget *Budget) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := forkjoin.New(equationWorkers(c.Rows, c.Workers))
	defer w.Stop() // also if parsing panics: columns may be a mapped file that became shorter
	b.parse(c, w)
	defer b.store(c)
	left := b.undecided()
	budget.add(left)
	for at := 0; at < c.Rows; {
		rows := budget.next(left, c.Workers)
		end := at
		for found := 0; found < rows; end++ {
			if b.rows.isUndecided(end) {
				found++
			}
		}
		if rows == 0 {
			end = c.Rows
		} else {
			tried, held, err := b.tryEquation(ctx, c, at, end, w)
			if err != nil {
				return err
			}
			budget.spend(tried, held)
		}
		if _, err := b.verifyEach(ctx, c, at, end, false); err != nil {
			return err
		}
		left -= rows
		at = end
	}
	return nil
}

// allValid reports whether the rows of c are valid. It may stop at the first row that is not. If
// ctx ends first, allValid returns the error of ctx.
func (b *chunk) allValid(ctx context.Context, c *columns) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	w := forkjoin.New(equationWorkers(c.Rows, c.Workers))
	defer w.Stop()
	b.parse(c, w)
	if b.undecided() < c.Rows {
		return false, nil
	}
	tried, held, err := b.tryEquation(ctx, c, 0, c.Rows, w)
	if err != nil || tried > 0 && !held && c.scheme.evenNonce {
		return false, err
	}
	// If an equation with recovery ids does not hold, an id may be wrong although all signatures
	// are valid. So the rows are verified one by one then.
	return b.verifyEach(ctx, c, 0, c.Rows, true)
}

// verifyTogether sets the verdicts of the rows of c by one equation, or one by one if the equation
// does not hold. The results tried and held are those of tryEquation.
func (b *chunk) verifyTogether(
	ctx context.Context, c *columns,
) (tried int, held bool, err error) {
	b.parse(c, nil)
	defer b.store(c)
	tried, held, err = b.tryEquation(ctx, c, 0, c.Rows, nil)
	if err == nil {
		_, err = b.verifyEach(ctx, c, 0, c.Rows, false)
	}
	return tried, held, err
}

// undecided returns the number of rows whose verdict takes a multiplication.
func (b *chunk) undecided() (n int) {
	for i := range b.rows.Len() {
		if b.rows.isUndecided(i) {
			n++
		}
	}
	return n
}

// tryEquation tries one equation for the rows from lo to hi, and makes them Valid if it holds.
// tried is the number of rows in the equation: those that have one, or none if it saves no time.
func (b *chunk) tryEquation(
	ctx context.Context, c *columns, lo, hi int, w *forkjoin.Team,
) (tried int, held bool, err error) {
	b.rows.window(&b.part, lo, hi)
	b.list = b.list[:0]
	for i := range hi - lo {
		if c.scheme.hasEquation(&b.part, i) {
			b.list = append(b.list, i)
		}
	}
	tried = len(b.list)
	if !EquationPays(tried, c.Workers) {
		return 0, false, nil
	}
	held, err = b.equation.holds(ctx, c.scheme, b.listed(), w)
	if held {
		for _, i := range b.list {
			b.part.verdicts[i] = Valid
		}
	}
	return tried, held, err
}

// listed returns the rows of part whose numbers are in list: part itself if these are all rows, and
// otherwise copies.
func (b *chunk) listed() *Rows {
	if len(b.list) == b.part.Len() {
		return &b.part
	}
	b.some.gather(&b.part, b.list)
	return &b.some
}

// verifyEach verifies those rows from lo to hi that have no verdict, one by one. It reports whether
// they are valid. If onlyAll is set, it may leave rows without a verdict once one is not valid.
func (b *chunk) verifyEach(
	ctx context.Context, c *columns, lo, hi int, onlyAll bool,
) (bool, error) {
	b.rows.window(&b.part, lo, hi)
	b.list = b.part.unchecked(b.list)
	if len(b.list) == 0 {
		return true, nil
	}
	rows := b.listed()
	valid, err := run(ctx, c.scheme, len(b.list), c.Workers, source{rows: rows, onlyAll: onlyAll})
	if rows == &b.some {
		for k, i := range b.list {
			b.part.verdicts[i], b.part.reasons[i] = rows.verdicts[k], rows.reasons[k]
		}
	}
	return valid, err
}

// store stores the verdicts and reasons of the rows of c.
func (b *chunk) store(c *columns) {
	copy(c.Verdicts, b.rows.verdicts)
	copy(c.Reasons, b.rows.reasons)
}
