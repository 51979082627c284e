package riscv64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

type table = map[string]*interp.Kind

// instructions returns all instructions that kernels may use, by opcode as Go's assembler names it.
// Kernels with other instructions cannot be loaded. All but the jumps move data, or are on the list
// of instructions with data-independent time ("The RISC-V Instruction Set Manual, Volume I",
// extension Zkt).
func instructions() table {
	t := table{}
	addMoves(t)
	addSums(t)
	addBits(t)
	addComparisons(t)
	addProducts(t)
	addJumps(t)
	return t
}

// one adds a 64-bit instruction to the table t. shape has a letter for each operand: r for a general
// register, i for an immediate, m for a memory operand, l for a label.
func one(t table, name, shape string, run func(*machine, *inst)) *interp.Kind {
	t[name] = &interp.Kind{Run: run, Bits: 64, Least: len(shape), Most: len(shape), Shape: shape}
	return t[name]
}

// two adds to the table t an instruction that computes f of two operands. If immediate is not
// empty, it also adds the instruction with that name, whose second operand is an immediate.
func two(t table, name, immediate string, f func(a, b uint64) uint64) {
	run := func(m *machine, i *inst) {
		if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
			set(m, i, 2, word{})
			return
		}
		a, b := get(m, i, 1), get(m, i, 0)
		set(m, i, 2, word{V: f(a.V, b.V), Secret: a.Secret || b.Secret})
	}
	one(t, name, "rrr", run)
	if immediate != "" {
		one(t, immediate, "irr", run)
	}
}

// get returns the value of operand k of the instruction i, and set writes it.
func get(m *machine, i *inst, k int) word    { return m.Get(i, &i.Op[k]) }
func set(m *machine, i *inst, k int, w word) { m.Set(i, &i.Op[k], w) }

// aligned returns the address of a memory operand. It stops the run if the address is not a
// multiple of the access size. Some CPUs cannot make such an access, and on some it takes a hundred
// times as long.
func aligned(m *machine, i *inst, k int) uint64 {
	a := m.Address(&i.Op[k])
	if size := uint64(i.Bits / 8); a%size != 0 {
		m.Fault("an address that is not a multiple of %d", size)
	}
	return a
}

func addMoves(t table) {
	one(t, "NOP", "", func(*machine, *inst) {})
	one(t, "MOV", "rr", func(m *machine, i *inst) { set(m, i, 1, get(m, i, 0)) })
	one(t, "LUI", "ir", func(m *machine, i *inst) { set(m, i, 1, word{V: i.Op[0].Imm << 12}) })
	one(t, "LD", "mr", func(m *machine, i *inst) { set(m, i, 1, m.Load(aligned(m, i, 0), 64)) })
	store := func(m *machine, i *inst) { m.Store(aligned(m, i, 1), i.Bits, m.GetBits(&i.Op[0], 64)) }
	one(t, "SD", "rm", store)
	one(t, "SB", "rm", store).Bits = 8
}

func addSums(t table) {
	two(t, "ADD", "ADDI", func(a, b uint64) uint64 { return a + b })
	two(t, "SUB", "", func(a, b uint64) uint64 { return a - b })
	t["SUB"].Cancels = true
	one(t, "ADDIW", "irr", func(m *machine, i *inst) { // adds 32 bits and sign-extends the sum
		a := get(m, i, 1)
		set(m, i, 2, word{V: uint64(int32(a.V + i.Op[0].Imm)), Secret: a.Secret})
	})
}

func addBits(t table) {
	two(t, "AND", "ANDI", func(a, b uint64) uint64 { return a & b })
	two(t, "OR", "ORI", func(a, b uint64) uint64 { return a | b })
	two(t, "XOR", "XORI", func(a, b uint64) uint64 { return a ^ b })
	t["XOR"].Cancels = true
	two(t, "SLL", "SLLI", func(a, b uint64) uint64 { return a << (b & 63) })
	two(t, "SRL", "SRLI", func(a, b uint64) uint64 { return a >> (b & 63) })
	two(t, "SRA", "SRAI", func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) })
}

func addComparisons(t table) {
	two(t, "SLT", "SLTI", func(a, b uint64) uint64 { return bit(int64(a) < int64(b)) })
	two(t, "SLTU", "SLTIU", func(a, b uint64) uint64 { return bit(a < b) })
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func addProducts(t table) {
	upper := func(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi }
	sign := func(a uint64) uint64 { return uint64(int64(a) >> 63) }
	two(t, "MUL", "", func(a, b uint64) uint64 { return a * b })
	two(t, "MULHU", "", upper)
	two(t, "MULHSU", "", func(a, b uint64) uint64 { return upper(a, b) - sign(a)&b })
	two(t, "MULH", "", func(a, b uint64) uint64 { return upper(a, b) - sign(a)&b - sign(b)&a })
}

// conditions maps the conditional jumps to their conditions on a and b, the first two operands.
var conditions = map[string]func(a, b uint64) bool{
	"BEQ":  func(a, b uint64) bool { return a == b },
	"BNE":  func(a, b uint64) bool { return a != b },
	"BLT":  func(a, b uint64) bool { return int64(a) < int64(b) },
	"BGE":  func(a, b uint64) bool { return int64(a) >= int64(b) },
	"BLTU": func(a, b uint64) bool { return a < b },
	"BGEU": func(a, b uint64) bool { return a >= b },
}

func addJumps(t table) {
	one(t, "RET", "", func(m *machine, _ *inst) { m.Return() }).Control = interp.Return
	one(t, "JMP", "l", func(m *machine, i *inst) { m.Jump(i) }).Control = interp.Jump
	for name, holds := range conditions {
		one(t, name, "rrl", func(m *machine, i *inst) {
			a, b := get(m, i, 0), get(m, i, 1)
			m.Branch(i, holds(a.V, b.V), a.Secret || b.Secret)
		}).Control = interp.JumpIf
	}
}
