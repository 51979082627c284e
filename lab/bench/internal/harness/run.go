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

// A Run holds all measurements. Its JSON form is the format of the result files.
type Run struct {
	Machine    machine.Machine
	Settings   Settings
	Peers      []PeerInfo
	LeftOut    []LeftOut
	Operations []Operation
	Repeated   int // rounds that were repeated because the clock drifted
	Kept       int // rounds that drifted in each try and were kept

	// Device holds the measurements of an accelerator. If there is no device, or not everything was
	// measured, NoDevice says why. Older versions of this program set neither.
	Device   *measure.Report `json:",omitempty"`
	NoDevice string          `json:",omitempty"`

	// Watched says that each operation has a Disturbance, which older versions of this program did
	// not record.
	Watched bool
}

// Settings are the settings of a run.
type Settings struct {
	Rounds int
	Each   time.Duration
	Quick  bool
}

// PeerInfo describes a peer.
type PeerInfo struct{ Name, Version, Note string }

// LeftOut is a peer that could not be measured, with the reason.
type LeftOut struct {
	Name      string
	Operation string `json:",omitempty"` // empty for all operations
	Reason    string
	Crashed   bool `json:",omitempty"` // the peer panicked or its process ended unexpectedly
}

func (l LeftOut) String() string {
	if l.Operation == "" {
		return l.Name + ": left out: " + l.Reason
	}
	return l.Name + ": left out of " + l.Operation + ": " + l.Reason
}

// IsLeftOut reports whether a peer is left out of an operation, or of the operation that this one
// repeats.
func IsLeftOut(left []LeftOut, name string, o peer.Operation) bool {
	return slices.ContainsFunc(left, func(l LeftOut) bool {
		return l.Name == name && l.Operation != "" && (l.Operation == o.ID || l.Operation == o.Base)
	})
}

// Operation holds the results of all peers that have an operation. The first one is koblitz, if it
// has it.
type Operation struct {
	ID, Title, Group string
	Family           string `json:",omitempty"`
	Size             int
	Results          []Result
	Disturbance      Disturbance
}

// Result is the result of one peer in an operation.
type Result struct {
	Peer    string
	Rounds  []float64 // ns per element in each round
	Cycles  float64   `json:",omitempty"` // CPU cycles per element, if the CPU counts them
	Allocs  float64   // per element
	Bytes   float64
	Outside bool `json:",omitempty"` // allocations are made by C and not counted
	Timing  peer.Timing
	Note    string
}

// NS returns the median time per element in nanoseconds.
func (r Result) NS() float64 { return quantile.Median(r.Rounds) }

// Ratio returns r's time divided by that of base: the median, lowest and highest of the ratios in
// each round.
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

// Of returns the result of the named peer.
func (o Operation) Of(name string) (Result, bool) {
	for _, r := range o.Results {
		if r.Peer == name {
			return r, true
		}
	}
	return Result{}, false
}

// Find returns the operation with the given ID.
func (r *Run) Find(id string) (Operation, bool) {
	for _, o := range r.Operations {
		if o.ID == id {
			return o, true
		}
	}
	return Operation{}, false
}
