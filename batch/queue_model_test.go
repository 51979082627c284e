package batch

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/engine"
	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/schnorr"
)

// A modelRow is a signature for calls of a waitlist, with its verdict.
type modelRow struct {
	row       engine.Record
	valid     bool
	malformed bool
}

// modelRows returns a valid signature, an invalid one and a malformed one.
func modelRows() []modelRow {
	k, msg := koblitz.GenerateKey(), make([]byte, 32)
	sig := reference.Must(schnorr.Sign(k, msg, nil))
	row := func(msg []byte) (r engine.Record) {
		r.SetKeyX(k.XOnlyPublicKey().Bytes())
		r.SetSchnorr(msg, sig, nil)
		return r
	}
	return []modelRow{{row: row(msg), valid: true}, {row: row(bytes.Repeat([]byte{1}, 32))},
		{malformed: true}}
}

// A modelCall is a call of waitlist.verify, in a goroutine of its own.
type modelCall struct {
	row    modelRow
	cancel context.CancelFunc

	release chan bool    // the answer of isValid, which waits for it
	alone   atomic.Int32 // number of calls of isValid
	done    atomic.Bool  // verify has returned
	ok      bool         // its results
	err     error
}

// blocked reports whether the call verifies its signature alone, and waits for release.
func (c *modelCall) blocked() bool { return c.alone.Load() == 1 && !c.done.Load() }

// A waitlistModel makes calls of a waitlist and compares it with a model: a list of the waiting
// calls, and the calls that verify alone. These last until the fuzzer's bytes end them, so each
// step has one possible result as soon as all goroutines block.
type waitlistModel struct {
	t       *testing.T
	l       *waitlist
	wg      sync.WaitGroup
	calls   atomic.Int32
	alone   sync.Map     // the calls, by their rows, which differ
	leaders []*modelCall // calls that verify alone
	waiting []*modelCall // in the order of their calls
	closed  bool
	closing atomic.Int32 // number of calls of close that have not returned
	want    Stats
}

func (m *waitlistModel) start(row modelRow, ctx context.Context) *modelCall {
	ctx, cancel := context.WithCancel(ctx)
	c := &modelCall{row: row, cancel: cancel, release: make(chan bool)}
	m.wg.Go(func() {
		row := c.row.row
		n := m.calls.Add(1)
		row[40], row[41] = byte(n), byte(n>>8) // after the key, where nothing reads
		m.alone.Store(row, c)
		c.ok, c.err = verified(m.l, ctx, &row)
		c.done.Store(true)
	})
	return c
}

// returned checks that a call has returned what the model says.
func (m *waitlistModel) returned(c *modelCall, ok bool, err error) {
	m.t.Helper()
	if !c.done.Load() || c.ok != ok || !errors.Is(c.err, err) || c.alone.Load() > 1 {
		m.t.Fatalf("done: %v, %v, %v, %d alone; want %v, %v",
			c.done.Load(), c.ok, c.err, c.alone.Load(), ok, err)
	}
	c.cancel()
}

// call makes a call and waits until it has returned or blocks.
func (m *waitlistModel) call(row modelRow, ctx context.Context) {
	m.t.Helper()
	c := m.start(row, ctx)
	synctest.Wait()
	full := len(m.leaders) == m.l.limit
	switch {
	case ctx.Err() != nil:
		m.returned(c, false, ctx.Err())
	case m.closed:
		m.returned(c, false, ErrClosed)
	case m.l.most > 0 && len(m.waiting) == m.l.most:
		m.want.Busy++
		m.returned(c, false, ErrBusy)
	case row.malformed:
		m.returned(c, false, nil)
	case !full:
		if !c.blocked() {
			m.t.Fatalf("a call without other callers does not verify alone: %v, %v", c.ok, c.err)
		}
		m.leaders = append(m.leaders, c)
	default:
		m.waiting = append(m.waiting, c)
	}
}

// finish has a call that verifies alone return. Then its place is free: the calls that wait must be
// answered, in batches of at most l.rows calls.
func (m *waitlistModel) finish(i int, answer bool) {
	m.t.Helper()
	c := m.leaders[i]
	m.leaders = append(m.leaders[:i:i], m.leaders[i+1:]...)
	c.release <- answer
	synctest.Wait()
	m.returned(c, answer, nil)
	m.want.Alone++
	n := len(m.waiting)
	m.want.Batches += uint64((n + m.l.rows - 1) / m.l.rows)
	m.want.Batched += uint64(n)
	for _, c := range m.waiting {
		m.returned(c, c.row.valid, nil)
	}
	m.waiting = nil
}

