package engine

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/forkjoin"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// form returns the call of the given kind to give the device in place of c. ok is false if there is
// no device or it does not accept the call. ownColumns says that the call needs columns of its own:
// the device accepts only keys of 33 bytes and c has keys of 65, or the columns of c are fields of
// records. The method forDevice makes these columns. An engine may change its answers, for example
// when its memory is full.
func (c *columns) form(kind Kind) (call device.Call, ownColumns, ok bool) {
	if c.Device == nil {
		return call, false, false
	}
	call = c.Call
	call.Kind = kind
	switch {
	case c.records:
		ownColumns = true
		if c.scheme.evenNonce && c.any(isChallenge, true) {
			call.Rules |= device.Hashed
		}
		if !c.haveEquations() {
			call.Columns[3] = device.Column{}
		}
	case c.Device.Accepts(kind, call.Rules, c.Rows):
		return call, false, true
	case call.Rules&device.Uncompressed == 0:
		return call, false, false
	}
	call.Rules &^= device.Uncompressed
	return call, true, c.Device.Accepts(kind, call.Rules, c.Rows)
}

// forDevice returns the call of the given kind to give the device in place of c. ok is false if the
// device does not accept it.
func (c *columns) forDevice(kind Kind) (call device.Call, ok bool) {
	call, ownColumns, ok := c.form(kind)
	if !ok || !ownColumns {
		return call, ok
	}
	const size = 33
	keys := make([]byte, size*c.Rows)
	call.Columns[1] = device.Column{Data: keys, Stride: size}
	if c.scheme.xOnly {
		call.Columns[1].Data = keys[1:]
	}
	if c.records { // a broken device may write to its columns, and the audit reads the records again
		records := slices.Clone(c.Columns[1].Data[:c.Rows*recordSize])
		for k, at := range recordColumns {
			if k != 1 && call.Columns[k].Data != nil {
				call.Columns[k].Data = records[at:]
			}
		}
	}
	challenges := c.records && call.Rules&device.Hashed != 0
	if challenges {
		call.Columns[0] = device.Column{Data: make([]byte, 32*c.Rows), Stride: 32}
	}
	encodeRows := func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			key := (*[size]byte)(keys[size*i:])
			if !c.records {
				// The first bytes of other keys of a record are malformed in a column of 65 bytes.
				if encoding := *at65(&c.Columns[1], i); encoding[0] == 0x04 {
					compress(key, &encoding)
				}
				continue
			}
			r := c.record(i)
			if !r.isRefused() {
				compress(key, r.key())
			}
			if challenges {
				r.challenge(at32(&call.Columns[0], i))
			}
		}
	}
	w := forkjoin.New(equationWorkers(c.Rows, c.Workers))
	defer w.Stop()
	for b := w.Begin(c.Rows, profile.Current().LiftRows, encodeRows); b.Next(); {
		encodeRows(0, b.Lo, b.Hi)
	}
	return call, true
}

// compress sets dst to the compressed encoding of the key of a record. If a key of 65 bytes is not
// the encoding of a point, or if there is no key, it leaves the zeros in dst, which are malformed.
func compress(dst *[33]byte, key *[65]byte) {
	var p point.Affine
	switch head := key[0]; head {
	case 0x02, 0x03:
		*dst = [33]byte(key[:])
		return
	case 0x04:
		if ok, _ := isPoint(&p, key[1:]); !ok {
			return
		}
	case knownKey:
	default:
		return
	}
	dst[0] = 0x02 | key[64]&1
	copy(dst[1:], key[1:33])
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
	call, ok := c.forDevice(c.Kind)
	if !ok {
		return false, nil
	}
	// The device gets a separate slice of verdicts. If it writes to that slice after Run has
	// returned, no checked verdict changes. It cannot reslice Results past their end.
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
	again := *c
	again.audit = audited(c.Verdicts)
	honest, err := run(ctx, c.scheme, len(again.audit), c.Workers, source{columns: &again})
	if !honest {
		clear(c.Verdicts)
		clear(c.Reasons)
	}
	return honest, err
}

// allOnDevice asks the device for a single verdict on all rows of a call, and reports whether that
// verdict is Valid. It returns false if the device refuses the call or fails, or if some rows have
// no equation. It ignores a slice of verdicts that the device puts in place of the slice in the
// call.
func (c *columns) allOnDevice(ctx context.Context) (bool, error) {
	if !c.haveEquations() {
		return false, nil
	}
	call, ok := c.forDevice(c.scheme.all)
	if !ok {
		return false, nil
	}
	verdict := make([]Verdict, 1)
	call.Verdicts = verdict
	err := c.Device.Run(ctx, &call)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && verdict[0] == Valid, nil
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
