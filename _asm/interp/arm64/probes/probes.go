// Package probes holds the probes of arm64; see package probe.
//
// A probe is a function with one instruction to test, and its argument points to a state. The probe
// loads four general registers, four vector registers and all flags from the state. It executes the
// instruction, which may use memory of the state, and stores the registers and flags to the state.
package probes

import (
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// These are indices of words in the state that the argument of a probe points to.
const (
	registers = 0 // R1 to R4
	addends   = 4 // two words whose sum sets the flags
	flags     = 6 // N, Z, C, V
	memory    = 10
	vectors   = 14 // V1 to V4
	Words     = 22
)

// These are the registers of probes: two operands, the destination, and the pointer to the state.
const (
	a, b, d, to = arm64.R1, arm64.R2, arm64.R3, arm64.R4

	state = arm64.R0
)

// function returns the probe with the given number. body writes the instruction to test, or a jump
// over a second instruction.
func function(number int, body func(c arm64.Code)) *listing.Function {
	c := arm64.New(fmt.Sprintf("p%03d", number), fmt.Sprintf("func(s *[%d]uint64)", Words))
	at := func(word int) arm64.Mem { return arm64.At(state, 8*word) }
	v := []arm64.Vec{1, 2, 3, 4}
	c.Argument("s", state)
	c.ADD(arm64.Imm(8*vectors), state, d)
	c.VLD1P(d, v...)
	c.MOVD(at(addends), a)
	c.MOVD(at(addends+1), b)
	c.ADDS(b, a, a)
	for k, r := range []arm64.Reg{a, b, d, to} {
		c.MOVD(at(registers+k), r)
	}
	body(c)
	for k, r := range []arm64.Reg{a, b, d, to} {
		c.MOVD(r, at(registers+k))
	}
	c.ADD(arm64.Imm(8*vectors), state, d)
	c.VST1P(d, v...)
	for k, unset := range []string{"PL", "NE", "LO", "VC"} {
		c.CSINC(unset, arm64.ZR, arm64.ZR, a)
		c.MOVD(a, at(flags+k))
	}
	c.RET()
	return c.Function
}
