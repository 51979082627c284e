package arm64

import "github.com/koblitz-go/koblitz/_asm/interp"

// A condition is a test of flags, as in conditional jumps and selections.
type condition struct {
	flags []int
	test  func(v [3]bool) bool
}

// holds reports whether the flags meet the condition, and whether this depends on secrets.
func (c *condition) holds(m *machine) (yes, secret bool) {
	var v [3]bool
	for k, f := range c.flags {
		w := m.GetFlag(f)
		v[k] = w.V == 1
		secret = secret || w.Secret
	}
	return c.test(v), secret
}

// opposites lists pairs of opposite conditions, by their names in Go's assembler.
var opposites = [...][2]string{
	{"EQ", "NE"}, {"HS", "LO"}, {"MI", "PL"}, {"VS", "VC"}, {"HI", "LS"}, {"GE", "LT"}, {"GT", "LE"},
}

// conditions maps the names of all conditions in Go's assembler to their tests of flags.
func conditions() map[string]*condition {
	first := func(v [3]bool) bool { return v[0] }
	tests := map[string]condition{
		"EQ": {[]int{zero}, first},
		"HS": {[]int{carry}, first},
		"MI": {[]int{negative}, first},
		"VS": {[]int{overflow}, first},
		"HI": {[]int{carry, zero}, func(v [3]bool) bool { return v[0] && !v[1] }},
		"GE": {[]int{negative, overflow}, func(v [3]bool) bool { return v[0] == v[1] }},
		"GT": {[]int{negative, overflow, zero}, func(v [3]bool) bool { return v[0] == v[1] && !v[2] }},
	}
	all := map[string]*condition{}
	for _, names := range opposites {
		yes := tests[names[0]]
		all[names[0]] = &yes
		all[names[1]] = &condition{yes.flags, func(v [3]bool) bool { return !yes.test(v) }}
	}
	return all
}

// conditional lists the instructions whose first operand in assembly is a condition. In the table
// of instructions, the condition is a suffix of the opcode instead.
var conditional = []string{"CSEL", "CSINC", "CSINV", "CSNEG", "CCMP"}

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
			taken, secret := c.holds(m)
			m.Branch(i, taken, secret)
		}).Control = interp.JumpIf
		for prefix, other := range map[string]func(uint64) uint64{
			"CSEL":  func(x uint64) uint64 { return x },
			"CSINC": func(x uint64) uint64 { return x + 1 },
			"CSINV": func(x uint64) uint64 { return ^x },
			"CSNEG": func(x uint64) uint64 { return -x },
		} {
			one(t, prefix+name, 3, func(m *machine, i *inst) {
				yes, secret := c.holds(m)
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
			yes, secret := c.holds(m)
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
