package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// A tally is what rows of a call with one result come to. The zero value is that of no rows.
type tally struct {
	sum       sums.Total     // of kind Sum
	malformed bool           // some term of it encodes nothing
	equation  equation.Total // of the other kinds
}

// add has the device of r compute what the rows of c from lo to hi come to, and adds that. It stops
// early when all is over.
func (t *tally) add(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	if c.Kind == device.Sum {
		return t.addSum(ctx, r, c, lo, hi)
	}
	return t.addEquation(ctx, r, c, lo, hi)
}

// join adds what other rows come to.
func (t *tally) join(o *tally) {
	t.sum.Join(&o.sum)
	t.malformed = t.malformed || o.malformed
	t.equation.Join(&o.equation)
}

// over returns whether more rows would change nothing.
func (t *tally) over() bool { return t.malformed || t.equation.Bad() }

// write sets the verdict and the result of a call, of all of whose rows t is.
func (t *tally) write(c *device.Call) {
	switch {
	case c.Kind != device.Sum:
		c.Verdicts[0] = t.equation.Verdict(c.Kind)
	case t.malformed:
		c.Verdicts[0] = device.Malformed
		clear(c.Results)
	default:
		c.Verdicts[0] = device.Valid
		sum := t.sum.Bytes()
		copy(c.Results, sum[:])
	}
}
