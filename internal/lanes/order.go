//go:build !(permuted && purego)

package lanes

// Lane j stands at place j of a [Vector], and in a [Mask] its bit is bit j, 1 if the lane
// is in the set.

const inverted = 0

func place(j int) int { return j }

// simulated returns whether portable code is to pass for fast lanes.
func simulated() bool { return false }
