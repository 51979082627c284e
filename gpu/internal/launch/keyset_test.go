package launch

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/cpu"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// setMemory is the memory limit with which tables of the sample's keys just fit, if their windows
// have the smallest size.
var setMemory = keyShare * (sampleKeys + 1) * kernels.CombSize(kernels.CombLeast)

// launches makes f count the launches of each kernel. It returns a function that returns the counts
// so far.
func (f *fake) launches() func() map[string]int {
	count := map[string]int{}
	f.set(func() {
		f.before = func(kernel string) { f.set(func() { count[kernel]++ }) }
	})
	return func() map[string]int {
		f.mu.Lock()
		defer f.mu.Unlock()
		was := count
		count = map[string]int{}
		return was
	}
}

// carryOut runs a call on e, and fails the test if the answer is not the host's.
func carryOut(t *testing.T, e *Engine, c *device.Call) {
	t.Helper()
	want := *c
	want.Verdicts = make([]device.Verdict, c.Rows)
	if err := cpu.Do(t.Context(), &want, nil); err != nil {
		t.Fatal(err)
	}
	c.Verdicts = make([]device.Verdict, c.Rows)
	if err := e.Run(t.Context(), c); err != nil {
		t.Error(err)
	}
	if !slices.Equal(c.Verdicts, want.Verdicts) {
		t.Error("other verdicts")
	}
}

// TestKeySets checks that the tables of a set of keys are made once, after enough rows have used
// the set. They must be kept for later calls with the set, until the tables of another set replace
// them.
func TestKeySets(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: setMemory})
	launches := f.launches()
	s, err := newSample(answerRows)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.spoil(); err != nil {
		t.Fatal(err)
	}
	other := *s
	other.set = slices.Concat(s.set[64:128], s.set[64:])
	const enough = keyRows * (sampleKeys + 1)
	for i, c := range []struct {
		s            *sample
		kind         device.Kind
		rows         int
		kernel       string
		tables, made int
	}{
		// New checks known answers with this set of keys, so it has already made the set's tables.
		{s, device.PreparedECDSA, 10, "k_prepared_ecdsa", 1, 0},
		{s, device.PreparedSchnorr, 10, "k_prepared_schnorr", 1, 0},
		{&other, device.PreparedECDSA, enough - 1, "k_ecdsa", 0, 0},
		{&other, device.PreparedSchnorr, 1, "k_prepared_schnorr", 1, 1},
		{&other, device.PreparedECDSA, 1, "k_prepared_ecdsa", 1, 0},
		{s, device.PreparedSchnorr, enough - 1, "k_schnorr", 0, 0},
		{s, device.PreparedSchnorr, enough, "k_prepared_schnorr", 1, 1},
	} {
		call := c.s.call(c.kind, c.rows)
		carryOut(t, e, call)
		got := launches()
		if got[c.kernel] == 0 || got["k_keys"] != c.made {
			t.Errorf("call %d: launches %v", i, got)
		}
		if (e.keys.set != nil) != (c.tables == 1) || e.keys.users.Load() != 0 {
			t.Errorf("call %d: tables %v, used by %d", i, e.keys.set, e.keys.users.Load())
		}
	}
}

// TestKeySetInUse checks that while calls use the tables of their keys, a call with other keys runs
// without tables, and is not counted as a user of the tables in use.
func TestKeySetInUse(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: setMemory})
	s, err := newSample(16)
	if err != nil {
		t.Fatal(err)
	}
	c := s.call(device.PreparedECDSA, 16)
	set, err := e.useKeys(t.Context(), c)
	if set == nil || err != nil {
		t.Fatal(set, err)
	}
	other := *c
	other.Keys, other.Rows = c.Keys[device.PointSize:], 1<<20
	for range 2 {
		if got, err := e.useKeys(t.Context(), &other); got != nil || err != nil {
			t.Error(got, err)
		}
	}
	e.dropKeys(set)
	if set, err = e.useKeys(t.Context(), &other); set == nil || err != nil {
		t.Fatal(set, err)
	}
	e.dropKeys(set)
}

