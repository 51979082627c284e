package launch

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// TestFaults checks every driver call of a call of each class, among them those that make tables of
// keys and load a program: if it fails, Run returns the error, Options.Hook is called with it, and
// the next call is right. A lack of memory may also lead to a right answer. Nothing leaks.
func TestFaults(t *testing.T) {
	for _, q := range questions(t, 2100) {
		for _, failure := range []error{errFake, driver.ErrMemory} {
			f := &fake{}
			var told []error
			e := start(t, f, Options{Memory: setMemory,
				Hook: func(err error) { told = append(told, err) }})
			again := func() {
				e.idle(t)
				e.forget()
				if err := q.by(t.Context(), e); err != nil {
					t.Error(err)
				}
			}
			again()
			buffers := f.buffers
			for k, failed := int64(1), true; failed; k++ {
				told = nil
				e.forget()
				fails := f.failAt(k, failure)
				c := q.fresh()
				err := e.Run(t.Context(), c)
				failed = fails()
				switch {
				case err == nil:
					if err = q.check(c); failed && failure == errFake {
						err = errors.New("no error")
					}
				case failed && errors.Is(err, failure) && len(told) == 1 && errors.Is(told[0], failure) &&
					(len(c.Verdicts) > 1 || untouched(c)):
					err = nil
				}
				if err != nil {
					t.Errorf("kind %d, driver call %d, %v: %v, told %v", q.call.Kind, k, failure, err, told)
				}
				f.set(func() { f.call = nil })
				e.idle(t)
				if err := q.by(t.Context(), e); err != nil {
					t.Errorf("kind %d, driver call %d, %v: the next call: %v", q.call.Kind, k, failure, err)
				}
				again()
				if f.buffers != buffers || errors.Is(errors.Join(told...), ErrLost) {
					t.Fatalf("kind %d, driver call %d, %v: %d buffers of %d are left, told %v", q.call.Kind, k,
						failure, f.buffers, buffers, told)
				}
			}
		}
	}
}

// TestLost checks that a device gets no more calls after one error which says that it is lost, or
// after three calls in succession that failed, and that other failures do not count.
func TestLost(t *testing.T) {
	q := newQuestion(t, device.ECDSA, 2*driver.Group, true)
	for _, what := range []string{"write", "launch", "read", "wait", "three"} {
		f := &fake{}
		var told []error
		e := start(t, f, Options{Memory: small(), Hook: func(err error) { told = append(told, err) }})
		failure := driver.ErrLost
		if what == "three" {
			failure = errFake
			for round := range 3 * maxFaults { // two failures in succession
				f.set(func() { f.err = nil })
				if round%maxFaults != 0 {
					f.set(func() { f.err = errFake })
				}
				if err := q.by(t.Context(), e); (err == nil) != (round%maxFaults == 0) {
					t.Error(err)
				}
			}
			if errors.Is(errors.Join(told...), ErrLost) || !e.Accepts(device.ECDSA, 0, 1) {
				t.Fatal("the device is lost too early", told)
			}
		}
		told = nil
		f.set(func() {
			f.call = func(called string) error {
				if called == what {
					return driver.ErrLost
				}
				return nil
			}
		})
		if err := q.by(t.Context(), e); !errors.Is(err, failure) {
			t.Errorf("%s: %v", what, err)
		}
		if len(told) != 1 || !errors.Is(told[0], ErrLost) || !errors.Is(told[0], failure) ||
			e.Accepts(device.ECDSA, 0, 1) {
			t.Errorf("%s: the hook was told %v", what, told)
		}
		if err := q.by(t.Context(), e); !errors.Is(err, ErrLost) || len(told) != 1 {
			t.Errorf("%s: the next call: %v, told %v", what, err, told)
		}
		f.set(func() { f.call = nil })
	}
}

