// Package harness times peers beside each other, round by round.
package harness

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cheggaaa/pb/v3"

	"github.com/koblitz-go/koblitz/bench/internal/peer"
)

// A Run is everything that was measured. It is also the JSON form.
type Run struct {
	Machine    Machine
	Settings   Settings
	Peers      []PeerInfo
	LeftOut    []LeftOut
	Operations []Operation
	Repeated   int // rounds that were measured again because the machine drifted
	Kept       int // rounds that drifted each time and were kept all the same
}

// Settings says how it was measured.
type Settings struct {
	Rounds int
	Each   time.Duration
	Quick  bool
}

// PeerInfo says what a peer is.
type PeerInfo struct{ Name, Version, Note string }

// LeftOut is a peer that could not be measured, and why.
type LeftOut struct{ Name, Reason string }

// Operation is one operation by all peers that have it. The first is koblitz,
// if it has it.
type Operation struct {
	ID, Title, Group string
	Size             int
	Results          []Result
}

// Result is one peer's share of an operation.
type Result struct {
	Peer    string
	Rounds  []float64 // ns for one element, round by round
	Cycles  float64   `json:",omitempty"` // CPU cycles for one element, where the CPU tells
	Allocs  float64
	Bytes   float64
	Outside bool `json:",omitempty"` // allocations are not Go's and not counted
	Timing  peer.Timing
	Note    string
}

// NS is the median time for one element.
func (r Result) NS() float64 { return Median(r.Rounds) }

// Ratio is how many times the time of base r takes: median, lowest and highest
// of the rounds.
func (r Result) Ratio(base Result) (median, low, high float64) {
	n := min(len(r.Rounds), len(base.Rounds))
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	q := make([]float64, n)
	for i := range q {
		q[i] = r.Rounds[i] / base.Rounds[i]
	}
	return Median(q), slices.Min(q), slices.Max(q)
}

// Of returns the result of a peer.
func (o Operation) Of(name string) (Result, bool) {
	for _, r := range o.Results {
		if r.Peer == name {
			return r, true
		}
	}
	return Result{}, false
}

// Find returns an operation of the run.
func (r *Run) Find(id string) (Operation, bool) {
	for _, o := range r.Operations {
		if o.ID == id {
			return o, true
		}
	}
	return Operation{}, false
}

// Median returns the middle value.
func Median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	if n := len(x); n == 0 {
		return math.NaN()
	} else if n%2 == 0 {
		return (x[n/2-1] + x[n/2]) / 2
	}
	return x[len(x)/2]
}

// drift is how much the machine's own speed may change during a round.
const drift = 0.04

