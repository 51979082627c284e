package arm64

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

type table = map[string]*interp.Kind

// instructions returns all instructions that kernels may use, by opcode as Go's assembler names it,
// with the condition appended. Kernels with other instructions cannot be loaded. All but the jumps
// are on Arm's list of instructions with data-independent time while the bit PSTATE.DIT is set ("Arm
// Architecture Reference Manual", PSTATE.DIT).
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
	one(t, "NEG", 2, func(m *machine, i *inst) {
		a := get(m, i, 0)
		set(m, i, 1, word{V: -a.V, Secret: a.Secret})
	})
}

func addProducts(t table) {
	for name, f := range map[string]func(a, b uint64) uint64{
		"MUL":   func(a, b uint64) uint64 { return a * b },
		"UMULH": func(a, b uint64) uint64 { hi, _ := bits.Mul64(a, b); return hi },
		"SMULH": func(a, b uint64) uint64 {
			hi, _ := bits.Mul64(a, b)
			return hi - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
		},
	} {
		one(t, name, 3, func(m *machine, i *inst) {
			a, b := get(m, i, 0), get(m, i, 1)
			set(m, i, 2, word{V: f(a.V, b.V), Secret: a.Secret || b.Secret})
		})
	}
	for name, sign := range map[string]uint64{"MADD": 1, "MSUB": ^uint64(0)} {
		one(t, name, 4, func(m *machine, i *inst) { // factor, summand, factor, destination
			a, s, b := get(m, i, 0), get(m, i, 1), get(m, i, 2)
			set(m, i, 3, word{V: s.V + sign*a.V*b.V, Secret: a.Secret || b.Secret || s.Secret})
		})
	}
}

func addBits(t table) {
	logic := map[string]func(a, b uint64) uint64{
		"AND": func(a, b uint64) uint64 { return a & b },
		"ORR": func(a, b uint64) uint64 { return a | b },
		"EOR": func(a, b uint64) uint64 { return a ^ b },
		"LSL": func(a, b uint64) uint64 { return a << (b & 63) },
		"LSR": func(a, b uint64) uint64 { return a >> (b & 63) },
		"ASR": func(a, b uint64) uint64 { return uint64(int64(a) >> (b & 63)) },
	}
	for name, f := range logic {
		one(t, name, 3, func(m *machine, i *inst) {
			if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
				set(m, i, 2, word{})
				return
			}
			a, b := get(m, i, 1), get(m, i, 0)
			set(m, i, 2, word{V: f(a.V, b.V), Secret: a.Secret || b.Secret})
		})
	}
	t["EOR"].Cancels = true
	// EORASR $n, b, a, dst computes dst = a ^ (b >> n) with an arithmetic shift.
	one(t, "EORASR", 4, func(m *machine, i *inst) {
		n, b, a := i.Op[0].Imm, get(m, i, 1), get(m, i, 2)
		set(m, i, 3, word{V: a.V ^ uint64(int64(b.V)>>n), Secret: a.Secret || b.Secret})
	})
	for name, f := range map[string]func(a uint64) uint64{
		"RBIT": bits.Reverse64,
		"CLZ":  func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) },
	} {
		one(t, name, 2, func(m *machine, i *inst) {
			a := get(m, i, 0)
			set(m, i, 1, word{V: f(a.V), Secret: a.Secret})
		})
	}
	one(t, "TST", 2, func(m *machine, i *inst) {
		a, b := get(m, i, 1), get(m, i, 0)
		r := word{V: a.V & b.V, Secret: a.Secret || b.Secret}
		m.SetFlag(negative, r.V>>63 == 1, r.Secret)
		m.SetFlag(zero, r.V == 0, r.Secret)
		m.SetFlag(carry, false, false)
		m.SetFlag(overflow, false, false)
	})
	// EXTR $n, low, high, dst computes the 64 bits from bit n up of the 128-bit number (high, low).
	one(t, "EXTR", 4, func(m *machine, i *inst) {
		n, low, high := i.Op[0].Imm, get(m, i, 1), get(m, i, 2)
		set(m, i, 3, word{V: low.V>>n | high.V<<(64-n), Secret: low.Secret || high.Secret})
	})
}
