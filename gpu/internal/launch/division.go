package launch

import (
	"context"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/equation"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// A division divides the rows of a call with one result, a sum or an equation, among the Engines
// that share the call, its crew. Each Engine computes points for its parts of the rows, and the
// host adds the points up. Long parts cost less per row, so each Engine first takes one part for
// which all are expected to take the same time, judged by their speeds in earlier calls. The result
// does not depend on the division.
type division struct {
	*work
	call *device.Call

	// The lock of the field work guards the fields below.
	hands []hand // one for each member of the crew
	over  bool   // the result is certain without the remaining rows
	total tally  // subtotals of the members that have ended without an error
}

// A hand is the state of one member of the crew in a division.
type hand struct {
	pace float64 // seconds that the member took for a row in earlier calls, or 0 if unknown
	came bool    // the member has taken at least one part
}

// newDivision returns a division of the rows of a call. The caller must call its method begin
// before its other methods.
func newDivision(c *device.Call) *division { return &division{work: newWork(c.Rows), call: c} }

// begin starts the division for a crew of Engines.
func (d *division) begin(ctx context.Context, crew []*Engine) (done func()) {
	d.hands = make([]hand, len(crew))
	for i, e := range crew {
		d.hands[i].pace = e.pace(d.call.Kind)
	}
	return d.work.begin(ctx, len(crew))
}

// by makes the Engine e, which is member i of the crew, compute parts until none are left, and
// reports whether e did any. If e fails, everything that it has computed in this call is discarded,
// and other members compute those parts again.
func (d *division) by(ctx context.Context, e *Engine, i int) (did bool, err error) {
	var own tally
	var parts []span
	err = e.reduce(d.ctx, func(r *reduction) error {
		for !own.over() {
			lo, n := d.take(i, e.leastPart(d.call.Kind))
			if n == 0 {
				return nil
			}
			parts = append(parts, span{lo, n})
			begin := time.Now()
			if err := own.add(ctx, r, d.call, lo, lo+n); err != nil {
				return err
			}
			if n >= e.leastPart(d.call.Kind) { // fixed costs dominate the time of shorter parts
				e.setPace(d.call.Kind, max(time.Since(begin), 1).Seconds()/float64(n))
			}
		}
		return nil
	})
	did = len(parts) > 0
	if err == nil {
		d.join(&own)
		return did, nil
	}
	d.giveBack(parts)
	if !did && d.ctx.Err() != nil && ctx.Err() == nil {
		err = nil // other members have taken all rows
	}
	return did, err
}

// take takes the next n rows, which begin at row lo, for member i. It takes at least
// minimum rows, unless fewer consecutive rows are left. n is 0 if none are left.
func (d *division) take(i, minimum int) (lo, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == 0 {
		return 0, 0
	}
	n = max(portion(d.hands, i, d.rows), minimum)
	if d.rows-n < minimum {
		n = d.rows
	}
	d.hands[i].came = true
	return d.cut(n)
}

// join adds the subtotal of a member's rows to the total. If that makes the result of the call
// certain, no rows are left for the other members.
func (d *division) join(own *tally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total.join(own)
	if own.over() {
		d.over, d.spans, d.rows = true, nil, 0
		d.work.end()
	}
}

// giveBack makes the rows of a member that failed available to the other members, unless the result
// of the call is certain already.
func (d *division) giveBack(parts []span) {
	d.mu.Lock()
	over := d.over
	d.mu.Unlock()
	for _, s := range parts {
		if !over {
			d.work.giveBack(s.lo, s.n)
		}
	}
}

func (d *division) end() { d.total.write(d.call) }

// portion returns how many of the remaining rows member i should take now. The first time, it is
// the member's share by speed among the members that have not taken a part yet. Members with
// unknown pace are assumed to be as fast as member i. A member that has taken a part before takes
// all rows that are left: the other members failed, or are busy with other calls.
func portion(hands []hand, i, rows int) int {
	own, speeds := hands[i], 1.0 // speeds are multiples of the speed of member i
	for j, h := range hands {
		switch {
		case j == i || h.came || own.came:
		case h.pace > 0 && own.pace > 0:
			speeds += own.pace / h.pace
		default:
			speeds++
		}
	}
	return int(float64(rows) / speeds)
}

// leastPart returns the least number of rows in a part: enough for the device to be faster than the
// host, and to keep all of the device's multiprocessors busy.
func (e *Engine) leastPart(k device.Kind) int { return max(e.least(k), e.wave) }

// pace returns how many seconds the device took for a row in earlier calls of kind k, or 0 if
// unknown. It is an average over long parts in which recent parts have more weight.
func (e *Engine) pace(k device.Kind) float64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.paces[k]
}

func (e *Engine) setPace(k device.Kind, pace float64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if before := e.paces[k]; before > 0 {
		pace = (before + pace) / 2
	}
	e.paces[k] = pace
}

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
