package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// forDevice returns the call of the given kind to give the device in place of c. ok is false if the
// device does not accept the call. (An engine may change its answers, for example when its memory
// is full.) The columns are those of c, except that the call has copies of records, and compressed
// keys if the device does not accept keys of 65 bytes.
func (c *columns) forDevice(kind Kind) (call device.Call, ok bool) {
	call = c.Call
	call.Kind = kind
	switch {
	case c.records:
		if c.scheme.evenNonce && c.any(isChallenge, true) {
			call.Rules |= device.Hashed
		}
	case c.Device.Accepts(kind, call.Rules, c.Rows):
		return call, true
	case call.Rules&device.Uncompressed == 0:
		return call, false
	}
	call.Rules &^= device.Uncompressed
	if !c.Device.Accepts(kind, call.Rules, c.Rows) {
		return call, false
	}
	c.encode(&call)
	return call, true
}

// encode sets columns of the call that differ from those of c: compressed keys, and copies of
// records.
func (c *columns) encode(call *device.Call) {
	const size = 33
	var keys device.Column
	if c.records { // a broken device may write to its columns, and the audit reads the records again
		call.Columns = recordColumns(slices.Clone(c.Columns[1].Data[:c.Rows*recordSize]))
		keys = call.Columns[1]
		if c.Columns[3].Data == nil || !c.haveEquations() {
			call.Columns[3] = device.Column{}
		}
	} else {
		keys = device.Column{Data: make([]byte, size*c.Rows), Stride: size}
	}
	work := func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			key, r := at33(&keys, i), row{}
			*key = [size]byte{} // malformed
			if c.setKey(&r, i); r.verdict == Unchecked && !(c.records && c.record(i).isRefused()) {
				key[0] = 0x02
				if r.isOdd() {
					key[0] = 0x03
				}
				r.p.X.PutBytes((*[32]byte)(key[1:]))
			}
			if c.records && call.Rules&device.Hashed != 0 {
				c.record(i).challenge(at32(&call.Columns[0], i))
			}
		}
	}
	w := forkjoin.New(equationWorkers(c.Rows, c.Workers))
	defer w.Stop()
	for b := w.Begin(c.Rows, profile.Current().LiftRows, work); b.Next(); {
		work(0, b.Lo, b.Hi)
	}
	call.Columns[1] = keys
	if c.scheme.xOnly {
		call.Columns[1].Data = keys.Data[1:]
	}
}

// onDevice has the device carry out the call, and then verifies on the host (the CPU) the rows that
// the device leaves Unchecked. If it returns false, all verdicts are Unchecked, and if the error is
// also nil, the host must carry out the whole call; Results may hold bytes that the device wrote.
//
// The device may be broken. So the host verifies again all rows that the device does not call
// Valid, and a sample of the Valid ones. If it finds another verdict or result for any of them, it
// carries out the whole call itself and uses nothing from the device. Hence a valid row is never
// called bad, and a bad row that the device calls Valid is found with a probability of at least
// 1/1024, and more for fewer rows.
func (c *columns) onDevice(ctx context.Context) (done bool, err error) {
	if c.Device == nil {
		return false, nil
	}
	call, ok := c.forDevice(c.Kind)
	if !ok {
		return false, nil
	}
	// The device gets a separate slice of verdicts. If it writes to that slice after Run has returned,
	// no checked verdict changes. Results are clipped, so that the device cannot reslice them past
	// their end.
	verdicts := make([]Verdict, c.Rows)
	call.Verdicts, call.Results = verdicts, slices.Clip(c.Results)
	if err := c.Device.Run(ctx, &call); ctx.Err() != nil || err != nil {
		return false, ctx.Err()
	}
	copy(c.Verdicts, verdicts)
	if c.records {
		for i := range c.Verdicts {
			if c.record(i).isRefused() {
				c.Verdicts[i] = Unchecked // the device got zeros in place of the key
			}
		}
	}
	// A device that gives wrong verdicts seldom gives only a few. So the host first verifies some of
	// the rows, and does not verify the others twice if one of these is wrong.
	list := audited(c.Verdicts)
	first := min(len(list), auditLeast)
	done, err = c.audit(ctx, list[:first])
	if done && first < len(list) {
		done, err = c.audit(ctx, list[first:])
	}
	if !done {
		clear(c.Verdicts)
		clear(c.Reasons)
	}
	return done, err
}

