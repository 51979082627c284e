package lanes

// Available reports whether this CPU has the instructions that make lanes faster than computing one
// value after another.
//
//ct:public tells about the CPU
func Available() bool { return haveKernels() || simulated() }

// Width is the number of lanes.
const Width = 8

// Groups returns the number of Elements that n values fill, the last perhaps only partly.
//
//ct:public takes a number of rows
func Groups(n int) int { return (n + Width - 1) / Width }

// Group returns the values that belong to Element number g: at most Width.
//
//ct:public takes a number of rows
func Group[T any](values []T, g int) []T {
	return values[g*Width : min(len(values), (g+1)*Width)]
}

// A Vector holds one 64-bit number per lane, in one register of 512 bits. Only this package knows
// the order of its lanes; other code uses [Vector.At] and [Vector.Set].
type Vector [Width]uint64

// At returns the number in lane j.
func (v *Vector) At(j int) uint64 { return v[place(j)] }

// Set sets the number in lane j to x.
func (v *Vector) Set(j int, x uint64) { v[place(j)] = x }
