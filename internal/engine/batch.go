package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A Batch holds parsed rows, all of one kind, and verifies them by equations where equations save
// time. Methods that depend on the kind take it as an argument. The zero value is empty. Only one
// goroutine at a time may use a Batch, but a call of its methods may start several workers.
type Batch struct {
	rows Rows

	fit  Rows  // if some rows have no equation, copies of the rows that have one
	list []int // the row numbers that choose returns

	exported []byte // the columns of rows that are encoded for a device
}

// Len returns the number of rows.
func (b *Batch) Len() int { return b.rows.Len() }

// Reset removes all rows and keeps their memory for later rows.
func (b *Batch) Reset() { b.rows.resize(0) }

// Reserve makes room for n more rows of the given kind.
func (b *Batch) Reserve(kind Kind, n int) {
	b.rows.reserve(b.rows.Len() + n)
	b.rows.needArrays(schemeOf(kind))
}

// Add adds a row, which the function set sets. If set panics, the row is malformed: without a hash
// or a challenge, anyone can make a signature that is valid. A caller may recover from a panic in a
// mapped file that became shorter.
func (b *Batch) Add(set func(Row)) {
	n := b.rows.Len()
	b.rows.resize(n + 1)
	row, done := Row{&b.rows, n}, false
	row.rows.reasons[n] = KeyMissing // the memory may hold an earlier row
	defer func() {
		if !done {
			row.refuse(KeyMissing)
		}
	}()
	set(row)
	done = true
}

// parse replaces the rows of the batch by rows lo to hi of the source s. The workers of the crew c
// parse them.
func (b *Batch) parse(s *columns, lo, hi int, c *crew.Crew) {
	s.makeRoom(&b.rows, hi-lo)
	c.Share(hi-lo, profile.Current().LiftRows, func(_, from, to int) {
		s.parse(&b.rows, from, to, lo+from)
	})
}

// parseBy calls parse with a new crew of at most the given number of workers.
func (b *Batch) parseBy(s *columns, lo, hi, workers int) {
	c := crew.New(equationWorkers(hi-lo, workers))
	defer c.Stop() // also if parsing panics: columns may be a mapped file that became shorter
	b.parse(s, lo, hi, c)
}

// VerifyAll reports whether all rows are valid. It returns true if there are no rows. It may stop
// at the first row that is not valid. With the option Exact it uses neither an equation nor a
// device. If ctx ends before the answer is known, VerifyAll returns the error of ctx.
func (b *Batch) VerifyAll(ctx context.Context, kind Kind, o Options) (bool, error) {
	for _, why := range b.rows.reasons {
		if why != NoReason {
			return false, nil
		}
	}
	s, workers := schemeOf(kind), o.Workers
	if o.Device != nil && !o.Exact {
		if b.allHaveEquations(s) {
			if ok, err := b.allOnDevice(ctx, kind, o, partRows); ok || err != nil {
				return ok, err
			}
		} else if ok, done, err := b.allByRows(ctx, kind, o, partRows); done || err != nil {
			return ok, err
		}
	}
	covered := false // whether an equation holds for all rows that have one
	if !o.Exact {
		if fit := b.withEquation(s, &b.rows); EquationPays(fit.Len(), workers) {
			holds, err := b.holds(ctx, kind, fit, workers)
			if err != nil || s.evenNonce { // all rows have an equation
				return holds, err
			}
			// If an equation does not hold, a recovery id may be wrong although all signatures are
			// valid. So the rows are verified one by one then.
			covered = holds
		}
	}
	list := b.choose(&b.rows, func(i int) bool { return !covered || !s.hasEquation(&b.rows, i) })
	return runAll(ctx, kind, len(list), workers, &listed{rows: &b.rows, list: list})
}

// Verify sets one verdict for each row. The device computes the verdicts if it accepts the call.
// Otherwise the CPU does: by equations as [verification] plans them, or without equations if Exact
// is set. If ctx ends first, Verify returns the error of ctx, and rows that were not reached are
// Unchecked.
func (b *Batch) Verify(ctx context.Context, kind Kind, verdicts []Verdict, o Options) error {
	clear(verdicts)
	clear(o.Reasons)
	if o.Device != nil {
		if done, err := b.eachOnDevice(ctx, kind, verdicts, o, partRows); done || err != nil {
			return err
		}
	}
	if o.Exact {
		return b.each(ctx, kind, 0, b.rows.Len(), verdicts, o)
	}
	return b.planned(ctx, kind, verdicts, o)
}

