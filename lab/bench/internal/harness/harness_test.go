package harness

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// TestRounds checks that the peers take turns in each round, that a time is divided by the number
// of elements, that the ratio of two peers is computed from their rounds, and that a peer that
// panics in a round is left out of its operation. Each operation has a line of progress.
func TestRounds(t *testing.T) {
	const us = time.Microsecond
	var log strings.Builder
	driver := func(name string, times ...time.Duration) peer.Driver {
		return peer.Driver{Run: func(first, n int) time.Duration {
			log.WriteString(name)
			d := times[0]
			times = times[1:]
			return d
		}}
	}
	// Calibration runs each driver three times. Both drivers take 800 µs for one operation on four
	// elements; the second peer does each element separately.
	a := driver("a", 800*us, 800*us, 800*us, 400*us, 800*us, 1200*us)
	b := driver("b", 800*us, 800*us, 800*us, 800*us, 1600*us, 2400*us)
	b.Single, b.Rows = true, 4
	c := driver("c", 800*us, 800*us, 800*us, 800*us) // the next call panics
	peers := []*peer.Peer{
		{Name: "koblitz", Drivers: map[string]peer.Driver{"op-4": a}},
		{Name: "other", Drivers: map[string]peer.Driver{"op-4": b}},
		{Name: "absent", Drivers: map[string]peer.Driver{}},
		{Name: "broken", Drivers: map[string]peer.Driver{"op-4": c}},
	}
	ops := []peer.Operation{{ID: "nobody", Size: 1}, {ID: "op-4", Size: 4}}
	var progress strings.Builder
	run := Measure(Settings{Rounds: 3, Each: time.Millisecond}, peers, ops, &progress)
	if got, want := log.String(), "aaaa"+"bbbb"+"cccc"+"abc"+"ab"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if len(run.Operations) != 1 || len(run.Operations[0].Results) != 2 {
		t.Fatalf("operations %+v", run.Operations)
	}
	left := fmt.Sprint(run.LeftOut)
	if !strings.HasPrefix(left, "[broken: left out of op-4: it panicked") {
		t.Error(left)
	}
	want := "  2/2      0s  op-4\n"
	if got := progress.String(); got != want {
		t.Errorf("progress %q, want %q", got, want)
	}
	x, y := run.Operations[0].Results[0], run.Operations[0].Results[1]
	if want := []float64{1e5, 2e5, 3e5}; !slices.Equal(x.Rounds, want) || x.NS() != 2e5 {
		t.Errorf("a took %v, want %v", x.Rounds, want)
	}
	if want := []float64{8e5, 16e5, 24e5}; !slices.Equal(y.Rounds, want) {
		t.Errorf("b took %v, want %v", y.Rounds, want)
	}
	if m, low, high := y.Ratio(x); m != 8 || low != 8 || high != 8 {
		t.Errorf("ratio %v, %v to %v, want 8", m, low, high)
	}
}

// TestDoubtful checks that an operation is doubtful if koblitz' time changes by more than a tenth,
// or another peer's ratio does, but not if a peer's time changes together with koblitz'.
func TestDoubtful(t *testing.T) {
	for _, c := range []struct {
		name        string
		ours, other []float64
		want        bool
	}{
		{"quiet", []float64{100, 101, 99}, []float64{200, 203, 201}, false},
		{"just within", []float64{100, 109, 91}, []float64{200, 218, 182}, false},
		{"one round of ours is slow", []float64{100, 111, 100}, []float64{200, 222, 200}, true},
		{"one round of ours is fast", []float64{100, 89, 100}, []float64{200, 178, 200}, true},
		{"one round of the other is slow", []float64{100, 100, 100}, []float64{200, 200, 222}, true},
		{"one round of the other is fast", []float64{100, 100, 100}, []float64{200, 200, 178}, true},
	} {
		o := Operation{Results: []Result{{Peer: "koblitz", Rounds: c.ours},
			{Peer: "other", Rounds: c.other}}}
		if o.Doubtful() != c.want {
			t.Errorf("%s: %v", c.name, !c.want)
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for ns, want := range map[float64]string{
		3.456: "3.46 ns", 999: "999 ns", 1000: "1 µs", 12_740: "12.7 µs",
		1_234_560: "1.235 ms", 8e7: "80 ms",
	} {
		if got := Nanoseconds(ns); got != want {
			t.Errorf("%v: %s, want %s", ns, got, want)
		}
	}
}

// TestRatio checks that a ratio is the median of the ratios of all rounds, so that a machine that
// is slower in one round does not change it.
func TestRatio(t *testing.T) {
	base := Result{Rounds: []float64{10, 20, 10}}
	m, low, high := Result{Rounds: []float64{20, 42, 19}}.Ratio(base)
	if m != 2 || low != 1.9 || high != 2.1 {
		t.Errorf("ratio %v, %v to %v", m, low, high)
	}
	if m, _, _ := (Result{}).Ratio(base); !math.IsNaN(m) {
		t.Errorf("ratio of nothing is %v", m)
	}
}

func TestSelect(t *testing.T) {
	all, err := Select(nil, false)
	if err != nil || len(all) != len(peer.Operations()) {
		t.Fatalf("%d operations, %v", len(all), err)
	}
	quick, _ := Select(nil, true)
	if len(quick) == 0 || len(quick) >= len(all) {
		t.Errorf("%d of %d operations are quick", len(quick), len(all))
	}
	some, err := Select([]string{"ecdsa", "msm-64", "recover"}, true)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, o := range some {
		ids = append(ids, o.ID)
	}
	for _, want := range []string{"ecdsa-sign", "ecdsa-verify", "ecdsa-batch-1", "recover", "msm-64"} {
		if !slices.Contains(ids, want) {
			t.Errorf("%s is missing from %v", want, ids)
		}
	}
	for _, id := range ids {
		if id == "schnorr-sign" || id == "msm-2" || id == "recover-batch-1" {
			t.Errorf("%s was not asked for", id)
		}
	}
	for _, bad := range []string{"ecdsa-x", "e", "", "msm-3"} {
		_, err := Select([]string{"recover", bad}, false)
		if err == nil || !strings.Contains(err.Error(), "ecdsa-verify") {
			t.Errorf("%q: %v, want an error that lists the operations", bad, err)
		}
	}
}