// abandon ends the context of a call that waits.
func (m *waitlistModel) abandon(i int) {
	m.t.Helper()
	c := m.waiting[i]
	m.waiting = append(m.waiting[:i:i], m.waiting[i+1:]...)
	c.cancel()
	synctest.Wait()
	m.returned(c, false, context.Canceled)
}

func (m *waitlistModel) close() {
	m.closed = true
	m.closing.Add(1)
	m.wg.Go(func() {
		m.l.close()
		m.closing.Add(-1)
	})
	synctest.Wait()
}

// check compares the waitlist with the model.
func (m *waitlistModel) check() {
	m.t.Helper()
	l := m.l
	now := l.statistics()
	m.want.Waiting = len(m.waiting)
	m.want.Equations, m.want.Failed = now.Equations, now.Failed
	l.mu.Lock()
	defer l.mu.Unlock()
	if now != m.want || now.Failed > now.Equations || now.Equations > now.Batches ||
		!l.equations && now.Equations > 0 {
		m.t.Fatalf("%+v, want %+v", now, m.want)
	}
	if l.leaders != len(m.leaders) || l.leaders > l.limit ||
		now.Waiting > 0 && l.leaders < l.limit {
		m.t.Fatalf("%d leaders, %d waiting, want %d", l.leaders, now.Waiting, len(m.leaders))
	}
	n, last := 0, &l.ends
	for r := l.ends.next; r != &l.ends; r = r.next {
		if r.prev != last || len(r.wake) > 0 {
			m.t.Fatalf("request %d in the list does not wait", n)
		}
		n, last = n+1, r
	}
	if n != now.Waiting || l.ends.prev != last {
		m.t.Fatalf("%d requests in the list of %d", n, now.Waiting)
	}
	for _, c := range append(m.leaders, m.waiting...) {
		if c.done.Load() {
			m.t.Fatal("a call has returned too early")
		}
	}
	if done := m.closing.Load() == 0; m.closed && done != (len(m.leaders) == 0) {
		m.t.Fatalf("close returned: %v, with %d leaders", done, len(m.leaders))
	}
}

// run makes the steps that the bytes of data choose. Then it closes the waitlist, unless leaveOpen
// is set.
func (m *waitlistModel) run(rows []modelRow, data []byte, leaveOpen bool) {
	ended, end := context.WithCancel(context.Background())
	end()
	pick := func(b byte) modelRow { return rows[int(b)%len(rows)] }
	for len(data) >= 2 {
		step, b := data[0], data[1]
		data = data[2:]
		switch step % 16 {
		default:
			m.call(pick(b), context.Background())
		case 7:
			m.call(pick(b), ended)
		case 10, 11, 12:
			if len(m.leaders) > 0 {
				m.finish(int(b)%len(m.leaders), b&1 == 0)
			}
		case 13, 14:
			if len(m.waiting) > 0 {
				m.abandon(int(b) % len(m.waiting))
			} else if len(m.leaders) > 0 {
				m.leaders[0].cancel() // a call that verifies finishes first
				synctest.Wait()
			}
		case 15:
			if b%16 == 0 {
				m.close()
			}
		}
		m.check()
	}
	if !leaveOpen {
		m.close()
	}
	for len(m.leaders) > 0 {
		m.check()
		if m.closed {
			m.call(rows[len(m.leaders)%len(rows)], context.Background())
		}
		m.finish(0, true)
	}
	m.check()
	m.wg.Wait()
}

// FuzzWaitlist makes random calls of a waitlist, ends some and closes it, and compares each result
// with a model. Package synctest reports calls that never return, and goroutines that are left at
// the end, even if the waitlist is not closed.
func FuzzWaitlist(f *testing.F) {
	rows := modelRows()
	for i := range byte(24) {
		data := []byte{i, i / 3}
		for j := range byte(60) {
			data = append(data, i*29+j*j*7+j/3, i*53+j*31)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2 || len(data) > 1000 {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			o := &QueueOptions{Workers: 1 + int(data[0]%3), MaxWaiting: int(data[1] % 5),
				Exact: data[1]&64 != 0}
			m := waitlistModel{t: t, l: newWaitlist(engine.Schnorr, 1+int(data[0]/3%4), o)}
			m.l.isValid = func(row engine.Record) bool {
				c, _ := m.alone.Load(row)
				c.(*modelCall).alone.Add(1)
				return <-c.(*modelCall).release
			}
			m.run(rows, data[2:], data[1]&1 != 0)
		})
	})
}
