// Package harness times peers, which are implementations of secp256k1, side by side: each round of
// an operation runs all of them.
package harness

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// Measure times each operation in all peers that have it. A peer that panics is left out of the
// operation. Measure writes a line to progress for each operation.
func Measure(
	s Settings, peers []*peer.Peer, ops []peer.Operation, progress io.Writer,
) *Run {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run := &Run{Settings: s, Machine: machine.Describe(), Commit: machine.Commit("."),
		Began: time.Now().UTC()}
	for _, p := range peers {
		run.Peers = append(run.Peers, PeerInfo{p.Name, p.Version, p.Note})
	}
	for i, o := range ops {
		var entries []*entry
		for _, p := range peers {
			if d, ok := p.Drivers[o.ID]; ok {
				r := Result{Peer: p.Name, Timing: d.Timing, Note: d.Note, Outside: d.Outside}
				entries = append(entries, &entry{peer: p, driver: d, op: o, each: s.Each, result: r})
			}
		}
		for range s.rounds(o) {
			entries = slices.DeleteFunc(entries, func(e *entry) bool {
				r := &e.result
				err := e.peer.Try(func() { r.Rounds = append(r.Rounds, e.time()) })
				if err != nil {
					run.LeftOut = append(run.LeftOut, LeftOut{r.Peer, o.ID, err.Error()})
				}
				return err != nil
			})
		}
		op := Operation{Operation: o}
		for _, e := range entries {
			if r := &e.result; !r.Outside {
				r.Allocs, r.Bytes = e.allocations()
			}
			op.Results = append(op.Results, e.result)
		}
		run.Took = time.Since(run.Began).Round(time.Second)
		if len(entries) > 0 {
			run.Operations = append(run.Operations, op)
			fmt.Fprintf(progress, "%3d/%d  %6v  %s\n", i+1, len(ops), run.Took, op)
		}
	}
	return run
}

// String returns the ID of the operation, koblitz' time, and the ratios of the other peers.
func (o Operation) String() string {
	fields := []string{fmt.Sprintf("%-30s", o.ID+o.Mark())}
	base, ours := o.Of(peer.Koblitz)
	for _, r := range o.Results {
		value := Nanoseconds(r.NS())
		if ours && r.Peer != peer.Koblitz {
			m, _, _ := r.Ratio(base)
			value = fmt.Sprintf("%.2f", m)
		}
		fields = append(fields, r.Peer+" "+value)
	}
	return strings.Join(fields, "  ")
}

// Nanoseconds formats a time of ns nanoseconds with a suitable unit.
func Nanoseconds(ns float64) string {
	switch {
	case ns < 1000:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	}
	return fmt.Sprintf("%.4g ms", ns/1e6)
}

// An entry is one peer's operation while the harness measures it.
type entry struct {
	peer   *peer.Peer
	driver peer.Driver
	op     peer.Operation
	n      int           // operations in a slice
	slices int           // slices in a round
	next   int           // row at which the next slice begins
	once   time.Duration // duration of one operation, from the calibration
	each   time.Duration // intended duration of a round
	result Result
}

// slice is the intended time of a batch of operations between two readings of the clock. It is
// shorter than the time slices of an operating system, so even on a busy machine most batches
// contain only the operation.
const slice = 500 * time.Microsecond

// enough is the number of slices that a round measures even if other programs slow it down. A round
// that consists of fewer slices measures all of them.
const enough = 5

// enter makes this process use the implementation that the entry's peer measures, and returns a
// function that restores the implementation in use before.
func (e *entry) enter() (leave func()) {
	if e.peer.Enter == nil {
		return func() {}
	}
	restore := e.peer.Enter()
	peer.EmptyPools()
	return func() {
		restore()
		peer.EmptyPools()
	}
}

// calibrate sets e.n, the number of operations in a slice, and e.slices, the number of slices in a
// round, such that a round takes about the duration e.each.
func (e *entry) calibrate() {
	defer e.enter()()
	for e.n = 1; ; e.n *= 2 {
		t := e.driver.Time(0, e.n)
		if t < 10*time.Millisecond {
			// Take the shortest of three times, so that an interruption does not count.
			t = min(t, e.driver.Time(0, e.n), e.driver.Time(0, e.n))
		}
		e.once, e.slices = t/time.Duration(e.n), max(1, int(e.each/max(t, 1)))
		if t >= slice/2 || e.n >= 1<<24 {
			return
		}
	}
}

// time runs a round of the entry and returns the time per element in nanoseconds. Before the first
// round it calibrates the entry.
func (e *entry) time() float64 {
	if e.n == 0 {
		e.calibrate()
	}
	defer e.enter()()
	var x []float64
	// If other programs leave this process less than half of a CPU, the round gets fewer slices.
	begin := time.Now()
	for len(x) < e.slices && (len(x) < enough || time.Since(begin) < 2*e.each) {
		x = append(x, float64(e.driver.Time(e.next, e.n).Nanoseconds()))
		e.next += e.n
	}
	return median(x) / float64(e.n) / float64(e.op.Elements(e.driver))
}

// allocations returns the number of allocations and of allocated bytes per element. It measures
// many operations if they are short, and otherwise one.
func (e *entry) allocations() (allocs, bytes float64) {
	defer e.enter()()
	n := int(min(max(5*time.Millisecond/max(e.once, 1), 1), 64))
	allocs, bytes = math.Inf(1), math.Inf(1)
	// Take the smallest of three counts, because other goroutines may allocate. Long operations
	// have already run several times, and are counted once.
	tries := 3
	if e.once > 20*time.Millisecond {
		tries = 1
	} else {
		e.driver.Time(0, n)
	}
	for range tries {
		var a, b float64
		if e.driver.Remote != nil {
			a, b = e.driver.Remote(n)
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

// rounds returns the number of rounds in which operation o is measured. Long operations get fewer.
func (s Settings) rounds(o peer.Operation) int {
	if o.Family == "msm" && o.Size >= 4096 {
		return min(s.Rounds, 5)
	}
	return s.Rounds
}

// Select returns the operations that match a name in want. If want is empty, it returns all
// operations, or those of the quick run if quick is set. If a name matches nothing, the error lists
// the known operations.
func Select(want []string, quick bool) (ops []peer.Operation, err error) {
	var known []string
	found := map[string]bool{}
	for _, o := range peer.Operations() {
		known = append(known, o.ID)
		hit := len(want) == 0 && (!quick || quickly(o))
		for _, w := range want {
			if matches(w, o.ID) {
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
				w, strings.Join(known, " "))
		}
	}
	return ops, nil
}

// matches reports whether w is the given ID or, if there is no operation w, a prefix of the ID that
// ends before or at a hyphen: "ecdsa" is a match for "ecdsa-verify", and "e" is not.
func matches(w, id string) bool {
	if _, exact := peer.Lookup(w); exact {
		return id == w
	}
	return strings.HasPrefix(id, strings.TrimSuffix(w, "-")+"-")
}

// quickly reports whether operation o is part of the quick run, which takes less than a minute.
func quickly(o peer.Operation) bool {
	sizes := map[string][]int{
		"normalize": {1, 64}, "msm": {2, 64, 1024},
		"schnorr-batch": {64, 1024}, "schnorr-batch-all": {64, 1024},
		"ecdsa-batch": {64, 1024}, "ecdsa-batch-recoverable": {1024},
	}
	return o.Family == "" || slices.Contains(sizes[o.Family], o.Size)
}
