//go:build permuted && purego

package lanes

import "github.com/koblitz-go/koblitz/internal/cpu"

// This file holds another order of lanes, for tests: every lane is at another index than in
// order.go, and the bit of a mask is 0 if its lane is in the set. Code outside this package that
// relies on order.go's order or bits fails its tests in this build.

const inverted = 0xff

func place(j int) int { return (5*j + 3) % Width }

// simulated reports whether portable code must report lanes as available. In this build, package
// cpu decides.
func simulated() bool { return cpu.Has(cpu.Lanes) }
