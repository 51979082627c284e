package proof

import (
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp/probe"
)

// A comparison counts what was compared for one architecture.
type comparison struct {
	set     *instructionSet
	r       *rand.Rand
	groups  []*group // of the current batch
	tasks   []probe.Task
	before  [][]uint64     // the inputs of each task
	covered map[string]int // states by opcode
	faults  map[fault]bool // planted errors, and whether one is found

	groupsPerCase, statesPerGroup int
	all, forms                    int // forms of operands, and those of which states are compared
	states, refused, others       int
}

// A fault is a planted error in the relation of an opcode.
type fault struct{ opcode, error string }

// compareRules compares the rules of the set with the CPU, where it can for the given number of
// groups of each case, and the given number of states in a group.
func compareRules(t *testing.T, set *instructionSet, groups, states int) {
	t.Helper()
	table := rules(set.arch.Name)
	c := &comparison{set: set, r: rand.New(rand.NewPCG(3, 4)), covered: map[string]int{},
		faults: map[fault]bool{}, groupsPerCase: groups, statesPerGroup: states}
	for k := range set.cases {
		if table[set.cases[k].opcode] == nil {
			continue
		}
		if err := c.add(&set.cases[k]); err != nil {
			t.Errorf("%s, probe %d: %v", set.cases[k].opcode, set.cases[k].index, err)
		}
		if len(c.tasks) > 40_000 {
			c.finish(t)
		}
	}
	c.finish(t)
	for _, opcode := range slices.Sorted(maps.Keys(table)) {
		if set.arch.Instructions[opcode] == nil {
			continue
		}
		reason := set.without[opcode]
		if c.covered[opcode] == 0 && set.lacks[opcode] {
			t.Logf("%s: this CPU lacks it", opcode)
			continue
		}
		if n := c.covered[opcode]; (n == 0) != (reason != "") {
			t.Errorf("%s is compared on %d states, and a reason why not is %q", opcode, n, reason)
		}
	}
	found := 0
	for x, ok := range c.faults {
		if ok {
			found++
		} else {
			t.Errorf("planted in %s, and not found: %s", x.opcode, x.error)
		}
	}
	t.Logf("%d opcodes, %d of %d forms of operands, %d states compared; %d refused, %d on other "+
		"paths; %d of %d planted errors found", len(c.covered), c.forms, c.all, c.states, c.refused,
		c.others, found, len(c.faults))
}

// add adds groups of the case to the batch.
func (c *comparison) add(x *relationCase) error {
	groups, states := c.groupsPerCase, c.statesPerGroup
	accepted, computes := 0, false
	for tries := 0; accepted < groups && tries < 6*groups; tries++ {
		g, err := newGroup(c.set, x, c.r)
		if err != nil {
			return err
		}
		if g == nil {
			c.refused += states
			continue
		}
		accepted++
		computes = computes || slices.ContainsFunc(g.results, result.computed)
		c.groups = append(c.groups, g)
		for range states {
			s, err := g.draw(c.r)
			if err != nil {
				return err
			}
			c.tasks = append(c.tasks, probe.Task{Probe: x.index, State: s})
			c.before = append(c.before, g.inputValues())
		}
	}
	c.all++
	if computes {
		c.forms++
		c.covered[x.opcode] += accepted * states
	}
	return nil
}

// finish runs the batch on the CPU, and compares.
func (c *comparison) finish(t *testing.T) {
	t.Helper()
	cpu, err := c.set.run(c.tasks)
	if err != nil {
		t.Fatal(err)
	}
	states := c.statesPerGroup
	for k, g := range c.groups {
		first := k * states
		n, at, err := g.all(c.before[first:first+states], cpu[first:first+states])
		if err != nil {
			t.Errorf("%s: from %#x: %v", g.c.program.Instruction(g.c.first).Text,
				c.tasks[first+at].State, err)
			continue
		}
		c.states, c.others = c.states+n, c.others+states-n
		for name, plant := range plants {
			x := fault{g.c.opcode, name}
			if c.faults[x] {
				continue
			}
			if undo := plant(g); undo != nil {
				_, _, err := g.all(c.before[first:first+states], cpu[first:first+states])
				c.faults[x] = err != nil
				undo()
			}
		}
	}
	c.groups, c.tasks, c.before = nil, nil, nil
}

// all checks all states of the group, and returns how many were on the path of the run. at is the
// state that gives the error.
func (g *group) all(before [][]uint64, cpu []probe.State) (n, at int, err error) {
	for k := range cpu {
		g.restore(before[k])
		other, err := g.check(cpu[k])
		if err != nil {
			return n, k, err
		}
		if !other {
			n++
		}
	}
	return n, 0, nil
}

// inputValues returns the values of the inputs.
func (g *group) inputValues() []uint64 {
	out := make([]uint64, len(g.inputs))
	for k, a := range g.inputs {
		out[k] = g.value(a).Uint64()
	}
	return out
}

// restore gives the inputs the values that inputValues returned.
func (g *group) restore(values []uint64) {
	for k, a := range g.inputs {
		g.value(a).SetUint64(values[k])
	}
}

// plants lists functions that plant an error in a relation of a group, if they can. They return a
// function that removes the error.
var plants = map[string]func(g *group) (undo func()){
	"the shift of a floor is one less": func(g *group) func() {
		a := g.first(floor)
		if a == nil {
			return nil
		}
		a.shift--
		return func() { a.shift++ }
	},
	"the other sign of a product": func(g *group) func() {
		a := g.first(product)
		if a == nil {
			return nil
		}
		x := a.x
		a.x = x.Times(big.NewInt(-1))
		return func() { a.x = x }
	},
	"a number is compared with −1 and not with 0": func(g *group) func() {
		a := g.first(indicator)
		if a == nil {
			return nil
		}
		x := a.x
		a.x = x.Add(Int(1))
		return func() { a.x = x }
	},
	"a term is dropped": func(g *group) func() { return g.scale(0) },
	"a term is negated": func(g *group) func() { return g.scale(-1) },
	"two results are exchanged": func(g *group) func() {
		var some []*result
		for k := range g.results {
			if x := &g.results[k]; x.bits == 64 && x.computed() {
				some = append(some, x)
			}
		}
		if len(some) < 2 || some[0].form.Key() == some[1].form.Key() {
			return nil
		}
		swap := func() { some[0].form, some[1].form = some[1].form, some[0].form }
		swap()
		return swap
	},
}

// first returns the first atom of a kind on which results depend, or nil.
func (g *group) first(k kind) *atom {
	var in func(f *Form) *atom
	in = func(f *Form) *atom {
		if f == nil {
			return nil
		}
		for _, t := range f.terms {
			if t.atom.kind == k {
				return t.atom
			}
			for _, x := range []*Form{t.atom.x, t.atom.y} {
				if a := in(x); a != nil {
					return a
				}
			}
		}
		return nil
	}
	for _, x := range g.results {
		if a := in(x.form); a != nil && x.computed() {
			return a
		}
	}
	return nil
}

// scale makes the rule wrong: it multiplies one term of one computed result by c. undo restores the
// term. It is nil if there is no term to change.
func (g *group) scale(c int64) (undo func()) {
	for k := range g.results {
		x := &g.results[k]
		if !x.computed() {
			continue
		}
		for _, t := range x.form.terms {
			change := new(big.Int).Mul(t.coefficient, big.NewInt(c-1))
			if change.TrailingZeroBits() >= x.bits {
				continue
			}
			old := x.form
			x.form = old.plus(change, t.atom.form())
			return func() { x.form = old }
		}
	}
	return nil
}
