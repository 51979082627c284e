// Package harness times peers, which are implementations of secp256k1, side by side: each round of
// an operation runs all of them.
package harness

import (
	"fmt"
	"io"
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
				r := Result{Peer: p.Name, Note: d.Note}
				entries = append(entries, &entry{peer: p, driver: d, op: o, each: s.Each, result: r})
			}
		}
		for range s.Rounds {
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
			op.Results = append(op.Results, e.result)
		}
		run.Took = time.Since(run.Began).Round(time.Second)
		if len(entries) > 0 {
			run.Operations = append(run.Operations, op)
			fmt.Fprintf(progress, "%3d/%d  %6v  %s\n", i+1, len(ops), run.Took, o.ID)
		}
	}
	return run
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

// calibrate sets e.n, the number of operations in a slice, and e.slices, the number of slices in a
// round, such that a round takes about the duration e.each.
func (e *entry) calibrate() {
	defer e.peer.Enter()()
	for e.n = 1; ; e.n *= 2 {
		t := e.driver.Time(0, e.n)
		if t < 10*time.Millisecond {
			// Take the shortest of three times, so that an interruption does not count.
			t = min(t, e.driver.Time(0, e.n), e.driver.Time(0, e.n))
		}
		e.slices = max(1, int(e.each/max(t, 1)))
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
	defer e.peer.Enter()()
	var x []float64
	// If other programs leave this process less than half of a CPU, the round gets fewer slices.
	begin := time.Now()
	for len(x) < e.slices && (len(x) < enough || time.Since(begin) < 2*e.each) {
		x = append(x, float64(e.driver.Time(e.next, e.n).Nanoseconds()))
		e.next += e.n
	}
	return median(x) / float64(e.n) / float64(e.op.Elements(e.driver))
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
		peer.Sums:       {2, 64, 1024},
		"schnorr-batch": {64, 1024}, "schnorr-batch-all": {64, 1024},
		"ecdsa-batch": {64, 1024}, "ecdsa-batch-recoverable": {1024},
	}
	return o.Family == "" || slices.Contains(sizes[o.Family], o.Size)
}
