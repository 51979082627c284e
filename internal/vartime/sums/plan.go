package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// A plan is how a sum is computed.
type plan struct {
	method  int // interleaved, inLanes, inPairs, or the number of windows
	windows windows
}

// choose returns the plan for a sum of so many full and short terms.
func choose(full, short int) plan {
	method := Method(full, short)
	if method <= 0 {
		return plan{method: method}
	}
	return plan{method, cut(method)}
}

// Method returns how a sum of so many full and short terms is computed, as in [profile.Plan].
func Method(full, short int) int {
	// A short term has half the digits of a full one.
	current := profile.Current()
	terms := max(full+short/2, min(full+short, current.Sums.WholeTerms+1))
	method := current.Plan(terms)
	if method == interleaved || method == inPairs {
		// Here a short term has the table of a full one, and on windows none has. So windows are
		// faster from half as many terms on if all are short.
		more := current.Above(terms)
		if more.Method > 0 && max(full+short, 2*short) >= more.Terms {
			return more.Method
		}
	}
	return method
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

// The methods that have no buckets for digits: Sum.interleave, Sum.strausLanes and
// Sum.strausPairs.
const (
	interleaved = profile.Interleaved
	inLanes     = profile.InLanes
	inPairs     = profile.InPairs
)
