package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// A plan says how a sum is computed.
type plan struct {
	method  int // interleaved, inLanes, or the number of windows
	windows windows
}

// choose returns the plan for a sum of so many terms.
func choose(full, short int) plan {
	// A short term has half the digits. But of strausTerms + 1 terms windows are the
	// better way, also if all are short.
	method := profile.Current().Plan(max(full+short/2, min(full+short, strausTerms+1)))
	if method <= 0 {
		return plan{method: method}
	}
	return plan{method, cut(method)}
}

// MaxWorkers is the most workers that a sum should have: each has buckets of its own,
// some megabytes if terms are many, and the end, which is for one of them alone, takes
// longer with each.
const MaxWorkers = 64

// CrewFor returns of how many workers, at most so many, a crew should be for a sum
// of so many terms.
func CrewFor(terms, workers int) int {
	return min(workers, max(1, terms/profile.Current().TermsPerWorker), MaxWorkers)
}

// The methods that have no buckets for digits: Sum.interleave and Sum.strausLanes.
const (
	interleaved = profile.Interleaved
	inLanes     = profile.InLanes
)

// strausTerms is the most terms that strausLanes adds up: four groups of lanes.
const strausTerms = 32

// exceptionWindows is on how many windows a sum is computed that strausLanes gives
// up. It is about the best number for 2 to 32 terms.
const exceptionWindows = 30
