package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Options say how a call is carried out.
type Options struct {
	Workers int  // goroutines at a time; below 1, as many as GOMAXPROCS says
	Exact   bool // without equations
	// Device is asked first, if it is not nil.
	Device device.Engine
	// Key sets the key of row i of a call of a prepared kind, with the table that it may
	// have. Without it keys are taken from the call's set.
	Key func(row Row, i int)
}

// Do carries out a call of a kind that gives each row its verdict, and returns how many
// are Valid. If ctx ends first, its error is returned, and rows that were not reached
// are Unchecked. Do overwrites all verdicts, and Out except for those rows.
func Do(ctx context.Context, c *device.Call, o Options) (valid int, err error) {
	clear(c.Verdicts)
	if !known(base(c.Kind)) {
		return 0, errKind
	}
	done := false
	if o.Device != nil && o.Device.Pays(c.Kind, c.N) {
		done, err = onDevice(ctx, c, o, func(again []int, host *device.Call) source {
			return &columns{call: host, key: o.Key, index: again}
		})
	}
	if !done && err == nil {
		err = onHost(ctx, c, o)
	}
	for _, v := range c.Verdicts {
		if v == Valid {
			valid++
		}
	}
	return valid, err
}

// onHost is Do by the host, for verdicts that are all Unchecked.
func onHost(ctx context.Context, c *device.Call, o Options) error {
	all := &columns{call: c, key: o.Key}
	if o.Exact || !hasEquations(c) || !EquationPays(c.N, o.Workers) {
		return Run(ctx, base(c.Kind), c.N, o.Workers, all)
	}
	b := takeBatch()
	defer keepBatch(b)
	from, to := 0, 0 // the rows that b holds
	v := verification{
		total: c.N, most: profile.Current().CallRows, workers: o.Workers,
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

// base returns the kind of the jobs that do the rows of a call: keys may be prepared, and an
// address is what becomes of a key that was recovered.
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
	switch c.Kind {
	case Schnorr, device.AllSchnorr:
		return true
	case ECDSA, device.AllECDSA:
		return c.Cols[3].Data != nil
	}
	return false
}

// All reports whether all rows of a call of kind AllSchnorr or AllECDSA are valid. It
// may stop at the first that is not. If ctx ends first there is no answer, and its
// error is returned.
func All(ctx context.Context, c *device.Call, o Options) (bool, error) {
	kind := Schnorr
	switch c.Kind {
	case device.AllSchnorr:
	case device.AllECDSA:
		kind = ECDSA
	default:
		return false, errKind
	}
	if o.Device != nil && !o.Exact && o.Device.Pays(c.Kind, c.N) {
		var verdict [1]Verdict
		call := *c
		call.Verdicts = verdict[:]
		err := o.Device.Run(ctx, &call)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err == nil && verdict[0] == Valid {
			return true, nil
		}
		// That a device says no is not believed: the host looks for itself.
	}
	rows := &columns{call: c}
	if o.Exact || !hasEquations(c) {
		e := &every{source: rows}
		err := Run(ctx, kind, c.N, o.Workers, e)
		return err == nil && !e.bad.Load(), err
	}
	b := takeBatch()
	defer keepBatch(b)
	most := profile.Current().CallRows
	for lo := 0; lo < c.N; lo += most {
		hi := min(lo+most, c.N)
		b.parseBy(rows, lo, hi, o.Workers)
		if ok, err := b.Verify(ctx, kind, Options{Workers: o.Workers}); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}
