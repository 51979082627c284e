package harness

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// TestWatch checks the Disturbance that a watch collects while two drivers run the same operation,
// one in this process and one in another. It must count context switches only while the driver in
// this process runs.
func TestWatch(t *testing.T) {
	const ms = time.Millisecond
	s := &script{clock: []float64{4, 4, 4, 3, 4.1, 4.1}, loses: 2}
	here := s.driver("here", 5*ms, 10*ms, 5*ms)
	remote := s.driver("there", 900*ms, 900*ms, 900*ms)
	remote.Remote = func(int) (allocs, bytes float64) { return 0, 0 }
	o := peer.Operation{ID: "x", Size: 1}
	run, w := new(Run), &watch{env: s.environment(), repeats: 1}
	for range 2 {
		run.round(w, []entry{
			{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: here},
			{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: remote},
		})
	}
	// Two rounds with one repeated try are three tries. The driver in this process has six context
	// switches in 20 ms: 300 per second.
	want := Disturbance{Repeated: 1, Switches: 300, Adds: 5}
	if got := w.sum(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}

	s = &script{clock: []float64{4, 4}}
	w = &watch{env: s.environment()}
	w.env.switches = func() int { return machine.Unknown }
	run.round(w, []entry{{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: s.driver("x", ms)}})
	want = Disturbance{Switches: machine.Unknown, Adds: 5}
	if got := w.sum(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v on a system that does not count switches, want %+v", got, want)
	}
}

// disturbed returns a run with operations named a, b, c …, which have the given disturbances.
func disturbed(ds ...Disturbance) *Run {
	r := &Run{}
	r.Machine.LoadBefore, r.Machine.LoadAfter = "0.10 0.20 0.30", "2.10 1.20 0.30"
	for i, d := range ds {
		r.Operations = append(r.Operations, Operation{ID: string(rune('a' + i)), Disturbance: d})
	}
	return r
}

// TestNotice checks that the first paragraph of a report says whether the machine was quiet, and
// how large each cause of a disturbance was. Only the rows that were disturbed may count as
// doubtful.
func TestNotice(t *testing.T) {
	calm := Disturbance{Drift: 0.011, Switches: 3}
	with := func(f func(*Disturbance)) Disturbance { d := calm; f(&d); return d }
	repeated := with(func(d *Disturbance) { d.Repeated = 2 })
	nearly := with(func(d *Disturbance) { d.Drift, d.Switches = 0.039, 49 })
	kept := with(func(d *Disturbance) { d.Repeated, d.Drift = 2, 0.126 })
	switched := with(func(d *Disturbance) { d.Switches = 221.4 })
	unknown := Disturbance{Switches: machine.Unknown}
	for _, c := range []struct {
		name     string
		run      *Run
		quiet    bool
		want     []string // substrings that the notice must contain
		doubtful string
	}{
		{"quiet", disturbed(calm, calm, nearly), true,
			[]string{"at most 3.9 %", "at most 49 times",
				"Load before 0.10 0.20 0.30, after 2.10 1.20 0.30."}, ""},
		{"quiet, as far as is known", disturbed(unknown), true,
			[]string{"taken away is not known"}, ""},
		{"drift that was mended", disturbed(calm, repeated, calm, repeated), false,
			[]string{"shared the core: 4."}, ""},
		{"drift that was kept", disturbed(calm, kept), false,
			[]string{"shared the core: 2.", "at most 12.6 %"}, "b"},
		{"switches", disturbed(calm, switched), false, []string{"at most 221 times a second"}, "b"},
	} {
		got := c.run.Notice()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in: %s", c.name, want, got)
			}
		}
		begins := "The machine was disturbed. "
		if c.quiet {
			begins = "The machine was quiet. "
		}
		if c.run.Quiet() != c.quiet || !strings.HasPrefix(got, begins) {
			t.Errorf("%s: quiet %v: %s", c.name, c.run.Quiet(), got)
		}
		doubtful := ""
		for _, o := range c.run.Operations {
			if c.run.Doubtful(o) {
				doubtful += o.ID
			}
		}
		if doubtful != c.doubtful {
			t.Errorf("%s: doubtful %q, want %q", c.name, doubtful, c.doubtful)
		}
	}
}
