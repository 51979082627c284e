package harness

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// watched measures three operations with simulated peers, and writes the progress to w. No peer
// implements the first operation.
func watched(s *script, run *Run, w io.Writer) {
	ms := time.Millisecond
	s.clock = slices.Repeat([]float64{4}, 100)
	d := func(name string, t time.Duration) peer.Driver {
		return s.driver(name, slices.Repeat([]time.Duration{t}, 20)...)
	}
	peers := []*peer.Peer{
		{Name: "koblitz", Drivers: map[string]peer.Driver{"x": d("k", ms)}},
		{Name: "other", Drivers: map[string]peer.Driver{
			"x": d("o", 2*ms), "msm-4096": d("m", 8*ms),
		}},
	}
	ops := []peer.Operation{
		{ID: "nobody", Size: 1},
		{ID: "x", Size: 1},
		{ID: "msm-4096", Family: "msm", Size: 4096},
	}
	run.measure(peers, ops, w, s.environment())
}

// A writes is an io.Writer that keeps the data of each call of Write.
type writes []string

func (w *writes) Write(b []byte) (int, error) { *w = append(*w, string(b)); return len(b), nil }

// TestLines checks that measure writes a line for each operation with at least one peer. Each line
// must be one call of Write and contain no control codes of terminals.
func TestLines(t *testing.T) {
	var out writes
	run := &Run{Settings: Settings{Rounds: 7, Each: time.Millisecond}}
	watched(new(script), run, &out)
	if n := len(run.Operations[1].Results[0].Rounds); n != 5 {
		t.Errorf("%d rounds of a long operation, want 5", n)
	}
	want := []string{
		"1/2      0s  x                               koblitz 1 ms  other 2.00\n",
		"2/2      0s  msm-4096                        other 1.95 µs\n",
	}
	if !slices.Equal(out, want) {
		t.Errorf("the lines are\n%q\nwant\n%q", out, want)
	}
	if strings.ContainsAny(strings.Join(out, ""), "\x1b\r\b") {
		t.Errorf("a terminal's codes in %q", out)
	}
	out = nil
	s := &script{adds: append([]float64{5, 5}, slices.Repeat([]float64{3}, 10)...)}
	watched(s, &Run{Settings: Settings{Rounds: 3, Each: time.Millisecond}}, &out)
	if len(out) != 2 || !strings.Contains(out[0], " x * ") || strings.Contains(out[1], "*") {
		t.Errorf("with a shared core in the first: %q", out)
	}
}

// TestElapsed checks that each line of progress shows the time since the beginning of the run.
func TestElapsed(t *testing.T) {
	var out writes
	now := time.Unix(1e9, 0)
	l := &lines{w: &out, now: func() time.Time { return now }, began: now, total: 100}
	now = now.Add(83*time.Second + 300*time.Millisecond)
	r := &Run{Operations: make([]Operation, 7)}
	l.operation(r, Operation{ID: "y"})
	if want := "  7/100   1m23s  y                             \n"; len(out) != 1 || out[0] != want {
		t.Errorf("%q, want %q", out, want)
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
