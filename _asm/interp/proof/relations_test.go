package proof

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/probe"
)

// This file compares the rules with CPUs. An instruction is followed once, with operands that are
// inputs. Its results are forms. These forms are evaluated at many states, and compared with what
// the CPU computes from the same states. So floors, products and indicators take all kinds of
// values, and not those of one run.
//
// The operands of one run are a group of states: for each operand, the group says what is known
// about it, such as that it is a bit, a mask, or a constant.

// An instructionSet holds the probes of one architecture, and says where a probe has its operands.
type instructionSet struct {
	arch    *interp.Architecture
	words   int
	cases   []relationCase
	run     func(tasks []probe.Task) ([]probe.State, error)
	general []int  // registers that the probe loads from the first words of the state
	memory  [2]int // words of the operand in memory: from the first up to the second, excluded
	vectors int    // word of vector register 0; 0: none
	masks   int    // word of mask register 1; 0: none
	// flags are names of flags. The probe stores flag k in the byte 8·flagWord + k·flagBytes of the
	// state.
	flags               []string
	flagWord, flagBytes int
	// addends chooses two numbers of addendBits bits, and writes them to s, where the probe adds
	// them. It returns the numbers and the flags of their sum; carry is the index of its carry.
	addends    func(r *rand.Rand, s probe.State) (x, y uint64, flags []uint64)
	addendBits uint
	carry      int
	// without has the opcodes whose rules compute nothing that is compared, with the reasons.
	without map[string]string
	// lacks has the opcodes of probes that this CPU cannot run.
	lacks map[string]bool
}

// A relationCase is a probe.
type relationCase struct {
	opcode      string
	index       int // of the probe
	program     *interp.Program
	first, last int    // instructions from first to before last are followed
	vectorWords int    // words of each vector register that the probe loads and stores
	flags       string // the first letters of the flags that the probe stores
	doubles     bool
}

// A group is one run of a case, for many states.
type group struct {
	set     *instructionSet
	c       *relationCase
	run     *Run
	words   []*Form // of the state: operands
	flags   []*Form
	addends []*Form
	inputs  []*atom
	results []result
	ranges  []known
	values  []big.Int // by the id of an atom
	sum, x  big.Int
}

// A result is a part of the state after a probe: bits bits of a word, above shift.
type result struct {
	word        int
	shift, bits uint
	form, old   *Form // old is that of the operand which was in the same place
}

// computed reports whether the instruction changes the number.
func (x result) computed() bool { return x.form.Key() != x.old.Key() }

// known is the range that a rule states for a form.
type known struct {
	form   *Form
	lo, hi *big.Int
}

// crafted returns a number below 2^bits, which in most cases has a special form.
func crafted(r *rand.Rand, bits uint) uint64 {
	x := r.Uint64()
	ones := ^uint64(0) >> (64 - bits)
	switch r.IntN(10) {
	case 0:
		x = 0
	case 1:
		x = ones
	case 2:
		x = 1 << (x % 64)
	case 3:
		x = 1<<(x%64) - 1
	case 4:
		x = 1<<([]uint64{32, 52, 63, 51, 31}[x%5]) + x>>32%3 - 1
	case 5:
		x = ^uint64(0) << (x % 64) >> (x >> 32 % 64)
	case 6:
		x = ones - x%3
	case 7:
		x %= 80
	}
	return x & ones
}

// input returns an input below 2^bits.
func (g *group) input(bits uint) *Form {
	f := g.run.Input("i", bits, new(big.Int))
	g.inputs = append(g.inputs, f.terms[0].atom)
	return f
}

// The kinds of operands.
const (
	whole = iota // any word
	aBit
	aMask
	narrow  // a number of fewer bits
	upper   // a number of fewer bits, shifted to the left
	fixed   // a constant
	variety // number of kinds
)

// operand returns a form for an operand of a kind. lane says that the operand is signed.
func (g *group) operand(r *rand.Rand, kind int, bits, up uint, lane bool) *Form {
	switch kind {
	case whole:
		if lane {
			return g.input(64).Sub(Constant(power(63)))
		}
		return g.input(64)
	case aBit:
		return g.input(1)
	case aMask:
		if lane {
			return g.input(1).Times(big.NewInt(-1))
		}
		return g.input(1).Times(allOnes)
	case narrow:
		return g.input(bits)
	case upper:
		if bits+up > 63 {
			bits, up = 12, 52-up%8
		}
		return g.input(bits).Shift(up)
	}
	x := crafted(r, 64)
	if r.IntN(3) > 0 {
		x = uint64(r.IntN(66))
	}
	if lane {
		return Int(int64(x))
	}
	return Constant(word(x))
}

