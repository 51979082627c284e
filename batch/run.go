package batch

import (
	"context"
	"errors"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/internal/crew"
	"github.com/koblitz-go/koblitz/internal/engine"
)

// A call is a call of package engine, with its options. The methods of rows make one.
type call struct {
	device.Call
	engine.Options
}

var errExact = errors.New("batch: Exact: the call verifies no signatures and has no equations")

// each sets the verdicts of all rows, and their results in dst if the kind has results. It returns
// how many rows are Valid.
func (c *call) each(ctx context.Context, verdicts []Verdict, dst []byte) (valid int, err error) {
	c.Rows, c.Verdicts, c.Results = len(verdicts), verdicts, dst
	return engine.Do(crew.Context(ctx), &c.Call, c.Options)
}

// all reports whether all rows are valid.
func (c *call) all(ctx context.Context, rows int) (bool, error) {
	c.Rows = rows
	return engine.All(crew.Context(ctx), &c.Call, c.Options)
}