// TestDeaf checks that a device is lost if waiting for it fails again and again: its launches may
// run on, and would spoil sums of later calls. So it is if the context of the call has ended.
func TestDeaf(t *testing.T) {
	for _, q := range questions(t, 20*driver.Group) {
		for _, want := range []error{errFake, context.Canceled} {
			c := startTeam(t, 1, short())
			f, e := c.fakes[0], c.members[0]
			ctx, cancel := context.WithCancel(t.Context())
			release := blocker(c.fakes, "", func() {})
			f.set(func() {
				f.call = func(what string) error {
					if what == "launch" {
						f.set(func() { f.deaf = true })
						if want == context.Canceled {
							cancel()
						}
					}
					return nil
				}
			})
			call := q.fresh()
			if err := e.Run(ctx, call); !errors.Is(err, want) || !untouched(call) {
				t.Errorf("kind %d: %v", call.Kind, err)
			}
			cancel()
			e.idle(t)
			err := q.by(t.Context(), e)
			release()
			c.mu.Lock()
			if !errors.Is(err, ErrLost) || !errors.Is(errors.Join(c.told[0]...), ErrLost) {
				t.Errorf("kind %d: the next call: %v, the hook was told %v", call.Kind, err, c.told[0])
			}
			c.mu.Unlock()
		}
	}
}

// A blocker makes kernels of fakes wait. The function release lets them continue.
func blocker(fakes []*fake, only string, begun func()) (release func()) {
	wait := make(chan bool)
	for _, f := range fakes {
		f.set(func() {
			f.before = func(kernel string) {
				if only == "" || kernel == only {
					begun()
					<-wait
				}
			}
		})
	}
	return func() {
		for _, f := range fakes {
			f.set(func() { f.before = nil })
		}
		close(wait)
	}
}

