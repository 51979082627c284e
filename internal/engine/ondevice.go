package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/koblitz-go/koblitz/device"
)

// onDevice runs the call c on the device, in the form call, and verifies on the host (the CPU) the
// rows that the device leaves Unchecked. If it returns false, all verdicts are Unchecked, and if
// the error is also nil, the host must carry out the whole call; Results may hold bytes that the
// device wrote.
//
// The device may be broken. So the host verifies again all rows that the device does not call
// Valid, and a sample of the Valid ones. If it finds another verdict or result for any of them, it
// carries out the whole call itself and uses nothing from the device. Hence a valid row is never
// called bad, and a bad row that the device calls Valid is found with a probability of at least
// 1/1024, and more for fewer rows.
//
// The argument rows returns a source of the rows to verify again: again lists their numbers, and
// the source stores their verdicts and results in host.
func onDevice(
	ctx context.Context, c *device.Call, call device.Call, o Options,
	rows func(again []int, host *device.Call) source,
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
	width := 0
	if c.Results != nil {
		width = c.Kind.ResultSize()
		host.Results = make([]byte, width*len(again))
	}
	err = Run(ctx, c.Kind, len(again), o.Workers, rows(again, &host))
	if err != nil {
		clear(c.Verdicts)
		return false, err
	}
	for k, i := range again {
		out := host.Results[width*k:][:width]
		if c.Verdicts[i] == Unchecked {
			continue
		}
		if c.Verdicts[i] != host.Verdicts[k] || width > 0 && !bytes.Equal(c.Results[width*i:][:width],
			out) {
			clear(c.Verdicts)
			return false, nil
		}
	}
	for k, i := range again {
		c.Verdicts[i] = host.Verdicts[k]
		if width > 0 {
			copy(c.Results[width*i:], host.Results[width*k:][:width])
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
func audited(verdicts []Verdict) []int {
	var again []int
	valid := 0
	for i, v := range verdicts {
		switch {
		case v == Valid:
			valid++
			continue
		case v > Malformed:
			verdicts[i] = Unchecked
		}
		again = append(again, i)
	}
	sample := max(auditLeast, (valid+auditEvery-1)/auditEvery)
	if sample >= valid {
		again = again[:0]
		for i := range verdicts {
			again = append(again, i)
		}
		return again
	}
	// Cut the Valid rows into as many equal parts as the sample has rows, and choose one row of
	// each part, so that no row is chosen twice.
	chosen := make([]uint64, sample)
	for k := range chosen {
		var b [8]byte
		rand.Read(b[:])
		lo, hi := uint64(valid)*uint64(k)/uint64(sample), uint64(valid)*uint64(k+1)/uint64(sample)
		offset, _ := bits.Mul64(binary.LittleEndian.Uint64(b[:]), hi-lo)
		chosen[k] = lo + offset
	}
	if valid == len(verdicts) { // every row is Valid, as in most calls
		for _, i := range chosen {
			again = append(again, int(i))
		}
		return again
	}
	at := uint64(0)
	for i, v := range verdicts {
		if v != Valid {
			continue
		}
		if len(chosen) > 0 && chosen[0] == at {
			again, chosen = append(again, i), chosen[1:]
		}
		at++
	}
	slices.Sort(again)
	return again
}
