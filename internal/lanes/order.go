//go:build !(permuted && purego)

package lanes

// In this build, lane j is at index j of a [Vector]. Bit j of a [Mask] is 1 if lane j is in the
// set.

const inverted = 0

func place(j int) int { return j }

// simulated reports whether portable code must report lanes as available; in this build, never.
func simulated() bool { return false }
