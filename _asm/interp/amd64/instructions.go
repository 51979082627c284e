package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// A kind describes an opcode: the effect of its instructions, and the operands that they may have.
type kind struct {
	interp.Kind
	masked  bool // whether a mask register may select lanes
	wideImm bool // whether a 64-bit immediate is allowed
	rounds  bool // whether the instruction may have a rounding mode of its own
}

type table = map[string]*kind

// instructions returns all instructions that kernels may use, by opcode as avo and Go's assembler
// name it. Kernels with other opcodes cannot be loaded. Instructions marked variable are forbidden
// in constant-time kernels. The instructions not marked are on Intel's list of instructions with
// data-independent time. AMD has no such list, but runs them in fixed time on all CPUs since Zen.
func instructions() table {
	t := table{}
	addIntegers(t)
	addShifts(t)
	addJumps(t)
	addVectors(t)
	addMasks(t)
	addDwords(t)
	addDoubles(t)
	addRanges(t)
	return t
}

// sizes maps each suffix of integer instructions to the operand width in bits.
var sizes = map[string]uint{"B": 8, "W": 16, "L": 32, "Q": 64}

// one adds a single instruction to the table t.
func one(t table, name string, bits uint, operands int, run func(*machine, *inst)) *kind {
	k := &kind{Kind: interp.Kind{Run: run, Bits: bits, Least: operands, Most: operands}}
	t[name] = k
	return k
}

// integers adds, for each letter of suffixes, the instruction with this suffix. If suffixes is
// empty, it adds all four, B, W, L and Q.
func integers(t table, name, suffixes string, operands int, run func(*machine, *inst)) {
	for _, s := range suffixes {
		one(t, name+string(s), sizes[string(s)], operands, run)
	}
}

// variable marks the named instructions as having a time that may depend on their operands.
func variable(t table, names ...string) {
	for _, n := range names {
		t[n].Variable = true
	}
}

func addIntegers(t table) {
	integers(t, "ADD", "BWLQ", 2, add)
	integers(t, "ADC", "BWLQ", 2, adc)
	integers(t, "SUB", "BWLQ", 2, sub)
	integers(t, "SBB", "BWLQ", 2, sbb)
	integers(t, "CMP", "BWLQ", 2, cmp)
	integers(t, "AND", "BWLQ", 2, logic(func(a, b uint64) uint64 { return a & b }))
	integers(t, "OR", "BWLQ", 2, logic(func(a, b uint64) uint64 { return a | b }))
	integers(t, "XOR", "BWLQ", 2, xor)
	integers(t, "TEST", "BWLQ", 2, test)
	integers(t, "NEG", "BWLQ", 1, neg)
	integers(t, "NOT", "BWLQ", 1, not)
	integers(t, "INC", "BWLQ", 1, increment(1))
	integers(t, "DEC", "BWLQ", 1, increment(^uint64(0)))
	integers(t, "MUL", "LQ", 1, mul)
	integers(t, "IMUL", "LQ", 1, imul)
	for _, s := range []string{"L", "Q"} {
		t["IMUL"+s].Most = 2 // with one operand, the product is in DX:AX
		one(t, "IMUL3"+s, sizes[s], 3, imul3)
		one(t, "MULX"+s, sizes[s], 3, mulx)
		one(t, "ADCX"+s, sizes[s], 2, chain(carry))
		one(t, "ADOX"+s, sizes[s], 2, chain(overflow))
		one(t, "ANDN"+s, sizes[s], 3, andn)
		one(t, "BSWAP"+s, sizes[s], 1, bswap)
		one(t, "LEA"+s, sizes[s], 2, lea)
		one(t, "BLSR"+s, sizes[s], 2, blsr)
		one(t, "BLSI"+s, sizes[s], 2, blsi)
		one(t, "BLSMSK"+s, sizes[s], 2, blsmsk)
		one(t, "TZCNT"+s, sizes[s], 2, tzcnt)
		one(t, "LZCNT"+s, sizes[s], 2, lzcnt)
		one(t, "POPCNT"+s, sizes[s], 2, popcnt)
		one(t, "BSF"+s, sizes[s], 2, bsf)
		one(t, "BSR"+s, sizes[s], 2, bsr)
		one(t, "DIV"+s, sizes[s], 1, div)
		one(t, "PDEP"+s, sizes[s], 3, pdep)
		one(t, "PEXT"+s, sizes[s], 3, pext)
		// Some CPUs run these instructions as a microcode loop.
		variable(t, "BSF"+s, "BSR"+s, "DIV"+s, "PDEP"+s, "PEXT"+s)
	}
	integers(t, "MOV", "BWLQ", 2, mov)
	t["MOVQ"].wideImm, t["MOVL"].wideImm = true, true
	for name, from := range map[string]uint{"B": 8, "W": 16, "L": 32} {
		for _, to := range "WLQ" {
			if bits := sizes[string(to)]; bits > from {
				one(t, "MOV"+name+string(to)+"ZX", bits, 2, extend(from, false))
				one(t, "MOV"+name+string(to)+"SX", bits, 2, extend(from, true))
			}
		}
	}
	integers(t, "XCHG", "BWLQ", 2, xchg)
	one(t, "CLC", 0, 0, setCarry(func(uint64) uint64 { return 0 }, false))
	one(t, "STC", 0, 0, setCarry(func(uint64) uint64 { return 1 }, false))
	one(t, "CMC", 0, 0, setCarry(func(c uint64) uint64 { return c ^ 1 }, true))
	integers(t, "BT", "WLQ", 2, bitTest(nil))
	integers(t, "BTS", "WLQ", 2, bitTest(func(x, bit uint64) uint64 { return x | bit }))
	integers(t, "BTR", "WLQ", 2, bitTest(func(x, bit uint64) uint64 { return x &^ bit }))
	integers(t, "BTC", "WLQ", 2, bitTest(func(x, bit uint64) uint64 { return x ^ bit }))
	one(t, "NOP", 0, 0, func(*machine, *inst) {})
	one(t, "LFENCE", 0, 0, func(*machine, *inst) {})
	for _, hint := range []string{"T0", "T1", "T2", "NTA"} {
		one(t, "PREFETCH"+hint, 64, 1, prefetch).Hint = true
	}
}

func addShifts(t table) {
	for s, bits := range sizes {
		for name, f := range map[string]shifter{"SHL": shl, "SAL": shl, "SHR": shr, "SAR": sar} {
			one(t, name+s, bits, 2, shift(f, false))
		}
		for name, f := range map[string]shifter{"ROL": rol, "ROR": ror} {
			one(t, name+s, bits, 2, shift(f, true))
		}
		integers(t, "RCL", s, 2, rotateThroughCarry(true))
		integers(t, "RCR", s, 2, rotateThroughCarry(false))
	}
	for _, s := range []string{"W", "L", "Q"} {
		t["SHL"+s].Run, t["SHL"+s].Most = either(shift(shl, false), double(true)), 3
		t["SHR"+s].Run, t["SHR"+s].Most = either(shift(shr, false), double(false)), 3
	}
	for _, s := range []string{"L", "Q"} {
		one(t, "SHLX"+s, sizes[s], 3, shiftX(shl))
		one(t, "SHRX"+s, sizes[s], 3, shiftX(shr))
		one(t, "SARX"+s, sizes[s], 3, shiftX(sar))
		one(t, "RORX"+s, sizes[s], 3, shiftX(ror))
		one(t, "BEXTR"+s, sizes[s], 3, bextr)
		one(t, "BZHI"+s, sizes[s], 3, bzhi)
	}
}
