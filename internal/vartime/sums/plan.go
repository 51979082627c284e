package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// A plan is how a sum is computed.
type plan struct {
	method  int // interleaved, inLanes, or the number of windows
	windows windows
}

// choose returns the plan for a sum of so many full and short terms.
func choose(full, short int) plan {
	// A short term has half the digits of a full one.
	current := profile.Current()
	method := current.Plan(max(full+short/2, min(full+short, current.Sums.WholeTerms+1)))
	if method <= 0 {
		return plan{method: method}
	}
	return plan{method, cut(method)}
}

// MaxWorkers is the most workers that a sum should have. Each has buckets of its own, some
// megabytes if terms are many. The positions of all workers are added up by one of them, which
// takes longer the more there are.
const MaxWorkers = 64

// CrewFor returns how many workers, at most the number given, a crew for a sum of so many terms
// should have.
func CrewFor(terms, workers int) int {
	return min(workers, max(1, terms/profile.Current().TermsPerWorker), MaxWorkers)
}

// The methods that have no buckets for digits: Sum.interleave and Sum.strausLanes.
const (
	interleaved = profile.Interleaved
	inLanes     = profile.InLanes
)
