package engine

import (
	"context"
	"iter"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// Options say how a call is carried out.
type Options struct {
	Workers int           // greatest number of goroutines at a time; below 1, GOMAXPROCS
	Exact   bool          // verify every row, without equations
	Device  device.Engine // carries out the calls that it accepts; may be nil
	// Reasons is nil, or has one element for each row of a call with one verdict for each row. The
	// call overwrites it with why the rows are not valid.
	Reasons []Reason
	// Key returns the prepared key of row i and the key's table, both of which may be nil. If the
	// function is nil, keys are read from the columns, or from the call's set of prepared keys.
	Key func(i int) (*point.Affine, *vartime.SplitTable)
}

// partRows is the number of rows of a call that are carried out at a time. Encoded as columns,
// these rows take 128 MB, which is enough for a device to have two launches under way.
const partRows = 1 << 20

// parts splits the call into calls of at most the given number of rows.
func (c *columns) parts(rows int) iter.Seq[*columns] {
	return func(yield func(*columns) bool) {
		if 0 < c.Rows && c.Rows <= rows {
			yield(c)
			return
		}
		for lo, hi := 0, 0; lo < c.Rows; lo = hi {
			hi = lo + min(rows, c.Rows-lo) // lo + rows may overflow
			if !yield(c.part(lo, hi)) {
				return
			}
		}
	}
}

// part returns a call on the rows from lo to hi of c.
func (c *columns) part(lo, hi int) *columns {
	p := *c
	p.Rows = hi - lo
	if c.Verdicts != nil {
		p.Verdicts = c.Verdicts[lo:hi]
	}
	if c.Reasons != nil {
		p.Reasons = c.Reasons[lo:hi]
	}
	for k := range p.Columns {
		if col := &p.Columns[k]; col.Data != nil {
			col.Data = col.Data[lo*col.Stride:]
		}
	}
	size := ResultSize(c.Kind)
	p.Results = c.Results[lo*size : hi*size]
	if key := c.Key; key != nil {
		p.Key = func(i int) (*point.Affine, *vartime.SplitTable) { return key(lo + i) }
	}
	return &p
}

// Do carries out a call of a kind that gives each row a verdict, and returns the number of Valid
// rows. If ctx ends first, Do returns the error of ctx, and rows that were not reached are
// Unchecked. Do overwrites all verdicts. It also overwrites Results. The results of rows that were
// not reached keep their bytes, or hold bytes that a device wrote.
func Do(ctx context.Context, c *device.Call, o Options) (valid int, err error) {
	if schemeOf(c.Kind) == nil {
		clear(c.Verdicts)
		clear(o.Reasons)
		return 0, errKind
	}
	return newColumns(c, o).do(ctx)
}

// do does the work of Do.
func (c *columns) do(ctx context.Context) (valid int, err error) {
	clear(c.Verdicts)
	clear(c.Reasons)
	for p := range c.parts(partRows) {
		done := false
		if done, err = p.onDevice(ctx); !done && err == nil {
			err = p.onHost(ctx)
		}
		if err != nil {
			break
		}
	}
	for _, v := range c.Verdicts {
		if v == Valid {
			valid++
		}
	}
	return valid, err
}

// onHost does the work of do on the CPU.
func (c *columns) onHost(ctx context.Context) error {
	if c.Exact || !c.mayHaveEquations() || !EquationPays(c.Rows, c.Workers) {
		_, err := run(ctx, c, nil)
		return err
	}
	b := takeChunk()
	defer keepChunk(b)
	var budget Budget
	for p := range c.parts(profile.Current().CallRows) {
		if err := b.verify(ctx, p, &budget); err != nil {
			return err
		}
	}
	return nil
}

// All reports whether all rows of a call of a kind without results are valid. It may stop at the
// first row that is not valid. If ctx ends before the answer is known, All returns the error of
// ctx.
func All(ctx context.Context, c *device.Call, o Options) (bool, error) {
	if schemeOf(c.Kind) == nil || ResultSize(c.Kind) > 0 {
		return false, errKind
	}
	return newColumns(c, o).all(ctx)
}

// all does the work of All.
func (c *columns) all(ctx context.Context) (bool, error) {
	c.Verdicts, c.Reasons = nil, nil // the call may have one verdict for all rows
	for p := range c.parts(partRows) {
		if ok, err := p.allOfPart(ctx); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allOfPart does the work of All for at most partRows rows.
func (c *columns) allOfPart(ctx context.Context) (bool, error) {
	if !c.Exact && c.Device != nil {
		if done, ok, err := c.allOnDevice(ctx); done || err != nil {
			return ok, err
		}
	}
	if c.Exact || !c.mayHaveEquations() {
		return run(ctx, c, nil)
	}
	b := takeChunk()
	defer keepChunk(b)
	for p := range c.parts(profile.Current().CallRows) {
		if ok, err := b.allValid(ctx, p); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
