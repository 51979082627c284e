// Package harness times peers beside each other, round by round.
package harness

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// drift is how much the machine's own speed may change during a round, and tries
// how often a round in which it changes more is measured before it is kept.
const (
	drift = 0.04
	tries = 3
)

// environment is what a measurement asks of the machine; tests put another one in
// its place.
type environment struct {
	frequency func() float64 // GHz
	others    func() int     // threads of other programs that run
	switches  func() int     // that this process did not want
	now       func() time.Time
	sleep     func(time.Duration)
	flush     func() // of this process' caches

	doing func(peer, operation string) // may be nil
}

func (e *environment) tell(peer, operation string) {
	if e.doing != nil {
		e.doing(peer, operation)
	}
}

// Measure times the operations in all peers that have them and are not left out. It tells doing
// which peer is about to work at which operation, and with empty names that none is.
func Measure(
	s Settings, peers []*peer.Peer, ops []peer.Operation, left []LeftOut, p Progress,
	doing func(peer, operation string),
) *Run {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run := &Run{Settings: s, Machine: machine.Describe(), LeftOut: left}
	run.measure(peers, ops, p, environment{
		machine.Frequency, machine.Others, machine.Switches, time.Now, time.Sleep, flusher(), doing,
	})
	run.Machine.Finish()
	return run
}

func (run *Run) measure(peers []*peer.Peer, ops []peer.Operation, p Progress, env environment) {
	run.Watched = true
	for _, p := range peers {
		run.Peers = append(run.Peers, PeerInfo{p.Name, p.Version, p.Note})
	}
	p.begin(run.work(peers, ops))
	defer p.end()
	for _, o := range ops {
		op := Operation{ID: o.ID, Title: o.Title, Group: o.Group, Family: o.Family, Size: o.Size}
		var entries []entry
		for _, p := range peers {
			if d, ok := o.DriverOf(p); ok && !IsLeftOut(run.LeftOut, p.Name, o) {
				entries = append(entries, entry{peer: p, driver: d, op: o, env: env})
				op.Results = append(op.Results,
					Result{Peer: p.Name, Timing: d.Timing, Note: d.Note, Outside: d.Outside})
			}
		}
		if len(entries) == 0 {
			continue
		}
		for i := range entries {
			entries[i].calibrate(run.Settings.Each)
		}
		w := &watch{env: env}
		for range run.Settings.rounds(o) {
			for i, t := range run.round(w, entries) {
				op.Results[i].Rounds = append(op.Results[i].Rounds, t)
			}
			p.round(o.ID, len(entries)*run.Settings.weight(o))
		}
		op.Disturbance = w.sum()
		for i, e := range entries {
			r := &op.Results[i]
			if !r.Outside {
				r.Allocs, r.Bytes = e.allocations()
			}
			r.Cycles = e.cycles()
		}
		env.tell("", "")
		run.Operations = append(run.Operations, op)
		p.operation(run, op)
	}
}

// round times every entry once, and does so again if the machine's own speed was
// not the same before and after.
func (run *Run) round(w *watch, entries []entry) []float64 {
	times := make([]float64, len(entries))
	for try := 1; ; try++ {
		before := w.read()
		for i := range entries {
			if entries[i].driver.Remote != nil {
				times[i] = entries[i].time()
			} else {
				times[i] = w.during(entries[i].time)
			}
		}
		after := w.read()
		run.Machine.See(before, after)
		change := math.Abs(after/before - 1)
		if change > drift && try < tries {
			run.Repeated++
			w.Repeated++
			continue
		}
		if change > drift {
			run.Kept++
			w.Kept++
		}
		w.Drift = max(w.Drift, change)
		return times
	}
}

// An entry is one peer's share of an operation, while it is measured.
type entry struct {
	peer   *peer.Peer
	driver peer.Driver
	op     peer.Operation
	env    environment
	n      int           // operations in a slice
	slices int           // slices in a round
	next   int           // row at which the next slice begins
	once   time.Duration // what one operation took when it was tried
	each   time.Duration // what a round should take
}

// slice is the time after which the clock is read: shorter than what an operating
// system gives a process at a time, so that on a machine with other work most
// slices hold nothing but the operation.
const slice = 500 * time.Microsecond

// enough slices are measured in any case, if there are that many.
const enough = 5

// enter makes the process use the entry's peer. The two collections empty all
// pools: what is kept there may be for another level of the same code.
func (e *entry) enter() func() {
	leave := func() {}
	if e.peer.Enter != nil {
		leave = e.peer.Enter()
	}
	runtime.GC()
	runtime.GC()
	e.env.tell(e.peer.Name, e.op.ID)
	return leave
}

// calibrate chooses how often the operation goes into one slice, and how many
// slices go into a round of about the time each.
func (e *entry) calibrate(each time.Duration) {
	defer e.enter()()
	e.each = each
	for e.n = 1; ; e.n *= 2 {
		t := e.driver.Time(0, e.n)
		if t < 10*time.Millisecond {
			// The best of three: an interruption must not be taken for work.
			t = min(t, e.driver.Time(0, e.n), e.driver.Time(0, e.n))
		}
		e.once, e.slices = t/time.Duration(e.n), max(1, int(each/max(t, 1)))
		if t >= slice/2 || e.n >= 1<<24 {
			return
		}
	}
}

