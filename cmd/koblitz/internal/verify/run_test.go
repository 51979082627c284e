package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A fakeBatch emits reading.Units whose verdicts the reader has already decided. Its place is the
// number of the next row.
type fakeBatch struct {
	reading.Part
	first, n int
	decided  reading.Verdict
	delay    time.Duration
	size     int64
}

func (b *fakeBatch) Size() int64           { return max(1, b.size) }
func (b *fakeBatch) Consumed() int64       { return int64(b.first + b.n) }
func (b *fakeBatch) Place() *reading.Place { return &reading.Place{Offset: b.Consumed()} }

func (b *fakeBatch) Expand(emit func(*reading.Unit)) {
	time.Sleep(b.delay) //layers:allow the report must not depend on how long a batch takes
	for i := range b.n {
		u := reading.Unit{Where: reading.In("f"), Decided: b.decided, Reason: "because"}
		u.Where.Line = b.first + i + 1
		emit(&u)
	}
}

// A fakeReader returns its batches, one at each call, and then the error err.
type fakeReader struct {
	batches []*fakeBatch
	err     error
	before  func(n int) // called before batch n is returned
	n       int
	closed  int
}

func (r *fakeReader) Close() error { r.closed++; return nil }

func (r *fakeReader) Next() (reading.Batch, error) {
	if r.before != nil {
		r.before(r.n)
	}
	if r.n == len(r.batches) {
		return nil, r.err
	}
	r.n++
	return r.batches[r.n-1], nil
}

// A log is a Reporter that records every call.
type log struct {
	lines    []string
	consumed int64
	progress func() // called at each call of Progress, if not nil
}

func (l *log) Row(r *Row) {
	text := fmt.Sprintf("%d %v", r.Where.Line, r.Verdict)
	if !r.Failed() {
		text = fmt.Sprintf("%d from %x", r.Where.Line, r.Sender)
	}
	l.lines = append(l.lines, text)
}
func (l *log) Fault(err error)      { l.lines = append(l.lines, err.Error()) }
func (l *log) Unreadable(err error) { l.lines = append(l.lines, err.Error()) }
func (l *log) Progress(_ *Counts, consumed int64) {
	l.consumed = consumed
	if l.progress != nil {
		l.progress()
	}
}

func only(readers ...reading.Reader) iter.Seq2[reading.Reader, error] {
	return func(yield func(reading.Reader, error) bool) {
		for _, r := range readers {
			if !yield(r, nil) {
				return
			}
		}
	}
}

// manyBatches returns n batches, the slowest first. Without a queue that keeps the order, the last
// batch would be reported first.
func manyBatches(n, each int, decided reading.Verdict) (batches []*fakeBatch) {
	for i := range n {
		batches = append(batches, &fakeBatch{first: i * each, n: each, decided: decided,
			delay: time.Duration((n-i)%7) * time.Millisecond})
	}
	return batches
}

func TestOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 4, 16} {
		r := &fakeReader{batches: manyBatches(50, 3, reading.Invalid), err: io.EOF}
		var l log
		totals := Run(t.Context(), Config{Workers: workers}, only(r), &l)
		if totals != (Counts{Rows: 150, Invalid: 150}) || r.closed != 1 ||
			l.consumed != 150 {
			t.Errorf("%d workers: %+v, closed %d times, consumed %d", workers, totals, r.closed, l.consumed)
		}
		for i, line := range l.lines {
			if want := fmt.Sprintf("%d invalid", i+1); line != want {
				t.Fatalf("%d workers: line %d is %q", workers, i, line)
			}
		}
	}
}

