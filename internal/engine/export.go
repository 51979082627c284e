package engine

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// This file encodes the parsed rows of a Batch as columns of bytes again, for a device. The encoded
// rows have the same verdicts.

// eachOnDevice sets the verdicts of all rows. Each call of the device has at most limit rows. The
// CPU verifies the rows that the device refuses or leaves Unchecked. If eachOnDevice returns false,
// all verdicts are Unchecked; if the error is also nil, the caller must verify all rows on the CPU.
func (b *Batch) eachOnDevice(
	ctx context.Context, kind Kind, verdicts []Verdict, o Options, limit int,
) (done bool, err error) {
	s, list := schemeOf(kind), b.undecided()
	rules, widths := s.layout(&b.rows, list)
	if len(list) == 0 || !o.accepts(kind, rules, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, limit) {
		if !o.accepts(kind, rules, len(part)) {
			continue // the last part may be small, so the device may refuse it alone
		}
		call := b.export(s, rules, widths, part, o.Workers)
		call.Verdicts = make([]Verdict, len(part))
		po := o.apart(len(part))
		source := func(again []int, host *device.Call, o Options) source {
			numbers := make([]int, len(again))
			for k, i := range again {
				numbers[k] = part[i]
			}
			return &gathered{listed{
				rows: &b.rows, list: numbers, verdicts: host.Verdicts, reasons: o.Reasons,
			}}
		}
		done, err := onDevice(ctx, call, *call, po, source)
		if !done {
			clear(verdicts)
			clear(o.Reasons)
			return false, err
		}
		for k, i := range part {
			verdicts[i] = call.Verdicts[k]
			if o.Reasons != nil {
				o.Reasons[i] = po.Reasons[k]
			}
		}
	}
	return true, b.each(ctx, kind, 0, b.rows.Len(), verdicts, o)
}

// allOnDevice reports whether the device calls all rows valid. Each call of the device has at most
// limit rows. If allOnDevice returns false without an error, the caller must verify the rows on the
// CPU.
func (b *Batch) allOnDevice(ctx context.Context, kind Kind, o Options, limit int) (bool, error) {
	s, list := schemeOf(kind), b.undecided()
	rules, widths := s.layout(&b.rows, list)
	if len(list) == 0 || len(list) < b.rows.Len() || !o.accepts(s.all, rules, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, limit) {
		call := b.export(s, rules, widths, part, o.Workers)
		call.Kind = s.all
		if ok, err := o.allValid(ctx, call); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allByRows reports whether all rows are valid. It asks the device for a verdict per row, so that
// the CPU can audit a sample. If done is false and err is nil, the CPU must verify all rows.
func (b *Batch) allByRows(
	ctx context.Context, kind Kind, o Options, limit int,
) (ok, done bool, err error) {
	verdicts := make([]Verdict, b.rows.Len())
	done, err = b.eachOnDevice(ctx, kind, verdicts, o, limit)
	bad := slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Valid })
	return done && err == nil && !bad, done, err
}

// allHaveEquations reports whether every row that parsing left without a verdict has an equation.
func (b *Batch) allHaveEquations(s *scheme) bool {
	return !slices.ContainsFunc(b.undecided(), func(i int) bool { return !s.hasEquation(&b.rows, i) })
}

// undecided returns the numbers of the rows that parsing left without a verdict, in order, in the
// memory of b.list.
func (b *Batch) undecided() []int { return b.choose(&b.rows, b.rows.isUndecided) }

// gathered is a source of the rows in list. Unlike the type listed, it stores the verdict of row
// list[k] in verdicts[k].
type gathered struct{ listed }

func (g *gathered) store(j *Job, lo, hi int) bool {
	copy(g.verdicts[lo:hi], j.Verdicts())
	if g.reasons != nil {
		copy(g.reasons[lo:hi], j.Reasons())
	}
	return true
}

// export returns a call on the rows in list, which must have no verdict from parsing. The call's
// columns have the layout of the scheme, with the given rules and widths, and are valid until the
// next call of export.
func (b *Batch) export(
	s *scheme, rules device.Rules, widths [4]int, list []int, workers int,
) *device.Call {
	call := &device.Call{Kind: s.kind, Rules: rules, Rows: len(list)}
	room := 0
	for _, width := range widths {
		room += width * len(list)
	}
	b.exported = slices.Grow(b.exported[:0], room)[:room]
	rest := b.exported
	for i, width := range widths {
		if n := width * len(list); n > 0 {
			call.Columns[i] = device.Column{Data: rest[:n:n], Stride: width}
			rest = rest[n:]
		}
	}
	c := crew.New(equationWorkers(len(list), workers))
	defer c.Stop()
	c.Share(len(list), profile.Current().LiftRows, func(_, lo, hi int) {
		if rules&device.Hashed != 0 {
			b.rows.hash(list[lo], list[hi-1]+1)
		}
		for k := lo; k < hi; k++ {
			s.export(&b.rows, call, k, list[k])
		}
	})
	return call
}
