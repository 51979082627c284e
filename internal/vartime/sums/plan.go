package sums

import "github.com/koblitz-go/koblitz/internal/profile"

// choose returns the method for a sum of the given numbers of full and short terms, as the number
// that [profile.Plan] uses.
func choose(full, short int) int {
	// A short term has half the digits of a full one, so it counts as half a term, but not in short
	// sums (profile.Sums.WholeTerms).
	current := profile.Current()
	terms := max(full+short/2, min(full+short, current.Sums.WholeTerms+1))
	method := current.Plan(terms)
	if method == profile.Interleaved || method == profile.InPairs {
		// Straus' methods compute a table for a short term that is as long as for a full term,
		// while windows need no tables. So if all terms are short, windows are faster from half as
		// many terms on.
		more := current.Above(terms)
		if more.Method > 0 && max(full+short, 2*short) >= more.Terms {
			return more.Method
		}
	}
	return method
}

// MaxWorkers is the maximum number of workers that a sum should have. Each worker has its own
// buckets, some megabytes in a long sum. One worker adds up the positions of all workers, which
// takes longer with more workers.
const MaxWorkers = 64

// WorkersFor returns the number of workers that the team for a sum of the given number of terms
// should have. It is at most the parameter workers.
func WorkersFor(terms, workers int) int {
	return min(workers, max(1, terms/profile.Current().TermsPerWorker), MaxWorkers)
}
