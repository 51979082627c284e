package probes

import (
	"maps"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// All returns the cases to probe: every instruction of the table, in all forms that differ.
func All() (all []probe.Case) {
	add := func(opcode string, body func(c riscv64.Code)) {
		all = append(all, probe.Case{Opcode: opcode, Function: function(len(all), body)})
	}
	threes := map[string]func(c riscv64.Code, b, a, to riscv64.Reg){
		"ADD": riscv64.Code.ADD, "SUB": riscv64.Code.SUB,
		"SLT": riscv64.Code.SLT, "SLTU": riscv64.Code.SLTU,
		"AND": riscv64.Code.AND, "OR": riscv64.Code.OR, "XOR": riscv64.Code.XOR,
		"SLL": riscv64.Code.SLL, "SRL": riscv64.Code.SRL, "SRA": riscv64.Code.SRA,
		"MUL": riscv64.Code.MUL, "MULH": riscv64.Code.MULH, "MULHSU": riscv64.Code.MULHSU,
		"MULHU": riscv64.Code.MULHU,
	}
	for _, opcode := range slices.Sorted(maps.Keys(threes)) {
		f := threes[opcode]
		add(opcode, func(c riscv64.Code) { f(c, b, a, to) })
		add(opcode, func(c riscv64.Code) { f(c, a, a, to) })
		add(opcode, func(c riscv64.Code) { f(c, b, a, b) })
		add(opcode, func(c riscv64.Code) { f(c, riscv64.ZERO, a, a) })
		if opcode != "ADD" {
			add(opcode, func(c riscv64.Code) { f(c, b, riscv64.ZERO, to) })
		}
	}
	numbers := map[string]func(c riscv64.Code, n riscv64.Imm, a, to riscv64.Reg){
		"ADDI": riscv64.Code.ADDI, "ADDIW": riscv64.Code.ADDIW,
		"SLTI": riscv64.Code.SLTI, "SLTIU": riscv64.Code.SLTIU,
		"ANDI": riscv64.Code.ANDI, "ORI": riscv64.Code.ORI, "XORI": riscv64.Code.XORI,
		"SLLI": riscv64.Code.SLLI, "SRLI": riscv64.Code.SRLI, "SRAI": riscv64.Code.SRAI,
	}
	for _, opcode := range slices.Sorted(maps.Keys(numbers)) {
		f := numbers[opcode]
		values := []riscv64.Imm{-2048, -1, 0, 1, 2047}
		if opcode[0] == 'S' && opcode[1] != 'L' || opcode == "SLLI" {
			values = []riscv64.Imm{1, 32, 63}
		}
		for _, n := range values {
			add(opcode, func(c riscv64.Code) { f(c, n, a, to) })
		}
		add(opcode, func(c riscv64.Code) { f(c, 5, riscv64.ZERO, to) })
	}
	for _, n := range []riscv64.Imm{-1 << 19, -1, 0, 1, 1<<19 - 1} {
		add("LUI", func(c riscv64.Code) { c.LUI(n, to) })
	}
	for _, x := range []riscv64.Reg{a, b} { // the carry of a sum
		add("SLTU", func(c riscv64.Code) { c.ADD(b, a, to); c.SLTU(x, to, d) })
	}
	moves(add)
	jumps := map[string]func(c riscv64.Code, a, b riscv64.Reg, label string){
		"BEQ": riscv64.Code.BEQ, "BNE": riscv64.Code.BNE, "BLT": riscv64.Code.BLT,
		"BGE": riscv64.Code.BGE, "BLTU": riscv64.Code.BLTU, "BGEU": riscv64.Code.BGEU,
	}
	for _, opcode := range slices.Sorted(maps.Keys(jumps)) {
		f := jumps[opcode]
		over(add, opcode, func(c riscv64.Code, label string) { f(c, a, b, label) })
		over(add, opcode, func(c riscv64.Code, label string) { f(c, riscv64.ZERO, b, label) })
		over(add, opcode, func(c riscv64.Code, label string) { f(c, a, a, label) })
	}
	over(add, "JMP", riscv64.Code.JMP)
	return all
}

// constants lists the values with which the method Constant is tested.
var constants = []uint64{
	0, 1, 2047, 2048, 4096, 0x7ffff7ff, 0x7ffff800, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32,
	0x100000400, 1<<62 - 1, 1<<63 - 1, 1 << 63, 0xb0d0f0e0d0c0b0a0, 0xffffffff7ffff7ff,
	0x0123456789abcdef, 1<<64 - 2048, 1<<64 - 2049, 1<<64 - 1,
}

func moves(add func(opcode string, body func(c riscv64.Code))) {
	words := riscv64.At(state, 8*memory)
	add("MOV", func(c riscv64.Code) { c.MOV(a, to) })
	add("MOV", func(c riscv64.Code) { c.MOV(riscv64.ZERO, to) })
	for _, n := range constants {
		add("ADDI", func(c riscv64.Code) { c.Constant(n, to) })
	}
	for _, offset := range []int{0, 8} {
		add("LD", func(c riscv64.Code) { c.LD(words.Offset(offset), to) })
		add("SD", func(c riscv64.Code) { c.SD(a, words.Offset(offset)) })
		add("SB", func(c riscv64.Code) { c.SB(a, words.Offset(offset+1)) })
	}
	add("SD", func(c riscv64.Code) { c.SD(riscv64.ZERO, words) })
	add("SD", func(c riscv64.Code) { // store to the frame
		local := c.Local(16)
		c.SD(a, local.Offset(8))
		c.SD(b, local)
		c.LD(local.Offset(8), d)
		c.LD(local, to)
	})
}

// over adds a case with a conditional jump over a second instruction.
func over(
	add func(opcode string, body func(c riscv64.Code)), opcode string,
	jump func(c riscv64.Code, label string),
) {
	add(opcode, func(c riscv64.Code) {
		jump(c, "over")
		c.ADDI(7, riscv64.ZERO, to)
		c.Label("over")
	})
}
