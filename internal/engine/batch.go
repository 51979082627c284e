package engine

import (
	"context"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/internal/crew"
)

// A Batch holds parsed rows, all of one kind, and verifies them, by one equation where
// that pays. It does not know the kind: whoever calls says so. The zero value is
// empty. It serves one goroutine at a time, whose calls may have several workers.
type Batch struct {
	rows    []Row
	pending challenges

	fit  []Row // those that have an equation, if not all have
	list []int // the places of those that the exact road is for
}

// Len returns the number of rows.
func (b *Batch) Len() int { return len(b.rows) }

// Reset removes all rows, and keeps the memory.
func (b *Batch) Reset() { b.rows, b.pending.n = b.rows[:0], 0 }

// Reserve makes room for n more rows.
func (b *Batch) Reserve(n int) {
	if cap(b.rows)-len(b.rows) < n {
		b.rows = append(make([]Row, 0, len(b.rows)+n), b.rows...)
	}
}

// Next adds a row, for the caller to set at once. It holds nothing yet.
func (b *Batch) Next() *Row {
	b.rows = append(b.rows, Row{})
	return &b.rows[len(b.rows)-1]
}

// AddSchnorr sets a signature on a message of any length in the last row, which has
// its key, whose x coordinate is x. A signature that is not 64 bytes long makes the
// row malformed.
func (b *Batch) AddSchnorr(x *[32]byte, msg, sig []byte) {
	i := len(b.rows) - 1
	row := &b.rows[i]
	if len(sig) != 64 {
		row.SetMalformed()
		return
	}
	sig64 := (*[64]byte)(sig)
	if len(msg) != 32 {
		row.SetSchnorr(msg, sig64)
	} else if row.SetSchnorrSignature(sig64) {
		b.pending.add(b.rows, i, (*[32]byte)(sig[:32]), x, (*[32]byte)(msg))
	}
}

// Take adds a copy of a row.
func (b *Batch) Take(r *Row) { b.rows = append(b.rows, *r) }

// TakeUnhashed adds a copy of a row whose challenge is missing: h is what it is the
// hash of.
func (b *Batch) TakeUnhashed(r *Row, h *Unhashed) {
	b.Take(r)
	b.pending.add(b.rows, len(b.rows)-1, &h.R, &h.P, &h.Message)
}

// parse replaces the rows by those of columns from lo to hi.
func (b *Batch) parse(s *columns, lo, hi int, c *crew.Crew) {
	b.Reset()
	b.rows = grow(b.rows, hi-lo)
	c.Share(hi-lo, liftBlock, func(_, from, to int) {
		var pending challenges
		rows := b.rows[from:to]
		s.parse(rows, lo+from, &pending)
		pending.flush(rows)
	})
}

// parseBy is parse with a crew of its own.
func (b *Batch) parseBy(s *columns, lo, hi, workers int) {
	c := crew.New(equationWorkers(hi-lo, workers))
	defer c.Stop() // also if a column cannot be read
	b.parse(s, lo, hi, c)
}

// Verify reports whether all rows are valid. With none, they are. It may stop at the
// first that is not. With exact there is no equation. If ctx ends first there is no
// answer, and its error is returned.
func (b *Batch) Verify(ctx context.Context, kind Kind, exact bool, workers int) (bool, error) {
	b.pending.flush(b.rows)
	for i := range b.rows {
		if b.rows[i].verdict != Unchecked {
			return false, nil
		}
	}
	rest := func(r *Row) bool { return true }
	if !exact {
		if fit := b.withEquation(kind, b.rows); EquationPays(len(fit)) {
			holds, err := b.holds(ctx, kind, fit, workers)
			switch {
			case err != nil || kind == Schnorr: // all rows had part in it
				return holds, err
			case holds:
				rest = func(r *Row) bool { return !r.hasEquation(kind) }
			}
			// A recovery id may be wrong, and the signature good without it.
		}
	}
	b.list = b.list[:0]
	for i := range b.rows {
		if rest(&b.rows[i]) {
			b.list = append(b.list, i)
		}
	}
	p := parsed{rows: b.rows, list: b.list}
	err := Run(ctx, kind, len(b.list), workers, &p)
	return err == nil && !p.bad.Load(), err
}

