package engine

import (
	"context"
	"slices"

	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/device"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// A device gets the rows of a Batch as columns of bytes, which are made again of what parsing has
// made of them. So messages of BIP-340 of any length go there as their challenges, and hashes and
// keys of ECDSA in any encoding as numbers below n and compressed keys. All that is the same in
// both forms; a message that was hashed needs no second look.

// exportRows is the most rows that are columns at a time: 128 MB, and launches enough for a device
// to have two of them under way.
const exportRows = 1 << 20

// eachOnDevice sets the verdicts of all rows, by the device, which has at most most of them at a
// time, and by the host where that settles none. If it returns false the host is to do all, and
// verdicts are Unchecked.
func (b *Batch) eachOnDevice(
	ctx context.Context, kind Kind, verdicts []Verdict, o Options, most int,
) (done bool, err error) {
	list := b.costly()
	if len(list) == 0 || !o.Device.Pays(kind, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, most) {
		call := b.export(kind, part, o.Workers)
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

// allOnDevice reports whether the device, which has at most most rows at a time, says that all are
// valid. If not, the host looks for itself.
func (b *Batch) allOnDevice(ctx context.Context, kind Kind, o Options, most int) (bool, error) {
	all := device.AllSchnorr
	if kind == ECDSA {
		all = device.AllECDSA
	}
	list := b.costly()
	if len(list) == 0 || len(list) < b.rows.Len() || !o.Device.Pays(all, len(list)) {
		return false, nil
	}
	for part := range slices.Chunk(list, most) {
		call := b.export(kind, part, o.Workers)
		call.Kind, call.Verdicts = all, make([]Verdict, 1)
		err := o.Device.Run(ctx, call)
		if ctx.Err() != nil || err != nil || call.Verdicts[0] != Valid {
			return false, ctx.Err()
		}
	}
	return true, nil
}

// allByRows reports whether all rows are valid, of which the device says that of each by itself, so
// that the host can look at some of them again. If done is false the host is to do all.
func (b *Batch) allByRows(
	ctx context.Context, kind Kind, o Options, most int,
) (ok, done bool, err error) {
	verdicts := make([]Verdict, b.rows.Len())
	done, err = b.eachOnDevice(ctx, kind, verdicts, o, most)
	bad := slices.ContainsFunc(verdicts, func(v Verdict) bool { return v != Valid })
	return done && err == nil && !bad, done, err
}

// hasIDs returns whether all rows have what an equation of the kind takes.
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

// gathered is a source: rows in list, whose verdicts stand one behind the other.
type gathered struct{ listed }

func (g *gathered) store(j *Job, lo, hi int) bool {
	copy(g.verdicts[lo:hi], j.Verdicts())
	return true
}

// export returns a call on the rows in list, none of which has a verdict. Its columns are b's until
// the next call.
func (b *Batch) export(kind Kind, list []int, workers int) *device.Call {
	call := &device.Call{Kind: kind, N: len(list), Hashed: kind == Schnorr}
	widths := [4]int{32, 33, 64, 1}
	if kind == Schnorr {
		widths = [4]int{32, 32, 64}
		// If all have messages of 32 bytes a device hashes those, and else the host all.
		call.Hashed = slices.ContainsFunc(list, func(i int) bool { return b.rows.flags[i]&unhashed == 0 })
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
			call.Cols[i] = device.Column{Data: rest[:n:n], Stride: width}
			rest = rest[n:]
		}
	}
	c := crew.New(equationWorkers(len(list), workers))
	defer c.Stop()
	c.Share(len(list), profile.Current().LiftRows, func(_, lo, hi int) {
		if call.Hashed {
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
	first, sig := at32(&c.Cols[0], k), at64(&c.Cols[2], k)
	if c.Hashed {
		// R = s·G − e·P. If the key is not the even one of its x, b is e.
		e := r.b[i]
		if !r.isOdd(i) {
			e.Neg(&e)
		}
		e.PutBytes(first)
	} else {
		*first = r.messages[i]
	}
	r.p[i].X.PutBytes(at32(&c.Cols[1], k))
	r.x[i].PutBytes((*[32]byte)(sig[:32]))
	r.a[i].PutBytes((*[32]byte)(sig[32:]))
}

// exportECDSA sets row k of a call to row i.
func (r *Rows) exportECDSA(c *device.Call, k, i int) {
	key, sig := at33(&c.Cols[1], k), at64(&c.Cols[2], k)
	r.a[i].PutBytes(at32(&c.Cols[0], k))
	key[0] = 0x02
	if r.isOdd(i) {
		key[0] = 0x03
	}
	r.p[i].X.PutBytes((*[32]byte)(key[1:]))
	r.x[i].PutBytes((*[32]byte)(sig[:32]))
	r.b[i].PutBytes((*[32]byte)(sig[32:]))
	if ids := &c.Cols[3]; ids.Data != nil {
		ids.Data[k] = r.flags[i].id() - 1
	}
}
