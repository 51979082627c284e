package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/koblitz-go/koblitz/internal/device"
)

// onDevice gives a call to the device, and does the rows that it did not settle. It
// returns false, and leaves the call as it was, if the host is to do all of it.
//
// The device may be broken, and what it says is checked: all rows that it says are not
// Valid, and a sample of those that it says are. If the host comes to another verdict
// or result for any of them, nothing that the device said counts. So it cannot make a
// good row a bad one, and hardly make many bad ones good: of those that it lets pass
// each is found with a probability of at least 1/1024, which grows as rows are fewer.
func onDevice(ctx context.Context, c *device.Call, o Options) (done bool, err error) {
	call := *c
	// Verdicts of its own, which no pool has: one that writes when Run has returned
	// changes no verdict that was checked, and none of another call. And not even by a
	// reslicing can it write to what lies behind the results.
	verdicts := make([]Verdict, len(c.Verdicts))
	call.Verdicts, call.Out = verdicts, slices.Clip(c.Out)
	if err := o.Device.Run(ctx, &call); ctx.Err() != nil || err != nil {
		return false, ctx.Err()
	}
	copy(c.Verdicts, verdicts)
	again := audited(c.Verdicts)
	host := *c
	host.Verdicts = make([]Verdict, len(again))
	width := 0
	if c.Out != nil {
		width = device.KeySize
		host.Out = make([]byte, width*len(again))
	}
	if err := Run(ctx, c.Kind, len(again), o.Workers, &columns{call: &host, index: again}); err != nil {
		clear(c.Verdicts)
		return false, err
	}
	for k, i := range again {
		out := host.Out[width*k:][:width]
		if c.Verdicts[i] == Unchecked {
			continue
		}
		if c.Verdicts[i] != host.Verdicts[k] || width > 0 && !bytes.Equal(c.Out[width*i:][:width], out) {
			clear(c.Verdicts)
			return false, nil
		}
	}
	for k, i := range again {
		c.Verdicts[i] = host.Verdicts[k]
		if width > 0 {
			copy(c.Out[width*i:], host.Out[width*k:][:width])
		}
	}
	return true, nil
}

// The rows that a device calls Valid of which the host verifies some: one in
// auditEvery, but auditLeast at least.
const (
	auditEvery = 1024
	auditLeast = 64
)

// audited returns the rows that the host does again, in order: those that are not
// Valid, and some that are, by fresh randomness. Verdicts that there are none of become
// Unchecked.
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
	// The sample's numbers among the Valid: one of each of as many equal parts, so that
	// none is there twice.
	chosen := make([]uint64, sample)
	for k := range chosen {
		var b [8]byte
		rand.Read(b[:])
		lo, hi := uint64(valid)*uint64(k)/uint64(sample), uint64(valid)*uint64(k+1)/uint64(sample)
		offset, _ := bits.Mul64(binary.LittleEndian.Uint64(b[:]), hi-lo)
		chosen[k] = lo + offset
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
