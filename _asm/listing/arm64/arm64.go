// Package arm64 writes functions in the instruction set A64. It has one method for each
// instruction of kernels, with the name and the operand order of Go's assembler: sources first, the
// subtrahend before the minuend, and the destination last.
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
func (c Code) Argument(name string, dst Reg) { c.Emit("MOVD", c.Function.Argument(name), dst) }

// ArgumentPair loads two arguments that are consecutive in memory into the registers a and b.
func (c Code) ArgumentPair(first, second string, a, b Reg) {
	one, two := c.Function.Argument(first), c.Function.Argument(second)
	if two.Operand().Disp != one.Operand().Disp+8 {
		c.Fail("%s does not follow %s", second, first)
	}
	c.Emit("LDP", one, a, b)
}

// Result stores the register src in the result with the given name. The result must have one or
// eight bytes.
func (c Code) Result(src Reg, name string) {
	opcode := "MOVD"
	if c.Bytes(name) == 1 {
		opcode = "MOVB"
	}
	c.Emit(opcode, src, c.Function.Argument(name))
}

// The following methods write moves.

func (c Code) MOVD(from, dst Op)              { c.Emit("MOVD", from, dst) }
func (c Code) MOVB(from Reg, dst Mem)         { c.Emit("MOVB", from, dst) }
func (c Code) MOVZ(n Imm, dst Reg)            { c.Emit("MOVZ", n, dst) }
func (c Code) MOVK(n Imm, dst Reg)            { c.Emit("MOVK", n, dst) }
func (c Code) LDP(from Mem, low, high Reg)    { c.Emit("LDP", from, low, high) }
func (c Code) STP(low, high Reg, dst Mem)     { c.Emit("STP", low, high, dst) }
func (c Code) CSEL(cc string, a, b, dst Reg)  { c.Emit("CSEL"+cc, a, b, dst) }
func (c Code) CSINC(cc string, a, b, dst Reg) { c.Emit("CSINC"+cc, a, b, dst) }
func (c Code) CSNEG(cc string, a, b, dst Reg) { c.Emit("CSNEG"+cc, a, b, dst) }

// The following methods write additions and subtractions: dst = a ± b. An S at the end of the name
// means that the instruction sets the flags. A C in the name means that it adds the carry, or, when
// it subtracts, that it also subtracts 1 minus the carry.

func (c Code) ADD(b Op, a, dst Reg)  { c.Emit("ADD", b, a, dst) }
func (c Code) ADDS(b Op, a, dst Reg) { c.Emit("ADDS", b, a, dst) }
func (c Code) ADC(b, a, dst Reg)     { c.Emit("ADC", b, a, dst) }
func (c Code) ADCS(b, a, dst Reg)    { c.Emit("ADCS", b, a, dst) }
func (c Code) SUB(b Op, a, dst Reg)  { c.Emit("SUB", b, a, dst) }
func (c Code) SUBS(b Op, a, dst Reg) { c.Emit("SUBS", b, a, dst) }
func (c Code) SBC(b, a, dst Reg)     { c.Emit("SBC", b, a, dst) }
func (c Code) SBCS(b, a, dst Reg)    { c.Emit("SBCS", b, a, dst) }
func (c Code) CMP(b Op, a Reg)       { c.Emit("CMP", b, a) }
func (c Code) CMN(b Op, a Reg)       { c.Emit("CMN", b, a) }

// CCMP sets the flags to those of a − b if the condition cc holds. Otherwise it sets the flags N,
// Z, C and V to the bits of the operand flags with the values 8, 4, 2 and 1.
func (c Code) CCMP(cc string, a Reg, b Op, flags Imm) { c.Emit("CCMP"+cc, a, b, flags) }

func (c Code) NEG(a, dst Reg) { c.Emit("NEG", a, dst) }

// The following methods write products. MUL is the lower half of a product, and UMULH and SMULH are
// the unsigned and the signed upper half.

func (c Code) MUL(a, b, dst Reg)   { c.Emit("MUL", a, b, dst) }
func (c Code) UMULH(a, b, dst Reg) { c.Emit("UMULH", a, b, dst) }
func (c Code) SMULH(a, b, dst Reg) { c.Emit("SMULH", a, b, dst) }

// MADD computes dst = s + a·b.

func (c Code) MADD(a, s, b, dst Reg) { c.Emit("MADD", a, s, b, dst) }

// The following methods write bit operations: dst = a op b.

func (c Code) AND(b Op, a, dst Reg) { c.Emit("AND", b, a, dst) }
func (c Code) TST(b Op, a Reg)      { c.Emit("TST", b, a) }
func (c Code) ORR(b Op, a, dst Reg) { c.Emit("ORR", b, a, dst) }
func (c Code) EOR(b Op, a, dst Reg) { c.Emit("EOR", b, a, dst) }

// EORASR computes dst = a ^ (b >> n), where >> is an arithmetic shift.
func (c Code) EORASR(n Imm, b, a, dst Reg) { c.Emit("EORASR", n, b, a, dst) }

func (c Code) LSL(n Op, a, dst Reg)           { c.Emit("LSL", n, a, dst) }
func (c Code) LSR(n Op, a, dst Reg)           { c.Emit("LSR", n, a, dst) }
func (c Code) ASR(n Op, a, dst Reg)           { c.Emit("ASR", n, a, dst) }
func (c Code) EXTR(n Imm, low, high, dst Reg) { c.Emit("EXTR", n, low, high, dst) }

// RBIT computes the bits of a in reverse order. CLZ computes the number of leading zeros of a,
// which is 64 for 0.

func (c Code) RBIT(a, dst Reg) { c.Emit("RBIT", a, dst) }
func (c Code) CLZ(a, dst Reg)  { c.Emit("CLZ", a, dst) }

// The following methods write jumps.

func (c Code) B(label string)           { c.Emit("B", listing.Target(label)) }
func (c Code) BCC(cc, label string)     { c.Emit("B"+cc, listing.Target(label)) }
func (c Code) CBZ(a Reg, label string)  { c.Emit("CBZ", a, listing.Target(label)) }
func (c Code) CBNZ(a Reg, label string) { c.Emit("CBNZ", a, listing.Target(label)) }
func (c Code) RET()                     { c.Emit("RET") }

// The following methods write vector instructions. VLD1P and VST1P load and store one to four
// consecutively numbered registers, and advance the pointer by the size of these registers. VBIT
// copies bits from one register to another, where a mask has ones.

func (c Code) VLD1P(pointer Reg, dst ...Vec) {
	ops := []Op{pointer}
	for _, v := range dst {
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

func (c Code) VDUP(from Reg, dst Vec)  { c.Emit("VDUP", from, dst) }
func (c Code) VADD(b, a, dst Vec)      { c.Emit("VADD", b, a, dst) }
func (c Code) VCMEQ(b, a, dst Vec)     { c.Emit("VCMEQ", b, a, dst) }
func (c Code) VEOR(b, a, dst Vec)      { c.Emit("VEOR", b, a, dst) }
func (c Code) VBIT(mask, src, dst Vec) { c.Emit("VBIT", mask, src, dst) }
