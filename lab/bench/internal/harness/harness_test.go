package harness

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A script is a simulated machine with peers. The test sets the readings of its clock and the
// durations of its operations.
type script struct {
	clock []float64 // GHz, one for each reading
	adds  []float64 // additions per cycle, one for each reading; 5 after the last
	log   []string
	lost  int // involuntary context switches so far
	loses int // context switches added by each run of a driver
	time  time.Time
}

func (s *script) environment() environment {
	return environment{
		core: func() (ghz, adds float64) {
			ghz, adds = s.clock[0], 5
			s.clock = s.clock[1:]
			if len(s.adds) > 0 {
				adds, s.adds = s.adds[0], s.adds[1:]
			}
			return ghz, adds
		},
		switches: func() int { return s.lost },
		now:      func() time.Time { return s.time },
	}
}

// driver returns a simulated driver. Its runs take the given times, one after another.
func (s *script) driver(name string, times ...time.Duration) peer.Driver {
	return peer.Driver{Outside: true, Run: func(first, n int) time.Duration {
		s.log = append(s.log, name)
		t := times[0]
		times = times[1:]
		s.lost += s.loses
		s.time = s.time.Add(t)
		return t
	}}
}

// TestRepeated checks that a round is repeated if the clock changed by more than 4 %, or if the
// core does less than 97 % of its best rate of additions before or after the round, until the
// operation has been repeated as often as it has rounds. If such rounds were kept, the operation is
// doubtful.
func TestRepeated(t *testing.T) {
	for _, c := range []struct {
		name        string
		clock, adds []float64 // readings before and after each try; 4 GHz and 5 if nil
		rounds      []float64 // which tries are kept
		repeated    int
		drift       float64 // largest drift in a kept round
		low, best   float64 // lowest rate of additions around a kept round, and the best of the run
		doubtful    bool
	}{
		{"quiet", nil, nil, []float64{1, 2, 3}, 0, 0, 5, 5, false},
		{"the clock is just within", []float64{4, 4.125, 4, 3.875, 4, 4}, nil, []float64{1, 2, 3},
			0, 0.03125, 5, 5, false},
		{"faster, then steady", []float64{4, 4.2, 4, 4, 4, 4, 4, 4}, nil, []float64{2, 3, 4},
			1, 0, 5, 5, false},
		{"slower, then steady", []float64{4, 4, 4, 3.5, 4, 4, 4, 4}, nil, []float64{1, 3, 4},
			1, 0, 5, 5, false},
		{"never steady", slices.Repeat([]float64{4, 3}, 6), nil, []float64{4, 5, 6},
			3, 0.25, 5, 0, true},
		{"additions just within", nil, []float64{5, 5, 4.86, 5, 5, 4.86}, []float64{1, 2, 3},
			0, 0, 4.86, 5, false},
		{"shared before", nil, []float64{5, 5, 3, 5, 5, 5, 5, 5}, []float64{1, 3, 4},
			1, 0, 5, 5, false},
		{"shared after", nil, []float64{5, 5, 5, 4.84, 5, 5, 5, 5}, []float64{1, 3, 4},
			1, 0, 5, 5, false},
		{"shared until the bound", nil, []float64{5, 5, 3, 3, 3, 3, 3, 3, 3, 3, 3.5, 3},
			[]float64{1, 5, 6}, 3, 0, 3, 5, true},
		{"shared at first", nil, []float64{3, 3, 5, 5, 5, 5}, []float64{1, 2, 3}, 0, 0, 3, 5, true},
		{"always", nil, []float64{3, 3, 3, 3, 3, 3}, []float64{1, 2, 3}, 0, 0, 3, 3, false},
		{"one reading too high", nil, []float64{5, 5, 5, 9, 5, 5}, []float64{1, 2, 3},
			0, 0, 5, 5, false},
		{"too high while the clock drifts", []float64{4, 3, 4, 3, 4, 3, 4, 4, 4, 4, 4, 4},
			[]float64{9, 9, 9, 9, 9, 9, 5, 5, 5, 5, 5, 5}, []float64{4, 5, 6}, 3, 0, 5, 5, false},
	} {
		n := 2 * (3 + c.repeated)
		s := &script{adds: slices.Clone(c.adds), clock: slices.Clone(c.clock)}
		if c.clock == nil {
			s.clock = slices.Repeat([]float64{4}, n)
		}
		seen := slices.Clone(s.clock)
		const us = time.Microsecond
		// Calibration runs the driver three times, and the tries take 1, 2, 3 … ms.
		times := []time.Duration{800 * us, 800 * us, 800 * us}
		for i := range n / 2 {
			times = append(times, time.Duration(i+1)*time.Millisecond)
		}
		p := &peer.Peer{Name: "a", Drivers: map[string]peer.Driver{"x": s.driver("a", times...)}}
		run := &Run{Settings: Settings{Rounds: 3, Each: time.Millisecond}}
		run.Machine.GHzLow, run.Machine.GHzHigh = 4, 4
		run.measure([]*peer.Peer{p}, []peer.Operation{{ID: "x", Size: 1}}, io.Discard, s.environment())
		o := run.Operations[0]
		want := slices.Clone(c.rounds)
		for i := range want {
			want[i] *= 1e6
		}
		if got := o.Results[0].Rounds; !slices.Equal(got, want) || len(s.clock) != 0 {
			t.Errorf("%s: rounds %v, want %v; %d readings left", c.name, got, want, len(s.clock))
		}
		if d := o.Disturbance; d.Repeated != c.repeated || d.Drift != c.drift || d.Adds != c.low ||
			run.Machine.Adds != c.best {
			t.Errorf("%s: %+v, best %v", c.name, d, run.Machine.Adds)
		}
		if m := run.Machine; m.GHzLow != slices.Min(seen) || m.GHzHigh != slices.Max(seen) {
			t.Errorf("%s: saw %v to %v GHz", c.name, m.GHzLow, m.GHzHigh)
		}
		if got := run.Doubtful(o); got != c.doubtful {
			t.Errorf("%s: doubtful %v", c.name, got)
		}
		if got := run.Quiet(); got != (c.repeated == 0 && !c.doubtful) {
			t.Errorf("%s: quiet %v", c.name, got)
		}
		report := fmt.Sprintf("shared the core: %d. In the rounds that were kept, the clock changed by "+
			"at most %.1f %%, and the core did at least %.2f independent additions a cycle, where %.2f",
			c.repeated, 100*c.drift, min(c.low, c.best), c.best)
		if got := run.Notice(); !strings.Contains(got, report) {
			t.Errorf("%s: no %q in: %s", c.name, report, got)
		}
	}
}

