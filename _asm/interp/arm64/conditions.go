package arm64

import "github.com/koblitz-go/koblitz/_asm/interp"

// opposites lists pairs of opposite conditions, by their names in Go's assembler. Z and NZ are the
// conditions of CBZ and CBNZ.
var opposites = [][2]string{
	{"EQ", "NE"}, {"HS", "LO"}, {"MI", "PL"}, {"VS", "VC"}, {"HI", "LS"}, {"GE", "LT"}, {"GT", "LE"},
	{"Z", "NZ"},
}

// conditions maps the names of all conditions on flags to their tests.
func conditions() map[string]*interp.Condition {
	first := func(v [3]bool) bool { return v[0] }
	return interp.Conditions(opposites[:7], map[string]interp.Condition{
		"EQ": {Flags: []int{zero}, Test: first},
		"HS": {Flags: []int{carry}, Test: first},
		"MI": {Flags: []int{negative}, Test: first},
		"VS": {Flags: []int{overflow}, Test: first},
		"HI": {Flags: []int{carry, zero}, Test: func(v [3]bool) bool { return v[0] && !v[1] }},
		"GE": {Flags: []int{negative, overflow}, Test: func(v [3]bool) bool { return v[0] == v[1] }},
		"GT": {Flags: []int{negative, overflow, zero},
			Test: func(v [3]bool) bool { return v[0] == v[1] && !v[2] }},
	})
}

// conditional lists the instructions whose first operand in assembly is a condition. In the table
// of instructions, the condition is a suffix of the opcode instead.
var conditional = []string{"CSEL", "CSINC", "CSNEG", "CCMP"}

func addConditions(t table) {
	one(t, "RET", 0, func(m *machine, _ *inst) { m.Return() }).Control = interp.Return
	one(t, "B", 1, func(m *machine, i *inst) { m.Jump(i) }).Control = interp.Jump
	for name, wanted := range map[string]bool{"CBZ": true, "CBNZ": false} {
		one(t, name, 2, func(m *machine, i *inst) {
			w := get(m, i, 0)
			m.Branch(i, (w.V == 0) == wanted, w.Secret)
		}).Control = interp.JumpIf
	}
	for name, c := range conditions() {
		one(t, "B"+name, 1, func(m *machine, i *inst) {
			taken, secret := m.Holds(c)
			m.Branch(i, taken, secret)
		}).Control = interp.JumpIf
		for prefix, other := range map[string]func(uint64) uint64{
			"CSEL":  func(x uint64) uint64 { return x },
			"CSINC": func(x uint64) uint64 { return x + 1 },
			"CSNEG": func(x uint64) uint64 { return -x },
		} {
			one(t, prefix+name, 3, func(m *machine, i *inst) {
				yes, secret := m.Holds(c)
				a, b := get(m, i, 0), get(m, i, 1)
				r := word{V: other(b.V), Secret: a.Secret || b.Secret || secret}
				if yes {
					r.V = a.V
				}
				set(m, i, 2, r)
			})
		}
		// CCMP a, b, flags sets the flags to those of a − b if the condition holds, and otherwise
		// to the operand flags.
		one(t, "CCMP"+name, 3, func(m *machine, i *inst) {
			yes, secret := m.Holds(c)
			a, b := get(m, i, 0), get(m, i, 1)
			sum(m, a, word{V: ^b.V, Secret: b.Secret}, word{V: 1}, true)
			for f, bit := range map[int]uint{negative: 3, zero: 2, carry: 1, overflow: 0} {
				v := m.GetFlag(f)
				if !yes {
					v.V = i.Op[2].Imm >> bit & 1
				}
				m.SetFlag(f, v.V == 1, v.Secret || secret)
			}
		})
	}
}
