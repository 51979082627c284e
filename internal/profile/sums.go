package profile

// Sums holds the parameters of package sums, for buckets and for Straus in lanes, that
// depend on the machine. Each level has its own values.
type Sums struct {
	// BatchPairs is the maximum number of pairs of points that share an inversion. With more,
	// each pair's share of the inversion would be smaller. But a kernel that adds a batch
	// cannot be preempted, and twice as many pairs would take too long.
	BatchPairs int

	// UnitHalves is the maximum number of half scalars in a work unit, a multiple of 16.
	// Between two units a worker checks the context and the number of its pairs. With smaller
	// units, workers end closer together; with larger units they check less often.
	UnitHalves int

	// SetBuckets is the number of buckets that a worker fills at a time, unless a single set of
	// buckets is larger. Their points should fit in a core's cache.
	SetBuckets int

	// FewBuckets is the largest set of buckets that bucket reduction does not halve again. Adding
	// its buckets to every position at once takes no more additions and fewer batches.
	FewBuckets int

	// StealGain is the minimum saving, in accumulated digits, that justifies stealing work. The
	// last additions of a worker are in small batches, where each bears more of the inversion.
	StealGain int

	// RecodeTerms is the number of terms that a worker recodes at a time.
	RecodeTerms int

	// PositionCost is the cost of a power of two at the end of a sum, in affine additions of a
	// batch: one doubling and one addition in Jacobian coordinates, without batching.
	PositionCost int

	// WholeTerms is the number of terms up to which a short term counts as a full term when the
	// plan is looked up. In longer sums, two short terms count as one. With lanes it is also
	// the maximum number of terms for InLanes; longer sums use windows, even for short scalars.
	WholeTerms int

	// ExceptionWindows is the number of windows for a sum that InLanes or InPairs has given up:
	// about the best one for 2 to WholeTerms terms.
	ExceptionWindows int
}