// TestRounds checks that the peers take turns in each round, that a time is divided by the number
// of elements, and that the ratio of two peers is computed from their rounds.
func TestRounds(t *testing.T) {
	const us = time.Microsecond
	s := &script{clock: []float64{4, 4, 4, 4, 4, 4}}
	// Calibration runs each driver three times. Both drivers take 800 µs for one operation on four
	// elements; the second peer does each element separately.
	a := s.driver("a", 800*us, 800*us, 800*us, 400*us, 800*us, 1200*us)
	b := s.driver("b", 800*us, 800*us, 800*us, 800*us, 1600*us, 2400*us)
	b.Single, b.Rows = true, 4
	peers := []*peer.Peer{
		{Name: "koblitz", Drivers: map[string]peer.Driver{"op-4": a}},
		{Name: "other", Drivers: map[string]peer.Driver{"op-4": b}},
		{Name: "absent", Drivers: map[string]peer.Driver{}},
	}
	run := &Run{Settings: Settings{Rounds: 3, Each: time.Millisecond}}
	ops := []peer.Operation{
		{ID: "op-4", Size: 4}, {ID: "nobody", Size: 1},
	}
	run.measure(peers, ops, io.Discard, s.environment())
	if got, want := strings.Join(s.log, ""), "aaabbb"+"ababab"; got != want {
		t.Errorf("order %s, want %s", got, want)
	}
	if len(run.Operations) != 1 || len(run.Operations[0].Results) != 2 {
		t.Fatalf("operations %+v", run.Operations)
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

var kept []byte

// TestAllocations checks that an entry reports the number and the bytes of allocations per element,
// for a driver in this process and for one in another process.
func TestAllocations(t *testing.T) {
	here := entry{
		peer: &peer.Peer{}, op: peer.Operation{Size: 2},
		driver: peer.Driver{
			Do: func(int) { kept = make([]byte, 64); kept = make([]byte, 32) },
		},
	}
	if a, b := here.allocations(); a != 1 || b != 48 {
		t.Errorf("%v allocations of %v bytes an element, want 1 of 48", a, b)
	}
	there := entry{
		peer: &peer.Peer{}, op: peer.Operation{Size: 4},
		driver: peer.Driver{
			Run:    func(int, int) time.Duration { return 0 },
			Remote: func(n int) (float64, float64) { return float64(8 * n), float64(800 * n) },
		},
	}
	if a, b := there.allocations(); a != 2 || b != 200 {
		t.Errorf("%v allocations of %v bytes an element, want 2 of 200", a, b)
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
