package launch

import (
	"context"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/sums"
)

// This file divides the rows of a call with one result, a sum or an equation, among the Engines
// that share the call. Each Engine computes points for its parts of the rows, and the host adds the
// points up. Long parts cost less per row, so each Engine first takes one part for which all are
// expected to take the same time, judged by their speeds in earlier calls. The result does not
// depend on the division.

// A hand is the state of one member of the crew.
type hand struct {
	pace float64 // seconds that the member took for a row in earlier calls, or 0 if unknown
	came bool    // the member has taken at least one part
}

// reduce makes the Engine e, which is member i of the crew, compute parts until none are left, and
// reports whether e did any. If e fails, everything that it has computed in this call is discarded,
// and other members compute those parts again.
func (w *work) reduce(ctx context.Context, e *Engine, i int) (did bool, err error) {
	var own sums.Total
	var parts []span
	kind, least := w.call.Kind, e.leastPart(w.call.Kind)
	err = e.reduce(w.ctx, func(r *reduction) error {
		for !own.Bad() {
			lo, n := w.takePart(i, least)
			if n == 0 {
				return nil
			}
			parts = append(parts, span{lo, n})
			begin := time.Now()
			if err := r.compute(ctx, &own, w.call, lo, lo+n); err != nil {
				return err
			}
			if n >= least { // fixed costs dominate the time of shorter parts
				e.setPace(kind, max(time.Since(begin), 1).Seconds()/float64(n))
			}
		}
		return nil
	})
	did = len(parts) > 0
	if err == nil {
		w.join(&own)
		return did, nil
	}
	w.giveBack(parts...)
	if !did && w.ctx.Err() != nil && ctx.Err() == nil {
		err = nil // other members have taken all rows
	}
	return did, err
}

// takePart takes the next n rows, which begin at row lo, for member i. It takes at least minimum
// rows, unless fewer consecutive rows are left. n is 0 if none are left.
func (w *work) takePart(i, minimum int) (lo, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.rows == 0 {
		return 0, 0
	}
	n = max(portion(w.hands, i, w.rows), minimum)
	if w.rows-n < minimum {
		n = w.rows
	}
	w.hands[i].came = true
	return w.cut(n)
}

// join adds the subtotal of a member's rows to the total. If that makes the result of the call
// certain, no rows are left for the other members.
func (w *work) join(own *sums.Total) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.total.Join(own)
	if own.Bad() {
		w.over, w.spans, w.rows = true, nil, 0
		w.end()
	}
}

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
