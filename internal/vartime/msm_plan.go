package vartime

// A plan says how a sum is computed.
type plan struct {
	straus  bool
	windows windows
	workers int
	parts   int // the terms are dealt to so many, for each window
}

// choose returns the plan for a sum of so many terms.
func choose(full, short, workers int) plan {
	// A short term has half the digits.
	terms := full + short/2
	// For less, a goroutine is not worth its start.
	workers = min(workers, 64, max(1, terms/minWorkerTerms))
	var count int
	for _, t := range plans() {
		if terms >= t.terms {
			count = t.windows
			break
		}
	}
	if count == 0 {
		return plan{straus: true}
	}
	return plan{windows: cut(count), workers: workers, parts: 1 + (workers-1)/count}
}

// minWorkerTerms is how many terms are worth a goroutine.
const minWorkerTerms = 256

// A threshold says how a sum is computed from so many terms on: on how many
// windows, or interleaved if windows is 0.
type threshold struct{ terms, windows int }

// plans returns the thresholds, highest first. They are measured.
func plans() [8]threshold {
	return [...]threshold{{65536, 10}, {16384, 11}, {4096, 13}, {1024, 15}, {400, 18}, {200, 22}, {25, 26}, {0, 0}}
}
