package engine

import (
	"context"
	"iter"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Options say how a call is carried out.
type Options struct {
	Workers int           // greatest number of goroutines at a time; below 1, GOMAXPROCS
	Exact   bool          // verify every row, without equations
	Device  device.Engine // carries out the calls that it accepts; may be nil
	// Reasons is nil, or has one element for each row of a call with one verdict for each row. The
	// call overwrites it with why the rows are not valid.
	Reasons []Reason
	// Key sets the row's key to that of row i of a call of a prepared kind, and the row's table if
	// the key has one. If Key is nil, the keys are read from the call's set of prepared keys.
	Key func(row Row, i int)
}

// part returns the options with the reasons of the rows from lo to hi.
func (o Options) part(lo, hi int) Options {
	if o.Reasons != nil {
		o.Reasons = o.Reasons[lo:hi]
	}
	return o
}

// apart returns the options with separate memory for the reasons of n rows, if reasons are asked
// for.
func (o Options) apart(n int) Options {
	if o.Reasons != nil {
		o.Reasons = make([]Reason, n)
	}
	return o
}

// partRows is the number of rows of a call that are carried out at a time. Encoded as columns,
// these rows take 128 MB, which is enough for a device to have two launches under way.
const partRows = 1 << 20

// partsOf splits the call c into calls of at most partRows rows, and yields each with its options.
func partsOf(c *device.Call, o Options) iter.Seq2[*device.Call, Options] {
	return func(yield func(*device.Call, Options) bool) {
		for lo := 0; lo < c.Rows; {
			hi := lo + min(partRows, c.Rows-lo) // lo + partRows may overflow
			p, po := partOf(c, o, lo, hi)
			if !yield(&p, po) {
				return
			}
			lo = hi
		}
	}
}

// partOf returns a call on rows lo to hi of c, and its options.
func partOf(c *device.Call, o Options, lo, hi int) (device.Call, Options) {
	p := *c
	p.Rows = hi - lo
	if c.Verdicts != nil {
		p.Verdicts = c.Verdicts[lo:hi]
	}
	for k := range p.Columns {
		if col := &p.Columns[k]; col.Data != nil {
			col.Data = col.Data[lo*col.Stride:]
		}
	}
	size := ResultSize(c.Kind)
	p.Results = c.Results[lo*size : hi*size]
	o = o.part(lo, hi)
	if key := o.Key; key != nil {
		o.Key = func(row Row, i int) { key(row, lo+i) }
	}
	return p, o
}

// Do carries out a call of a kind that gives each row a verdict, and returns the number of Valid
// rows. If ctx ends first, Do returns the error of ctx, and rows that were not reached are
// Unchecked. Do overwrites all verdicts. It also overwrites Results, except the results of rows
// that were not reached.
func Do(ctx context.Context, c *device.Call, o Options) (valid int, err error) {
	clear(c.Verdicts)
	clear(o.Reasons)
	if schemeOf(c.Kind) == nil {
		return 0, errKind
	}
	for p, po := range partsOf(c, o) {
		err = do(ctx, p, po)
		for _, v := range p.Verdicts {
			if v == Valid {
				valid++
			}
		}
		if err != nil {
			break
		}
	}
	return valid, err
}

// do does the work of Do for one part of a call. All verdicts must be Unchecked on entry.
func do(ctx context.Context, c *device.Call, o Options) error {
	if call, ok := o.forDevice(c); ok {
		done, err := onDevice(ctx, c, call, o, func(again []int, host *device.Call, o Options) source {
			rows := newColumns(host, o)
			rows.index = again
			return rows
		})
		if done || err != nil {
			return err
		}
	}
	return onHost(ctx, c, o)
}

// onHost does the work of do on the CPU.
func onHost(ctx context.Context, c *device.Call, o Options) error {
	all := newColumns(c, o)
	if o.Exact || !all.scheme.mayHaveEquations(c) || !EquationPays(c.Rows, o.Workers) {
		return Run(ctx, c.Kind, c.Rows, o.Workers, all)
	}
	b := take[Batch](&batches)
	defer keepBatch(b)
	from, to := 0, 0 // bounds of the rows that b holds
	v := verification{
		total: c.Rows, most: profile.Current().CallRows, workers: o.Workers,
		isUndecided: func(i int) bool { return all.scheme.isUndecided(c, i) },
		together: func(lo, hi int) (int, bool, error) {
			k := crew.New(equationWorkers(hi-lo, o.Workers))
			defer k.Stop()
			b.parse(all, lo, hi, k)
			from, to = lo, hi
			return b.together(ctx, c.Kind, 0, hi-lo, c.Verdicts[lo:hi], o.part(lo, hi), k)
		},
		each: func(lo, hi int) error {
			if lo == from && hi == to {
				return b.each(ctx, c.Kind, 0, hi-lo, c.Verdicts[lo:hi], o.part(lo, hi))
			}
			rest, ro := partOf(c, o, lo, hi)
			return Run(ctx, c.Kind, hi-lo, o.Workers, newColumns(&rest, ro))
		},
	}
	return v.run()
}

// All reports whether all rows of a call of a kind without results are valid. It may stop at the
// first row that is not valid. If ctx ends before the answer is known, All returns the error of
// ctx.
func All(ctx context.Context, c *device.Call, o Options) (bool, error) {
	s := schemeOf(c.Kind)
	if s == nil || ResultSize(c.Kind) > 0 {
		return false, errKind
	}
	call := *c
	call.Verdicts = nil // the call may have one verdict for all rows, in memory of the caller
	c = &call
	together := s.mayHaveEquations(c) && !o.Exact
	if !together && !o.Exact {
		if ok, _ := o.acceptsForm(c); ok {
			return allByRows(ctx, c, o)
		}
	}
	if !together {
		return runAll(ctx, c.Kind, c.Rows, o.Workers, newColumns(c, o))
	}
	for p, po := range partsOf(c, o) {
		if ok, err := allTogether(ctx, s, p, po); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allTogether does the work of All for one part of a call whose rows have equations.
func allTogether(ctx context.Context, s *scheme, c *device.Call, o Options) (bool, error) {
	call := *c
	call.Kind = s.all
	if ok, err := o.allValid(ctx, &call); ok || err != nil {
		return ok, err
	}
	// If the device does not answer that all rows are valid, it is not trusted: the CPU verifies
	// the rows again.
	rows := newColumns(c, Options{})
	b := take[Batch](&batches)
	defer keepBatch(b)
	most := profile.Current().CallRows
	for lo, hi := 0, 0; lo < c.Rows; lo = hi {
		hi = lo + min(most, c.Rows-lo)
		b.parseBy(rows, lo, hi, o.Workers)
		if ok, err := b.VerifyAll(ctx, c.Kind, Options{Workers: o.Workers}); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allValid asks the device for a single verdict on all rows of a call, and reports whether that
// verdict is Valid. It returns false if the device refuses the call or fails. It ignores a slice of
// verdicts that the device puts in place of the slice in the call.
func (o *Options) allValid(ctx context.Context, c *device.Call) (bool, error) {
	call, ok := o.forDevice(c)
	if !ok {
		return false, nil
	}
	verdict := make([]Verdict, 1)
	call.Verdicts = verdict
	err := o.Device.Run(ctx, &call)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && verdict[0] == Valid, nil
}

// allByRows reports whether all rows of a call are valid. It asks the device for a verdict per row,
// so that the CPU can audit a sample.
func allByRows(ctx context.Context, c *device.Call, o Options) (bool, error) {
	verdicts := make([]Verdict, min(c.Rows, partRows))
	for p, po := range partsOf(c, o) {
		p.Verdicts = verdicts[:p.Rows]
		if valid, err := Do(ctx, p, po); err != nil || valid < p.Rows {
			return false, err
		}
	}
	return true, nil
}