// planned does the work of Verify on the CPU, with equations.
func (b *Batch) planned(
	ctx context.Context, kind Kind, verdicts []Verdict, o Options,
) error {
	n := b.rows.Len()
	v := verification{
		total: n, most: n, workers: o.Workers,
		isUndecided: b.rows.isUndecided,
		together: func(lo, hi int) (int, bool, error) {
			c := crew.New(equationWorkers(hi-lo, o.Workers))
			defer c.Stop()
			return b.together(ctx, kind, lo, hi, verdicts[lo:hi], o.part(lo, hi), c)
		},
		each: func(lo, hi int) error {
			return b.each(ctx, kind, lo, hi, verdicts[lo:hi], o.part(lo, hi))
		},
	}
	return v.run()
}

// Together reports whether one equation for all rows holds. It returns false if a row has no
// equation. It uses one goroutine.
func (b *Batch) Together(ctx context.Context, kind Kind) (bool, error) {
	return b.holds(ctx, kind, &b.rows, 1)
}

// withEquation returns the rows that have an equation: rows itself if all of them have one, and
// otherwise copies in b.fit.
func (b *Batch) withEquation(s *scheme, rows *Rows) *Rows {
	list := b.choose(rows, func(i int) bool { return s.hasEquation(rows, i) })
	if len(list) == rows.Len() {
		return rows
	}
	b.fit.gather(rows, list)
	return &b.fit
}

// choose returns the numbers of the rows for which the function keep returns true, in order. The
// next call overwrites them.
func (b *Batch) choose(rows *Rows, keep func(i int) bool) []int {
	b.list = b.list[:0]
	for i := range rows.Len() {
		if keep(i) {
			b.list = append(b.list, i)
		}
	}
	return b.list
}

func (b *Batch) holds(ctx context.Context, kind Kind, rows *Rows, workers int) (bool, error) {
	c := crew.New(equationWorkers(rows.Len(), workers))
	defer c.Stop()
	e := take[Equation](&equations)
	defer equations.Put(e)
	return e.Holds(ctx, kind, rows, c)
}

// together sets the verdicts of the rows from lo to hi by one equation, which the crew c computes.
// A row whose verdict is known from parsing gets that verdict. If the equation holds, its rows are
// Valid; otherwise they stay Unchecked. tried is the number of rows in the equation. ok is false if
// the equation did not hold. It is also false if the equation was not computed, because it saves no
// time for so few rows and this number of workers.
func (b *Batch) together(
	ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, o Options, c *crew.Crew,
) (tried int, ok bool, err error) {
	var rows Rows
	b.rows.window(&rows, lo, hi)
	for i, why := range rows.reasons {
		verdicts[i] = why.Verdict()
	}
	if o.Reasons != nil {
		copy(o.Reasons, rows.reasons)
	}
	fit := b.withEquation(schemeOf(kind), &rows)
	tried = fit.Len()
	if tried == 0 {
		return 0, true, nil
	}
	if !EquationPays(tried, o.Workers) {
		return 0, false, nil
	}
	e := take[Equation](&equations)
	defer equations.Put(e)
	holds, err := e.Holds(ctx, kind, fit, c)
	if err != nil || !holds {
		return tried, false, err
	}
	for _, i := range b.list {
		verdicts[i] = Valid
	}
	return tried, true, nil
}

// each verifies, without an equation, those rows from lo to hi whose verdicts are Unchecked.
func (b *Batch) each(
	ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, o Options,
) error {
	b.list = b.list[:0]
	for i, v := range verdicts {
		if v == Unchecked {
			b.list = append(b.list, lo+i)
		}
	}
	l := &listed{rows: &b.rows, list: b.list, verdicts: verdicts, reasons: o.Reasons, first: lo}
	return Run(ctx, kind, len(b.list), o.Workers, l)
}

// listed is a source of the rows whose numbers are in list, in ascending order. The verdict of row
// i goes to verdicts[i-first].
type listed struct {
	rows     *Rows
	list     []int
	verdicts []Verdict
	reasons  []Reason // as in Options
	first    int
}

func (l *listed) block(j *Job, lo, hi int) *Rows {
	list := l.list[lo:hi]
	if first := list[0]; list[len(list)-1]-first == len(list)-1 { // consecutive rows
		l.rows.window(&j.window, first, first+len(list))
		return &j.window
	}
	j.room.gather(l.rows, list)
	return &j.room
}

func (l *listed) store(j *Job, lo, hi int) bool {
	for k, v := range j.Verdicts() {
		l.verdicts[l.list[lo+k]-l.first] = v
	}
	if l.reasons != nil {
		for k, why := range j.Reasons() {
			l.reasons[l.list[lo+k]-l.first] = why
		}
	}
	return true
}
