package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

type table = map[string]*interp.Kind

// instructions returns all instructions that kernels may use, by opcode as avo and Go's assembler
// name it. Kernels with other opcodes cannot be loaded. Every instruction is in a kernel, a mutant
// or a probe. Instructions marked variable are forbidden in constant-time kernels. The instructions
// not marked are on Intel's list of instructions with data-independent time. AMD has no such list,
// but runs them in fixed time on all CPUs since Zen.
func instructions() table {
	t := table{}
	addIntegers(t)
	addConditions(t)
	addVectors(t)
	addMasks(t)
	addDwords(t)
	addDoubles(t)
	return t
}

// sizes maps each suffix of integer instructions to the operand width in bits.
var sizes = map[rune]uint{'B': 8, 'L': 32, 'Q': 64}

// one adds a single instruction to the table t.
func one(t table, name string, bits uint, operands int, run func(*machine, *inst)) *interp.Kind {
	t[name] = &interp.Kind{Run: run, Bits: bits, Least: operands, Most: operands}
	return t[name]
}

// integers adds, for each letter of suffixes, the instruction with this suffix.
func integers(t table, name, suffixes string, operands int, run func(*machine, *inst)) {
	for _, s := range suffixes {
		one(t, name+string(s), sizes[s], operands, run)
	}
}

func addIntegers(t table) {
	integers(t, "ADD", "BQ", 2, sum(addition, false, false))
	integers(t, "ADC", "Q", 2, sum(addition, true, false))
	integers(t, "SUB", "Q", 2, sum(subtraction, false, true))
	integers(t, "SBB", "Q", 2, sum(subtraction, true, true))
	integers(t, "CMP", "Q", 2, cmp)
	integers(t, "AND", "LQ", 2, logic(and, false, true))
	integers(t, "OR", "LQ", 2, logic(or, false, true))
	integers(t, "XOR", "LQ", 2, logic(xor, true, true))
	integers(t, "TEST", "BLQ", 2, logic(and, false, false))
	integers(t, "NEG", "Q", 1, neg)
	integers(t, "NOT", "Q", 1, not)
	integers(t, "INC", "Q", 1, increment(1))
	integers(t, "DEC", "LQ", 1, increment(^uint64(0)))
	integers(t, "IMUL", "Q", 1, imul)
	t["IMULQ"].Most = 2
	integers(t, "IMUL3", "Q", 3, imul)
	integers(t, "MULX", "Q", 3, mulx)
	integers(t, "ADCX", "Q", 2, chain(carry))
	integers(t, "ADOX", "Q", 2, chain(overflow))
	integers(t, "ANDN", "Q", 3, andn)
	integers(t, "LEA", "Q", 2, lea)
	integers(t, "TZCNT", "Q", 2, tzcnt)
	integers(t, "POPCNT", "L", 2, popcnt)
	integers(t, "BZHI", "Q", 3, bzhi)
	integers(t, "BSR", "Q", 2, bsr)
	t["BSRQ"].Variable = true // some CPUs run it as a microcode loop
	integers(t, "MOV", "BLQ", 2, mov)
	one(t, "MOVBLZX", 32, 2, moveZero(8))
	one(t, "MOVLQZX", 64, 2, moveZero(32))
	for name, f := range map[string]shifter{"SHL": shl, "SHR": shr, "SAR": sar} {
		one(t, name+"Q", 64, 2, shift(f, name == "SHL"))
		one(t, name+"XQ", 64, 3, shiftX(f))
	}
	t["SHLQ"].Most, t["SHRQ"].Most = 3, 3
	one(t, "SHLL", 32, 2, shift(shl, true))
	one(t, "SHRL", 32, 2, shift(shr, false))
	one(t, "NOP", 0, 0, func(*machine, *inst) {})
	one(t, "PREFETCHT0", 64, 1, func(m *machine, i *inst) { m.Prefetch(&i.Op[0]) }).Hint = true
}
