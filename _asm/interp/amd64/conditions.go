package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// opposites lists pairs of opposite conditions, by their names in Go's assembler.
var opposites = [][2]string{
	{"OS", "OC"}, {"CS", "CC"}, {"EQ", "NE"}, {"LS", "HI"},
	{"MI", "PL"}, {"PS", "PC"}, {"LT", "GE"}, {"LE", "GT"},
}

func addConditions(t table) {
	first := func(v [3]bool) bool { return v[0] }
	for name, c := range interp.Conditions(opposites, map[string]interp.Condition{
		"OS": {Flags: []int{overflow}, Test: first},
		"CS": {Flags: []int{carry}, Test: first},
		"EQ": {Flags: []int{zero}, Test: first},
		"LS": {Flags: []int{carry, zero}, Test: func(v [3]bool) bool { return v[0] || v[1] }},
		"MI": {Flags: []int{sign}, Test: first},
		"PS": {Flags: []int{parity}, Test: first},
		"LT": {Flags: []int{sign, overflow}, Test: func(v [3]bool) bool { return v[0] != v[1] }},
		"LE": {Flags: []int{sign, overflow, zero},
			Test: func(v [3]bool) bool { return v[0] != v[1] || v[2] }},
	}) {
		one(t, "J"+name, 0, 1, func(m *machine, i *inst) {
			taken, secret := m.Holds(c)
			m.Branch(i, taken, secret)
		}).Control = interp.JumpIf
		one(t, "SET"+name, 8, 1, setIf(c))
		one(t, "CMOVL"+name, 32, 2, moveIf(c))
		one(t, "CMOVQ"+name, 64, 2, moveIf(c))
	}
	t["JZ"], t["JNZ"] = t["JEQ"], t["JNE"]
	one(t, "JMP", 0, 1, func(m *machine, i *inst) { m.Jump(i) }).Control = interp.Jump
	one(t, "RET", 0, 0, func(m *machine, _ *inst) { m.Return() }).Control = interp.Return
}
