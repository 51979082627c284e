// Package arm64 writes functions in the instruction set A64. It has one method for each
// instruction, with the name and the operand order of Go's assembler: sources first, the subtrahend
// before the minuend, and the destination last.
package arm64

//ci:untested interp/arm64/probes runs every instruction.

import (
	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing"
)

// Code is a function under construction. Its methods append instructions to the function.
type Code struct{ *listing.Function }

// New returns an empty function. layout is its signature, in which words of the same size replace
// named types.
func New(name, layout string) Code {
	return Code{listing.New(table.Table(), name, layout, table.Locals-8)}
}

// An Op is an operand: a register, an immediate or a memory operand.
type Op = listing.Op

// A Reg is a general register.
type Reg int

// These are the registers that a function may use. The others are reserved: R18 belongs to the
// system, R27 to the linker, and R28 to R30 to Go. ZR reads as zero, and writes to it are
// discarded.
const (
	R0 Reg = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	R16
	R17
	_
	R19
	R20
	R21
	R22
	R23
	R24
	R25
	R26
	ZR Reg = table.ZR
)

// Writable reports whether a function may write the register r.
func (r Reg) Writable() bool { return table.Table().Reserved(nil)[r] == "" }

func (r Reg) Operand() interp.Operand { return listing.General(int(r)) }

// A Vec is a vector register, V0 to V31, with two lanes of 64 bits.
type Vec int

func (v Vec) Operand() interp.Operand {
	return interp.Operand{Kind: interp.Vec, Index: int(v), Bits: 128, IndexReg: -1}
}

// Imm is an immediate operand.
type Imm uint64

func (n Imm) Operand() interp.Operand { return listing.Immediate(uint64(n)) }

// Mem is an operand in memory.
type Mem = listing.Mem

// At returns the memory operand at offset bytes above the address in r.
func At(r Reg, offset int) Mem { return listing.At(int(r), offset) }

// Argument loads the argument with the given name into a register. For a slice it loads the
// pointer; the name with ".len" appended loads the length.
func (c Code) Argument(name string, to Reg) { c.Emit("MOVD", c.Function.Argument(name), to) }

// ArgumentPair loads two arguments that are consecutive in memory into the registers a and b.
func (c Code) ArgumentPair(first, second string, a, b Reg) {
	one, two := c.Function.Argument(first), c.Function.Argument(second)
	if two.Operand().Disp != one.Operand().Disp+8 {
		c.Fail("%s does not follow %s", second, first)
	}
	c.Emit("LDP", one, a, b)
}

// Result stores the register from in the result with the given name, which has one or eight bytes.
func (c Code) Result(from Reg, name string) {
	opcode := "MOVD"
	if c.Bytes(name) == 1 {
		opcode = "MOVB"
	}
	c.Emit(opcode, from, c.Function.Argument(name))
}

// The following methods write moves.

func (c Code) MOVD(from, to Op)              { c.Emit("MOVD", from, to) }
func (c Code) MOVB(from Reg, to Mem)         { c.Emit("MOVB", from, to) }
func (c Code) MOVZ(n Imm, to Reg)            { c.Emit("MOVZ", n, to) }
func (c Code) MOVK(n Imm, to Reg)            { c.Emit("MOVK", n, to) }
func (c Code) LDP(from Mem, low, high Reg)   { c.Emit("LDP", from, low, high) }
func (c Code) STP(low, high Reg, to Mem)     { c.Emit("STP", low, high, to) }
func (c Code) CSEL(cc string, a, b, to Reg)  { c.Emit("CSEL"+cc, a, b, to) }
func (c Code) CSINC(cc string, a, b, to Reg) { c.Emit("CSINC"+cc, a, b, to) }
func (c Code) CSNEG(cc string, a, b, to Reg) { c.Emit("CSNEG"+cc, a, b, to) }

// The following methods write additions and subtractions: to = a ± b. An S at the end of the name
// means that the instruction sets the flags. A C in the name means that it adds the carry, or, when
// it subtracts, that it also subtracts 1 minus the carry.

func (c Code) ADD(b Op, a, to Reg)  { c.Emit("ADD", b, a, to) }
func (c Code) ADDS(b Op, a, to Reg) { c.Emit("ADDS", b, a, to) }
func (c Code) ADC(b, a, to Reg)     { c.Emit("ADC", b, a, to) }
func (c Code) ADCS(b, a, to Reg)    { c.Emit("ADCS", b, a, to) }
func (c Code) SUB(b Op, a, to Reg)  { c.Emit("SUB", b, a, to) }
func (c Code) SUBS(b Op, a, to Reg) { c.Emit("SUBS", b, a, to) }
func (c Code) SBC(b, a, to Reg)     { c.Emit("SBC", b, a, to) }
func (c Code) SBCS(b, a, to Reg)    { c.Emit("SBCS", b, a, to) }
func (c Code) CMP(b Op, a Reg)      { c.Emit("CMP", b, a) }
func (c Code) CMN(b Op, a Reg)      { c.Emit("CMN", b, a) }

