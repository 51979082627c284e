package profile

// Sums holds the parameters of package sums, for buckets and for Straus' algorithm in lanes, that
// depend on the machine.
type Sums struct {
	// BatchPairs is the maximum number of pairs of points that share an inversion. With more pairs,
	// each pair's share of the inversion would be smaller. But a kernel that adds a batch cannot be
	// preempted, and would run too long on twice as many pairs.
	BatchPairs int

	// UnitHalves is the maximum number of half scalars in a work unit, a multiple of 16. Between
	// two units a worker checks the context and whether its pairs fill a batch. With smaller units,
	// workers finish at more nearly the same time; with larger units they check less often.
	UnitHalves int

	// SetBuckets is the number of buckets that a worker fills before it reduces them, unless a
	// single set of buckets is larger. The points of these buckets should fit in a core's cache.
	SetBuckets int

	// StealGain is the minimum saving that justifies stealing work from another worker. The unit is
	// the accumulation of one digit. StealGain is not 0 because a worker's last additions are in
	// small batches, where each addition bears a larger share of the inversion.
	StealGain int

	// RecodeTerms is the number of terms that a worker recodes at a time.
	RecodeTerms int

	// PositionCost is the cost of a power of two at the end of a sum: one doubling and one addition
	// in Jacobian coordinates. The unit is one affine addition in a batch.
	PositionCost int

	// WholeTerms is the number of terms up to which a short term counts as a full term when the
	// plan is looked up. In longer sums, two short terms count as one. With lanes it is also the
	// maximum number of terms for the method InLanes; longer sums use windows, even if their
	// scalars are short.
	WholeTerms int

	// ExceptionWindows is the number of windows for a sum that the method InLanes has given up
	// because of an exceptional case. It is close to the best number for 2 to WholeTerms terms.
	ExceptionWindows int
}

// sums returns the Sums of a level with the given WholeTerms. All other fields are the same at
// every level.
func sums(wholeTerms int) Sums {
	return Sums{
		BatchPairs:       1536,
		UnitHalves:       512,
		SetBuckets:       8192,
		StealGain:        512,
		RecodeTerms:      2048,
		PositionCost:     12,
		WholeTerms:       wholeTerms,
		ExceptionWindows: 30,
	}
}
