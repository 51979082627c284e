package arm64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

type table = map[string]*interp.Kind

// instructions returns all instructions that kernels may use, by opcode as Go's assembler names it,
// with the condition appended. Kernels with other instructions cannot be loaded. All but the jumps
// are on Arm's list of instructions with data-independent time while the bit PSTATE.DIT is set
// ("Arm Architecture Reference Manual", PSTATE.DIT).
func instructions() table {
	t := table{}
	addMoves(t)
	addSums(t)
	addProducts(t)
	addBits(t)
	addConditions(t)
	addVectors(t)
	return t
}

// one adds a 64-bit instruction to the table t.
func one(t table, name string, operands int, run func(*machine, *inst)) *interp.Kind {
	t[name] = &interp.Kind{Run: run, Bits: 64, Least: operands, Most: operands}
	return t[name]
}

// get returns the value of operand k of the instruction i, and set writes it. A write to ZR is
// discarded.
func get(m *machine, i *inst, k int) word { return m.Get(i, &i.Op[k]) }

func set(m *machine, i *inst, k int, w word) {
	if o := &i.Op[k]; o.Kind != interp.General || o.Index != ZR {
		m.Set(i, o, w)
	}
}

func addMoves(t table) {
	move := func(m *machine, i *inst) { set(m, i, 1, get(m, i, 0)) }
	one(t, "NOP", 0, func(*machine, *inst) {})
	one(t, "MOVD", 2, move)
	one(t, "MOVB", 2, move).Bits = 8 // stores the lowest byte
	one(t, "MOVZ", 2, move)
	one(t, "MOVK", 2, func(m *machine, i *inst) { // MOVK keeps the other bits
		a, old := i.Op[0].Imm, get(m, i, 1)
		part := uint64(0xffff)
		for a&^part != 0 {
			part <<= 16
		}
		set(m, i, 1, word{V: old.V&^part | a, Secret: old.Secret})
	})
	one(t, "LDP", 3, func(m *machine, i *inst) {
		a := m.Address(&i.Op[0])
		low, high := m.Load(a, 64), m.Load(a+8, 64)
		if i.Op[1].Same(&i.Op[2]) {
			m.Fault("loads a register twice")
		}
		set(m, i, 1, low)
		set(m, i, 2, high)
	})
	one(t, "STP", 3, func(m *machine, i *inst) {
		a := m.Address(&i.Op[2])
		m.Store(a, 64, get(m, i, 0))
		m.Store(a+8, 64, get(m, i, 1))
	})
}

// sum returns a + b + c, where c is the carry in. If flags is true, it sets the machine's flags.
func sum(m *machine, a, b, c word, flags bool) word {
	r, out := bits.Add64(a.V, b.V, c.V)
	w := word{V: r, Secret: a.Secret || b.Secret || c.Secret}
	if flags {
		m.SetFlag(negative, r>>63 == 1, w.Secret)
		m.SetFlag(zero, r == 0, w.Secret)
		m.SetFlag(carry, out == 1, w.Secret)
		m.SetFlag(overflow, ^(a.V^b.V)&(a.V^r)>>63 == 1, w.Secret)
	}
	return w
}

// addSums adds additions and subtractions to the table. a − b is computed as a + ~b + 1. For an
// instruction that subtracts with a borrow, a carry of 0 means a borrow, and the result is a + ~b.
func addSums(t table) {
	for _, x := range []struct {
		name                    string
		minus, withCarry, flags bool
	}{
		{"ADD", false, false, false}, {"ADDS", false, false, true},
		{"ADC", false, true, false}, {"ADCS", false, true, true},
		{"SUB", true, false, false}, {"SUBS", true, false, true},
		{"SBC", true, true, false}, {"SBCS", true, true, true},
	} {
		one(t, x.name, 3, func(m *machine, i *inst) {
			a, b, c := get(m, i, 1), get(m, i, 0), word{}
			if x.minus {
				b.V, c.V = ^b.V, 1
			}
			if x.withCarry {
				c = m.GetFlag(carry)
			}
			set(m, i, 2, sum(m, a, b, c, x.flags))
		})
	}
	one(t, "CMP", 2, func(m *machine, i *inst) {
		a, b := get(m, i, 1), get(m, i, 0)
		sum(m, a, word{V: ^b.V, Secret: b.Secret}, word{V: 1}, true)
	})
	one(t, "CMN", 2, func(m *machine, i *inst) { sum(m, get(m, i, 1), get(m, i, 0), word{}, true) })
	compute(t, "NEG", 2, func(x []uint64) uint64 { return -x[0] })
}

