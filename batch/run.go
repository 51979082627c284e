package batch

import (
	"context"
	"errors"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// A call is a call of package engine, together with its options. The methods of SchnorrRows,
// ECDSARows and the other types of rows make calls.
type call struct {
	device.Call
	engine.Options
	err error // the reason why the call cannot be carried out, or nil
}

// newCall returns a call without columns.
func newCall(kind device.Kind, rules device.Rules, o *Options) *call {
	return &call{Call: device.Call{Kind: kind, Rules: rules}, Options: o.engine()}
}

var errExact = errors.New("batch: Exact: the call verifies no signatures and has no equations")

// each sets the verdicts of all rows, and writes results to dst if the kind has results. It returns
// the number of Valid rows.
func (c *call) each(ctx context.Context, verdicts []Verdict, dst []byte) (valid int, err error) {
	if c.err != nil {
		return 0, c.err
	}
	c.Rows, c.Verdicts, c.Results = len(verdicts), verdicts, dst
	return engine.Do(crew.Context(ctx), &c.Call, c.Options)
}

// all reports whether all rows are valid.
func (c *call) all(ctx context.Context, rows int) (bool, error) {
	if rows < 1 {
		return false, errNoRows
	}
	if c.err != nil {
		return false, c.err
	}
	c.Rows = rows
	return engine.All(crew.Context(ctx), &c.Call, c.Options)
}
