package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// A tally is the subtotal of some rows of a call with one result for all rows. The zero value is
// the subtotal of no rows.
type tally struct {
	sum       sums.Total     // subtotal of a Sum
	malformed bool           // a term of the sum is malformed
	equation  equation.Total // subtotal of an equation
}

// add has the device of r compute the subtotal of the rows of c from lo to hi, and adds it to t. It
// stops early when t.over returns true.
func (t *tally) add(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	if c.Kind == device.Sum {
		return t.addSum(ctx, r, c, lo, hi)
	}
	return t.addEquation(ctx, r, c, lo, hi)
}

// join adds the subtotal o, of other rows, to t.
func (t *tally) join(o *tally) {
	t.sum.Join(&o.sum)
	t.malformed = t.malformed || o.malformed
	t.equation.Join(&o.equation)
}

// over reports whether the verdict is certain, so that further rows cannot change it.
func (t *tally) over() bool { return t.malformed || t.equation.Bad() }

// write writes the verdict and the result to c. t must cover all rows, or t.over must be true.
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
