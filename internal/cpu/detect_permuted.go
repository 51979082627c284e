//go:build permuted && purego

package cpu

// detect returns lanes on every machine. This build's level for tests simulates them in
// portable code, in another order of lanes (package lanes).
func detect() Feature { return Lanes }