// VerifyEach sets verdicts, one for each row, by equations where that cannot cost too
// much, or, with exact, without any. If ctx ends first, its error is returned, and rows
// that were not reached are Unchecked.
func (b *Batch) VerifyEach(ctx context.Context, kind Kind, verdicts []Verdict, exact bool, workers int) error {
	b.pending.flush(b.rows)
	clear(verdicts)
	if exact {
		return b.each(ctx, kind, 0, len(b.rows), verdicts, workers)
	}
	_, err := VerifyEach(len(b.rows), len(b.rows), func(i int) bool { return b.rows[i].isDear() }, func(lo, hi int) (int, bool, error) {
		c := crew.New(equationWorkers(hi-lo, workers))
		defer c.Stop()
		return b.together(ctx, kind, lo, hi, verdicts[lo:hi], c)
	}, func(lo, hi int) error {
		return b.each(ctx, kind, lo, hi, verdicts[lo:hi], workers)
	})
	return err
}

// Together tries one equation for all rows that have one, by one goroutine, and
// returns whether it holds and all rows are valid.
func (b *Batch) Together(ctx context.Context, kind Kind) (bool, error) {
	b.pending.flush(b.rows)
	for i := range b.rows {
		if !b.rows[i].hasEquation(kind) {
			return false, nil
		}
	}
	return b.holds(ctx, kind, b.rows, 1)
}

// withEquation returns those of rows that have an equation.
func (b *Batch) withEquation(kind Kind, rows []Row) []Row {
	without := 0
	for without < len(rows) && rows[without].hasEquation(kind) {
		without++
	}
	if without == len(rows) {
		return rows
	}
	b.fit = append(b.fit[:0], rows[:without]...)
	for i := range rows[without:] {
		if r := &rows[without+i]; r.hasEquation(kind) {
			b.fit = append(b.fit, *r)
		}
	}
	return b.fit
}

func (b *Batch) holds(ctx context.Context, kind Kind, rows []Row, workers int) (bool, error) {
	e := takeEquation()
	defer keepEquation(e)
	return e.Holds(ctx, kind, rows, workers)
}

// together sets the verdicts of the rows from lo to hi that have an equation to Valid
// if one for all of them holds, and of those that have a verdict to that. It returns for
// how many rows an equation was tried, and false if it did not hold, or if they are too
// few for one.
func (b *Batch) together(ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, c *crew.Crew) (tried int, ok bool, err error) {
	rows := b.rows[lo:hi]
	for i := range rows {
		verdicts[i] = rows[i].verdict
	}
	fit := b.withEquation(kind, rows)
	if len(fit) == 0 {
		return 0, true, nil
	}
	if !EquationPays(len(fit)) {
		return 0, false, nil
	}
	e := takeEquation()
	defer keepEquation(e)
	holds, err := e.holdsWith(ctx, kind, fit, c)
	if err != nil || !holds {
		return len(fit), false, err
	}
	for i := range rows {
		if rows[i].hasEquation(kind) {
			verdicts[i] = Valid
		}
	}
	return len(fit), true, nil
}

// each sets the verdicts of the rows from lo to hi that are Unchecked, without an
// equation.
func (b *Batch) each(ctx context.Context, kind Kind, lo, hi int, verdicts []Verdict, workers int) error {
	b.list = b.list[:0]
	for i, v := range verdicts {
		if v == Unchecked {
			b.list = append(b.list, lo+i)
		}
	}
	return Run(ctx, kind, len(b.list), workers, &parsed{rows: b.rows, list: b.list, verdicts: verdicts, lo: lo})
}

// parsed are rows of a batch on the exact road, as Run's workers ask for them.
type parsed struct {
	rows     []Row
	list     []int     // which rows
	lo       int       // the first row that has a place in verdicts
	verdicts []Verdict // nil if one row that is not valid is enough to know
	bad      atomic.Bool
}

func (p *parsed) Load(j *Job, lo, hi int) {
	for i := lo; i < hi; i++ {
		j.Append(&p.rows[p.list[i]], i-lo)
	}
}

func (p *parsed) Store(j *Job, lo, hi int) bool {
	bad := false
	for i, v := range j.Verdicts() {
		bad = bad || v != Valid
		if p.verdicts != nil {
			p.verdicts[p.list[lo+i]-p.lo] = v
		}
	}
	if bad {
		p.bad.Store(true)
	}
	return !bad || p.verdicts != nil
}