// TestCancel checks that a call whose context ends while kernels run returns at once, that nothing
// is written to it afterwards, and that this is no fault of the device. The next call is right.
func TestCancel(t *testing.T) {
	for i, q := range questions(t, 20*driver.Group) {
		for members := 1; members <= 2; members++ {
			c := startTeam(t, members, short())
			ctx, cancel := context.WithCancel(t.Context())
			release := blocker(c.fakes, []string{"", "", "k_sum_add", ""}[i], cancel)
			call := q.fresh()
			for range 2 {
				if err := c.Run(ctx, call); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
			release()
			for _, e := range c.members {
				e.idle(t)
			}
			if !untouched(call) {
				t.Errorf("kind %d: something was written after the call", call.Kind)
			}
			if err := q.by(t.Context(), c); err != nil || c.told[0] != nil || c.told[members-1] != nil {
				t.Errorf("kind %d: the next call: %v, told %v", call.Kind, err, c.told)
			}
		}
	}
}

// A forgetful context says that it has not ended, although it has. Package context forbids that.
type forgetful struct{ context.Context }

func (forgetful) Err() error { return nil }

// TestForgetful checks that a call returns an error if a forgetful context ends before the call or
// while it waits for the device, which carries out no row: no verdict is then Valid, and no sum
// comes without an error.
func TestForgetful(t *testing.T) {
	for _, q := range questions(t, 20*driver.Group) {
		for members := 1; members <= 2; members++ {
			c := startTeam(t, members, short())
			var engine device.Engine = c.Team
			if members == 1 {
				engine = c.members[0]
			}
			for _, e := range c.members { // a call finds all slots in use
				s := <-e.spaces
				defer func() { e.spaces <- s }()
				for range e.slots {
					s := <-e.free
					defer func() { e.free <- s }()
				}
			}
			for _, before := range []bool{false, true} {
				ctx, cancel := context.WithCancel(t.Context())
				if before {
					cancel()
				} else {
					time.AfterFunc(10*time.Millisecond, cancel)
				}
				call := q.fresh()
				if err := engine.Run(forgetful{ctx}, call); err == nil || !untouched(call) {
					t.Errorf("kind %d: verdict %v, %v", call.Kind, call.Verdicts[0], err)
				}
			}
		}
	}
}

// TestHang checks that a device that hangs is given up: the calls that wait for it return, or the
// other member of a Team answers them, the hook is called once, and later calls fail at once. So it
// is if the context of the only call ends before the device is found to hang.
func TestHang(t *testing.T) {
	for _, q := range questions(t, 20*driver.Group) {
		for _, how := range []string{"alone", "cancelled", "team"} {
			synctest.Test(t, func(t *testing.T) {
				c := startTeam(t, map[string]int{"alone": 1, "cancelled": 1, "team": 2}[how], short())
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				hangs := sync.OnceFunc(func() {
					if how == "cancelled" {
						cancel()
					}
				})
				release := blocker(c.fakes[:1], "", hangs)
				if how == "team" {
					c.fakes[1].before = func(string) { time.Sleep(time.Second) } // not done too soon
				}
				var all sync.WaitGroup
				for range map[string]int{"alone": 6, "cancelled": 1, "team": 1}[how] {
					all.Go(func() {
						call := q.fresh()
						switch err := c.Run(ctx, call); {
						case how == "alone" && errors.Is(err, ErrTimeout):
						case how == "cancelled" && errors.Is(err, context.Canceled):
						case how == "team" && errors.Join(err, q.check(call)) == nil:
						default:
							t.Errorf("kind %d, %s: %v", call.Kind, how, err)
						}
					})
				}
				all.Wait()
				time.Sleep(2 * patience)
				c.mu.Lock()
				told := c.told[0]
				c.mu.Unlock()
				if len(told) < 1 || !errors.Is(told[0], ErrLost) || !errors.Is(told[0], ErrTimeout) ||
					how != "alone" && len(told) > 1 || how == "team" && c.told[1] != nil {
					t.Errorf("kind %d, %s: the hooks were told %v", q.call.Kind, how, c.told)
				}
				err := q.by(t.Context(), c)
				if (err == nil) != (how == "team") || err != nil && !errors.Is(err, ErrLost) ||
					c.Accepts(q.call.Kind, 0, 1<<20) != (how == "team") || len(c.told[0]) > len(told) {
					t.Errorf("kind %d, %s: the next call: %v, told %v", q.call.Kind, how, err, c.told)
				}
				release()
			})
		}
	}
}

// TestCloseHanging checks that Close returns an error if the device hangs.
func TestCloseHanging(t *testing.T) {
	f := &fake{}
	e, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: small(), Crossover: 1,
		Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	e.timeout = 20 * time.Millisecond
	release := blocker([]*fake{f}, "", func() {})
	if err := newQuestion(t, device.ECDSA, 1, false).by(t.Context(), e); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	if err := e.Close(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	release()
}

// An ending is a context that ends when its Engine stops taking calls.
type ending struct {
	context.Context
	e *Engine
}

func (c ending) Err() error {
	if c.e.stopped() != nil {
		return context.Canceled
	}
	return nil
}

// TestTimeoutAndCancel checks that an Engine calls Options.Hook with ErrTimeout for a device that
// hangs, even if the context of Run ends while the device hangs.
func TestTimeoutAndCancel(t *testing.T) {
	q := newQuestion(t, device.PublicKeys, 1, false)
	synctest.Test(t, func(t *testing.T) {
		c := startTeam(t, 1, small())
		release := blocker(c.fakes, "", func() {})
		_ = q.by(ending{context.Background(), c.members[0]}, c.members[0])
		if told := c.told[0]; len(told) != 1 || !errors.Is(told[0], ErrTimeout) {
			t.Errorf("the hook was told %v", told)
		}
		release()
	})
}

// TestClose checks that Close waits for a call under way, even if the call takes longer than the
// time limit of a launch, while later calls fail.
func TestClose(t *testing.T) {
	q := newQuestion(t, device.PublicKeys, 10*driver.Group, true)
	synctest.Test(t, func(t *testing.T) {
		c := startTeam(t, 1, small())
		e, f := c.members[0], c.fakes[0]
		f.set(func() { f.before = func(string) { time.Sleep(e.timeout * 3 / 4) } })
		done, closed := make(chan error, 1), make(chan error, 1)
		go func() { done <- q.by(t.Context(), e) }()
		synctest.Wait() // the call has its slots
		go func() { closed <- c.Close() }()
		<-e.stop
		if err := q.by(t.Context(), e); !errors.Is(err, ErrClosed) || e.Accepts(device.ECDSA, 0, 1000) {
			t.Error(err)
		}
		if err := errors.Join(<-done, <-closed); err != nil {
			t.Error(err)
		}
		if err := c.Close(); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
		if err := q.by(t.Context(), c); !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	})
}

// TestHook checks that the function Options.Hook may call the Engine, close it, or panic. The
// Engine holds no lock while this function runs.
func TestHook(t *testing.T) {
	q := newQuestion(t, device.PublicKeys, 5*driver.Group, true)
	for what, want := range map[string]error{"a call": nil, "Close": ErrClosed, "a panic": nil} {
		f := &fake{}
		var e *Engine
		e = start(t, f, Options{Memory: small(), Hook: func(error) {
			f.set(func() { f.err = nil })
			var err error
			switch what {
			case "a call":
				err = q.by(t.Context(), e)
			case "Close":
				err = e.Close()
			case "a panic":
				panic(errFake)
			}
			if err != nil {
				t.Error(err)
			}
		}})
		f.set(func() { f.err = errFake })
		func() {
			defer func() {
				if r := recover(); (r != nil) != (what == "a panic") {
					t.Errorf("%s: panic %v", what, r)
				}
			}()
			if err := q.by(t.Context(), e); !errors.Is(err, errFake) {
				t.Errorf("%s: %v", what, err)
			}
		}()
		if err := q.by(t.Context(), e); !errors.Is(err, want) {
			t.Errorf("%s: %v in the next call", what, err)
		}
	}
}

// TestEveryMoment checks each driver call of New and Close. If one of them fails, or all from one
// on, or if the context ends there, then New or Close returns this error, and all memory of the
// device is freed. The hook is not called because a context ends. Without KOBLITZ_DEEP it tries
// some of the moments.
func TestEveryMoment(t *testing.T) {
	live := func(ctx context.Context, f *fake, hook func(error)) error {
		e, err := New(ctx, f, nil, Options{Memory: setMemory, Crossover: 1, TableBits: testBits,
			Hook: hook, Timeout: patience})
		if err == nil {
			err = e.Close()
		}
		f.leaks(t)
		return err
	}
	var count atomic.Int64
	f := &fake{call: func(string) error { count.Add(1); return nil }}
	if err := live(t.Context(), f, nil); err != nil {
		t.Fatal(err)
	}
	total, lives := count.Load(), int64(4)
	if deep() {
		lives = 40
	}
	for _, failure := range []error{errFake, driver.ErrMemory, context.Canceled} {
		for _, once := range []bool{true, false} {
			for at := total; at > 0; at -= total / lives {
				ctx, cancel := context.WithCancel(t.Context())
				var told, n, failed atomic.Int64
				f := &fake{}
				f.call = func(string) error {
					if i := n.Add(1); i < at || once && i > at {
						return nil
					}
					failed.Add(1)
					if failure == context.Canceled {
						cancel()
						return nil
					}
					return failure
				}
				err := live(ctx, f, func(error) { told.Add(1) })
				cancel()
				// The last call closes the device. Without memory, sums are left to the host.
				none := failure == driver.ErrMemory || failure == context.Canceled && at == total
				if failed.Load() == 0 || err == nil && !none || err != nil && !errors.Is(err, failure) ||
					failure == context.Canceled && told.Load() > 0 {
					t.Fatalf("call %d of %d, once: %v, %v: %v, told %d", at, total, once, failure, err,
						told.Load())
				}
			}
		}
	}
}

// TestStorm runs calls of all classes from several goroutines on a Team, while contexts end at
// random, driver calls fail at random, and Close is called in the middle. It checks that a call
// without an error has the host's answer, that nothing is written to a call after it has returned
// because its context ended, and that everything is freed.
func TestStorm(t *testing.T) {
	calls := questions(t, 5*driver.Group)
	rounds := 2
	if deep() {
		rounds = 8
	}
	for round := range rounds {
		c := startTeam(t, 1+round%3, short())
		for _, f := range c.fakes {
			f.set(func() {
				f.call = func(what string) error {
					if what != "Close" && rand.IntN(200) == 0 {
						return errFake
					}
					return nil
				}
			})
		}
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				for range 4 {
					storm(t, c.Team, calls[rand.IntN(len(calls))])
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for _, f := range c.fakes {
			f.leaks(t)
		}
		all.Wait()
	}
}

// storm carries out a call with a context that may end at a random time.
func storm(t *testing.T, e device.Engine, q *question) {
	c := q.fresh()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if rand.IntN(3) > 0 {
		defer time.AfterFunc(time.Duration(rand.IntN(20))*time.Millisecond, cancel).Stop()
	}
	err := e.Run(ctx, c)
	before := question{c, &device.Call{}}
	*before.want = *c
	before.want.Verdicts = append([]device.Verdict(nil), c.Verdicts...)
	before.want.Results = append([]byte(nil), c.Results...)
	switch {
	case err == nil:
		if err := q.check(c); err != nil {
			t.Error(err)
		}
	case errors.Is(err, errFake), errors.Is(err, ErrLost), errors.Is(err, ErrClosed):
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
	default:
		t.Errorf("kind %d: %v", c.Kind, err)
	}
	time.Sleep(time.Millisecond)
	if before.check(c) != nil {
		t.Errorf("kind %d: something was written after the call", c.Kind)
	}
}
