//go:build permuted && purego

package cpu

// detect returns Lanes on every machine. This build simulates lanes in portable code, with the
// lanes in another order, for tests (see package lanes).
func detect() Feature { return Lanes }