// TestKeySetShared checks that concurrent calls with different sets have the host's verdicts.
func TestKeySetShared(t *testing.T) {
	e := start(t, &fake{}, Options{Memory: setMemory})
	e.keys.least = 0
	s, err := newSample(answerRows)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			c := s.call(device.PreparedECDSA, answerRows)
			c.Keys = slices.Concat(c.Keys[i%3*device.PointSize:], c.Keys[:device.PointSize])
			for range 4 {
				carryOut(t, e, c)
			}
		})
	}
	for range 8 { // slots of calls that were cancelled do this
		all.Go(func() { e.freeLater(errFake) })
	}
	all.Wait()
	if users := e.keys.users.Load(); users != 0 {
		t.Errorf("%d calls use tables", users)
	}
}

// TestKeySetMemory checks that calls run without tables if there is no memory for them, and that
// Options.Hook is not called for that.
func TestKeySetMemory(t *testing.T) {
	for _, call := range []string{"keys", "tables", "launch", "wait"} {
		f := &fake{}
		e := start(t, f, Options{Memory: setMemory, Hook: func(err error) { t.Error(call, err) }})
		s, err := newSample(16)
		if err != nil {
			t.Fatal(err)
		}
		c := s.call(device.PreparedECDSA, 16)
		c.Keys = c.Keys[:8*device.PointSize]
		e.keys.least = 0
		f.set(func() {
			switch call {
			case "keys":
				f.memory = 1
			case "tables":
				f.memory = f.used - len(e.keys.set.tables.(*fakeBuffer).data) + len(c.Keys)
			}
			f.call = func(what string) error {
				if what == call {
					f.call = nil
					return fmt.Errorf("once: %w", driver.ErrMemory)
				}
				return nil
			}
		})
		launches := f.launches()
		carryOut(t, e, c)
		if got := launches(); got["k_ecdsa"] != 1 {
			t.Errorf("%s: launches %v", call, got)
		}
	}
}

// TestKeySetFaults checks that Run returns the error of a driver function that fails while tables
// are made, and that the next call makes the tables.
func TestKeySetFaults(t *testing.T) {
	for _, call := range []string{"write", "launch", "wait"} {
		f := &fake{}
		var told []error
		e := start(t, f, Options{Memory: setMemory, Hook: func(err error) { told = append(told, err) }})
		s, err := newSample(16)
		if err != nil {
			t.Fatal(err)
		}
		c := s.call(device.PreparedECDSA, 16)
		c.Keys = c.Keys[:8*device.PointSize]
		e.keys.least = 0
		f.set(func() {
			f.call = func(what string) error {
				if what == call {
					f.call = nil
					return errFake
				}
				return nil
			}
		})
		if err := e.Run(t.Context(), c); !errors.Is(err, errFake) || len(told) != 1 {
			t.Errorf("%s: %v, told %v", call, err, told)
		}
		until(t, "slots are missing", func() bool { return len(e.free) == e.slots })
		carryOut(t, e, c)
		if e.keys.set == nil {
			t.Errorf("%s: there are no tables", call)
		}
	}
}

// TestKeyBits checks that keyBits returns the largest window size for which the memory is enough.
func TestKeyBits(t *testing.T) {
	for _, count := range []int{1, 2, 100, 1 << 20} {
		for bits := kernels.CombLeast; bits <= kernels.KeyMost; bits++ {
			size := kernels.CombSize(bits) * int64(count)
			if got := keyBits(count, size); got != bits {
				t.Errorf("%d keys: %d bits, want %d", count, got, bits)
			}
			want := bits - 1
			if bits == kernels.CombLeast {
				want = 0
			}
			if got := keyBits(count, size-1); got != want {
				t.Errorf("%d keys: %d bits, want %d", count, got, want)
			}
		}
	}
	if got := keyBits(0, 1<<40); got != 0 {
		t.Errorf("no keys: %d bits", got)
	}
}
