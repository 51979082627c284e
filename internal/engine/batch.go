package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A Batch holds parsed rows, all of one kind, and verifies them, by one equation where
// that pays. The kind is an argument of each method. The zero value is empty. One goroutine
// at a time may use a Batch; a call of its methods may have several workers.
type Batch struct {
	rows Rows

	fit  Rows  // copies of the rows that have an equation, if not all have one
	list []int // numbers of the rows in fit, or of the rows to verify one by one

	exported []byte // columns of rows for a device
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.rows.Len() }

// Reset removes all rows, and keeps the memory.
func (b *Batch) Reset() { b.rows.resize(0) }

// Reserve makes room for n more rows of a kind.
func (b *Batch) Reserve(kind Kind, n int) {
	b.rows.reserve(b.rows.Len() + n)
	if kind == Schnorr {
		b.rows.needMessages()
	}
}

// Next adds a row, for the caller to set at once. It is malformed until it has a key.
func (b *Batch) Next() Row {
	n := b.rows.Len()
	b.rows.resize(n + 1)
	b.rows.verdicts[n] = Malformed // the memory may hold an earlier row
	return Row{&b.rows, n}
}

// parse replaces the rows by those of columns from lo to hi.
func (b *Batch) parse(s *columns, lo, hi int, c *crew.Crew) {
	s.makeRoom(&b.rows, hi-lo)
	c.Share(hi-lo, profile.Current().LiftRows, func(_, from, to int) {
		s.parse(&b.rows, from, to, lo+from)
	})
}

// parseBy calls parse with a new crew of at most the given number of workers.
func (b *Batch) parseBy(s *columns, lo, hi, workers int) {
	c := crew.New(equationWorkers(hi-lo, workers))
	defer c.Stop() // also if a column cannot be read
	b.parse(s, lo, hi, c)
}

// VerifyAll reports whether all rows are valid. With none, they are. It may stop at the
// first that is not. With Exact there is no equation, and no device. If ctx ends first
// there is no answer, and its error is returned.
func (b *Batch) VerifyAll(ctx context.Context, kind Kind, o Options) (bool, error) {
	for _, v := range b.rows.verdicts {
		if v != Unchecked {
			return false, nil
		}
	}
	workers := o.Workers
	if o.Device != nil && !o.Exact {
		if b.hasIDs(kind) {
			if ok, err := b.allOnDevice(ctx, kind, o, pieceRows); ok || err != nil {
				return ok, err
			}
		} else if ok, done, err := b.allByRows(ctx, kind, o, pieceRows); done || err != nil {
			return ok, err
		}
	}
	covered := false // whether an equation holds for all rows that have one
	if !o.Exact {
		if fit := b.withEquation(kind, &b.rows); EquationPays(fit.Len(), workers) {
			holds, err := b.holds(ctx, kind, fit, workers)
			if err != nil || kind == Schnorr { // the equation covers all rows
				return holds, err
			}
			// A recovery id may be wrong, and the signature good without it.
			covered = holds
		}
	}
	b.list = b.list[:0]
	for i := range b.rows.Len() {
		if !covered || !b.rows.hasEquation(kind, i) {
			b.list = append(b.list, i)
		}
	}
	all := &every{source: &listed{rows: &b.rows, list: b.list}}
	err := Run(ctx, kind, len(b.list), workers, all)
	return err == nil && !all.bad.Load(), err
}

// Verify sets verdicts, one for each row. The device computes them if it accepts the call.
// Otherwise the host does, by equations as [verification] plans them, or without any if Exact is
// set. If ctx ends first, its error is returned, and rows that were not reached are Unchecked.
func (b *Batch) Verify(ctx context.Context, kind Kind, verdicts []Verdict, o Options) error {
	clear(verdicts)
	if o.Device != nil {
		if done, err := b.eachOnDevice(ctx, kind, verdicts, o, pieceRows); done || err != nil {
			return err
		}
	}
	if o.Exact {
		return b.each(ctx, kind, 0, b.rows.Len(), verdicts, o.Workers)
	}
	return b.planned(ctx, kind, verdicts, o.Workers)
}