func TestCounts(t *testing.T) {
	verdicts := []reading.Verdict{reading.Valid, reading.Invalid, reading.Malformed,
		reading.EngineChecked,
		reading.NotCheckable, reading.Recovered, reading.PassedOver, reading.Unsigned}
	r := &fakeReader{err: io.EOF}
	for i, v := range verdicts {
		r.batches = append(r.batches, &fakeBatch{first: 10 * i, n: i + 1, decided: v})
	}
	var l log
	totals := Run(t.Context(), Config{Workers: 2}, only(r), &l)
	want := Counts{29, 1, 2, 3, 4, 5, 6, 8, 8, 7}
	if totals != want {
		t.Errorf("%+v, want %+v", totals, want)
	}
	if len(l.lines) != 2+3+5+8 {
		t.Errorf("listed %v", l.lines)
	}
}

// TestErrors checks that reader errors are reported at their position in the input, and that the
// next input is still read.
func TestErrors(t *testing.T) {
	a := &fakeReader{batches: manyBatches(2, 1, reading.Invalid), err: errors.New("a broke")}
	b := &fakeReader{batches: manyBatches(1, 1, reading.Malformed), err: io.EOF}
	inputs := func(yield func(reading.Reader, error) bool) {
		_ = yield(nil, errors.New("no such file")) && yield(a, nil) && yield(b, nil)
	}
	var l log
	totals := Run(t.Context(), Config{Workers: 2}, inputs, &l)
	if got, want := strings.Join(l.lines, "; "), "no such file; 1 invalid; 2 invalid; a broke; 1 "+
		"malformed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if totals != (Counts{Rows: 3, Invalid: 2, Malformed: 1}) || a.closed != 1 || b.closed != 1 {
		t.Errorf("%+v, closed %d and %d times", totals, a.closed, b.closed)
	}
}

// TestCancelBlocked checks a cancellation while the reader hangs in a read that returns only after
// the run. The rows read before must still be reported.
func TestCancelBlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hang := make(chan bool)
		r := &fakeReader{batches: manyBatches(6, 4, reading.Invalid), err: io.EOF}
		r.before = func(n int) {
			if n == 5 {
				<-hang
			}
		}
		go func() {
			time.Sleep(time.Second) // until all workers wait for the reader
			cancel()
		}()
		var l log
		totals := Run(ctx, Config{Workers: 2}, only(r), &l)
		if totals.Invalid != 20 || len(l.lines) != 20 {
			t.Errorf("%+v and %d lines, want 20", totals, len(l.lines))
		}
		close(hang)
		time.Sleep(time.Second) // a worker may take the batch that the reader returns now
	})
}

// TestCancelBusy checks that every row counted before a cancellation is also listed, without a gap.
func TestCancelBusy(t *testing.T) {
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		r := &fakeReader{batches: manyBatches(10000, 4, reading.Invalid), err: io.EOF}
		r.before = func(n int) {
			if n == 400 {
				cancel()
			}
		}
		var l log
		totals := Run(ctx, Config{Workers: workers}, only(r), &l)
		if totals.Invalid == 0 || totals.Invalid >= 4*10000 || int64(len(l.lines)) != totals.Invalid {
			t.Errorf("%d workers: %+v and %d lines", workers, totals, len(l.lines))
		}
	}
}

// TestBounded checks that the reading goroutine does not run far ahead of a slow batch.
func TestBounded(t *testing.T) { synctest.Test(t, testBounded) }

func testBounded(t *testing.T) {
	const workers = 2
	var given atomic.Int64
	r := readerFunc(func() (reading.Batch, error) {
		switch n := given.Add(1); {
		case n == 1:
			return &fakeBatch{delay: time.Hour}, nil
		case n <= 1000:
			return &fakeBatch{n: 1, decided: reading.Valid}, nil
		}
		return nil, io.EOF
	})
	done := make(chan Counts)
	go func() { done <- Run(t.Context(), Config{Workers: workers}, only(r), &log{}) }()
	synctest.Wait()
	if n := given.Load(); n > 2*blockJobs*workers+3 {
		t.Errorf("%d batches were read ahead", n)
	}
	if totals := <-done; totals.Valid != 999 {
		t.Errorf("%+v", totals)
	}
}

type readerFunc func() (reading.Batch, error)

func (f readerFunc) Next() (reading.Batch, error) { return f() }
func (f readerFunc) Close() error                 { return nil }
