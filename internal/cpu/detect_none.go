//go:build (!amd64 || purego) && !(permuted && purego)

package cpu

// detect finds nothing: every implementation but the portable one is assembly
// for amd64.
func detect() Feature { return 0 }
