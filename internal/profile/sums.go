package profile

// Sums holds the numbers of sums by buckets and of Straus in lanes (package sums) that
// depend on the machine. Each level has its own.
type Sums struct {
	// BatchPairs is how many pairs of points share an inversion, if there are as many. More
	// would make each bear less of the inversion; but a kernel that adds a batch is not
	// preempted, and with twice as many it would run for too long.
	BatchPairs int

	// UnitHalves is how many half scalars a work unit has at most, a multiple of 16. Between
	// two units a worker looks at the context and at how many pairs there are. Fewer make
	// workers end closer together, and more of them look less often.
	UnitHalves int

	// SetBuckets is how many buckets a worker fills at a time, unless one set of buckets alone
	// has more: the points in them should stay in a core's cache.
	SetBuckets int

	// FewBuckets is up to how many buckets a set is not halved once more in bucket reduction:
	// to add what is left to every position at once takes no more additions, and fewer batches.
	FewBuckets int

	// StealGain is what stealing work must save, in accumulated digits: the last additions of
	// a worker are in small batches, in which each bears more of the inversion.
	StealGain int

	// RecodeTerms is how many terms a worker recodes at a time.
	RecodeTerms int

	// PositionCost is what a power of two costs at the end of a sum, in affine additions of a
	// batch: a doubling and an addition in Jacobian coordinates, one at a time.
	PositionCost int

	// WholeTerms is up to how many terms in all a short one counts as much as a full one when
	// the plan is looked up. Of more terms, two short ones count as one. With lanes it is also
	// the most terms by InLanes: sums of more are computed on windows, however short.
	WholeTerms int

	// ExceptionWindows is the number of windows for a sum that InLanes or InPairs gives up: about
	// the best one for 2 to WholeTerms terms.
	ExceptionWindows int
}
