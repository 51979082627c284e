package harness

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// TestWatch checks that the Disturbance of an operation includes all tries and readings of its
// rounds, and that it counts switches only while a driver runs in this process.
func TestWatch(t *testing.T) {
	const ms = time.Millisecond
	s := &script{clock: []float64{4, 4, 4, 3, 4.1, 4.1}, other: []int{0, 1, 2, 0, 0, 3}, loses: 2}
	here := s.driver("here", 5*ms, 10*ms, 5*ms)
	remote := s.driver("there", 900*ms, 900*ms, 900*ms)
	remote.Remote = &peer.Remote{}
	o := peer.Operation{ID: "x", Size: 1, Kind: peer.Warm}
	run, w := new(Run), &watch{env: s.environment()}
	for range 2 {
		run.round(w, []entry{
			{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: here},
			{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: remote},
		})
	}
	// The clock is read twice in each of three tries. The driver in this process has six switches
	// in 20 ms.
	want := Disturbance{Repeated: 1, GHz: 4, Others: 1, Switches: 300}
	if got := w.sum(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}

	s = &script{clock: []float64{4, 4}}
	env := s.environment()
	unknown := func() int { return machine.Unknown }
	env.others, env.switches = unknown, unknown
	w = &watch{env: env}
	run.round(w, []entry{{peer: &peer.Peer{}, op: o, n: 1, slices: 1, driver: s.driver("x", ms)}})
	want = Disturbance{GHz: 4, Others: machine.Unknown, Switches: machine.Unknown}
	if got := w.sum(); got != want {
		t.Errorf("%+v on a system that does not tell, want %+v", got, want)
	}
	want.GHz = 0
	if got := (&watch{}).sum(); got != want {
		t.Errorf("%+v of nothing, want %+v", got, want)
	}
}

// disturbed returns a run with operations named a, b, c …, which have the given disturbances.
func disturbed(ds ...Disturbance) *Run {
	r := &Run{}
	r.Machine.LoadBefore, r.Machine.LoadAfter = "0.10 0.20 0.30", "2.10 1.20 0.30"
	for i, d := range ds {
		r.Operations = append(r.Operations, Operation{ID: string(rune('a' + i)), Disturbance: d})
		r.Repeated += d.Repeated
		r.Kept += d.Kept
	}
	return r
}

// TestNotice checks that the first paragraph of a report names each cause of a disturbance, its
// size and the rows that it affects, and nothing else.
func TestNotice(t *testing.T) {
	calm := Disturbance{GHz: 4, Drift: 0.011, Others: 0.1, Switches: 3}
	with := func(f func(*Disturbance)) Disturbance { d := calm; f(&d); return d }
	repeated := func(n int) Disturbance { return with(func(d *Disturbance) { d.Repeated = n }) }
	others := func(n float64) Disturbance { return with(func(d *Disturbance) { d.Others = n }) }
	nearly := with(func(d *Disturbance) { d.Others, d.Drift, d.Switches = 0.2, 0.039, 49 })
	kept := with(func(d *Disturbance) { d.Repeated, d.Kept, d.Drift = 2, 1, 0.126 })
	slow := with(func(d *Disturbance) { d.GHz = 3.6 })
	switched := with(func(d *Disturbance) { d.Switches = 221.4 })
	unknown := Disturbance{GHz: 4, Others: machine.Unknown, Switches: machine.Unknown}
	many := append(slices.Repeat([]Disturbance{repeated(1)}, 26), calm, calm)

	const again, kepts, clock, beside, taken = "measured again", "kept although", "another clock",
		"Beside other programs", "CPU taken away"
	for _, c := range []struct {
		name     string
		run      *Run
		want     []string // substrings that the notice must contain
		causes   []string // causes that the notice must name; it must name no other
		doubtful string
	}{
		{"quiet", disturbed(calm, calm, nearly),
			[]string{"at most 3.9 %", "more than 0.20 threads", "at most 49 times"}, nil, ""},
		{"quiet, and much is unknown", disturbed(unknown),
			[]string{"other programs ran is not known", "taken away is not known"}, nil, ""},
		{"drift that was mended", disturbed(calm, repeated(2), calm, repeated(1)),
			[]string{"more than 4 %: 3, in 2 rows: b, d."}, []string{again}, ""},
		{"drift that was kept", disturbed(calm, kept),
			[]string{"2, in 1 row: b.", "each of 3 times, by up to 13 %: 1, in 1 row: b."},
			[]string{again, kepts}, "b"},
		{"another clock", disturbed(calm, calm, slow),
			[]string{"the run's 4.00 GHz, by up to 10 %, in 1 row: c."}, []string{clock}, "c"},
		{"other programs", disturbed(others(1.25), calm, others(0.25)),
			[]string{"up to 1.2 threads of them on average, in 2 rows: a, c.",
				"Load before 0.10 0.20 0.30, after 2.10 1.20 0.30."}, []string{beside}, "ac"},
		{"switches", disturbed(calm, switched),
			[]string{"up to 221 times a second, in 1 row: b."}, []string{taken}, "b"},
		{"every row", disturbed(others(1), others(2)),
			[]string{"2.0 threads of them on average, in every row."}, []string{beside}, "ab"},
		{"many rows", disturbed(many...),
			[]string{"26, in 26 rows of 28: a, b, c,", ", x and 2 more."}, []string{again}, ""},
	} {
		got := c.run.Notice()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: no %q in: %s", c.name, want, got)
			}
		}
		for _, cause := range []string{again, kepts, clock, beside, taken} {
			if slices.Contains(c.causes, cause) != strings.Contains(got, cause) {
				t.Errorf("%s: about %q in: %s", c.name, cause, got)
			}
		}
		quiet := len(c.causes) == 0
		begins := "The machine was disturbed. "
		if quiet {
			begins = "The machine was quiet: "
		}
		if c.run.Quiet() != quiet || !strings.HasPrefix(got, begins) {
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