// time returns the time for one element in ns.
func (e *entry) time() float64 {
	defer e.enter()()
	if e.op.Kind != peer.Warm {
		return e.cold()
	}
	var x []float64
	// Where the machine has so much other work that half of the CPU is not to be had,
	// a round has fewer slices.
	begin := time.Now()
	for len(x) < e.slices && (len(x) < enough || time.Since(begin) < 2*e.each) {
		x = append(x, float64(e.driver.Time(e.next, e.n).Nanoseconds()))
		e.next += e.n
	}
	return quantile.Median(x) / float64(e.n) / float64(e.op.Elements(e.driver))
}

// cold is the median of some operations that find nothing prepared for them.
func (e *entry) cold() float64 {
	x := make([]float64, 15)
	for i := range x {
		switch {
		case e.op.Kind == peer.Idle:
			e.env.sleep(10 * time.Millisecond)
		case e.peer.Flush != nil:
			e.peer.Flush()
		default:
			e.env.flush()
		}
		x[i] = float64(e.driver.Time(e.next, 1).Nanoseconds())
		e.next++
	}
	return quantile.Median(x)
}

// flusher returns a function that overwrites the caches: 96 MiB, more than the
// last-level caches of most machines, a word of every line.
func flusher() func() {
	var trash []uint64 // only if it is needed: a large heap is collected less often
	return func() {
		if trash == nil {
			trash = make([]uint64, 12<<20)
		}
		for i := 0; i < len(trash); i += 8 {
			trash[i]++
		}
	}
}

// allocations are counted on some operations: many of short ones, one of long.
func (e *entry) allocations() (allocs, bytes float64) {
	if e.op.Kind != peer.Warm {
		return 0, 0
	}
	defer e.enter()()
	n := int(min(max(5*time.Millisecond/max(e.once, 1), 1), 64))
	allocs, bytes = math.Inf(1), math.Inf(1)
	// The least of three: the progress bar allocates too. What takes long has been
	// done often enough, and is counted once.
	tries := 3
	if e.once > 20*time.Millisecond {
		tries = 1
	} else {
		e.driver.Time(0, n)
	}
	for range tries {
		var a, b float64
		if e.driver.Remote != nil {
			a, b = e.driver.Remote.Allocations(n)
		} else {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			e.driver.Time(0, n)
			runtime.ReadMemStats(&after)
			a, b = float64(after.Mallocs-before.Mallocs), float64(after.TotalAlloc-before.TotalAlloc)
		}
		allocs, bytes = min(allocs, a), min(bytes, b)
	}
	per := float64(n * e.op.Elements(e.driver))
	return allocs / per, bytes / per
}

// cycles are counted where the work is done in this process.
func (e *entry) cycles() float64 {
	if e.op.Kind != peer.Warm || e.driver.Remote != nil {
		return 0
	}
	defer e.enter()()
	c, ok := machine.CountCycles(func() { e.driver.Time(0, e.n) })
	if !ok {
		return 0
	}
	return c / float64(e.n) / float64(e.op.Elements(e.driver))
}

// rounds is how many rounds an operation gets: fewer if they are long.
func (s Settings) rounds(o peer.Operation) int {
	if o.Kind != peer.Warm || o.Family == "msm" && o.Size >= 4096 {
		return min(s.Rounds, 5)
	}
	return s.Rounds
}

// weight is about how many milliseconds one peer takes for one round.
func (s Settings) weight(o peer.Operation) int {
	switch {
	case o.Kind != peer.Warm:
		return 200
	case o.Family == "msm" || o.Family == "msm-naive":
		return max(int(s.Each.Milliseconds()), o.Size/120, 1)
	}
	return max(int(s.Each.Milliseconds()), 1)
}

// Select returns the operations that want names, or all, and an error that
// lists the known ones.
func Select(want []string, quick bool) ([]peer.Operation, error) {
	var ops []peer.Operation
	if len(want) == 0 {
		for _, o := range peer.Operations() {
			if !quick || quickly(o) {
				ops = append(ops, o)
			}
		}
		return ops, nil
	}
	found := map[string]bool{}
	for _, o := range peer.Operations() {
		hit := false
		for _, w := range want {
			if _, exact := peer.Lookup(w); o.ID == w || !exact && matches(w, o) {
				found[w], hit = true, true
			}
		}
		if hit {
			ops = append(ops, o)
		}
	}
	for _, w := range want {
		if !found[w] {
			return nil, fmt.Errorf("no operation %q; known, and every beginning of them: %s",
				w, peer.Known())
		}
	}
	return ops, nil
}

// matches is true for a beginning of a name that ends at a hyphen: "ecdsa" and
// "msm" but not "e".
func matches(w string, o peer.Operation) bool {
	return len(w) > 0 && len(o.ID) > len(w) && o.ID[:len(w)] == w &&
		(o.ID[len(w)] == '-' || w[len(w)-1] == '-')
}

// quickly says whether an operation belongs to the run of a minute.
func quickly(o peer.Operation) bool {
	sizes := map[string][]int{
		"normalize": {1, 64}, "msm": {2, 64, 1024}, "msm-naive": {64},
		"schnorr-batch": {64, 1024}, "schnorr-batch-all": {64, 1024},
		"ecdsa-batch": {64, 1024}, "ecdsa-batch-recoverable": {1024},
	}
	switch {
	case o.Group == peer.Cold:
		return false
	case o.Family != "":
		return slices.Contains(sizes[o.Family], o.Size)
	}
	return true
}
