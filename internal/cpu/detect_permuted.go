//go:build permuted && purego

package cpu

// detect finds lanes on every machine: those of the test level, in portable code, whose
// lanes stand in another order (package lanes).
func detect() Feature { return Lanes }