// declare chooses the operands of the group.
func (g *group) declare(r *rand.Rand) {
	g.words = make([]*Form, g.set.words)
	common := r.IntN(2 * variety) // above variety: each operand has its own kind
	kind := func() int {
		if common < variety && r.IntN(5) > 0 {
			return common
		}
		return r.IntN(variety)
	}
	size := func() uint { return []uint{8, 20, 26, 31, 32, 33, 40, 51, 52, 53, 63}[r.IntN(11)] }
	for k := range g.set.words {
		g.words[k] = &Form{}
	}
	for k := range g.set.general {
		g.words[k] = g.operand(r, kind(), size(), size(), false)
	}
	if g.c.vectorWords == 0 {
		for k := g.set.memory[0]; k < g.set.memory[1]; k++ {
			g.words[k] = g.operand(r, kind(), size(), size(), false)
		}
	} else {
		for v := range 3 {
			kind, bits, up := kind(), size(), size()
			same := g.operand(r, fixed, 0, 0, true)
			for k := range g.c.vectorWords {
				f := same
				if kind != fixed || r.IntN(8) == 0 {
					f = g.operand(r, kind, bits, up, true)
				}
				g.words[g.set.vectors+8*v+k] = f
			}
		}
		if g.c.doubles {
			g.doubles(r)
		}
		for m := range 2 {
			f := &Form{}
			if m > 0 || r.IntN(4) > 0 {
				for k := range uint(8) {
					f = f.Add(g.input(1).Shift(k))
				}
			} else {
				f = Int(int64(r.IntN(256)))
			}
			g.words[g.set.masks+m] = f
		}
	}
	for range g.set.flags {
		g.flags = append(g.flags, g.input(1))
	}
	if n := g.set.addendBits; n > 0 {
		for range 2 {
			g.addends = append(g.addends, g.input(n))
		}
		if r.IntN(2) == 0 { // the carry is a floor, as it is after an instruction with a rule
			g.flags[g.set.carry] = g.run.Floor(g.addends[0].Add(g.addends[1]), n, nil)
		}
	}
}

// doubles makes the vectors operands of the double-precision instruction of the case.
func (g *group) doubles(r *rand.Rand) {
	g.run.doubles = map[*atom]double{}
	for k := range g.c.vectorWords {
		x, y := g.input(52), g.input(52)
		if r.IntN(8) == 0 {
			y = Constant(word(crafted(r, 52)))
		}
		at := g.words[g.set.vectors+k:]
		if strings.HasPrefix(g.c.opcode, "VSUBPD") {
			high, _ := g.run.Cut(g.run.Product(x, y), 52, nil)
			if r.IntN(2) == 0 {
				at[0], at[8] = Constant(word(bits52)), x.Add(Constant(word(bits52)))
			} else {
				at[0], at[8] = Constant(word(bitsBoth)), high.Add(Constant(word(bits104)))
				g.run.halves[at[8].Key()] = double{x: x, y: y}
			}
			continue
		}
		at[0] = g.run.number(double{x: x}, 0)
		at[8] = g.run.number(double{x: y}, 0)
		if strings.HasPrefix(g.c.opcode, "VFMSUB") {
			at[16] = g.run.number(double{x, y, true}, 0)
		} else {
			at[16] = Constant(word(bits104))
		}
	}
}

// draw gives values to the inputs, and returns the state for the CPU.
func (g *group) draw(r *rand.Rand) (probe.State, error) {
	s := make(probe.State, g.set.words)
	for _, a := range g.inputs {
		g.value(a).SetUint64(crafted(r, uint(a.hi.BitLen())))
	}
	if len(g.flags) > 0 {
		x, y, flags := g.set.addends(r, s)
		g.value(g.addends[0].terms[0].atom).SetUint64(x)
		g.value(g.addends[1].terms[0].atom).SetUint64(y)
		for k, v := range flags {
			if a := g.flags[k].terms[0].atom; a.kind == input {
				g.value(a).SetUint64(v)
			}
		}
	}
	if err := g.define(); err != nil {
		return nil, err
	}
	for k, f := range g.words {
		if len(f.terms) > 0 {
			s[k] = g.low(f, 64)
		}
	}
	return s, nil
}

