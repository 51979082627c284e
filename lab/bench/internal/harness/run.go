package harness

import (
	"math"
	"slices"
	"time"

	"github.com/aclements/go-moremath/stats"

	"github.com/koblitz-go/koblitz/lab/bench/internal/peer"
)

// A Run holds all measurements of one run of bench. Its JSON form is the format of the result
// files.
type Run struct {
	Machine    string
	Commit     string // of the working tree; see machine.Commit
	Began      time.Time
	Took       time.Duration
	Settings   Settings
	Peers      []PeerInfo
	LeftOut    []LeftOut
	Operations []Operation
}

// Settings holds the number of rounds, the duration of each, and whether the run was quick.
type Settings struct {
	Rounds int
	Each   time.Duration
	Quick  bool
}

// PeerInfo describes a peer for the report.
type PeerInfo struct{ Name, Version, Note string }

// LeftOut names a peer that could not be measured, and the reason.
type LeftOut struct {
	Name      string
	Operation string `json:",omitempty"` // the only operation affected; empty for all operations
	Reason    string
}

func (l LeftOut) String() string {
	if l.Operation == "" {
		return l.Name + ": left out: " + l.Reason
	}
	return l.Name + ": left out of " + l.Operation + ": " + l.Reason
}

// Operation holds the results of all peers that have an operation. If koblitz has the operation,
// its result comes first.
type Operation struct {
	peer.Operation
	Results []Result
}

// Result is the result of one peer in an operation.
type Result struct {
	Peer   string
	Rounds []float64 // ns per element in each round
	Note   string
}

// NS returns the median time per element in nanoseconds.
func (r Result) NS() float64 { return median(r.Rounds) }

func median(x []float64) float64 { return stats.Sample{Xs: x}.Quantile(0.5) }

// Ratio returns the ratio of r's time to the time of base: the median, the lowest and the highest
// of the ratios of all rounds.
func (r Result) Ratio(base Result) (middle, low, high float64) {
	n := min(len(r.Rounds), len(base.Rounds))
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	q := make([]float64, n)
	for i := range q {
		q[i] = r.Rounds[i] / base.Rounds[i]
	}
	return median(q), slices.Min(q), slices.Max(q)
}

// Of returns the result of the named peer in the operation.
func (o Operation) Of(name string) (Result, bool) {
	for _, r := range o.Results {
		if r.Peer == name {
			return r, true
		}
	}
	return Result{}, false
}

// tolerance is the largest part of a median by which the rounds may differ from it. On an idle
// machine they differ by less than half as much.
const tolerance = 0.1

// Doubtful reports whether something disturbed the rounds so much that the figures of the operation
// may be wrong: koblitz' times differ by more than tolerance, or the ratios of another peer do.
func (o Operation) Doubtful() bool {
	base, _ := o.Of(peer.Koblitz)
	steady := Result{Rounds: slices.Repeat([]float64{1}, len(base.Rounds))}
	for _, r := range o.Results {
		middle, low, high := r.Ratio(base)
		if r.Peer == peer.Koblitz {
			middle, low, high = r.Ratio(steady)
		}
		if low < (1-tolerance)*middle || high > (1+tolerance)*middle {
			return true
		}
	}
	return false
}

// Mark returns " *" if the operation is doubtful, and otherwise "".
func (o Operation) Mark() string {
	if o.Doubtful() {
		return " *"
	}
	return ""
}
