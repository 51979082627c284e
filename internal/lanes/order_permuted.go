//go:build permuted && purego

package lanes

import "github.com/koblitz-go/koblitz/internal/cpu"

// The order of lanes of a level for tests: every lane is at another index than usual, and
// the bit of a mask is 0 if its lane is in the set. Code outside this package that relies on
// the usual order or bits fails its tests with this one.

const inverted = 0xff

func place(j int) int { return (5*j + 3) % Width }

// simulated reports whether portable code acts as if lanes were fast. In this build, package
// cpu decides.
func simulated() bool { return cpu.Has(cpu.Lanes) }
