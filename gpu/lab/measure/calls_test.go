package measure

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
)

// A mock is an engine that gives the expected answers of a workload, or wrong ones.
type mock struct {
	opened bool // the engine accepts calls
	w      *workload
	watch  *stopwatch // gets a launch, of 1 ms for each row, for every rows rows of a call
	rows   int
	lie    func(c *device.Call) error
}

func (m *mock) Accepts(device.Kind, device.Rules, int) bool { return m.opened }

func (m *mock) Run(_ context.Context, c *device.Call) error {
	for lo := 0; lo < c.Rows && m.watch != nil; lo += m.rows {
		n := min(m.rows, c.Rows-lo)
		m.watch.log = append(m.watch.log, timedLaunch{"k", n, time.Duration(n) * time.Millisecond})
	}
	copy(c.Verdicts, m.w.verdicts)
	copy(c.Results, m.w.out)
	return m.lie(c)
}

func honest(*device.Call) error { return nil }

// TestCalls checks that the time of a kernel covers all rows of a call, whether the call has one
// launch or several, and that the report leaves out a measurement if either engine gives a wrong
// answer.
func TestCalls(t *testing.T) {
	const n = 100
	ctx, in := context.Background(), newInputs(5, n)
	s, err := newSigned(ctx, in, n)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	last := func(c *device.Call) error { c.Verdicts[len(c.Verdicts)-1] ^= 3; return nil }
	key := func(c *device.Call) error {
		if len(c.Results) > 0 {
			c.Results[70]++
		}
		return nil
	}
	for _, test := range []struct {
		name         string
		kind         string
		timed, plain func(*device.Call) error
		wrong        error
	}{
		{"honest", "ecdsa", honest, honest, nil},
		{"honest", "recover", honest, honest, nil},
		{"honest", "bip340-all", honest, honest, nil}, // all launches of this call count as one run
		{"a verdict in launches that are timed", "ecdsa", last, honest, ErrResult},
		{"a key there", "recover", key, honest, ErrResult},
		{"an error end to end", "ecdsa", honest, func(*device.Call) error { return broken }, ErrResult},
	} {
		var k kindRow
		for _, row := range kindRows() {
			if row.id == test.kind {
				k = row
			}
		}
		w, err := s.workload(ctx, in, k.kind, n)
		if err != nil {
			t.Fatal(err)
		}
		bad := 0
		for _, v := range w.verdicts {
			if v != device.Valid {
				bad++
			}
		}
		if (bad != 1) != (k.kind == device.Recover || w.single()) {
			t.Errorf("%s: %d of %d rows are not valid", k.id, bad, n)
		}
		o := Options{Sizes: []int{30, n}, Time: time.Second}
		o.set()
		b := &bench{report: new(Report), o: &o, in: in}
		e := &engines{watch: new(stopwatch)}
		e.timed = &mock{true, w, e.watch, 40, test.timed}
		plain := &mock{false, w, nil, 0, test.plain}
		e.plain = &counted{Engine: plain}
		if e.device, err = device.New(e.plain); err != nil {
			t.Fatal(err)
		}
		plain.opened = true // the known calls of device.New are over
		began := time.Now()
		if err := b.kind(ctx, &k, s, e); err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		took := time.Since(began).Seconds()
		if test.wrong != nil {
			if !errors.Is(b.wrong, test.wrong) || len(b.report.Rows) > 0 ||
				len(b.report.LeftOut) != 2 {
				t.Errorf("%s: %v, %+v", test.name, b.wrong, b.report)
			}
			continue
		}
		if b.wrong != nil || len(b.report.Rows) != 2 {
			t.Errorf("%s: %v, %+v", test.name, b.wrong, b.report)
			continue
		}
		for _, row := range b.report.Rows {
			if s := row.Kernel; s.Median < float64(row.Size)/1000*0.999999 ||
				s.Median > float64(row.Size)/1000*1.000001 || s.Low != s.High ||
				(row.Note == "") != (row.Size == 30 || w.single()) {
				t.Errorf("%s: %+v", test.name, row)
			}
			// The times of all runs add up to no more than the test took, and each is longer than
			// 0.
			host := row.Host.Low * float64(n) / float64(row.Size)
			end := row.EndToEnd
			first := b.report.Rows[0]
			// The host's time per row is measured only once, so rows of all sizes have the same.
			each := first.Host.Median / float64(first.Size) * float64(row.Size)
			if row.Host.Median < each*0.999999 || row.Host.Median > each*1.000001 {
				t.Errorf("%s: the host takes %+v, and %+v", test.name, first.Host, row.Host)
			}
			if end.Low*float64(end.Runs)+host*float64(row.Host.Runs) > took || host < 1e-6 {
				t.Errorf("%s: %+v in %v s", test.name, row, took)
			}
		}
	}
}

// TestEndToEnd checks that endToEnd compares the verdict and the result of each row.
func TestEndToEnd(t *testing.T) {
	const n = 64
	ctx, in := context.Background(), newInputs(5, n)
	s, err := newSigned(ctx, in, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kindRows() {
		w, err := s.workload(ctx, in, k.kind, n)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.endToEnd(ctx, n, nil); err != nil {
			t.Errorf("%s: %v", k.id, err)
		}
		switch {
		case k.kind == device.Sum:
			w.out[5]++
		case w.single():
			w.cols[0].Data[32*7]++
		default:
			w.verdicts[n-1] = device.Malformed
		}
		if err := w.endToEnd(ctx, n, nil); !errors.Is(err, ErrResult) {
			t.Errorf("%s: wrong, and %v", k.id, err)
		}
	}
}
