package amd64

import "github.com/koblitz-go/koblitz/_asm/interp"

// A condition is a test of flags, as in conditional jumps and moves.
type condition struct {
	flags  []int
	test   func(v [3]bool) bool
	negate bool
}

// holds reports whether the flags meet the condition, and whether this depends on secrets.
func (c *condition) holds(m *machine) (yes, secret bool) {
	var v [3]bool
	for k, f := range c.flags {
		w := m.GetFlag(f)
		v[k] = w.V == 1
		secret = secret || w.Secret
	}
	return c.test(v) != c.negate, secret
}

// opposites lists pairs of opposite conditions, by their names in Go's assembler.
var opposites = [...][2]string{
	{"OS", "OC"}, {"CS", "CC"}, {"EQ", "NE"}, {"LS", "HI"},
	{"MI", "PL"}, {"PS", "PC"}, {"LT", "GE"}, {"LE", "GT"},
}

// conditions maps the names of all conditions in Go's assembler to their tests of flags.
func conditions() map[string]*condition {
	first := func(v [3]bool) bool { return v[0] }
	either := func(v [3]bool) bool { return v[0] || v[1] }
	differ := func(v [3]bool) bool { return v[0] != v[1] }
	lessEqual := func(v [3]bool) bool { return v[0] != v[1] || v[2] }
	tests := map[string]condition{
		"OS": {[]int{overflow}, first, false},
		"CS": {[]int{carry}, first, false},
		"EQ": {[]int{zero}, first, false},
		"LS": {[]int{carry, zero}, either, false},
		"MI": {[]int{sign}, first, false},
		"PS": {[]int{parity}, first, false},
		"LT": {[]int{sign, overflow}, differ, false},
		"LE": {[]int{sign, overflow, zero}, lessEqual, false},
	}
	all := map[string]*condition{}
	for _, names := range opposites {
		yes := tests[names[0]]
		no := yes
		no.negate = true
		all[names[0]], all[names[1]] = &yes, &no
	}
	return all
}

// jumpAliases maps avo's alternative names of jump conditions to the names in Go's assembler.
func jumpAliases() map[string]string {
	return map[string]string{
		"O": "OS", "NO": "OC", "C": "CS", "B": "CS", "LO": "CS", "NAE": "CS", "NC": "CC", "AE": "CC",
		"HS": "CC", "NB": "CC", "E": "EQ", "Z": "EQ", "NZ": "NE", "BE": "LS", "NA": "LS", "A": "HI",
		"NBE": "HI", "S": "MI", "NS": "PL", "P": "PS", "PE": "PS", "NP": "PC", "PO": "PC", "L": "LT",
		"NGE": "LT", "NL": "GE", "NG": "LE", "G": "GT", "NLE": "GT",
	}
}

func addJumps(t table) {
	one(t, "RET", 0, 0, func(m *machine, _ *inst) { m.Return() }).Control = interp.Return
	one(t, "JMP", 0, 1, func(m *machine, i *inst) { m.Jump(i) }).Control = interp.Jump
	for name, c := range conditions() {
		one(t, "J"+name, 0, 1, func(m *machine, i *inst) {
			taken, secret := c.holds(m)
			m.Branch(i, taken, secret)
		}).Control = interp.JumpIf
		one(t, "SET"+name, 8, 1, setIf(c))
		for _, s := range []string{"W", "L", "Q"} {
			one(t, "CMOV"+s+name, sizes[s], 2, moveIf(c))
		}
	}
	for alias, name := range jumpAliases() {
		t["J"+alias] = t["J"+name]
	}
}
