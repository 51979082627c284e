package launch

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A lifetime is a list of calls of every kind, made between the opening and the closing of a
// device. want holds the same calls with the expected answers.
type lifetime struct{ calls, want []*device.Call }

// newLifetime returns a lifetime in which each call needs at least two launches.
func newLifetime(t *testing.T) *lifetime {
	t.Helper()
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	const n = 2*driver.Group + 1
	l := new(lifetime)
	for k := range equationKinds {
		l.calls = append(l.calls, s.call(k, n))
	}
	points, err := s.points(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.calls = append(l.calls, sumCall(s.scalars, points, n))
	if err := s.spoil(); err != nil {
		t.Fatal(err)
	}
	l.calls = append(l.calls, s.calls(n)...)
	for _, c := range l.calls {
		want := *c
		want.Verdicts, want.Results = slices.Clone(c.Verdicts), bytes.Clone(c.Results)
		if err := cpu.Do(t.Context(), &want, nil); err != nil {
			t.Fatal(err)
		}
		l.want = append(l.want, &want)
	}
	return l
}

// live opens an Engine of f, carries out all calls of l, closes the Engine, and returns the errors
// of all steps. It fails the test if a call without an error has an answer other than the host's,
// or if something of f is not freed.
func (l *lifetime) live(t *testing.T, ctx context.Context, f *fake, o Options) (all error) {
	t.Helper()
	e, all := New(ctx, f, []byte(tableOfTests), o)
	if all == nil {
		for i, c := range l.calls {
			got := *c
			got.Verdicts, got.Results = make([]device.Verdict, len(c.Verdicts)), make([]byte, len(c.Results))
			err := e.Run(ctx, &got)
			all = errors.Join(all, err)
			want := l.want[i]
			same := slices.Equal(got.Verdicts, want.Verdicts) && bytes.Equal(got.Results, want.Results)
			if err == nil && !same {
				t.Errorf("kind %d: wrong verdicts or results", c.Kind)
			}
		}
		all = errors.Join(all, e.Close())
		if err := e.Close(); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	f.leaks(t)
	return all
}

// moments makes the calls of l once, and returns the total number of driver calls that this takes.
// It also returns a step: tests interfere with driver call number total, then with number total −
// step, and so on.
func (l *lifetime) moments(t *testing.T, o Options) (total, step int64) {
	t.Helper()
	var calls atomic.Int64
	f := &fake{call: func(string) error { calls.Add(1); return nil }}
	if err := l.live(t, t.Context(), f, o); err != nil {
		t.Fatal(err)
	}
	lives := int64(24)
	if !deep() {
		lives = 4
	}
	return calls.Load(), calls.Load() / lives
}

// TestEveryMoment checks that when a context ends at any moment, during a kernel or between two
// driver calls, New or a call returns the context's error. The answers of finished calls are right,
// all memory of the device is freed, and Options.Hook is not called.
func TestEveryMoment(t *testing.T) {
	l := newLifetime(t)
	options := Options{Memory: max(sumLimit(), setMemory), Crossover: 1,
		Hook: func(err error) { t.Errorf("the hook was told %v", err) }}
	total, step := l.moments(t, options)
	for at := total; at > 0; at -= step {
		ctx, cancel := context.WithCancel(t.Context())
		var calls atomic.Int64
		f := &fake{call: func(string) error {
			if calls.Add(1) == at {
				cancel()
			}
			return nil
		}}
		err := l.live(t, ctx, f, options)
		if last := at == total; (err == nil) != last || !last && !errors.Is(err, context.Canceled) {
			t.Errorf("call %d of %d: %v", at, total, err)
		}
		cancel()
	}
}

// TestEveryCall checks that when any driver call of a lifetime fails, either New or a call returns
// an error or the answers are right. Either only this driver call fails, or all driver calls after
// it fail as well. In both cases all memory of the device is freed, and the device is closed. The
// driver calls that fail include the last one, which closes the device.
func TestEveryCall(t *testing.T) {
	l := newLifetime(t)
	options := Options{Memory: max(sumLimit(), setMemory), Crossover: 1}
	total, step := l.moments(t, options)
	var calls atomic.Int64
	for _, failure := range []error{errFake, driver.ErrMemory} {
		for _, once := range []bool{true, false} {
			for at := total; at > 0; at -= step {
				calls.Store(0)
				var failed atomic.Pointer[string]
				f := &fake{call: func(what string) error {
					if n := calls.Add(1); n == at || n > at && !once {
						failed.CompareAndSwap(nil, &what)
						return failure
					}
					return nil
				}}
				err := l.live(t, t.Context(), f, options)
				// A lack of memory need not lead to an error: the Engine then works without the
				// table, or leaves sums to the host.
				if what := failed.Load(); what == nil || err == nil && failure == errFake ||
					err != nil && !errors.Is(err, failure) {
					t.Errorf("call %d of %d: %v", at, total, err)
				} else if t.Failed() {
					t.Fatalf("call %d of %d, %s, once: %v, with %v", at, total, *what, once, failure)
				}
			}
		}
	}
}
