// Package probes holds the probes of riscv64; see package probe.
//
// A probe is a function with one instruction to test, and its argument points to a state. The probe
// loads four registers from the state. It executes the instruction, which may use memory of the
// state, and stores the registers to the state.
package probes

import (
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// These are indices of words in the state that the argument of a probe points to.
const (
	registers = 0
	memory    = 4
	Words     = 8
)

// These are the registers of probes: two operands, the destination, and the pointer to the state.
const (
	a, b, d, to = riscv64.X5, riscv64.X15, riscv64.X26, riscv64.X30

	state = riscv64.X10
)

// function returns the probe with the given number. body writes the instruction to test, or a jump
// over a second instruction.
func function(number int, body func(c riscv64.Code)) *listing.Function {
	c := riscv64.New(fmt.Sprintf("p%03d", number), fmt.Sprintf("func(s *[%d]uint64)", Words))
	at := func(word int) riscv64.Mem { return riscv64.At(state, 8*word) }
	c.Argument("s", state)
	for k, r := range []riscv64.Reg{a, b, d, to} {
		c.LD(at(registers+k), r)
	}
	body(c)
	for k, r := range []riscv64.Reg{a, b, d, to} {
		c.SD(r, at(registers+k))
	}
	c.RET()
	return c.Function
}