// CCMP sets the flags to those of a − b if the condition cc holds. Otherwise it sets the flags N,
// Z, C and V to the bits of the operand flags with the values 8, 4, 2 and 1.
func (c Code) CCMP(cc string, a Reg, b Op, flags Imm) { c.Emit("CCMP"+cc, a, b, flags) }

func (c Code) NEG(a, to Reg) { c.Emit("NEG", a, to) }

// The following methods write products. MUL is the lower half of a product, and UMULH and SMULH are
// the unsigned and the signed upper half.

func (c Code) MUL(a, b, to Reg)   { c.Emit("MUL", a, b, to) }
func (c Code) UMULH(a, b, to Reg) { c.Emit("UMULH", a, b, to) }
func (c Code) SMULH(a, b, to Reg) { c.Emit("SMULH", a, b, to) }

// MADD sets to = s + a·b, and MSUB sets to = s − a·b.

func (c Code) MADD(a, s, b, to Reg) { c.Emit("MADD", a, s, b, to) }
func (c Code) MSUB(a, s, b, to Reg) { c.Emit("MSUB", a, s, b, to) }

// The following methods write bit operations: to = a op b.

func (c Code) AND(b Op, a, to Reg) { c.Emit("AND", b, a, to) }
func (c Code) TST(b Op, a Reg)     { c.Emit("TST", b, a) }
func (c Code) ORR(b Op, a, to Reg) { c.Emit("ORR", b, a, to) }
func (c Code) EOR(b Op, a, to Reg) { c.Emit("EOR", b, a, to) }

// EORASR sets to = a ^ (b >> n), where >> is an arithmetic shift.
func (c Code) EORASR(n Imm, b, a, to Reg) { c.Emit("EORASR", n, b, a, to) }

func (c Code) LSL(n Op, a, to Reg)           { c.Emit("LSL", n, a, to) }
func (c Code) LSR(n Op, a, to Reg)           { c.Emit("LSR", n, a, to) }
func (c Code) ASR(n Op, a, to Reg)           { c.Emit("ASR", n, a, to) }
func (c Code) EXTR(n Imm, low, high, to Reg) { c.Emit("EXTR", n, low, high, to) }

// RBIT sets to to the bits of a in reverse order. CLZ sets to to the number of leading zeros of a,
// which is 64 for 0.

func (c Code) RBIT(a, to Reg) { c.Emit("RBIT", a, to) }
func (c Code) CLZ(a, to Reg)  { c.Emit("CLZ", a, to) }

// The following methods write jumps.

func (c Code) B(label string)           { c.Emit("B", listing.Target(label)) }
func (c Code) BCC(cc, label string)     { c.Emit("B"+cc, listing.Target(label)) }
func (c Code) CBZ(a Reg, label string)  { c.Emit("CBZ", a, listing.Target(label)) }
func (c Code) CBNZ(a Reg, label string) { c.Emit("CBNZ", a, listing.Target(label)) }
func (c Code) RET()                     { c.Emit("RET") }

// The following methods write vector instructions. VLD1P and VST1P load and store one to four
// consecutively numbered registers, and advance the pointer by the size of these registers. VBIT
// copies the bits of from to the register to where the mask has ones.

func (c Code) VLD1P(pointer Reg, to ...Vec) {
	ops := []Op{pointer}
	for _, v := range to {
		ops = append(ops, v)
	}
	c.Emit("VLD1P", ops...)
}

func (c Code) VST1P(pointer Reg, from ...Vec) {
	var ops []Op
	for _, v := range from {
		ops = append(ops, v)
	}
	c.Emit("VST1P", append(ops, pointer)...)
}

func (c Code) VDUP(from Reg, to Vec)   { c.Emit("VDUP", from, to) }
func (c Code) VADD(b, a, to Vec)       { c.Emit("VADD", b, a, to) }
func (c Code) VSUB(b, a, to Vec)       { c.Emit("VSUB", b, a, to) }
func (c Code) VCMEQ(b, a, to Vec)      { c.Emit("VCMEQ", b, a, to) }
func (c Code) VAND(b, a, to Vec)       { c.Emit("VAND", b, a, to) }
func (c Code) VORR(b, a, to Vec)       { c.Emit("VORR", b, a, to) }
func (c Code) VEOR(b, a, to Vec)       { c.Emit("VEOR", b, a, to) }
func (c Code) VBIT(mask, from, to Vec) { c.Emit("VBIT", mask, from, to) }
