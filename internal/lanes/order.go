//go:build !(permuted && purego)

package lanes

// Lane j is at index j of a [Vector]. In a [Mask] its bit is bit j, which is 1 if the lane
// is in the set.

const inverted = 0

func place(j int) int { return j }

// simulated reports whether portable code must report lanes as available; in this build, never.
func simulated() bool { return false }
