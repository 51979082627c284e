package engine

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

// A lifetime is a device that is opened, carries out a call of every kind, and is closed.
type lifetime struct{ calls, want []*device.Call }

// newLifetime returns the calls of a lifetime, of two launches and more, and what comes of them.
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

// live has an Engine of f live through l. It returns the errors that there were, and tests that
// there are no other verdicts and results than those of the host, and that all is given back.
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
				t.Errorf("kind %d: other verdicts or results", c.Kind)
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

// moments returns how many calls of the driver a lifetime has, and how many of them there are from
// one that a test tries to the next.
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

// TestEveryMoment: whenever a context ends in the life of a device, while a kernel runs or between
// two calls of the driver, New returns its error or a call does. What is done is right, all is
// given back, and the hook is told of nothing.
func TestEveryMoment(t *testing.T) {
	l := newLifetime(t)
	options := Options{Memory: max(room(), setMemory), Crossover: 1,
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

// TestEveryCall: whatever call of the driver fails in the life of a device, from the first one to
// that which closes it, once or from there on, there is an error or a result that is right. All is
// given back, and the device is closed.
func TestEveryCall(t *testing.T) {
	l := newLifetime(t)
	options := Options{Memory: max(room(), setMemory), Crossover: 1}
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
				// A device that has too little memory for something does without.
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
