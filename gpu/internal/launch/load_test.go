package launch

import (
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/koblitz-go/koblitz/device"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// names returns the names of the programs that f has loaded.
func (f *fake) names() (names []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.programs {
		names = append(names, p.Name)
	}
	return names
}

// TestLoad checks that each program is loaded once, even by concurrent calls, that a program which
// no call needs is not loaded, and that a device without memory for the program of sums carries out
// other calls.
func TestLoad(t *testing.T) {
	for name, c := range map[string]struct {
		memory  int   // bytes of the device, or 0 for no limit
		failure error // of the second Load
		want    []string
		sums    bool
	}{
		"memory for sums":        {0, nil, []string{"rows", "sums"}, true},
		"no memory for sums":     {int(sumLimit()) + len(tableOfTests), nil, []string{"rows"}, false},
		"no memory for programs": {0, driver.ErrMemory, []string{"rows", "sums", "sums"}, false},
	} {
		loads := 0
		f := &fake{memory: c.memory, call: func(what string) error {
			if what == "Load" {
				if loads++; loads > 1 {
					return c.failure
				}
			}
			return nil
		}}
		e := start(t, f, Options{Memory: sumLimit()})
		if got := f.names(); !slices.Equal(got, c.want) {
			t.Errorf("%s: Open loads %q, want %q", name, got, c.want)
		}
		if e.Accepts(device.Sum, 0, 1) != c.sums || e.Accepts(device.AllSchnorr, 0, 1) != c.sums ||
			!e.Accepts(device.ECDSA, 0, 1) {
			t.Errorf("%s: accepted kinds: %v", name, e.Crossovers())
		}
	}
}

// TestLoadOnce checks that of concurrent calls the first loads the program that they need, and that
// the next call tries again if that has failed.
func TestLoadOnce(t *testing.T) {
	f := &fake{}
	e := start(t, f, Options{Memory: sumLimit()})
	s := <-e.spaces
	s.loaded = false // as if no call had needed the program
	e.spaces <- s
	f.set(func() { f.programs = f.programs[:1] })
	fails := true
	f.set(func() {
		f.call = func(what string) error {
			if what == "Load" && fails {
				fails = false
				return errFake
			}
			return nil
		}
	})
	if err := e.Run(t.Context(), hostileSums()[0].Call()); !errors.Is(err, errFake) {
		t.Errorf("error %v", err)
	}
	f.set(func() { f.programs = f.programs[:1] })
	var all sync.WaitGroup
	for _, s := range hostileSums() {
		all.Go(func() {
			answer(t, e, &s)
			e.Times()
		})
	}
	all.Wait()
	if got, want := f.names(), []string{"rows", "sums"}; !slices.Equal(got, want) {
		t.Errorf("%q are loaded, want %q", got, want)
	}
}

// TestLoadTime checks that Times.Compile holds the time of loading all programs, and no other step
// does.
func TestLoadTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const compile = 15 * time.Second
		f := &fake{call: func(what string) error {
			if what == "Load" {
				time.Sleep(compile)
			}
			return nil
		}}
		e, err := New(t.Context(), f, []byte(tableOfTests), Options{Memory: sumLimit(), Crossover: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := Times{Compile: 2 * compile}
		if got := e.Times(); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
}
