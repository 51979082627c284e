package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// A plan says how a sum is computed.
type plan struct {
	method  int     // interleaved, inLanes, inPairs, or the number of windows
	windows windows // of Pippenger's algorithm
}

// choose returns the plan for a sum with given numbers of full and short terms.
func choose(full, short int) plan {
	method := Method(full, short)
	if method <= 0 {
		return plan{method: method}
	}
	return plan{method, cut(method)}
}

// Method returns the method for a sum with given numbers of full and short terms, as in
// [profile.Plan].
func Method(full, short int) int {
	// A short term has half the digits of a full one.
	current := profile.Current()
	terms := max(full+short/2, min(full+short, current.Sums.WholeTerms+1))
	method := current.Plan(terms)
	if method == interleaved || method == inPairs {
		// These methods compute the same table for a short term as for a full one, while
		// windows need no tables. So if all terms are short, windows are faster from half
		// as many terms on.
		more := current.Above(terms)
		if more.Method > 0 && max(full+short, 2*short) >= more.Terms {
			return more.Method
		}
	}
	return method
}

// MaxWorkers is the greatest number of workers that a sum should have. Each worker has buckets of
// its own, some megabytes in a long sum. One worker adds up the positions of all workers, which
// takes longer with more workers.
const MaxWorkers = 64

// CrewFor returns how many workers the crew for a sum of a number of terms should have, at most
// workers.
func CrewFor(terms, workers int) int {
	return min(workers, max(1, terms/profile.Current().TermsPerWorker), MaxWorkers)
}

// The methods without windows: Sum.interleave, Sum.strausLanes and Sum.strausPairs.
const (
	interleaved = profile.Interleaved
	inLanes     = profile.InLanes
	inPairs     = profile.InPairs
)
