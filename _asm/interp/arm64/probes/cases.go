package probes

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// All returns the cases to probe: every instruction of the table, in all forms that differ.
func All() (all []probe.Case) {
	add := func(opcode string, body func(c arm64.Code)) {
		all = append(all, probe.Case{Opcode: opcode, Function: function(len(all), body)})
	}
	emit := func(opcode string, operands ...arm64.Op) {
		add(opcode, func(c arm64.Code) { c.Emit(opcode, operands...) })
	}
	for _, opcode := range strings.Fields(
		"ADC ADCS ADD ADDS AND ASR EOR LSL LSR MUL ORR SBC SBCS SMULH SUB SUBS UMULH",
	) {
		emit(opcode, b, a, to)
		emit(opcode, a, a, to)
		emit(opcode, b, a, b)
		emit(opcode, arm64.ZR, a, a)
		emit(opcode, b, arm64.ZR, to)
		emit(opcode, b, a, arm64.ZR)
	}
	for _, n := range []arm64.Imm{1, 32, 60, 63} {
		for _, opcode := range strings.Fields("ADD ADDS AND ASR EOR LSL LSR ORR SUB SUBS") {
			emit(opcode, n, a, to)
		}
		for _, opcode := range []string{"CMN", "CMP", "TST"} {
			emit(opcode, n, a)
		}
		emit("EORASR", n, b, a, to)
		emit("EXTR", n, b, a, to)
		emit("MOVZ", n<<16, to)
		emit("MOVK", n<<32, to)
	}
	emit("ADD", arm64.Imm(1<<19), a, to)
	emit("SUBS", arm64.Imm(0xfff<<12), a, to)
	emit("ORR", arm64.Imm(1<<64-1<<62), a, to)
	for _, opcode := range []string{"CMP", "CMN", "TST"} {
		emit(opcode, b, a)
	}
	for _, opcode := range []string{"NEG", "RBIT", "CLZ"} {
		emit(opcode, a, to)
	}
	emit("CLZ", arm64.ZR, to)
	emit("MADD", a, b, d, to)
	emit("MSUB", a, b, d, to)
	words := arm64.At(state, 8*memory)
	emit("MOVD", a, to)
	emit("MOVD", words.Offset(8), to)
	emit("MOVD", a, words.Offset(8))
	emit("MOVB", a, words.Offset(3))
	emit("LDP", words, to, b)
	emit("STP", a, b, words.Offset(16))
	add("STP", func(c arm64.Code) { // store to the probe's frame
		local := c.Local(16)
		c.STP(a, b, local)
		c.LDP(local, d, to)
	})

	// over adds a case with a jump over a second instruction.
	over := func(opcode string, operands ...arm64.Op) {
		add(opcode, func(c arm64.Code) {
			c.Emit(opcode, append(operands, listing.Target("over"))...)
			c.MOVZ(7, to)
			c.Label("over")
		})
	}
	for _, cc := range strings.Fields("EQ NE HS LO MI PL VS VC HI LS GE LT GT LE") {
		for _, opcode := range []string{"CSEL", "CSINC", "CSNEG"} {
			emit(opcode+cc, a, b, to)
		}
		emit("CCMP"+cc, a, b, arm64.Imm(5))
		emit("CCMP"+cc, a, arm64.Imm(15), arm64.Imm(10))
		over("B" + cc)
	}
	over("B")
	over("CBZ", a)
	over("CBNZ", a)

	for _, opcode := range strings.Fields("VADD VAND VBIT VCMEQ VEOR VORR VSUB") {
		for _, v := range [][3]arm64.Vec{{1, 2, 3}, {1, 2, 2}, {2, 2, 4}} {
			emit(opcode, v[0], v[1], v[2])
		}
	}
	emit("VDUP", a, arm64.Vec(2))
	at := func(c arm64.Code) { c.ADD(arm64.Imm(8*memory), state, d) }
	relative := func(c arm64.Code) { c.SUB(state, d, d) } // addresses differ from the CPU's
	add("VLD1P", func(c arm64.Code) { at(c); c.VLD1P(d, 3); relative(c) })
	add("VLD1P", func(c arm64.Code) { at(c); c.VLD1P(d, 2, 3, 4); relative(c) })
	add("VST1P", func(c arm64.Code) { at(c); c.VST1P(d, 4); relative(c) })
	add("VST1P", func(c arm64.Code) { at(c); c.VST1P(d, 3, 4); relative(c) })
	return all
}