// planned is Verify with equations.
func (b *Batch) planned(
	ctx context.Context, kind Kind, verdicts []Verdict, workers int,
) error {
	n := b.rows.Len()
	v := verification{
		total: n, most: n, workers: workers,
		isCostly: b.rows.isCostly,
		together: func(lo, hi int) (int, bool, error) {
			c := crew.New(equationWorkers(hi-lo, workers))
			defer c.Stop()
			return b.together(ctx, kind, lo, hi, verdicts[lo:hi], c, workers)
		},
		each: func(lo, hi int) error {
			return b.each(ctx, kind, lo, hi, verdicts[lo:hi], workers)
		},
	}
	_, err := v.run()
	return err
}

// Together tries one equation for all rows, by one goroutine, and returns whether it
// holds. If a row has no equation it is false.
func (b *Batch) Together(ctx context.Context, kind Kind) (bool, error) {
	return b.holds(ctx, kind, &b.rows, 1)
}

// withEquation returns those of rows that have an equation.
func (b *Batch) withEquation(kind Kind, rows *Rows) *Rows {
	b.list = b.list[:0]
	for i := range rows.Len() {
		if rows.hasEquation(kind, i) {
			b.list = append(b.list, i)
		}
	}
	if len(b.list) == rows.Len() {
		return rows
	}
	b.fit.gather(rows, b.list)
	return &b.fit
}

func (b *Batch) holds(ctx context.Context, kind Kind, rows *Rows, workers int) (bool, error) {
	e := takeEquation()
	defer keepEquation(e)
	return e.Holds(ctx, kind, rows, workers)
}

// together sets the verdicts of the rows from lo to hi by one equation. Rows that parsing has
// settled get that verdict. If the equation holds, the rows that have part in it are Valid;
// otherwise they stay Unchecked. tried is the number of rows in the equation. ok is false if the
// equation did not hold, or was not computed because so few rows do not pay for one. The crew c
// computes it; workers decides whether it pays.
func (b *Batch) together(
	ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, c *crew.Crew, workers int,
) (tried int, ok bool, err error) {
	rows := b.rows.window(lo, hi)
	copy(verdicts, rows.verdicts)
	fit := b.withEquation(kind, &rows)
	tried = fit.Len()
	if tried == 0 {
		return 0, true, nil
	}
	if !EquationPays(tried, workers) {
		return 0, false, nil
	}
	e := takeEquation()
	defer keepEquation(e)
	holds, err := e.holdsWith(ctx, kind, fit, c)
	if err != nil || !holds {
		return tried, false, err
	}
	for _, i := range b.list {
		verdicts[i] = Valid
	}
	return tried, true, nil
}

// each sets the verdicts of the rows from lo to hi that are Unchecked, without an
// equation.
func (b *Batch) each(
	ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, workers int,
) error {
	b.list = b.list[:0]
	for i, v := range verdicts {
		if v == Unchecked {
			b.list = append(b.list, lo+i)
		}
	}
	l := &listed{rows: &b.rows, list: b.list, verdicts: verdicts, first: lo}
	return Run(ctx, kind, len(b.list), workers, l)
}

// listed is a source: those of rows that are in list, in order.
type listed struct {
	rows     *Rows
	list     []int
	verdicts []Verdict // of rows, from number first on
	first    int
}

func (l *listed) block(j *Job, lo, hi int) *Rows {
	list := l.list[lo:hi]
	if first := list[0]; list[len(list)-1]-first == len(list)-1 { // none is left out
		l.rows.windowTo(&j.window, first, first+len(list))
		return &j.window
	}
	j.room.gather(l.rows, list)
	return &j.room
}

func (l *listed) store(j *Job, lo, hi int) bool {
	for k, v := range j.Verdicts() {
		l.verdicts[l.list[lo+k]-l.first] = v
	}
	return true
}