// compute adds an instruction that sets its last operand to f of the others, in their order.
func compute(t table, name string, operands int, f func(x []uint64) uint64) *interp.Kind {
	return one(t, name, operands, func(m *machine, i *inst) {
		last := operands - 1
		if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
			set(m, i, last, word{})
			return
		}
		var x [3]uint64
		r := word{}
		for k := range last {
			w := get(m, i, k)
			x[k], r.Secret = w.V, r.Secret || w.Secret
		}
		r.V = f(x[:last])
		set(m, i, last, r)
	})
}

func addProducts(t table) {
	upper := func(x []uint64) uint64 { hi, _ := bits.Mul64(x[0], x[1]); return hi }
	sign := func(a uint64) uint64 { return uint64(int64(a) >> 63) }
	compute(t, "MUL", 3, func(x []uint64) uint64 { return x[0] * x[1] })
	compute(t, "UMULH", 3, upper)
	compute(t, "SMULH", 3, func(x []uint64) uint64 {
		return upper(x) - sign(x[0])&x[1] - sign(x[1])&x[0]
	})
	// MADD and MSUB have the operands factor, summand, factor, destination.
	compute(t, "MADD", 4, func(x []uint64) uint64 { return x[1] + x[0]*x[2] })
	compute(t, "MSUB", 4, func(x []uint64) uint64 { return x[1] - x[0]*x[2] })
}

func addBits(t table) {
	right := func(a, n uint64) uint64 { return uint64(int64(a) >> (n & 63)) }
	compute(t, "AND", 3, func(x []uint64) uint64 { return x[1] & x[0] })
	compute(t, "ORR", 3, func(x []uint64) uint64 { return x[1] | x[0] })
	compute(t, "EOR", 3, func(x []uint64) uint64 { return x[1] ^ x[0] }).Cancels = true
	compute(t, "LSL", 3, func(x []uint64) uint64 { return x[1] << (x[0] & 63) })
	compute(t, "LSR", 3, func(x []uint64) uint64 { return x[1] >> (x[0] & 63) })
	compute(t, "ASR", 3, func(x []uint64) uint64 { return right(x[1], x[0]) })
	// EORASR $n, b, a, dst computes dst = a ^ (b >> n) with an arithmetic shift.
	compute(t, "EORASR", 4, func(x []uint64) uint64 { return x[2] ^ right(x[1], x[0]) })
	compute(t, "RBIT", 2, func(x []uint64) uint64 { return bits.Reverse64(x[0]) })
	compute(t, "CLZ", 2, func(x []uint64) uint64 { return uint64(bits.LeadingZeros64(x[0])) })
	// EXTR $n, low, high, dst computes the 64 bits from bit n up of the 128-bit number (high, low).
	compute(t, "EXTR", 4, func(x []uint64) uint64 { return x[1]>>x[0] | x[2]<<(64-x[0]) })
	one(t, "TST", 2, func(m *machine, i *inst) {
		a, b := get(m, i, 1), get(m, i, 0)
		r := word{V: a.V & b.V, Secret: a.Secret || b.Secret}
		m.SetFlag(negative, r.V>>63 == 1, r.Secret)
		m.SetFlag(zero, r.V == 0, r.Secret)
		m.SetFlag(carry, false, false)
		m.SetFlag(overflow, false, false)
	})
}
