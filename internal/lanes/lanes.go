package lanes

// Available returns whether this CPU has instructions that make lanes fast.
//
//ct:public tells about the CPU
func Available() bool { return haveKernels() || simulated() }

// Width is the number of lanes.
const Width = 8

// Groups returns how many Elements hold n values, of which the last may not be full.
//
//ct:public takes a number of rows
func Groups(n int) int { return (n + Width - 1) / Width }

// A Vector holds one 64-bit number of each lane: one register of 512 bits. Where in it a
// lane stands is for this package to know: see [Vector.At] and [Vector.Set].
type Vector [Width]uint64

// At returns the number of lane j.
func (v *Vector) At(j int) uint64 { return v[place(j)] }

// Set sets the number of lane j to x.
func (v *Vector) Set(j int, x uint64) { v[place(j)] = x }
