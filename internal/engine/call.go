package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Options say how a call is carried out.
type Options struct {
	Workers int  // goroutines at a time; below 1, as many as GOMAXPROCS says
	Exact   bool // without equations
	// Device is asked first, if it is not nil.
	Device device.Engine
	// Key sets the key of row i of a call of a prepared kind, and the key's table if it has
	// one. If Key is nil the keys are read from the call's set.
	Key func(row Row, i int)
}

// accepts returns whether there is a device and it accepts a call.
func (o *Options) accepts(k Kind, r device.Rules, rows int) bool {
	return o.Device != nil && o.Device.Accepts(k, r, rows)
}

// pieceRows is the most rows that a device is given at a time. As columns of bytes they take
// 128 MB, and are enough for a device to have two launches under way.
const pieceRows = 1 << 20

// piece returns the call and the options for the rows of c from lo to hi.
func piece(c *device.Call, o Options, lo, hi int) (device.Call, Options) {
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
	if c.Results != nil {
		size := c.Kind.ResultSize()
		p.Results = c.Results[lo*size : hi*size]
	}
	if key := o.Key; key != nil {
		o.Key = func(row Row, i int) { key(row, lo+i) }
	}
	return p, o
}

// Do carries out a call of a kind that gives each row its verdict, and returns how many
// are Valid. If ctx ends first, its error is returned, and rows that were not reached
// are Unchecked. Do overwrites all verdicts, and Results except for those rows.
func Do(ctx context.Context, c *device.Call, o Options) (valid int, err error) {
	clear(c.Verdicts)
	if !known(base(c.Kind)) {
		return 0, errKind
	}
	for lo := 0; lo < c.Rows && err == nil; lo += pieceRows {
		p, po := piece(c, o, lo, min(lo+pieceRows, c.Rows))
		err = do(ctx, &p, po)
		for _, v := range p.Verdicts {
			if v == Valid {
				valid++
			}
		}
	}
	return valid, err
}

// do is Do of one piece, whose verdicts are all Unchecked.
func do(ctx context.Context, c *device.Call, o Options) error {
	if o.accepts(c.Kind, c.Rules, c.Rows) {
		done, err := onDevice(ctx, c, o, func(again []int, host *device.Call) source {
			return &columns{call: host, key: o.Key, index: again}
		})
		if done || err != nil {
			return err
		}
	}
	return onHost(ctx, c, o)
}

// onHost does the work of do on the CPU.
func onHost(ctx context.Context, c *device.Call, o Options) error {
	all := &columns{call: c, key: o.Key}
	if o.Exact || !hasEquations(c) || !EquationPays(c.Rows, o.Workers) {
		return Run(ctx, base(c.Kind), c.Rows, o.Workers, all)
	}
	b := takeBatch()
	defer keepBatch(b)
	from, to := 0, 0 // the rows that b holds
	v := verification{
		total: c.Rows, most: profile.Current().CallRows, workers: o.Workers,
		isCostly: all.isCostly,
		together: func(lo, hi int) (int, bool, error) {
			k := crew.New(equationWorkers(hi-lo, o.Workers))
			defer k.Stop()
			b.parse(all, lo, hi, k)
			from, to = lo, hi
			return b.together(ctx, c.Kind, 0, hi-lo, c.Verdicts[lo:hi], k, o.Workers)
		},
		each: func(lo, hi int) error {
			if lo == from && hi == to {
				return b.each(ctx, c.Kind, 0, hi-lo, c.Verdicts[lo:hi], o.Workers)
			}
			return Run(ctx, c.Kind, hi-lo, o.Workers, &columns{call: c, first: lo})
		},
	}
	_, err := v.run()
	return err
}

// base returns the kind of job that processes the rows of a call of kind k. A prepared kind has the
// job of its kind with encoded keys. RecoverAddress has the job of Recover, which finds the key.
func base(k Kind) Kind {
	switch k {
	case device.PreparedSchnorr:
		return Schnorr
	case device.PreparedECDSA:
		return ECDSA
	case device.RecoverAddress:
		return Recover
	}
	return k
}

// hasEquations returns whether rows of a call can have equations.
func hasEquations(c *device.Call) bool {
	return c.Kind == Schnorr || c.Kind == ECDSA && c.Columns[3].Data != nil
}

// All reports whether all rows of a call of a kind that verifies signatures are valid. It may stop
// at the first that is not. If ctx ends first there is no answer, and its error is returned.
func All(ctx context.Context, c *device.Call, o Options) (bool, error) {
	if k := base(c.Kind); k != Schnorr && k != ECDSA {
		return false, errKind
	}
	call := *c
	call.Verdicts = nil // a call with one answer may have one verdict, which is the caller's
	c = &call
	together := hasEquations(c) && !o.Exact
	if !o.Exact && !together && o.accepts(c.Kind, c.Rules, c.Rows) {
		return allByRows(ctx, c, o)
	}
	if !together {
		e := &every{source: &columns{call: c, key: o.Key}}
		err := Run(ctx, base(c.Kind), c.Rows, o.Workers, e)
		return err == nil && !e.bad.Load(), err
	}
	for lo := 0; lo < c.Rows; lo += pieceRows {
		p, po := piece(c, o, lo, min(lo+pieceRows, c.Rows))
		if ok, err := allTogether(ctx, &p, po); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allTogether is All for one piece of a call that has equations.
func allTogether(ctx context.Context, c *device.Call, o Options) (bool, error) {
	call := *c
	call.Kind = all(c.Kind)
	if ok, err := o.allValid(ctx, &call); ok || err != nil {
		return ok, err
	}
	// A device that says no is not believed: the host verifies the rows itself.
	rows := &columns{call: c}
	b := takeBatch()
	defer keepBatch(b)
	most := profile.Current().CallRows
	for lo := 0; lo < c.Rows; lo += most {
		hi := min(lo+most, c.Rows)
		b.parseBy(rows, lo, hi, o.Workers)
		if ok, err := b.VerifyAll(ctx, c.Kind, Options{Workers: o.Workers}); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allValid asks the device for its one verdict on all rows of a call, and reports whether that is
// Valid. It is false if the device refuses the call or fails. The verdict's memory is allocated
// here, and a device that sets c.Verdicts to another slice does not replace it.
func (o *Options) allValid(ctx context.Context, c *device.Call) (bool, error) {
	if !o.accepts(c.Kind, c.Rules, c.Rows) {
		return false, nil
	}
	verdict := make([]Verdict, 1)
	c.Verdicts = verdict
	err := o.Device.Run(ctx, c)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && verdict[0] == Valid, nil
}

// all returns the kind of a call on all rows of a kind that has equations.
func all(k Kind) Kind {
	if k == ECDSA {
		return device.AllECDSA
	}
	return device.AllSchnorr
}

// allByRows reports whether all rows of a call are valid. It asks the device for a verdict per row,
// so that the host can audit a sample.
func allByRows(ctx context.Context, c *device.Call, o Options) (bool, error) {
	verdicts := make([]Verdict, min(c.Rows, pieceRows))
	for lo := 0; lo < c.Rows; lo += pieceRows {
		hi := min(lo+pieceRows, c.Rows)
		p, po := piece(c, o, lo, hi)
		p.Verdicts = verdicts[:hi-lo]
		if valid, err := Do(ctx, &p, po); err != nil || valid < hi-lo {
			return false, err
		}
	}
	return true, nil
}
