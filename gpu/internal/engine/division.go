package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/device"
)

// A division is a call with one result, a sum or an equation, whose rows are divided among the
// members of a crew. Each computes the points of its parts, which the host adds up. A part costs
// the less for a row the longer it is, so members take the longest parts with which all of them
// are expected to end at the same time, by the pace that each had before. Whatever the division
// is, the result is the same.
type division struct {
	*work
	call *device.Call

	// What follows is guarded by the lock of work.
	hands []hand // of the crew
	over  bool   // the rows that are left change nothing
	total tally  // of the members that have ended without an error
}

// A hand is what a division expects of a member.
type hand struct {
	pace  float64   // seconds that it takes for a row, or 0 if that is not known
	came  bool      // it has taken a part
	until time.Time // when it is expected to be done with that, if its pace is known
	gone  bool      // it takes no more
}

// probes is how many parts of its share a member could take whose pace is not known: it takes one,
// and is known then.
const probes = 8

// newDivision returns a division of the rows of a call. It is for begin then.
func newDivision(c *device.Call) *division { return &division{work: newWork(c.Rows), call: c} }

// begin lets a crew take rows.
func (d *division) begin(ctx context.Context, crew []*Engine) (done func()) {
	d.hands = make([]hand, len(crew))
	for i, e := range crew {
		d.hands[i].pace = e.pace(d.call.Kind)
	}
	return d.work.begin(ctx, len(crew))
}

// by has member i of the crew, e, do parts until none are left. If it fails, nothing of what it has
// done in this call counts: others do that again.
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
			d.done(i, e, n, time.Since(begin))
		}
		return nil
	})
	did = len(parts) > 0
	d.leave(i, err == nil && own.over())
	if err == nil {
		d.join(&own)
		return did, nil
	}
	for _, s := range parts {
		d.giveBack(s.lo, s.n)
	}
	if !did && d.ctx.Err() != nil && ctx.Err() == nil {
		err = nil // others have taken all rows
	}
	return did, err
}

// take takes rows for member i, at least so many of them if there are as many in succession, and
// none if none are left.
func (d *division) take(i, least int) (lo, n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.rows == 0 {
		return 0, 0
	}
	now := time.Now()
	n = max(portion(d.hands, i, now, d.rows), least)
	if d.rows-n < least {
		n = d.rows
	}
	lo, n = d.cut(n)
	h := &d.hands[i]
	h.came = true
	h.until = now.Add(time.Duration(h.pace * float64(n) * float64(time.Second)))
	return lo, n
}

// done notes what member i, e, took for n rows. Later calls are told, unless there were so few rows
// that most of the time is not for them.
func (d *division) done(i int, e *Engine, n int, took time.Duration) {
	pace := max(took, 1).Seconds() / float64(n)
	if n >= e.leastPart(d.call.Kind) {
		e.setPace(d.call.Kind, pace)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hands[i].pace = pace
}

// leave notes that member i takes no more rows, and that nobody need if all is over.
func (d *division) leave(i int, over bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hands[i].gone = true
	if over {
		d.over, d.spans, d.rows = true, nil, 0
		d.work.end()
	}
}

// giveBack gives n rows back that were taken and are not done, unless all is over.
func (d *division) giveBack(lo, n int) {
	d.mu.Lock()
	over := d.over
	d.mu.Unlock()
	if !over {
		d.work.giveBack(lo, n)
	}
}

// join adds what a member has come to.
func (d *division) join(own *tally) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total.join(own)
}

func (d *division) end() { d.total.write(d.call) }

// portion returns how many rows hand i is to take now, of so many that are left, so that all hands
// end at the same time. One that has not come when others come again is not waited for, nor is one
// that takes longer than expected. Hands of unknown pace are counted like hand i.
func portion(hands []hand, i int, now time.Time, rows int) int {
	type turn struct {
		free float64 // seconds from now until the hand can begin
		pace float64
	}
	own := hands[i]
	turns := []turn{{0, own.pace}}
	for j, h := range hands {
		t := turn{0, cmp.Or(h.pace, own.pace)}
		if h.came && h.pace > 0 {
			t.free = h.until.Sub(now).Seconds()
		}
		late := t.free < 0
		if j != i && !h.gone && !late && (h.came || !own.came) {
			turns = append(turns, t)
		}
	}
	switch {
	case len(turns) == 1:
		return rows
	case own.pace == 0:
		return rows / (len(turns) * probes)
	}
	// Until a time t from now, a hand does (t − free)/pace rows. All are done at the t with which
	// these add up to what is left, of the hands that are free before t.
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(a.free, b.free) })
	t, speed, missed := math.Inf(1), 0.0, 0.0
	for _, h := range turns {
		if h.free >= t {
			break
		}
		speed += 1 / h.pace
		missed += h.free / h.pace
		t = (float64(rows) + missed) / speed
	}
	return int(min(t/own.pace, float64(rows)))
}

// leastPart returns how many rows of a kind a part has at least: as many as pay, and a wave.
func (e *Engine) leastPart(k device.Kind) int { return max(e.least(k), e.wave) }

// pace returns how many seconds the device took for a row of a call of a kind with one result, on
// the average of long parts of which the last counts most, or 0 if there was none.
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
