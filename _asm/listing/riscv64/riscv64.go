// Package riscv64 writes functions in the instruction set of riscv64. It has one method for each
// instruction of kernels, with the name and the operand order of Go's assembler: sources first, the
// subtrahend before the minuend, and the destination last.
package riscv64

//ci:untested interp/riscv64/probes runs every instruction.

import (
	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
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

// These are the registers that a function may use. The others are reserved: X1 to X4 are the return
// address and the stack, global and thread pointers; X27 is the goroutine pointer, and X31 the
// assembler's temporary. ZERO reads as zero, and writes to it are discarded.
const (
	ZERO Reg = table.Zero
	X5   Reg = iota + 4
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	_
	X28
	X29
	X30
)

// Writable reports whether a function may write the register r.
func (r Reg) Writable() bool { return table.Table().Reserved(nil)[r] == "" }

func (r Reg) Operand() interp.Operand { return listing.General(int(r)) }

// Imm is an immediate operand. It must be in [−2048, 2047], except for LUI and shifts.
type Imm int64

func (n Imm) Operand() interp.Operand { return listing.Immediate(uint64(n)) }

// Mem is an operand in memory.
type Mem = listing.Mem

// At returns the memory operand at offset bytes above the address in r.
func At(r Reg, offset int) Mem { return listing.At(int(r), offset) }

// Argument loads the argument with the given name into a register. For a slice it loads the
// pointer; the name with ".len" appended loads the length.
func (c Code) Argument(name string, dst Reg) { c.LD(c.Function.Argument(name), dst) }

// Result stores the register src in the result with the given name. The result must have one or
// eight bytes.
func (c Code) Result(src Reg, name string) {
	to := c.Function.Argument(name)
	if c.Bytes(name) == 1 {
		c.SB(src, to)
		return
	}
	c.SD(src, to)
}

// Constant writes the constant v to the register dst. This takes one instruction for numbers from
// −2048 to 2047, two for 32-bit numbers, and at most eight for others.
func (c Code) Constant(v uint64, dst Reg) { c.ConstantBy(v, dst, func() Reg { return dst }) }

// ConstantBy is Constant with its intermediate results in registers that fresh returns.
func (c Code) ConstantBy(v uint64, dst Reg, fresh func() Reg) {
	low := int64(v<<52) >> 52
	n := int64(v)
	// add writes the instructions of upper, which compute v − low, and then, if low is not 0, an
	// addition of low.
	add := func(upper func(dst Reg)) {
		if low == 0 {
			upper(dst)
			return
		}
		r := fresh()
		upper(r)
		if n == int64(int32(n)) {
			c.ADDIW(Imm(low), r, dst)
		} else {
			c.ADDI(Imm(low), r, dst)
		}
	}
	switch {
	case n == low:
		c.ADDI(Imm(n), ZERO, dst)
	case n == int64(int32(n)):
		add(func(dst Reg) { c.LUI(Imm(int64(int32(n-low))>>12), dst) })
	default:
		rest, shift := (n-low)>>12, 12
		for rest&1 == 0 {
			rest, shift = rest>>1, shift+1
		}
		add(func(dst Reg) {
			r := fresh()
			c.ConstantBy(uint64(rest), r, fresh)
			c.SLLI(Imm(shift), r, dst)
		})
	}
}

// The following methods write moves. Addresses must be multiples of the size of the access. LUI
// sets a register to n·2^12.

func (c Code) MOV(from, dst Reg)    { c.Emit("MOV", from, dst) }
func (c Code) LUI(n Imm, dst Reg)   { c.Emit("LUI", n, dst) }
func (c Code) LD(from Mem, dst Reg) { c.Emit("LD", from, dst) }
func (c Code) SD(from Reg, dst Mem) { c.Emit("SD", from, dst) }
func (c Code) SB(from Reg, dst Mem) { c.Emit("SB", from, dst) }

// The following methods write additions and subtractions: dst = a ± b. ADDIW adds 32 bits and
// sign-extends the result.

func (c Code) ADD(b, a, dst Reg)       { c.Emit("ADD", b, a, dst) }
func (c Code) ADDI(n Imm, a, dst Reg)  { c.Emit("ADDI", n, a, dst) }
func (c Code) ADDIW(n Imm, a, dst Reg) { c.Emit("ADDIW", n, a, dst) }
func (c Code) SUB(b, a, dst Reg)       { c.Emit("SUB", b, a, dst) }

// The following methods write comparisons: dst = 1 if a < b as unsigned numbers, else 0.

func (c Code) SLTU(b, a, dst Reg)      { c.Emit("SLTU", b, a, dst) }
func (c Code) SLTIU(n Imm, a, dst Reg) { c.Emit("SLTIU", n, a, dst) }

// The following methods write bit operations: dst = a op b. A shift by a register uses the lowest
// six bits of the register.

func (c Code) AND(b, a, dst Reg)      { c.Emit("AND", b, a, dst) }
func (c Code) ANDI(n Imm, a, dst Reg) { c.Emit("ANDI", n, a, dst) }
func (c Code) OR(b, a, dst Reg)       { c.Emit("OR", b, a, dst) }
func (c Code) XOR(b, a, dst Reg)      { c.Emit("XOR", b, a, dst) }
func (c Code) XORI(n Imm, a, dst Reg) { c.Emit("XORI", n, a, dst) }
func (c Code) SLL(n, a, dst Reg)      { c.Emit("SLL", n, a, dst) }
func (c Code) SLLI(n Imm, a, dst Reg) { c.Emit("SLLI", n, a, dst) }
func (c Code) SRL(n, a, dst Reg)      { c.Emit("SRL", n, a, dst) }
func (c Code) SRLI(n Imm, a, dst Reg) { c.Emit("SRLI", n, a, dst) }
func (c Code) SRAI(n Imm, a, dst Reg) { c.Emit("SRAI", n, a, dst) }

// The following methods write products. MUL is the lower half of a product. MULHSU and MULHU are
// the upper half: of a signed a and an unsigned b, and of unsigned factors.

func (c Code) MUL(b, a, dst Reg)    { c.Emit("MUL", b, a, dst) }
func (c Code) MULHSU(b, a, dst Reg) { c.Emit("MULHSU", b, a, dst) }
func (c Code) MULHU(b, a, dst Reg)  { c.Emit("MULHU", b, a, dst) }

// The following methods write jumps. The name of a conditional jump is B and the condition: BLT
// jumps if a < b. A U at the end of the name means an unsigned comparison.

func (c Code) JMP(label string)            { c.Emit("JMP", listing.Target(label)) }
func (c Code) BEQ(a, b Reg, label string)  { c.Emit("BEQ", a, b, listing.Target(label)) }
func (c Code) BNE(a, b Reg, label string)  { c.Emit("BNE", a, b, listing.Target(label)) }
func (c Code) BLT(a, b Reg, label string)  { c.Emit("BLT", a, b, listing.Target(label)) }
func (c Code) BGE(a, b Reg, label string)  { c.Emit("BGE", a, b, listing.Target(label)) }
func (c Code) BLTU(a, b Reg, label string) { c.Emit("BLTU", a, b, listing.Target(label)) }
func (c Code) BGEU(a, b Reg, label string) { c.Emit("BGEU", a, b, listing.Target(label)) }
func (c Code) RET()                        { c.Emit("RET") }
