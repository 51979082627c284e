package engine

import (
	"context"
	"sync"

	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A chunk holds parsed rows of a call that may share an equation.
type chunk struct {
	rows     []row
	list     []*row // some of the rows: those in an equation, or those verified one by one
	equation equation
}

// chunks keeps the chunks of earlier calls, as jobs keeps jobs.
//
//layers:allow a pool of memory for public data
var chunks sync.Pool // of *chunk

// takeChunk returns a chunk, which may hold rows of an earlier call.
func takeChunk() *chunk {
	if b, _ := chunks.Get().(*chunk); b != nil {
		return b
	}
	return new(chunk)
}

// keepChunk returns a chunk to its pool. This is safe even after a panic, because the method parse
// sets all rows of a chunk. A chunk in the pool keeps no table alive: its rows have equations, and
// rows under prepared keys have none.
func keepChunk(b *chunk) { chunks.Put(b) }

// parse sets the rows of the chunk to those of c. The workers of the team w parse them.
func (b *chunk) parse(c *columns, w *forkjoin.Team) {
	b.rows = grow(b.rows, c.Rows)
	parse := func(_, lo, hi int) { c.parse(b.rows[lo:hi], lo) }
	for block := w.Begin(c.Rows, profile.Current().LiftRows, parse); block.Next(); {
		parse(0, block.Lo, block.Hi)
	}
}

// verify sets the verdicts of the rows of c. It tries equations as far as the budget allows. Rows
// without an equation, and rows whose equation does not hold, it verifies one by one. So the total
// cost stays within the constant allowance, however many rows are not valid. If ctx ends first,
// verify returns the error of ctx.
func (b *chunk) verify(ctx context.Context, c *columns, budget *Budget) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := forkjoin.New(equationWorkers(c.Rows, c.Workers))
	defer w.Stop() // also if parsing panics: columns may be a mapped file that became shorter
	b.parse(c, w)
	defer c.store(b.rows, 0)
	left := b.undecided()
	budget.add(left)
	for at := 0; at < c.Rows; {
		rows := budget.next(left, c.Workers)
		end := at
		for found := 0; found < rows; end++ {
			if b.rows[end].isUndecided() {
				found++
			}
		}
		if rows == 0 {
			end = c.Rows
		} else {
			tried, held, err := b.tryEquation(ctx, c, b.rows[at:end], w)
			if err != nil {
				return err
			}
			budget.spend(tried, held)
		}
		if _, err := b.verifyEach(ctx, c, b.rows[at:end]); err != nil {
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
	tried, held, err := b.tryEquation(ctx, c, b.rows, w)
	if err != nil || tried > 0 && !held && c.scheme.evenNonce {
		return false, err
	}
	// If an equation with recovery ids does not hold, an id may be wrong although all signatures
	// are valid. So the rows are verified one by one then.
	return b.verifyEach(ctx, c, b.rows)
}

// undecided returns the number of rows whose verdict takes a multiplication.
func (b *chunk) undecided() (n int) {
	for i := range b.rows {
		if b.rows[i].isUndecided() {
			n++
		}
	}
	return n
}

// choose sets b.list to the rows for which chosen returns true.
func (b *chunk) choose(rows []row, chosen func(r *row) bool) {
	b.list = b.list[:0]
	for i := range rows {
		if chosen(&rows[i]) {
			b.list = append(b.list, &rows[i])
		}
	}
}

// tryEquation tries one equation for the rows, and makes them Valid if it holds. tried is the
// number of rows in the equation: all rows that have an equation, or 0 if it would save no time.
func (b *chunk) tryEquation(
	ctx context.Context, c *columns, rows []row, w *forkjoin.Team,
) (tried int, held bool, err error) {
	b.choose(rows, c.scheme.hasEquation)
	tried = len(b.list)
	if !EquationPays(tried, c.Workers) {
		return 0, false, nil
	}
	held, err = b.equation.holds(ctx, c.scheme, b.list, w)
	if held {
		for _, r := range b.list {
			r.verdict = Valid
		}
	}
	return tried, held, err
}

// verifyEach verifies those of the rows that have no verdict, one by one. If c has memory for
// verdicts, the result is true unless there is an error. Otherwise the result reports whether the
// rows are valid, and verifyEach may leave rows without a verdict once it has found one that is
// not valid.
func (b *chunk) verifyEach(ctx context.Context, c *columns, rows []row) (bool, error) {
	b.choose(rows, func(r *row) bool { return r.verdict == Unchecked })
	if len(b.list) == 0 {
		return true, nil
	}
	return run(ctx, c, b.list)
}
