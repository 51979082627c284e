package vartime

// A plan says how a sum is computed.
type plan struct {
	method  int // interleaved, inLanes, or the number of windows
	windows windows
}

// choose returns the plan for a sum of so many terms.
func choose(full, short int) plan {
	// A short term has half the digits. But of fewTerms terms windows are the better
	// way, also if all are short.
	count := methodFor(max(full+short/2, min(full+short, fewTerms)), haveLanes())
	if count <= 0 {
		return plan{method: count}
	}
	return plan{count, cut(count)}
}

// MaxWorkers is the most workers that a sum should have: each has buckets of its own,
// some megabytes if terms are many, and the end, which is for one of them alone, takes
// longer with each.
const MaxWorkers = 64

// CrewFor returns of how many workers, at most so many, a crew should be for a sum
// of so many terms.
func CrewFor(terms, workers int) int {
	// For fewer terms, a goroutine is not worth its start.
	const each = 256
	return min(workers, max(1, terms/each), MaxWorkers)
}

// The methods that have no buckets for digits: Sum.interleave and Sum.strausLanes.
const (
	interleaved = 0
	inLanes     = -1
)

// fewTerms is from how many terms on windows are faster than strausLanes.
const fewTerms = 33

// exceptionWindows is on how many windows a sum is computed that strausLanes gives
// up. It is about the best number for 2 to 32 terms.
const exceptionWindows = 30

// A threshold says how a sum of at least so many terms is computed, in lanes and
// without them: interleaved, inLanes, or on how many windows.
type threshold struct{ lanes, single, method int }

// thresholds returns the thresholds, highest first. They are measured: at each, a
// sum takes as long either way.
func thresholds() [14]threshold {
	const never = MaxTerms + 1
	return [...]threshold{
		{45000, never, 9},
		{12000, 10000, 10},
		{6000, 6000, 11},
		{3000, 2600, 12},
		{1500, 800, 13},
		{750, 600, 14},
		{510, 400, 15},
		{250, 220, 16},
		{160, 150, 17},
		{110, 120, 19},
		{60, 90, 21},
		{fewTerms, never, 24},
		{2, never, inLanes},
		{0, 0, interleaved},
	}
}

// methodFor returns how a sum of so many terms is computed, as in threshold.
func methodFor(terms int, inLanes bool) int {
	for _, t := range thresholds() {
		from := t.single
		if inLanes {
			from = t.lanes
		}
		if terms >= from {
			return t.method
		}
	}
	return interleaved
}
