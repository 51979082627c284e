package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// accepts reports whether the options have a device that accepts a call.
func (o *Options) accepts(k Kind, r device.Rules, rows int) bool {
	return o.Device != nil && o.Device.Accepts(k, r, rows)
}

// acceptsForm returns ok = true if the device accepts c, or accepts c with its keys compressed to
// 33 bytes. It returns compressed = true if the device accepts only the latter. An engine may
// change its answers, for example when its memory is full, so the caller must not ask again.
func (o *Options) acceptsForm(c *device.Call) (ok, compressed bool) {
	if o.accepts(c.Kind, c.Rules, c.Rows) {
		return true, false
	}
	compressed = c.Rules&device.Uncompressed != 0 &&
		o.accepts(c.Kind, c.Rules&^device.Uncompressed, c.Rows)
	return compressed, compressed
}

// forDevice returns the call to give the device in place of c. ok is false if the device accepts c
// in neither encoding of the keys. If the device refuses keys of 65 bytes, the call has the same
// keys in 33 bytes. A malformed key becomes zeros, which are malformed too.
func (o *Options) forDevice(c *device.Call) (call device.Call, ok bool) {
	call = *c
	ok, compressed := o.acceptsForm(c)
	if !compressed {
		return call, ok
	}
	const size = 33
	keys := make([]byte, size*c.Rows)
	w := crew.New(equationWorkers(c.Rows, o.Workers))
	defer w.Stop()
	w.Share(c.Rows, profile.Current().LiftRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if key := *at65(&c.Columns[1], i); isUncompressedKey(&key) {
				b := keys[size*i:][:size]
				b[0] = 0x02 | key[64]&1
				copy(b[1:], key[1:33])
			}
		}
	})
	call.Rules &^= device.Uncompressed
	call.Columns[1] = device.Column{Data: keys, Stride: size}
	return call, true
}

// onDevice runs the call c on the device, which gets call, the version of c that forDevice
// returned. It then verifies on the host (the CPU) the rows that the device leaves Unchecked. If it
// returns false, all verdicts are Unchecked, and if the error is also nil, the host must carry out
// the whole call; Results may hold bytes that the device wrote.
//
// The device may be broken. So the host verifies again all rows that the device does not call
// Valid, and a sample of the Valid ones. If it finds another verdict or result for any of them, it
// carries out the whole call itself and uses nothing from the device. Hence a valid row is never
// called bad, and a bad row that the device calls Valid is found with a probability of at least
// 1/1024, and more for fewer rows.
//
// onDevice calls newSource with the numbers of the rows to verify again. newSource returns a source
// of these rows, which stores their verdicts and results in the call that the parameter host points
// to, and their reasons in those of the options.
func onDevice(
	ctx context.Context, c *device.Call, call device.Call, o Options,
	newSource func(again []int, host *device.Call, o Options) source,
) (done bool, err error) {
	// The device gets a separate slice of verdicts. If it writes to that slice after Run has
	// returned, no checked verdict changes. It cannot reslice Results past their end.
	verdicts := make([]Verdict, len(c.Verdicts))
	call.Verdicts, call.Results = verdicts, slices.Clip(c.Results)
	if err := o.Device.Run(ctx, &call); ctx.Err() != nil || err != nil {
		return false, ctx.Err()
	}
	copy(c.Verdicts, verdicts)
	again := audited(c.Verdicts)
	host := *c
	host.Verdicts = make([]Verdict, len(again))
	width := c.Kind.ResultSize()
	host.Results = make([]byte, width*len(again))
	ho := o.apart(len(again))
	if err := Run(ctx, c.Kind, len(again), o.Workers, newSource(again, &host, ho)); err != nil {
		clear(c.Verdicts)
		return false, err
	}
	for k, i := range again {
		same := c.Verdicts[i] == host.Verdicts[k] &&
			bytes.Equal(c.Results[width*i:][:width], host.Results[width*k:][:width])
		if c.Verdicts[i] != Unchecked && !same {
			clear(c.Verdicts)
			return false, nil
		}
	}
	for k, i := range again {
		c.Verdicts[i] = host.Verdicts[k]
		copy(c.Results[width*i:], host.Results[width*k:][:width])
		if o.Reasons != nil {
			o.Reasons[i] = ho.Reasons[k]
		}
	}
	return true, nil
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
