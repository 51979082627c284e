package proof

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file finds copies of compiled functions in the PTX that devices run. The compiler puts a
// function into its caller, where other instructions stand in between, registers have other names
// and operands of sums are exchanged. What counts is which instruction makes each operand.

// A value is how a register is computed.
type value struct {
	op   string
	args []string
}

// values returns how each register is computed by instructions outside inline assembly. Registers
// that several instructions write are left out.
func values(insts []string) map[string]value {
	out, several := map[string]value{}, map[string]bool{}
	for _, inst := range insts {
		op, dst, args := parts(inst)
		if _, ok := out[dst]; ok {
			several[dst] = true
		}
		out[dst] = value{op, args}
	}
	maps.DeleteFunc(out, func(name string, _ value) bool { return several[name] })
	return out
}

var (
	assembly = regexp.MustCompile(`(?s)// begin inline asm.*?// end inline asm`)
	body     = regexp.MustCompile(`(?s)\n\{\n(.*?)\n\}`)
	computes = regexp.MustCompile(`^(mov|cvt|add|sub|mul|mad|sh[lr]|and|or|xor|not|neg|setp|selp)\.`)
)

// compiledBodies returns the instructions outside inline assembly of each function of a file. It
// gives registers the same names as the function functions.
func compiledBodies(t *testing.T, name string) (out [][]string) {
	text := assembly.ReplaceAllString(read(t, name), "")
	for _, m := range body.FindAllStringSubmatch(text, -1) {
		var insts []string
		for l := range strings.Lines(m[1]) {
			l = compiled.ReplaceAllStringFunc(strings.Join(strings.Fields(l), " "), rename)
			if computes.MatchString(l) {
				insts = append(insts, l)
			}
		}
		out = append(out, insts)
	}
	return out
}

// A matcher compares the values of a function with those of code that may contain it.
type matcher struct {
	function, code map[string]value
	// register maps each register and each operand of the function to the register of the code that
	// holds the same value.
	register map[string]string
}

// bind calls then while name is mapped to register, if it can be.
func (m *matcher) bind(name, register string, then func() bool) bool {
	if old, ok := m.register[name]; ok {
		return old == register && then()
	}
	m.register[name] = register
	if then() {
		return true
	}
	delete(m.register, name)
	return false
}

// match calls then if the register c of the code has the value that f has in the function. It does
// so for each way in which operands may be exchanged, until then returns true.
func (m *matcher) match(f, c string, then func() bool) bool {
	x, ok := m.function[f]
	if _, constant := number(f); !ok {
		return constant && f == c && then()
	}
	if old, ok := m.register[f]; ok {
		return old == c && then()
	}
	y := m.code[c]
	if x.args[0][0] == '%' { // an operand: a word, or one that is converted
		if x.op == "cvt.u64.u32" {
			if y.op != x.op {
				return false
			}
			return m.bind(x.args[0], y.args[0], func() bool { return m.bind(f, c, then) })
		}
		return m.bind(x.args[0], c, func() bool { return m.bind(f, c, then) })
	}
	if x.op != y.op || len(x.args) != len(y.args) {
		return false
	}
	var all func(k int, args []string) bool
	all = func(k int, args []string) bool {
		if k == len(args) {
			return m.bind(f, c, then)
		}
		return m.match(x.args[k], args[k], func() bool { return all(k+1, args) })
	}
	if all(0, y.args) {
		return true
	}
	base, _, _ := strings.Cut(x.op, ".")
	return slices.Contains([]string{"add", "and", "or", "xor", "mul"}, base) &&
		all(0, []string{y.args[1], y.args[0]})
}

// extend maps as many results of the function as it can, the first ones, and returns their number.
func (m *matcher) extend(results []string) (most int) {
	if len(results) == 0 {
		return 0
	}
	for name := range m.code {
		if m.match(results[0], name, func() bool {
			most = max(most, 1+m.extend(results[1:]))
			return most == len(results)
		}) {
			break
		}
	}
	return most
}

// results returns the registers of the eight limbs of the result.
func (b *block) results() []string {
	out := make([]string, 8)
	for _, inst := range b.insts {
		if _, dst, args := parts(inst); dst[0] == '%' {
			out[dst[1]-'0'] = args[0]
		}
	}
	return out
}

// copy returns how many limbs of the result the code computes as b does, the lowest ones first. In
// the copy, the register dst of the code has the place of the register mark.
func (b *block) copy(mark string, code map[string]value, dst string) (limbs int) {
	m := &matcher{values(b.insts), code, map[string]string{}}
	m.match(mark, dst, func() bool {
		limbs = m.extend(b.results())
		return true
	})
	return limbs
}

// TestCopies finds copies of functions in the PTX that devices run, by an instruction with a
// constant that only this function has. Every such instruction must belong to a whole copy, or to
// one with the lowest limb alone, as in fe_is_odd. The compiler has moved the first sum of one
// fe_normal out of a loop: this one is not compared. No copy of a function with a planted error may
// be found.
func TestCopies(t *testing.T) {
	names, err := filepath.Glob(kernels + "*.ptx")
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	for _, c := range []struct {
		name, op, constant string
		apart              int
	}{
		{"fe_half", "and.b32", "-977", 0},
		{"fe_normal", "add.s64", "977", 1},
	} {
		all := functions(t)
		b := all[slices.IndexFunc(all, func(b *block) bool { return b.name == c.name })]
		marked := func(inst string) bool {
			op, _, args := parts(inst)
			return op == c.op && args[len(args)-1] == c.constant
		}
		_, mark, _ := parts(b.insts[slices.IndexFunc(b.insts, marked)])
		count := map[int]int{} // by the number of limbs
		for _, file := range names {
			for _, insts := range compiledBodies(t, file) {
				code := values(insts)
				for _, inst := range insts {
					if !marked(inst) {
						continue
					}
					_, dst, _ := parts(inst)
					limbs := b.copy(mark, code, dst)
					if count[limbs]++; limbs < 8 || count[limbs] > 1 {
						continue
					}
					for _, wrong := range b.mutants() {
						// The names of operands and results do not count.
						if !strings.Contains(wrong.name, "%") && wrong.copy(mark, code, dst) == 8 {
							t.Errorf("found with an error: %s", wrong.name)
						}
					}
				}
			}
		}
		t.Logf("%s: %d whole copies, %d of the lowest limb, %d apart", c.name, count[8], count[1],
			count[0])
		others := maps.Clone(count)
		maps.DeleteFunc(others, func(limbs, _ int) bool { return limbs <= 1 || limbs == 8 })
		if count[8] == 0 || count[0] != c.apart || len(others) > 0 {
			t.Errorf("%s: copies by their number of limbs: %v", c.name, count)
		}
	}
}
