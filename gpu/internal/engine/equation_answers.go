package engine

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
)

// badRows is the number of rows in a known equation with one bad row. In each such equation a
// different row is bad.
const badRows = 16

// equationAnswers checks the device's verdicts on equations with known verdicts. Their rows are:
// all valid; one row repeated; valid except for one bad row of each sort; and valid except for two
// bad rows whose errors cancel out unless the rows' coefficients differ.
func (e *Engine) equationAnswers(ctx context.Context) error {
	good, err := newSample(answerRows)
	if err != nil {
		return err
	}
	bad, err := newSample(badRows)
	if err == nil {
		err = bad.spoil()
	}
	if err != nil {
		return err
	}
	for k := range equationKinds {
		calls := []*device.Call{good.call(k, answerRows), sameRows(good.call(k, badRows))}
		for i := 1; i < badRows; i += 2 {
			c := good.call(k, badRows)
			copyRow(c, bad.call(k, badRows), i, i)
			calls = append(calls, c)
		}
		calls = append(calls, cancelling(good.call(k, badRows)))
		for _, c := range calls {
			want := *c
			want.Verdicts = make([]device.Verdict, 1)
			if err := cpu.Do(ctx, &want, nil); err != nil {
				return err
			}
			if err := e.reduced(ctx, c); err != nil {
				return err
			}
			if (c.Verdicts[0] == device.Valid) != (want.Verdicts[0] == device.Valid) {
				return fmt.Errorf("%w: verdict %d of an equation of kind %d, which has %d", ErrAnswer,
					c.Verdicts[0], k, want.Verdicts[0])
			}
		}
	}
	return nil
}

// copyRow replaces row i of the call to by row j of the call from, which has the same kind.
func copyRow(to, from *device.Call, i, j int) {
	p, _ := programOf(equationKinds[to.Kind])
	for k, width := range p.widths {
		a, b := &to.Columns[k], &from.Columns[k]
		copy(a.Data[i*a.Stride:][:width], b.Data[j*b.Stride:])
	}
}

// sameRows replaces all rows of c by its first row, and returns c.
func sameRows(c *device.Call) *device.Call {
	for i := 1; i < c.Rows; i++ {
		copyRow(c, c, i, 0)
	}
	return c
}

// cancelling returns c with 1 added to the scalar of G in one row and 1 subtracted from it in
// another. In ECDSA it changes the message for that, in BIP-340 the signature's s.
func cancelling(c *device.Call) *device.Call {
	col, at := c.Columns[0], 31
	if c.Kind == device.AllSchnorr {
		col, at = c.Columns[2], 63
	}
	changed := [2]bool{}
	for i := range c.Rows {
		if b := &col.Data[i*col.Stride+at]; !changed[*b&1] {
			changed[*b&1] = true
			*b ^= 1
		}
	}
	return c
}