// value returns the place of the value of a.
func (g *group) value(a *atom) *big.Int {
	for len(g.values) <= len(g.run.atoms) {
		g.values = append(g.values, big.Int{})
	}
	return &g.values[a.id]
}

// at returns the value of f, which the next call overwrites.
func (g *group) at(f *Form) *big.Int {
	g.sum.SetInt64(0)
	for k := range f.terms {
		t := &f.terms[k]
		if t.atom == one {
			g.sum.Add(&g.sum, t.coefficient)
			continue
		}
		g.x.Mul(t.coefficient, &g.values[t.atom.id])
		g.sum.Add(&g.sum, &g.x)
	}
	return &g.sum
}

// low returns the lowest bits of the value of f.
func (g *group) low(f *Form, bits uint) uint64 {
	x := g.at(f)
	v := x.Uint64() // of the magnitude
	if x.Sign() < 0 {
		v = -v
	}
	return v & interp.WidthMask(bits)
}

// define computes the values of all atoms that are not inputs, and checks that all are in their
// ranges.
func (g *group) define() error {
	for _, a := range g.run.atoms {
		v := g.value(a)
		if d, ok := g.run.doubles[a]; ok {
			v.SetInt64(int64(math.Float64bits(g.double(d))))
		}
		if a.kind == indicator && g.at(a.x).Sign() < 0 {
			return fmt.Errorf("an indicator of %v, which is negative", g.at(a.x))
		}
		a.define(v, g.at)
		if v.Cmp(a.lo) < 0 || v.Cmp(a.hi) > 0 {
			return fmt.Errorf("%v = %v is not from %v to %v", a, v, a.lo, a.hi)
		}
	}
	return nil
}

// double returns the number that d stands for.
func (g *group) double(d double) float64 {
	x := new(big.Int).Set(g.at(d.x))
	if d.rest { // 2^104 + 2^52·⌊xy/2^52⌋ − (2^104 + 2^52)
		x.Mul(x, g.at(d.y))
		x.Rsh(x, 52).Sub(x, big.NewInt(1))
		return 0x1p52 * float64(x.Int64())
	}
	return float64(x.Int64())
}

// follow runs the probe on the state s, and follows the instruction. It returns an error if the
// rule yields another number than the interpreter. refused says that the rule stops the run.
func (g *group) follow(s probe.State) (refused bool, err error) {
	m := g.run.machine
	region := m.NewRegion("state", 8*g.set.words, interp.Read|interp.Write)
	region.FillWords(0, s, false)
	m.SetArg(0, region.Address(), false)
	p := m.Program()
	active, done := false, false
	m.Watch(func(i *interp.Inst) {
		switch i {
		case p.Instruction(g.c.first):
			active = true
			g.load(region.Address())
		case p.Instruction(g.c.last):
			active, done = false, true
			g.harvest(region.Address())
		}
		if active {
			g.run.before(i)
		}
	}, func(i *interp.Inst) {
		if active {
			g.run.after(i)
		}
	})
	err = m.Run()
	if err != nil && strings.Contains(err.Error(), "proof: ") &&
		!strings.Contains(err.Error(), "a rule yields") {
		return true, err
	}
	if err == nil && !done {
		err = fmt.Errorf("%s: did not end", g.c.opcode)
	}
	return false, err
}

// load gives the run the operands of the group. base is the address of the state.
func (g *group) load(base uint64) {
	r := g.run
	for k, index := range g.set.general {
		r.reg[index] = variable(g.words[k])
	}
	for k := g.set.memory[0]; k < g.set.memory[1]; k++ {
		if f := variable(g.words[k]); f != nil {
			r.memory[base+8*uint64(k)] = f
		}
	}
	for v := range 3 {
		for k := range g.c.vectorWords {
			r.vec[v][k] = variable(g.words[g.set.vectors+8*v+k])
		}
	}
	if g.c.vectorWords > 0 {
		for m := range 2 {
			r.mask[1+m] = nil
			if f := g.words[g.set.masks+m]; variable(f) != nil {
				for _, t := range f.terms {
					r.mask[1+m] = append(r.mask[1+m], t.atom.form())
				}
			}
		}
	}
	for k, name := range g.set.flags {
		r.setBit(name, g.flags[k])
	}
}