// Measure times the operations that want names.
func Measure(s Settings, peers []*peer.Peer, ops []peer.Operation, progress io.Writer) *Run {
	run := &Run{Settings: s}
	for _, p := range peers {
		run.Peers = append(run.Peers, PeerInfo{p.Name, p.Version, p.Note})
	}
	var bar *pb.ProgressBar
	if progress != nil {
		bar = pb.Full.New(len(ops) * s.Rounds)
		bar.SetTemplateString(`{{counters . }} {{bar . }} {{percent . }} {{rtime . "%s left"}}`).SetWriter(progress).Start()
		defer bar.Finish()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	run.Machine = Describe()
	for _, o := range ops {
		op := Operation{ID: o.ID, Title: o.Title, Group: o.Group, Size: o.Size}
		var entries []entry
		for _, p := range peers {
			if d, ok := o.DriverOf(p); ok {
				entries = append(entries, entry{peer: p, driver: d, op: o})
				op.Results = append(op.Results, Result{Peer: p.Name, Timing: d.Timing, Note: d.Note, Outside: d.Outside})
			}
		}
		for i := range entries {
			entries[i].calibrate(s.Each)
		}
		rounds := s.Rounds
		if o.Kind == peer.Idle || o.Size >= 4096 {
			rounds = min(rounds, 5)
		}
		for range rounds {
			times := make([]float64, len(entries))
			for try := 0; ; try++ {
				before := frequency()
				for i := range entries {
					times[i] = entries[i].time(o.Kind)
				}
				after := frequency()
				run.Machine.see(before, after)
				if math.Abs(before/after-1) < drift {
					break
				}
				if try == 2 {
					run.Kept++
					break
				}
				run.Repeated++
			}
			for i := range entries {
				op.Results[i].Rounds = append(op.Results[i].Rounds, times[i])
			}
			if bar != nil {
				bar.Increment()
			}
		}
		if bar != nil {
			bar.Add(s.Rounds - rounds)
		}
		for i, e := range entries {
			if r := &op.Results[i]; !r.Outside {
				r.Allocs, r.Bytes = e.allocations()
				r.Cycles = e.cycles()
			}
		}
		if len(op.Results) > 0 {
			run.Operations = append(run.Operations, op)
		}
	}
	run.Machine.finish()
	return run
}

type entry struct {
	peer   *peer.Peer
	driver peer.Driver
	op     peer.Operation
	n      int // operations in a slice
	slices int // slices in a round
}

// slice is the time after which the clock is read: shorter than what an operating
// system gives a process at a time, so that on a machine with other work most
// slices hold nothing but the operation.
const slice = 500 * time.Microsecond

func (e *entry) enter() func() {
	if e.peer.Enter == nil {
		return func() {}
	}
	return e.peer.Enter()
}

// calibrate chooses how often the operation goes into one slice, and how many
// slices go into a round of about the time each.
func (e *entry) calibrate(each time.Duration) {
	defer e.enter()()
	for e.n = 1; e.n < 1<<24; e.n *= 2 {
		// The best of three: an interruption must not be taken for work.
		t := min(e.driver.Time(0, e.n), e.driver.Time(0, e.n), e.driver.Time(0, e.n))
		if t >= slice/2 {
			e.slices = max(1, int(each/t))
			return
		}
	}
	e.slices = 1
}

// time returns the time for one element in ns.
func (e *entry) time(kind peer.Kind) float64 {
	defer e.enter()()
	runtime.GC()
	if kind == peer.Warm {
		x := make([]float64, e.slices)
		for i := range x {
			x[i] = float64(e.driver.Time(i*e.n, e.n).Nanoseconds())
		}
		return Median(x) / float64(e.n) / float64(e.op.Size)
	}
	const samples = 15
	var x []float64
	for i := range samples {
		if kind == peer.Flushed {
			flush()
		} else {
			time.Sleep(10 * time.Millisecond)
		}
		x = append(x, float64(e.driver.Time(i, 1).Nanoseconds()))
	}
	return Median(x)
}

// trash is larger than the last-level caches of most machines.
var trash = func() []uint64 { return make([]uint64, 12<<20) }

var trashed []uint64

// flush overwrites the caches: 96 MiB, a word of every line.
func flush() {
	if trashed == nil {
		trashed = trash()
	}
	for i := 0; i < len(trashed); i += 8 {
		trashed[i]++
	}
}

func (e *entry) allocations() (allocs, bytes float64) {
	defer e.enter()()
	n := 0
	if e.driver.Do == nil || e.op.Size >= 1024 {
		return 0, 0
	}
	var before, after runtime.MemStats
	const runs = 64
	e.driver.Do(0)
	runtime.ReadMemStats(&before)
	allocs = testing.AllocsPerRun(runs, func() { e.driver.Do(n % peer.Rows); n++ })
	runtime.ReadMemStats(&after)
	return allocs / float64(e.op.Size), math.Round(float64(after.TotalAlloc-before.TotalAlloc)/(runs+1)) / float64(e.op.Size)
}

func (e *entry) cycles() float64 {
	if e.op.Kind != peer.Warm {
		return 0
	}
	defer e.enter()()
	c, ok := countCycles(func() { e.driver.Time(0, e.n) })
	if !ok {
		return 0
	}
	return c / float64(e.n) / float64(e.op.Size)
}

// Select returns the operations that want names, or all, and an error that
// lists the known ones.
func Select(want []string, quick bool) ([]peer.Operation, error) {
	var ops []peer.Operation
	for _, o := range peer.Operations() {
		if quick && !quickly(o) {
			continue
		}
		ops = append(ops, o)
	}
	if len(want) == 0 {
		return ops, nil
	}
	found := map[string]bool{}
	ops = slices.DeleteFunc(peer.Operations(), func(o peer.Operation) bool {
		hit := false
		for _, w := range want {
			if o.ID == w || matches(w, o) {
				found[w], hit = true, true
			}
		}
		return !hit
	})
	for _, w := range want {
		if !found[w] {
			return nil, fmt.Errorf("no operation %q; known, and every beginning of them: %s", w, peer.Known())
		}
	}
	return ops, nil
}

// matches is true for a beginning of a name that ends with a hyphen's place:
// "ecdsa" and "msm" but not "e".
func matches(w string, o peer.Operation) bool {
	return len(o.ID) > len(w) && o.ID[:len(w)] == w && (o.ID[len(w)] == '-' || w[len(w)-1] == '-')
}

// quickly says whether an operation belongs to the run of a minute.
func quickly(o peer.Operation) bool {
	switch o.Group {
	case peer.Cold, peer.Batches:
		return false
	case peer.Normalize:
		return o.Size == 1 || o.Size == 64
	case peer.MSM:
		return o.Size == 2 || o.Size == 64 || o.Size == 1024
	}
	return true
}
