//go:build permuted && purego

package lanes

import "github.com/koblitz-go/koblitz/internal/cpu"

// The order of lanes of the test level: no lane stands where it does elsewhere, and a bit
// of a mask is 0 if its lane is in the set. Code that knows of an order or of bits fails
// its tests with this one.

const inverted = 0xff

func place(j int) int { return (5*j + 3) % Width }

// simulated returns whether portable code is to pass for fast lanes, which package cpu
// says of this build.
func simulated() bool { return cpu.Has(cpu.Lanes) }