// harvest records the results.
func (g *group) harvest(base uint64) {
	r, m := g.run, g.run.machine
	add := func(at int, shift, bits uint, f *Form, v uint64) {
		if f == nil {
			f = Constant(word(v))
		}
		if f != unknown {
			g.results = append(g.results, result{at, shift, bits, f, g.words[at]})
		}
	}
	for k, index := range g.set.general {
		add(k, 0, 64, r.reg[index], m.Reg[index].V)
	}
	for k := g.set.memory[0]; k < g.set.memory[1]; k++ {
		at := base + 8*uint64(k)
		f := r.memory[at]
		add(k, 0, 64, f, m.Load(at, 64).V)
		for b := range uint64(8) {
			if p := r.parts[at+b]; p.form != nil {
				add(k, uint(8*b), p.bits, p.form, 0)
			}
		}
	}
	for v := 1; v < 3; v++ {
		for k := range g.c.vectorWords {
			add(g.set.vectors+8*v+k, 0, 64, r.vec[v][k], m.Vec[v].V[k])
		}
	}
	if g.c.vectorWords == 8 {
		for k := range 2 {
			for j, f := range r.mask[1+k] {
				add(g.set.masks+k, uint(j), 1, f, 0)
			}
			if r.mask[1+k] == nil {
				add(g.set.masks+k, 0, 64, nil, m.Mask[1+k].V)
			}
		}
	}
	for k, name := range g.set.flags {
		if f := g.flag(name); f != nil && strings.Contains(g.c.flags, name[:1]) {
			at := g.set.flagWord*8 + k*g.set.flagBytes
			g.results = append(g.results, result{at / 8, uint(at % 8 * 8), 8, f, g.flags[k]})
		}
	}
	g.learn()
}

// flag returns the form of a flag, or nil if the rule does not follow it.
func (g *group) flag(name string) (f *Form) {
	defer func() {
		if x := recover(); x != nil {
			fault, ok := x.(*interp.Fault)
			if !ok || strings.Contains(fault.Reason, "a rule yields") {
				panic(x)
			}
			f = nil
		}
	}()
	return g.run.getFlag(name)
}

// learn records the ranges that the rules gave to forms, from the keys of these forms.
func (g *group) learn() {
	for key, lohi := range g.run.ranges {
		f := &Form{}
		for _, t := range strings.Fields(key[1:]) {
			id, text, _ := strings.Cut(t, ":")
			c, _ := new(big.Int).SetString(text, 62)
			a := one
			if n := 0; id != "0" {
				_, _ = fmt.Sscan(id, &n)
				a = g.run.atoms[n-1]
			}
			f.terms = append(f.terms, term{a, c})
		}
		g.ranges = append(g.ranges, known{f, lohi[0], lohi[1]})
	}
}

// check compares the state that the CPU left with the results, for the inputs' current values. If a
// jump goes another way with these values than in the run, check returns other without comparing.
func (g *group) check(got probe.State) (other bool, err error) {
	if err := g.define(); err != nil {
		return false, err
	}
	for _, a := range g.run.assumed {
		if g.values[a.id].Cmp(g.run.given[a]) != 0 {
			return true, nil
		}
	}
	for _, x := range g.results {
		want := g.low(x.form, x.bits)
		have := got[x.word] >> x.shift & interp.WidthMask(x.bits)
		if want != have && !(g.c.doubles && want<<1|have<<1 == 0) { // 0 may be −0
			return false, fmt.Errorf("word %d: the rule yields %#x, and the CPU %#x", x.word, want, have)
		}
	}
	for _, k := range g.ranges {
		if x := g.at(k.form); x.Cmp(k.lo) < 0 || x.Cmp(k.hi) > 0 {
			return false, fmt.Errorf("%v = %v is not from %v to %v", k.form, x, k.lo, k.hi)
		}
	}
	return false, nil
}

// newGroup chooses a group for the case c and follows the instruction for it. It returns nil if the
// rule stops.
func newGroup(set *instructionSet, c *relationCase, r *rand.Rand) (*group, error) {
	g := &group{set: set, c: c}
	run, stop := Follow(c.program.NewMachine())
	defer stop()
	g.run = run
	g.declare(r)
	s, err := g.draw(r)
	if err != nil {
		return nil, err
	}
	for _, a := range run.atoms {
		a.now = new(big.Int).Set(g.value(a))
	}
	refused, err := g.follow(s)
	if refused {
		return nil, nil
	}
	return g, err
}
