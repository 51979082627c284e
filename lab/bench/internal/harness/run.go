package harness

import (
	"math"
	"slices"
	"time"

	"github.com/koblitz-go/koblitz/gpu/lab/measure"
	"github.com/koblitz-go/koblitz/lab/bench/internal/machine"
	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
	"github.com/koblitz-go/koblitz/lab/bench/internal/quantile"
)

// A Run is everything that was measured. It is also the JSON form.
type Run struct {
	Machine    machine.Machine
	Settings   Settings
	Peers      []PeerInfo
	LeftOut    []LeftOut
	Operations []Operation
	Repeated   int // rounds that were measured again because the machine drifted
	Kept       int // rounds that drifted each time and were kept all the same

	// Device is what was measured of an accelerator. If there is none, or it failed before all was
	// measured, NoDevice says why, in runs of versions of this program that know devices.
	Device   *measure.Report `json:",omitempty"`
	NoDevice string          `json:",omitempty"`

	// Watched says that each operation has its Disturbance, which runs of older
	// versions of this program do not have.
	Watched bool
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
type LeftOut struct {
	Name      string
	Operation string `json:",omitempty"` // empty: all of them
	Reason    string
	Crashed   bool `json:",omitempty"` // it panicked, or ended the process in another way
}

func (l LeftOut) String() string {
	if l.Operation == "" {
		return l.Name + ": left out: " + l.Reason
	}
	return l.Name + ": left out of " + l.Operation + ": " + l.Reason
}

// IsLeftOut reports whether a peer is left out of an operation, or of the one that it repeats.
func IsLeftOut(left []LeftOut, name string, o peer.Operation) bool {
	return slices.ContainsFunc(left, func(l LeftOut) bool {
		return l.Name == name && l.Operation != "" && (l.Operation == o.ID || l.Operation == o.Base)
	})
}

// Operation is one operation by all peers that have it. The first is koblitz,
// if it has it.
type Operation struct {
	ID, Title, Group string
	Family           string `json:",omitempty"`
	Size             int
	Results          []Result
	Disturbance      Disturbance
}

// Result is one peer's share of an operation.
type Result struct {
	Peer    string
	Rounds  []float64 // ns for one element, round by round
	Cycles  float64   `json:",omitempty"` // CPU cycles for one element, where the CPU tells
	Allocs  float64   // for one element
	Bytes   float64
	Outside bool `json:",omitempty"` // allocations are C's and not counted
	Timing  peer.Timing
	Note    string
}

// NS is the median time for one element.
func (r Result) NS() float64 { return quantile.Median(r.Rounds) }

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
	return quantile.Median(q), slices.Min(q), slices.Max(q)
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