// audit verifies the rows in list on the host, and sets their verdicts and results. It reports
// whether the device's verdicts and results were the same; a row that the device left Unchecked has
// none.
func (c *columns) audit(ctx context.Context, list []int) (same bool, err error) {
	again, size := *c, ResultSize(c.Kind)
	again.list, again.Rows = list, len(list)
	again.Verdicts, again.Results = make([]Verdict, again.Rows), make([]byte, again.Rows*size)
	if c.Reasons != nil {
		again.Reasons = make([]Reason, again.Rows)
	}
	if _, err := run(ctx, &again, nil); err != nil {
		return false, err
	}
	same = true
	for k, i := range list {
		v, found, want := &c.Verdicts[i], c.Results[i*size:][:size], again.Results[k*size:][:size]
		if *v != Unchecked && (*v != again.Verdicts[k] || !bytes.Equal(found, want)) {
			same = false
		}
		*v = again.Verdicts[k]
		copy(found, want)
		if c.Reasons != nil {
			c.Reasons[i] = again.Reasons[k]
		}
	}
	return same, nil
}

// allOnDevice has the device find whether all rows of a call are valid. If done is false and err is
// nil, the host must carry out the whole call.
func (c *columns) allOnDevice(ctx context.Context) (done, ok bool, err error) {
	if !c.haveEquations() {
		// Ask for a verdict per row, so that the host can audit a sample.
		p := *c
		p.Verdicts = make([]Verdict, c.Rows)
		done, err = p.onDevice(ctx)
		return done, !slices.ContainsFunc(p.Verdicts, func(v Verdict) bool { return v != Valid }), err
	}
	call, ok := c.forDevice(c.scheme.all)
	if !ok {
		return false, false, nil
	}
	// The host ignores a slice that the device puts in place of the slice in the call.
	verdict := make([]Verdict, 1)
	call.Verdicts = verdict
	err = c.Device.Run(ctx, &call)
	if ctx.Err() != nil {
		return false, false, ctx.Err()
	}
	// Only the answer that all rows are valid is trusted.
	valid := err == nil && verdict[0] == Valid
	return valid, valid, nil
}

// The host verifies one in auditEvery of the rows that a device calls Valid, and at least
// auditLeast.
const (
	auditEvery = 1024
	auditLeast = 64
)

// audited returns the numbers of the rows that the host verifies again, in order: all rows that are
// not Valid, and a random sample of the Valid ones. It replaces undefined verdicts by Unchecked.
func audited(verdicts []Verdict) (again []int) {
	valid := 0
	for i, v := range verdicts {
		if v == Valid {
			valid++
		} else if v > Malformed {
			verdicts[i] = Unchecked
		}
	}
	// Cut the Valid rows into as many equal parts as the sample has rows, and choose one row of
	// each part, so that no row is chosen twice.
	sample := min(valid, max(auditLeast, (valid+auditEvery-1)/auditEvery))
	chosen := make([]int, sample)
	for k := range chosen {
		var b [8]byte
		rand.Read(b[:])
		lo, hi := uint64(valid)*uint64(k)/uint64(sample), uint64(valid)*uint64(k+1)/uint64(sample)
		offset, _ := bits.Mul64(binary.LittleEndian.Uint64(b[:]), hi-lo)
		chosen[k] = int(lo + offset)
	}
	if valid == len(verdicts) { // every row is Valid, as in most calls
		return chosen
	}
	seen := 0 // number of Valid rows before row i
	for i, v := range verdicts {
		if v == Valid {
			seen++
			if len(chosen) == 0 || chosen[0] != seen-1 {
				continue
			}
			chosen = chosen[1:]
		}
		again = append(again, i)
	}
	return again
}
