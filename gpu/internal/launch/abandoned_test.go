package launch

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// abandoned starts a call and ends its context while the device runs the given kernel. It returns
// after the call has returned. The kernel runs until the test calls resume.
func abandoned(t *testing.T, f *fake, e *Engine, c *device.Call, kernel string) (resume func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	wait := make(chan bool)
	f.set(func() {
		f.before = func(launched string) {
			if launched == kernel {
				cancel()
				<-wait
			}
		}
	})
	if err := e.Run(ctx, c); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	f.set(func() { f.before = nil })
	return func() { close(wait) }
}

// until waits until f returns true. After a minute it fails the test with the given message.
func until(t *testing.T, message string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(message)
		}
	}
}

// TestKeySetAbandoned checks that the tables of prepared keys are kept as long as the device uses
// them, even after the call has returned.
func TestKeySetAbandoned(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: max(small(), setMemory)})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	tables := e.keys.set.tables.(*fakeBuffer)
	resume := abandoned(t, f, e, s.call(device.PreparedECDSA, 16), "k_prepared_ecdsa")
	other := s.call(device.PreparedECDSA, keyRows*sampleKeys)
	other.Keys = slices.Concat(other.Keys[device.PointSize:])
	launches := f.launches()
	carryOut(t, e, other)
	if got := launches(); got["k_ecdsa"] == 0 || got["k_prepared_ecdsa"] != 0 {
		t.Errorf("launches %v", got)
	}
	f.mu.Lock()
	if tables.data == nil {
		t.Error("the tables are freed while the device works with them")
		tables.data = make([]byte, len(s.set)) // so that the kernel can still read the tables
	}
	f.mu.Unlock()
	resume()
	until(t, "the tables stay in use", func() bool { return e.keys.users.Load() == 0 })
	carryOut(t, e, other)
	if got := launches(); got["k_prepared_ecdsa"] == 0 {
		t.Errorf("launches %v", got)
	}
}

// TestKeySetNotMade checks that if a call ends while the device makes the tables of its keys, the
// memory of the tables is freed once the device is done with it, and that no other tables are made
// until then.
func TestKeySetNotMade(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: max(small(), setMemory)})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	e.keys.least = 0
	var before int
	for i := range 3 {
		c := s.call(device.PreparedECDSA, 16)
		c.Keys = slices.Concat(c.Keys[(i+1)*device.PointSize:])
		resume := abandoned(t, f, e, c, "k_keys")
		launches := f.launches()
		carryOut(t, e, c)
		if got := launches(); got["k_keys"] != 0 {
			t.Errorf("there are more tables than there is memory for: launches %v", got)
		}
		resume()
		until(t, "slots are missing", func() bool { return len(e.free) == e.slots })
		f.set(func() {
			if i == 0 {
				before = f.buffers
			} else if f.buffers != before {
				t.Errorf("%d buffers, and %d after the first call", f.buffers, before)
			}
		})
	}
}

// TestKeySetClosed checks that Close waits for a call that replaces the tables of prepared keys,
// even though that call holds no slot.
func TestKeySetClosed(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: max(small(), setMemory)})
	if err := e.enter(t.Context()); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- e.Close() }()
	until(t, "slots are there", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.open == 0
	})
	time.Sleep(10 * time.Millisecond) // time in which a faulty Close would return too early
	e.freeKeys()
	b, err := f.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	e.keys.set = &keySet{tables: b}
	e.leave()
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// TestHangAfterCalls checks that a device that hangs is lost even if all calls that waited for it
// have ended, and that the next call then returns instead of waiting for a slot forever.
func TestHangAfterCalls(t *testing.T) {
	for _, c := range []struct {
		call   func(*sample) *device.Call
		kernel string
	}{
		{func(s *sample) *device.Call { return s.call(device.ECDSA, driver.Group) }, "k_ecdsa"},
		{func(s *sample) *device.Call { return s.call(device.AllSchnorr, 16) }, "k_equation_schnorr"},
	} {
		f := &fake{}
		told := make(chan error, 1)
		e := start(t, f, Options{Memory: small(), Hook: func(err error) { told <- err }})
		s, err := newSample(16)
		if err != nil {
			t.Fatal(err)
		}
		e.timeout = 500 * time.Millisecond // enough for the launches before the one that hangs
		resume := abandoned(t, f, e, c.call(s), c.kernel)
		select {
		case err := <-told:
			if !errors.Is(err, ErrLost) || !errors.Is(err, ErrTimeout) {
				t.Error(err)
			}
		case <-time.After(time.Minute):
			t.Error(c.kernel, "the device is not lost")
		}
		if e.Accepts(device.ECDSA, 0, 1) {
			t.Error("a call pays")
		}
		resume()
		slots := make([]*slot, cap(e.free))
		for i := range slots {
			slots[i] = <-e.free // the slot's goroutine no longer reads the time limit
		}
		e.timeout = time.Minute // so that Close does not give up too early
		for _, s := range slots {
			e.free <- s
		}
	}
}
