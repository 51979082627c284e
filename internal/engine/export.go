package engine

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A Batch encodes its parsed rows as columns of bytes again for a device. If some message of
// BIP-340 has not 32 bytes, the column of messages holds challenges instead. The hashes of ECDSA
// become numbers below n, and its keys compressed keys. A row has the same verdict in both forms.

// eachOnDevice sets the verdicts of all rows. It gives the device at most most rows at a time, and
// the host verifies those that the device refuses or leaves Unchecked. If it returns false, all
// verdicts are Unchecked, and unless there is an error the host must verify all rows.
func (b *Batch) eachOnDevice(
	ctx context.Context, kind Kind, verdicts []Verdict, o Options, most int,
) (done bool, err error) {
	list := b.costly()
	rules := b.rules(kind, list)
	if len(list) == 0 || !o.accepts(kind, rules, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, most) {
		if !o.accepts(kind, rules, len(part)) {
			continue // the last part may be small
		}
		call := b.export(kind, rules, part, o.Workers)
		call.Verdicts = make([]Verdict, len(part))
		done, err := onDevice(ctx, call, o, func(again []int, host *device.Call) source {
			numbers := make([]int, len(again))
			for k, i := range again {
				numbers[k] = part[i]
			}
			return &gathered{listed{rows: &b.rows, list: numbers, verdicts: host.Verdicts}}
		})
		if !done {
			clear(verdicts)
			return false, err
		}
		for k, i := range part {
			verdicts[i] = call.Verdicts[k]
		}
	}
	return true, b.each(ctx, kind, 0, b.rows.Len(), verdicts, o.Workers)
}

// allOnDevice reports whether the device calls all rows valid. It gives the device at most most
// rows at a time. If it returns false without an error, the host must verify the rows itself.
func (b *Batch) allOnDevice(ctx context.Context, kind Kind, o Options, most int) (bool, error) {
	list := b.costly()
	rules := b.rules(kind, list)
	if len(list) == 0 || len(list) < b.rows.Len() ||
		!o.accepts(all(kind), rules, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, most) {
		call := b.export(kind, rules, part, o.Workers)
		call.Kind = all(kind)
		if ok, err := o.allValid(ctx, call); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// allByRows reports whether all rows are valid. It asks the device for a verdict per row, so that
// the host can audit a sample. If done is false and err nil, the host must verify all rows.
func (b *Batch) allByRows(
	ctx context.Context, kind Kind, o Options, most int,
) (ok, done bool, err error) {
	verdicts := make([]Verdict, b.rows.Len())
	done, err = b.eachOnDevice(ctx, kind, verdicts, o, most)
	bad := slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Valid })
	return done && err == nil && !bad, done, err
}

// hasIDs reports whether all rows have the recovery id that an equation of ECDSA needs. Rows of
// BIP-340 need none.
func (b *Batch) hasIDs(kind Kind) bool {
	return kind == Schnorr || !slices.ContainsFunc(b.rows.flags,
		func(f flags) bool { return f.id() == 0 })
}

// costly returns the rows that are left to verify, in order.
func (b *Batch) costly() (list []int) {
	for i := range b.rows.Len() {
		if b.rows.isCostly(i) {
			list = append(list, i)
		}
	}
	return list
}

// gathered is a source: the rows in list. Unlike listed, it stores their verdicts one after the
// other: that of row list[k] is verdicts[k].
type gathered struct{ listed }

func (g *gathered) store(j *Job, lo, hi int) bool {
	copy(g.verdicts[lo:hi], j.Verdicts())
	return true
}

// rules returns the rules of a call on the rows in list. If all messages of BIP-340 have 32 bytes
// the device hashes them. Otherwise the host hashes all of them, and the rule is Hashed. There is
// no rule for s: rows that LowS refuses are not in list.
func (b *Batch) rules(kind Kind, list []int) device.Rules {
	if kind == Schnorr &&
		slices.ContainsFunc(list, func(i int) bool { return b.rows.flags[i]&unhashed == 0 }) {
		return device.Hashed
	}
	return 0
}

// export returns a call on the rows in list, none of which has a verdict. The columns are valid
// until the next call of export.
func (b *Batch) export(kind Kind, rules device.Rules, list []int, workers int) *device.Call {
	call := &device.Call{Kind: kind, Rules: rules, Rows: len(list)}
	widths := [4]int{32, 33, 64, 1}
	if kind == Schnorr {
		widths = [4]int{32, 32, 64}
	} else if slices.ContainsFunc(list, func(i int) bool { return b.rows.flags[i].id() == 0 }) {
		widths[3] = 0
	}
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
			if kind == Schnorr {
				b.rows.exportSchnorr(call, k, list[k])
			} else {
				b.rows.exportECDSA(call, k, list[k])
			}
		}
	})
	return call
}

// exportSchnorr sets row k of a call to row i.
func (r *Rows) exportSchnorr(c *device.Call, k, i int) {
	first, sig := at32(&c.Columns[0], k), at64(&c.Columns[2], k)
	if c.Rules&device.Hashed != 0 {
		// R = s·G − e·P. b is −e if the key has an even y, and e if it has an odd y.
		e := r.b[i]
		if !r.isOdd(i) {
			e.Neg(&e)
		}
		e.PutBytes(first)
	} else {
		*first = r.messages[i]
	}
	r.p[i].X.PutBytes(at32(&c.Columns[1], k))
	r.x[i].PutBytes((*[32]byte)(sig[:32]))
	r.a[i].PutBytes((*[32]byte)(sig[32:]))
}

// exportECDSA sets row k of a call to row i.
func (r *Rows) exportECDSA(c *device.Call, k, i int) {
	key, sig := at33(&c.Columns[1], k), at64(&c.Columns[2], k)
	r.a[i].PutBytes(at32(&c.Columns[0], k))
	key[0] = 0x02
	if r.isOdd(i) {
		key[0] = 0x03
	}
	r.p[i].X.PutBytes((*[32]byte)(key[1:]))
	r.x[i].PutBytes((*[32]byte)(sig[:32]))
	r.b[i].PutBytes((*[32]byte)(sig[32:]))
	if ids := &c.Columns[3]; ids.Data != nil {
		ids.Data[k] = r.flags[i].id() - 1
	}
}
