package engine

import (
	"context"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// A tally is the subtotal of some rows of a call with one result. The zero value is that of no
// rows.
type tally struct {
	sum       sums.Total     // subtotal of a Sum
	malformed bool           // a term of the sum is malformed
	equation  equation.Total // subtotal of an equation
}

// add has the device of r compute the subtotal of the rows of c from lo to hi, and adds it to t. It
// stops early when over.
func (t *tally) add(ctx context.Context, r *reduction, c *device.Call, lo, hi int) error {
	if c.Kind == device.Sum {
		return t.addSum(ctx, r, c, lo, hi)
	}
	return t.addEquation(ctx, r, c, lo, hi)
}

// join adds the subtotal of other rows to t.
func (t *tally) join(o *tally) {
	t.sum.Join(&o.sum)
	t.malformed = t.malformed || o.malformed
	t.equation.Join(&o.equation)
}

// over reports whether more rows would not change the verdict.
func (t *tally) over() bool { return t.malformed || t.equation.Bad() }

// write sets the verdict and the result of a call. t must cover all rows, or be over.
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
