package arm64

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// lanes is the number of 64-bit lanes of a vector register.
const lanes = 2

// arrangement returns the suffix that vector registers have in an instruction with this opcode: the
// number and size of the elements that it operates on.
func arrangement(opcode string) string {
	switch opcode {
	case "VAND", "VORR", "VEOR", "VBIT":
		return ".B16"
	}
	return ".D2"
}

func addVectors(t table) {
	// VLD1P and VST1P load and store one to four consecutively numbered registers, and advance the
	// pointer, which is their first or last operand.
	load := func(m *machine, i *inst) {
		pointer := m.ReadReg(i.Op[0].Index, 0, 64)
		at := m.Address(&operand{Kind: interp.Memory, Base: i.Op[0].Index, IndexReg: -1})
		for k := range i.Op[1:] {
			m.Vec[i.Op[k+1].Index] = m.LoadVec(at+uint64(8*lanes*k), lanes)
		}
		pointer.V += uint64(8 * lanes * (len(i.Op) - 1))
		m.WriteReg(i.Op[0].Index, 0, 64, pointer)
	}
	store := func(m *machine, i *inst) {
		last := len(i.Op) - 1
		pointer := m.ReadReg(i.Op[last].Index, 0, 64)
		at := m.Address(&operand{Kind: interp.Memory, Base: i.Op[last].Index, IndexReg: -1})
		for k := range i.Op[:last] {
			v := m.ReadVec(&i.Op[k], lanes)
			m.StoreVec(at+uint64(8*lanes*k), &v, lanes, 3, false)
		}
		pointer.V += uint64(8 * lanes * last)
		m.WriteReg(i.Op[last].Index, 0, 64, pointer)
	}
	one(t, "VLD1P", 2, load).Most = 5
	one(t, "VST1P", 2, store).Most = 5
	one(t, "VDUP", 2, func(m *machine, i *inst) {
		w := get(m, i, 0)
		v := interp.Vector{Defined: 0xff}
		v.V[0], v.V[1] = w.V, w.V
		if w.Secret {
			v.Secret = 3
		}
		m.Vec[i.Op[1].Index] = v
	})
	for name, f := range map[string]func(b, a uint64) uint64{
		"VADD": func(b, a uint64) uint64 { return a + b },
		"VSUB": func(b, a uint64) uint64 { return a - b },
		"VCMEQ": func(b, a uint64) uint64 {
			if a == b {
				return ^uint64(0)
			}
			return 0
		},
		"VAND": func(b, a uint64) uint64 { return a & b },
		"VORR": func(b, a uint64) uint64 { return a | b },
		"VEOR": func(b, a uint64) uint64 { return a ^ b },
	} {
		one(t, name, 3, func(m *machine, i *inst) {
			to := &m.Vec[i.Op[2].Index]
			if i.Kind.Cancels && i.Op[0].Same(&i.Op[1]) {
				*to = interp.Vector{Defined: 0xff}
				return
			}
			b, a := m.ReadVec(&i.Op[0], lanes), m.ReadVec(&i.Op[1], lanes)
			r := interp.Vector{Defined: 0xff, Secret: a.Secret | b.Secret}
			for k := range lanes {
				r.V[k] = f(b.V[k], a.V[k])
			}
			*to = r
		})
	}
	t["VEOR"].Cancels, t["VSUB"].Cancels = true, true
	// VBIT mask, src, dst copies bits of src to dst, where mask has ones.
	one(t, "VBIT", 3, func(m *machine, i *inst) {
		mask, from := m.ReadVec(&i.Op[0], lanes), m.ReadVec(&i.Op[1], lanes)
		to := m.ReadVec(&i.Op[2], lanes)
		r := interp.Vector{Defined: 0xff, Secret: mask.Secret | from.Secret | to.Secret}
		for k := range lanes {
			r.V[k] = to.V[k]&^mask.V[k] | from.V[k]&mask.V[k]
		}
		m.Vec[i.Op[2].Index] = r
	})
}

// list returns, as text, the memory operand of a load or a store, and the list of its vector
// registers in brackets.
func list(pointer string, vectors []string) (place, registers string) {
	n := 8 * lanes * len(vectors)
	return fmt.Sprintf("%d(%s)", n, pointer), "[" + strings.Join(vectors, ", ") + "]"
}

// following returns an error if the registers ops are not consecutively numbered.
func following(ops []operand) error {
	for k := range ops[1:] {
		if ops[k+1].Index != (ops[k].Index+1)%32 {
			return fmt.Errorf("a list of registers that do not follow one another")
		}
	}
	return nil
}
