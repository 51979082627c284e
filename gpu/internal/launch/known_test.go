package launch

import (
	"maps"
	"sync/atomic"
	"testing"

	"github.com/koblitz-go/koblitz/device"
)

// TestKnown checks that New takes crossovers known from another device instead of measuring, unless
// a crossover is stated.
func TestKnown(t *testing.T) {
	known := map[device.Kind]int{device.ECDSA: 300, device.Recover: 5}
	seven := map[device.Kind]int{device.Sum: 7}
	for _, k := range kinds() {
		seven[k] = 7
	}
	for k := range equationKinds {
		seven[k] = 7
	}
	for stated, want := range map[int]map[device.Kind]int{-1: known, 7: seven} {
		var launches atomic.Int64
		f := &fake{before: func(string) { launches.Add(1) }}
		e := start(t, f, Options{Crossover: stated, Known: known})
		e.crossover[99] = 1 // must not change known
		n := launches.Load()
		with := start(t, &fake{before: func(string) { launches.Add(1) }}, Options{})
		if 2*n != launches.Load() {
			t.Errorf("%d launches, and %d with all that are stated", n, launches.Load()-n)
		}
		got := e.Crossovers()
		delete(got, 99)
		if !maps.Equal(got, want) || len(known) != 2 || with.crossover[99] != 0 {
			t.Errorf("%v, want %v", got, want)
		}
	}
}
