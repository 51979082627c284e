package lanes

// Available returns whether this CPU has instructions that make lanes fast.
func Available() bool { return haveKernels() }

// Width is the number of lanes.
const Width = 8

// Groups returns how many Elements hold n values, of which the last may not be full.
func Groups(n int) int { return (n + Width - 1) / Width }

// A Vector holds one 64-bit number of each lane: one register of 512 bits.
type Vector [Width]uint64

// A Mask holds one bit of each lane; bit j is lane j's.
type Mask uint8

// All is the mask of every lane.
const All Mask = 1<<Width - 1

// spread returns all ones if bit j of m is set, and zero if it is not.
func (m Mask) spread(j int) uint64 { return -(uint64(m) >> j & 1) }
