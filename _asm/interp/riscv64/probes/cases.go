package probes

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// All returns the cases to probe: every instruction of the table, in all forms that differ.
func All() (all []probe.Case) {
	add := func(opcode string, body func(c riscv64.Code)) {
		all = append(all, probe.Case{Opcode: opcode, Function: function(len(all), body)})
	}
	emit := func(opcode string, operands ...riscv64.Op) {
		add(opcode, func(c riscv64.Code) { c.Emit(opcode, operands...) })
	}
	for _, opcode := range strings.Fields(
		"ADD AND MUL MULH MULHSU MULHU OR SLL SLT SLTU SRA SRL SUB XOR",
	) {
		emit(opcode, b, a, to)
		emit(opcode, a, a, to)
		emit(opcode, b, a, b)
		emit(opcode, riscv64.ZERO, a, a)
		if opcode != "ADD" {
			emit(opcode, b, riscv64.ZERO, to)
		}
	}
	for _, opcode := range strings.Fields("ADDI ADDIW ANDI ORI SLLI SLTI SLTIU SRAI SRLI XORI") {
		values := []riscv64.Imm{-2048, -1, 0, 1, 2047}
		if opcode[0] == 'S' && opcode[1] != 'L' || opcode == "SLLI" {
			values = []riscv64.Imm{1, 32, 63}
		}
		for _, n := range values {
			emit(opcode, n, a, to)
		}
		emit(opcode, riscv64.Imm(5), riscv64.ZERO, to)
	}
	for _, n := range []riscv64.Imm{-1 << 19, -1, 0, 1, 1<<19 - 1} {
		emit("LUI", n, to)
	}
	for _, x := range []riscv64.Reg{a, b} { // the carry of a sum
		add("SLTU", func(c riscv64.Code) { c.ADD(b, a, to); c.SLTU(x, to, d) })
	}
	words := riscv64.At(state, 8*memory)
	emit("MOV", a, to)
	emit("MOV", riscv64.ZERO, to)
	for _, n := range constants {
		add("ADDI", func(c riscv64.Code) { c.Constant(n, to) })
	}
	for _, offset := range []int{0, 8} {
		emit("LD", words.Offset(offset), to)
		emit("SD", a, words.Offset(offset))
		emit("SB", a, words.Offset(offset+1))
	}
	emit("SD", riscv64.ZERO, words)
	add("SD", func(c riscv64.Code) { // store to the frame
		local := c.Local(16)
		c.SD(a, local.Offset(8))
		c.SD(b, local)
		c.LD(local.Offset(8), d)
		c.LD(local, to)
	})

	// over adds a case with a jump over a second instruction.
	over := func(opcode string, operands ...riscv64.Op) {
		add(opcode, func(c riscv64.Code) {
			c.Emit(opcode, append(operands, listing.Target("over"))...)
			c.ADDI(7, riscv64.ZERO, to)
			c.Label("over")
		})
	}
	for _, opcode := range strings.Fields("BEQ BGE BGEU BLT BLTU BNE") {
		over(opcode, a, b)
		over(opcode, riscv64.ZERO, b)
		over(opcode, a, a)
	}
	over("JMP")
	return all
}

// constants lists the values with which the method Constant is tested.
var constants = []uint64{
	0, 1, 2047, 2048, 4096, 0x7ffff7ff, 0x7ffff800, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32,
	0x100000400, 1<<62 - 1, 1<<63 - 1, 1 << 63, 0xb0d0f0e0d0c0b0a0, 0xffffffff7ffff7ff,
	0x0123456789abcdef, 1<<64 - 2048, 1<<64 - 2049, 1<<64 - 1,
}
