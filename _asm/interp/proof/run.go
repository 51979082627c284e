package proof

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// A Run follows one run of a kernel on the interpreter. For each register, flag and word of memory
// that depends on the kernel's inputs, it keeps a form. All others, such as pointers and loop
// counters, are constants with the values of the run. A general register and a word of memory that
// one of them stored are from 0 to 2^64 − 1, and a flag is 0 or 1. The lane of a vector is a
// signed number, or a word that is moved: a run stops at a lane that may overflow.
//
// Each rule is checked against the interpreter: the form of the result must have the value that the
// instruction computed. Tests compare the rules with CPUs.
type Run struct {
	*System
	machine *interp.Machine
	rules   map[string]func(*Run, *interp.Inst)
	reg     []*Form
	flag    []func() *Form
	vec     [][]*Form
	mask    [][]*Form // bits of each mask register, for as many lanes as were written
	memory  map[uint64]*Form
	// alike holds, by the address of a word, its likeness to the first lane of the word's vector.
	alike   map[uint64]likeness
	doubles map[*atom]double // what lanes with double-precision numbers stand for
	// halves holds the upper halves of products in double precision, by the key of the form.
	halves  map[string]double
	carries map[string]sum   // on riscv64: how a sum was computed, by the key of its form
	borrows map[string]*Form // on riscv64: the borrow of a difference, by the key of its form
	into    map[string]*Form // in lanes: the carry that is a part of a sum, by the key of the sum
	parts   map[uint64]part  // numbers of less than 64 bits, by the address of the first byte
	writes  []write
	vectors []vectorWrite
	masks   []maskWrite
	Jumps   int // conditional jumps on flags that depend on inputs
	// Tested holds the result of [Run.Forms] at each of these jumps.
	Tested []map[Place]*Form
	// Turn is the number of the jump, from 1, that goes the other way than the machine; 0: none.
	Turn int
	// Width is the number of lanes of a register if the first one stands for all: each other lane is
	// the same function of its own inputs. Every instruction must then treat all lanes alike. If Width
	// is 0, all lanes are followed, and a lane is unknown if it depends on inputs that are not held.
	Width           int
	turn            bool
	lowest, highest *big.Int // the range of a lane
	// Loop, if not nil, is called before every conditional jump i on a flag or comparison f that is
	// not constant. It reports whether f only counts the rounds of a loop; then nothing is assumed
	// of f.
	Loop func(i *interp.Inst, f *Form) bool
	// Round, if not nil, is called before every conditional jump i.
	Round func(i *interp.Inst)
	// kept holds the contents of the places that the last call of Forget kept.
	kept map[Place]*Form
	// From the first call of Widen on, moved holds the constants that instructions moved to lanes.
	moved map[movedConstant][]*big.Int
	// maskWords holds the mask registers at the last call of Widen.
	maskWords []uint64
}

// A movedConstant is the place of a constant that an instruction moves to the given lane.
type movedConstant struct {
	inst *interp.Inst
	lane int
}

// A write holds the form that an instruction will write to a register or to memory.
type write struct {
	operand *interp.Operand
	address uint64
	bits    uint
	form    *Form
}

// A part is a number of less than 64 bits in memory.
type part struct {
	form *Form
	bits uint
}

// A likeness says that a word in the given lane is the same function of that lane's inputs as the
// form first is of the inputs of the first lane.
type likeness struct {
	first *Form
	lane  int
}

// A sum holds two words that were added, and the carry of their sum.
type sum struct {
	of    [2]*Form
	carry *Form
}

// A maskWrite holds the forms that an instruction will write to a mask register: a bit for each
// lane, or nil for a constant.
type maskWrite struct {
	index int
	bits  []*Form
}

type vectorWrite struct {
	operand *interp.Operand
	address uint64
	lanes   []*Form
}

// unknown stands for a number that is not followed. A kernel must not read it.
var unknown = &Form{terms: []term{{&atom{id: -1, name: "unknown"}, big.NewInt(1)}}}

// Follow makes the runs of m follow forms until the function stop is called.
func Follow(m *interp.Machine) (r *Run, stop func()) {
	a := m.Program().Arch
	r = &Run{System: NewSystem(), machine: m, rules: rules(a.Name),
		reg:  make([]*Form, len(a.Registers)),
		flag: make([]func() *Form, len(a.Flags)), vec: make([][]*Form, a.Vectors),
		mask: make([][]*Form, a.Masks), memory: map[uint64]*Form{},
		alike: map[uint64]likeness{}, parts: map[uint64]part{}, into: map[string]*Form{},
		carries: map[string]sum{}, borrows: map[string]*Form{},
		doubles: map[*atom]double{}, halves: map[string]double{},
		lowest: new(big.Int).Neg(power(63)), highest: new(big.Int).Sub(power(63), big.NewInt(1))}
	for k := range r.vec {
		r.vec[k] = make([]*Form, a.Lanes)
	}
	m.Watch(r.before, r.after)
	m.Turn = func(_ *interp.Inst, taken bool) bool {
		taken, r.turn = taken != r.turn, false
		return taken
	}
	return r, func() { m.Watch(nil, nil); m.Turn = nil }
}

// rules returns the rules for the instructions of an architecture.
func rules(arch string) map[string]func(*Run, *interp.Inst) {
	switch arch {
	case "amd64":
		return amd64()
	case "arm64":
		return arm64()
	}
	return riscv64()
}

// Hold declares that the word of memory at address is an input: when the run begins, it may have
// any value below 2^bits. If it stands for a vector, so may the other words of the vector. Hold
// returns the input.
func (r *Run) Hold(name string, address uint64, bits uint) *Form {
	f := r.Input(name, bits, word(r.machine.Load(address, 64).V))
	for k, g := range r.spread([]*Form{f}) {
		r.put(address, k, g, f)
	}
	return f
}

// HoldBits declares that each bit of the byte of memory at address is an input, and returns them.
func (r *Run) HoldBits(name string, address uint64) (bits []*Form) {
	for k := range 8 {
		bits = append(bits, r.Input(name, 1, word(r.machine.Load(address, 8).V>>k&1)))
	}
	r.Ignore(address &^ 7)
	r.parts[address] = part{r.joinBits(bits), 8}
	return bits
}

// put records that word k of the vector at address a, the word of lane k, has the form f. If k is
// not 0, it also records that f is the same function of the inputs of lane k as first is of the
// inputs of lane 0.
func (r *Run) put(a uint64, k int, f, first *Form) {
	a += 8 * uint64(k)
	r.memory[a] = f
	if delete(r.alike, a); k > 0 {
		r.alike[a] = likeness{first, k}
	}
	for k := range uint64(8) {
		delete(r.parts, a+k)
	}
}

// Set declares that the word of memory at address is f when the run begins.
func (r *Run) Set(address uint64, f *Form) { r.put(address, 0, f, nil) }

// Ignore declares that the word of memory at address is not followed.
func (r *Run) Ignore(address uint64) { r.put(address, 0, unknown, nil) }

// Word returns the word of memory at address, or all words of the vector for which it stands, and
// compares it with the machine's.
func (r *Run) Word(address uint64) *Form {
	if r.Width > 0 {
		lanes := make([]*Form, r.Width)
		for k := range lanes {
			if lanes[k] = r.memory[address+8*uint64(k)]; lanes[k] == nil {
				lanes[k] = Int(int64(r.machine.Load(address+8*uint64(k), 64).V))
			}
		}
		r.standing(lanes, address)
	}
	f := r.load(address, 64)
	r.compare(f, r.machine.Load(address, 64).V, 64)
	return f
}

// Part returns the number of less than 64 bits at address in memory.
func (r *Run) Part(address uint64) *Form { return r.parts[address].form }

// Constant reports whether the number at address in memory, which has less than 64 bits or is a
// word, does not depend on the inputs.
func (r *Run) Constant(address uint64) bool {
	f := r.memory[address&^7]
	if f == nil {
		return true
	}
	if f == unknown {
		if f = r.parts[address].form; f == nil {
			return false
		}
	}
	_, ok := f.constant()
	return ok
}

func word(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// fault stops the run.
func (r *Run) fault(format string, args ...any) { r.machine.Fault("proof: "+format, args...) }

// longest limits the number of instructions that are followed.
const longest = 1 << 17

// before computes what the instruction i will write.
func (r *Run) before(i *interp.Inst) {
	r.writes, r.vectors, r.masks = r.writes[:0], r.vectors[:0], r.masks[:0]
	if r.machine.Steps > longest {
		r.fault("no end after %d instructions", longest)
	}
	if r.Round != nil && i.Kind.Control == interp.JumpIf {
		r.Round(i)
	}
	if rule := r.rules[i.Opcode]; rule != nil {
		rule(r, i)
		return
	}
	if len(i.Op) > 0 && !i.Kind.Hint {
		r.fault("no rule")
	}
}

// after records what the instruction i wrote, and compares it with the machine.
func (r *Run) after(*interp.Inst) {
	for _, w := range r.writes {
		f := w.form
		if w.operand.Kind == interp.Memory {
			r.compare(f, r.machine.Load(w.address, w.bits).V, w.bits)
			if w.bits == 64 {
				r.put(w.address, 0, f, nil)
			} else {
				r.Ignore(w.address &^ 7)
				r.parts[w.address] = part{f, w.bits}
			}
			continue
		}
		bits := w.bits
		if bits == 32 {
			bits = 64
		}
		if bits < 64 {
			r.reg[w.operand.Index] = unknown
			continue
		}
		r.compare(f, r.machine.Reg[w.operand.Index].V, 64)
		r.reg[w.operand.Index] = f
	}
	for _, w := range r.masks {
		r.mask[w.index] = w.bits
		for k, f := range w.bits {
			if f != unknown && f.Now().Uint64() != r.machine.Mask[w.index].V>>k&1 {
				r.fault("a rule yields bit %d of a mask = %v", k, f.Now())
			}
		}
	}
	for _, w := range r.vectors {
		for k, f := range w.lanes {
			if f == nil {
				f = unknown
			}
			if w.operand.Kind == interp.Memory {
				at := w.address + uint64(8*k)
				r.compare(f, r.machine.Load(at, 64).V, 64)
				r.put(w.address, k, f, w.lanes[0])
				continue
			}
			r.compare(f, r.machine.Vec[w.operand.Index].V[k], 64)
			r.vec[w.operand.Index][k] = f
		}
		for k := len(w.lanes); w.operand.Kind == interp.Vec && k < len(r.vec[w.operand.Index]); k++ {
			r.vec[w.operand.Index][k] = nil
		}
	}
}

// compare checks that f has the value v in the run, modulo 2^bits.
func (r *Run) compare(f *Form, v uint64, bits uint) {
	if f == unknown {
		return
	}
	if len(f.terms) == 1 && f.terms[0].atom.name == "double" {
		return // 0 may be −0
	}
	now := new(big.Int).And(f.Now(), new(big.Int).Sub(power(bits), big.NewInt(1)))
	if now.Uint64() != v {
		r.fault("a rule yields %#x, and the instruction %#x", now, v)
	}
}

// register returns a general register.
func (r *Run) register(index int) *Form {
	switch f := r.reg[index]; f {
	case nil:
		return Constant(word(r.machine.Reg[index].V))
	case unknown:
		r.fault("reads a number that is not followed")
	default:
		return f
	}
	return nil
}

// get returns operand k of the instruction i with the given number of bits.
func (r *Run) get(i *interp.Inst, k int, bits uint) *Form {
	o := &i.Op[k]
	switch o.Kind {
	case interp.General:
		f := r.register(o.Index)
		if o.At > 0 {
			f = r.Floor(f, 8*o.At, nil)
		}
		return r.low(f, bits)
	case interp.Immediate:
		return Constant(word(o.Imm & interp.WidthMask(bits)))
	case interp.Memory:
		return r.load(r.address(o), bits)
	}
	r.fault("an operand of another kind")
	return nil
}

// low returns f mod 2^bits.
func (r *Run) low(f *Form, bits uint) *Form {
	_, low := r.Cut(f, bits, nil)
	return low
}

// aligned stops the run if an access of the given number of bits at address a is not aligned.
func (r *Run) aligned(a uint64, bits uint) {
	if a%uint64(bits/8) != 0 {
		r.fault("an access that is not aligned")
	}
}

// Pointer returns a pointer: an input from which addresses may be computed.
func (r *Run) Pointer(now uint64) *Form {
	const least = 1 << 32
	return r.Input("pointer", 47, word(now-least)).Add(Int(least))
}

// address returns the address of the operand o in memory. It must not depend on the inputs, apart
// from one pointer.
func (r *Run) address(o *interp.Operand) uint64 {
	f := r.effective(o)
	for _, t := range f.terms {
		if t.atom.name == "pointer" && t.coefficient.Cmp(big.NewInt(1)) == 0 {
			f = f.Sub(t.atom.form())
			break
		}
	}
	if variable(f) != nil {
		r.fault("an address that is not constant")
	}
	return r.machine.Address(o)
}

// effective returns the effective address of o modulo 2^64.
func (r *Run) effective(o *interp.Operand) *Form {
	f := Constant(word(r.machine.Effective(o).V))
	for k, scale := range map[int]int64{o.Base: 1, o.IndexReg: int64(o.Scale)} {
		if k >= 0 {
			if g := r.register(k); variable(g) != nil {
				f = f.plus(big.NewInt(scale), g.Sub(Constant(g.Now())))
			}
		}
	}
	return f
}

// load returns the number at an address in memory.
func (r *Run) load(a uint64, bits uint) *Form {
	r.aligned(a, bits)
	f, ok := r.memory[a&^7]
	if p := r.parts[a]; f == unknown && p.form != nil && p.bits == bits {
		f = p.form
	} else if ok && f != unknown && bits < 64 {
		f = r.low(r.Floor(f, uint(a&7)*8, nil), bits)
	}
	switch {
	case f == unknown:
		r.fault("reads a number that is not followed")
	case f == nil:
		return Constant(word(r.machine.Load(a, bits).V))
	}
	if lo, _ := r.quick(f); lo.Sign() < 0 && r.Lower(f, new(big.Int)).Sign() < 0 {
		f = r.unsigned(f)
	}
	return f
}

// set will write f to operand k of the instruction i.
func (r *Run) set(i *interp.Inst, k int, bits uint, f *Form) {
	o := &i.Op[k]
	w := write{operand: o, bits: bits, form: f}
	if o.Kind == interp.Memory {
		w.address = r.address(o)
		r.aligned(w.address, bits)
	}
	r.writes = append(r.writes, w)
}

// flagOf returns the index of the flag with the given name.
func (r *Run) flagOf(name string) int {
	for k, s := range r.machine.Program().Arch.Flags {
		if s == name {
			return k
		}
	}
	panic("no flag " + name)
}

// setFlag records the flag that an instruction leaves. f is called when the flag is read; nil: the
// flag is not followed.
func (r *Run) setFlag(name string, f func() *Form) {
	if f == nil {
		f = func() *Form { r.fault("reads %s, which is not followed", name); return nil }
	}
	r.flag[r.flagOf(name)] = f
}

// setBit records the flag f, which an instruction leaves.
func (r *Run) setBit(name string, f *Form) { r.setFlag(name, func() *Form { return f }) }

// unknownFlags records that no flag is followed.
func (r *Run) unknownFlags() {
	for _, name := range r.machine.Program().Arch.Flags {
		r.setFlag(name, nil)
	}
}

// getFlag returns a flag.
func (r *Run) getFlag(name string) *Form {
	k := r.flagOf(name)
	v := word(r.machine.Flag[k].V)
	if r.flag[k] == nil {
		return Constant(v)
	}
	f := r.flag[k]()
	if f.Now().Cmp(v) != 0 {
		r.fault("a rule yields the flag %s = %v, and the machine has %v", name, f.Now(), v)
	}
	return f
}

// jump follows the conditional jump i, which depends on the flag or comparison f.
//
// If f is constant or counts rounds, i is the jump of a loop. If i jumps to code after the kernel
// that ends with a jump back to the instruction after i, the method both follows that code.
// Otherwise the machine jumps or not, as the value of f in this run tells, and that value is
// assumed. At jump number Turn, the machine does the opposite, and the opposite is assumed.
func (r *Run) jump(i *interp.Inst, f *Form) {
	if variable(f) == nil || r.Loop != nil && r.Loop(i, f) {
		return
	}
	first, last := r.behind(i)
	x := f.Now()
	if last > first {
		if x.Sign() != 0 == r.negated(i) {
			r.both(f, first, last)
			return
		}
		r.fault("the run takes the jump")
	}
	f = r.single(f)
	r.Jumps++
	r.Tested = append(r.Tested, r.Forms())
	if r.Jumps == r.Turn {
		x.Sub(big.NewInt(1), x)
		r.turn = true
	}
	facts := r.facts
	if err := r.Assume(f, x); err != nil {
		r.fault("a jump: %v", err)
	}
	// Only NeverZero uses the fact that a number is not 0. Without it, bounds are found sooner.
	if a := newest(f.terms).atom; a.kind == indicator && r.given[a].Sign() == 0 {
		r.facts = facts
	}
}

// single returns f, which is 0 or 1, as an atom times a constant plus a constant.
func (r *Run) single(f *Form) *Form {
	if len(f.Sub(Constant(f.coefficient(one))).terms) > 1 {
		return Int(1).Sub(r.IsZero(f))
	}
	return f
}

// behind returns the indices of the instructions from the target of the jump i to the jump back to
// the instruction after i, which is not included. It returns the same index twice if there is none.
func (r *Run) behind(i *interp.Inst) (first, last int) {
	p := r.machine.Program()
	k := i.Target
	for k < p.Len() && p.Instruction(k).Kind.Control == interp.Next {
		k++
	}
	if k < p.Len() && p.Instruction(k).Kind.Control == interp.Jump &&
		p.Instruction(p.Instruction(k).Target-1) == i {
		return i.Target, k
	}
	return i.Target, i.Target
}

// negated reports whether the jump i is taken if its flag or comparison is 0.
func (r *Run) negated(i *interp.Inst) bool {
	return slices.ContainsFunc([]string{"CC", "NE", "NZ", "PL", "LO", "OC", "BGEU", "CBNZ"},
		func(s string) bool { return strings.HasSuffix(i.Opcode, s) })
}

// both follows the instructions from first to last, which run if the jump with the flag f is taken.
// It then follows them again under the conditions in which the jump is not taken, such as a carry
// that is 0. If this leaves the old number in a register, the new form of the register is right in
// both cases. Other registers, and the memory that the instructions write, are not followed any
// more.
func (r *Run) both(f *Form, first, last int) {
	old, flags := slices.Clone(r.reg), slices.Clone(r.flag)
	taken := r.away(first, last)
	// The jump reveals the value of one atom, which is its value in this run. If the atom is an
	// indicator with the value 1, the form that it tests is 0.
	a := newest(r.single(f).terms).atom
	known := func(f *Form) *Form {
		if f == nil || f == unknown {
			return f
		}
		if a.kind == indicator && a.now.Sign() > 0 && f.Key() == a.x.Key() {
			return &Form{}
		}
		if g := f.Sub(Constant(f.coefficient(one))); len(g.terms) == 1 && g.terms[0].atom == a {
			return Constant(f.Now())
		}
		return f
	}
	for k := range old {
		r.reg[k] = known(old[k])
	}
	for k, flag := range flags {
		if r.flag[k] = flag; flag != nil {
			r.flag[k] = func() *Form { return known(flag()) }
		}
	}
	not := r.away(first, last)
	copy(r.reg, old)
	for k, g := range taken {
		same := r.machine.Reg[k].Defined != 0 && old[k] != unknown && g != unknown &&
			not[k] != unknown && not[k].Key() == known(r.register(k)).Key()
		if r.reg[k] = unknown; same {
			r.reg[k] = g
		}
	}
	r.unknownFlags()
}

// away follows the instructions from first to last, and returns the forms that they leave in the
// registers that they write. Afterwards the machine's registers and flags are as they were. Memory
// that the instructions write is not followed.
func (r *Run) away(first, last int) map[int]*Form {
	m := r.machine
	reg, flag := slices.Clone(m.Reg), slices.Clone(m.Flag)
	out := map[int]*Form{}
	var stored []uint64
	for k := first; k < last; k++ {
		i := m.Program().Instruction(k)
		r.before(i)
		if len(r.vectors)+len(r.masks) > 0 {
			r.fault("computes in lanes behind the kernel")
		}
		wrote := slices.Clone(r.writes)
		m.Execute(k)
		r.after(i)
		for _, w := range wrote {
			if w.operand.Kind == interp.Memory {
				stored = append(stored, w.address&^7)
				if w.bits != 64 {
					r.fault("stores a part of a word behind the kernel")
				}
			} else {
				out[w.operand.Index] = r.reg[w.operand.Index]
			}
		}
	}
	m.Reg, m.Flag = reg, flag
	for _, a := range stored {
		r.Ignore(a)
	}
	r.writes = r.writes[:0]
	return out
}

// A Place is a general register, a lane of a vector register, a word of memory or a part of one.
type Place struct {
	Kind   byte   // 'r', 'v', 'm' or 'p'
	Number int    // of the register
	At     uint64 // lane, or address
}

// Forms returns the forms of all places that depend on inputs.
func (r *Run) Forms() map[Place]*Form {
	out := map[Place]*Form{}
	for k, f := range r.reg {
		if f != nil && f != unknown {
			out[Place{'r', k, 0}] = f
		}
	}
	for k, v := range r.vec {
		for j, f := range v {
			if f != nil && f != unknown {
				out[Place{'v', k, uint64(j)}] = f
			}
		}
	}
	for a, f := range r.memory {
		if f != unknown {
			out[Place{'m', 0, a}] = f
		}
	}
	for a, p := range r.parts {
		out[Place{'p', 0, a}] = p.form
	}
	return out
}

// Replace replaces f by g in general registers and in memory.
func (r *Run) Replace(f, g *Form) {
	for k, x := range r.reg {
		if x != nil && x.Key() == f.Key() {
			r.reg[k] = g
		}
	}
	for a, x := range r.memory {
		if x.Key() == f.Key() {
			r.put(a, 0, g, nil)
		}
	}
}

// Forget replaces the contents of all places by the given forms. A place without a form is no
// longer followed, except if it still holds what the last call of Forget kept there. If first is
// set, Forget keeps the contents of all places without a form.
func (r *Run) Forget(forms map[Place]*Form, first bool) {
	kept := map[Place]*Form{}
	r.change(func(at Place, f *Form) *Form {
		if g := forms[at]; g != nil || f == nil {
			return g
		}
		if old := r.kept[at]; f != unknown && (first || old != nil && old.Key() == f.Key()) {
			kept[at] = f
			return f
		}
		return unknown
	})
	for k, bits := range r.mask {
		if bits != nil {
			r.mask[k] = slices.Repeat([]*Form{unknown}, len(bits))
		}
	}
	r.kept = kept
	r.unknownFlags()
}

// change replaces the form of each place by what now returns for it.
func (r *Run) change(now func(at Place, f *Form) *Form) {
	for k, f := range r.reg {
		r.reg[k] = now(Place{'r', k, 0}, f)
	}
	for k, v := range r.vec {
		for j, f := range v {
			v[j] = now(Place{'v', k, uint64(j)}, f)
		}
	}
	for a, f := range r.memory {
		r.memory[a] = now(Place{'m', 0, a}, f)
		for k := 1; k < r.Width; k++ {
			if at := a + 8*uint64(k); r.alike[at] == (likeness{f, k}) {
				r.alike[at] = likeness{r.memory[a], k}
			}
		}
	}
	for a, p := range r.parts {
		if now(Place{'p', 0, a}, p.form) != p.form {
			delete(r.parts, a)
		}
	}
}

// Widen ends a round of a loop, for a proof about any number of rounds. In each lane of a vector
// register and each word of memory, it replaces the number by a new one: the next round knows only
// its range. old has the ranges that the call at the end of the round before returned, or is nil.
// Numbers are not followed any more if old has no range for their place, if they are in a general
// register or a mask, or if they are a constant in a register that differs from round to round.
// bits has, by its address, the bit length of each word in which the loop leaves a result: once the
// word is in that range, this is its range. steady says that each place in old is in now, with a
// range within the one in old: then more rounds leave the same ranges.
func (r *Run) Widen(
	old map[Place][2]*big.Int, bits map[uint64]uint,
) (now map[Place][2]*big.Int, steady bool) {
	now, steady = map[Place][2]*big.Int{}, old != nil
	r.change(func(at Place, f *Form) *Form {
		if at.Kind == 'v' {
			f = r.lane(at.Number, int(at.At))
		}
		switch {
		case f == nil || f == unknown:
			return f
		case variable(f) == nil && (at.Kind == 'v' || at.Kind == 'm'):
			x, known := old[at]
			if c := f.Now(); old == nil || known && c.Cmp(x[0]) == 0 && c.Cmp(x[1]) == 0 {
				now[at] = [2]*big.Int{c, c}
				return f
			}
			return unknown
		case variable(f) == nil || f.isPointer() && at.Kind != 'v':
			return f
		case f.isPointer() || at.Kind != 'v' && at.Kind != 'm':
			return unknown
		}
		d, isDouble := r.doubles[newest(f.terms).atom]
		if isDouble = isDouble && len(f.terms) == 1 && !d.rest; isDouble {
			f = d.x
		}
		lo, hi := new(big.Int), power(bits[at.At])
		hi.Sub(hi, big.NewInt(1))
		before, known := old[at]
		switch {
		case at.Kind == 'm' && bits[at.At] > 0 && r.within(f, lo, hi):
			if known && (lo.Cmp(before[0]) < 0 || hi.Cmp(before[1]) > 0) {
				steady = false
			}
		case old == nil:
			lo, hi = r.Lower(f, lo), r.Upper(f, lo)
		case !known:
			return unknown
		case r.within(f, before[0], before[1]):
			lo, hi = before[0], before[1]
		default:
			steady = false
			lo, hi = least(r.Lower(f, before[0]), before[0]), r.Upper(f, before[1])
			if hi.Cmp(before[1]) < 0 {
				hi = before[1]
			}
		}
		now[at] = [2]*big.Int{lo, hi}
		g := r.add("", &atom{kind: input, name: "any", lo: lo, hi: hi, now: f.Now()}).form()
		if isDouble {
			return r.number(double{x: g}, float64(g.Now().Int64()))
		}
		return g
	})
	for at := range old {
		steady = steady && now[at][0] != nil
	}
	r.widenMasks()
	if r.moved == nil {
		r.moved = map[movedConstant][]*big.Int{}
	}
	return now, steady
}

// widenMasks is the part of Widen for mask registers.
func (r *Run) widenMasks() {
	words := make([]uint64, len(r.mask))
	for k, bits := range r.mask {
		words[k] = r.machine.Mask[k].V
		if bits == nil && r.maskWords != nil && words[k] != r.maskWords[k] {
			r.mask[k] = slices.Repeat([]*Form{unknown}, 8)
		}
		for j, b := range bits {
			if variable(b) != nil {
				bits[j] = unknown
			}
		}
	}
	r.maskWords = words
}

// inFrame reports whether an address is in the kernel's frame.
func (r *Run) inFrame(a uint64) bool {
	at := r.machine.FrameAddress()
	return at <= a && a < at+uint64(r.machine.Program().FrameBytes)
}

// moves checks that the instruction i moves one of two constants to the given lane in all rounds of
// the loop, if f is a constant: signs may alternate. A counter that became a number in a lane would
// have another range in each round.
func (r *Run) moves(i *interp.Inst, lane int, f *Form) {
	if r.moved == nil || variable(f) != nil {
		return
	}
	at := movedConstant{i, lane}
	if slices.ContainsFunc(r.moved[at], func(c *big.Int) bool { return c.Cmp(f.Now()) == 0 }) {
		return
	}
	if len(r.moved[at]) == 2 {
		r.fault("a lane gets another constant in each round")
	}
	r.moved[at] = append(r.moved[at], f.Now())
}

// within reports whether f is proven to be from lo to hi.
func (r *Run) within(f *Form, lo, hi *big.Int) bool {
	return r.Lower(f, lo).Cmp(lo) >= 0 && r.Upper(f, hi).Cmp(hi) <= 0
}

// isPointer reports whether f is a pointer plus a constant.
func (f *Form) isPointer() bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return t.atom.name == "pointer" })
}

// Steady reports whether all places hold what the last call of Forget has kept there.
func (r *Run) Steady() bool {
	now := r.Forms()
	for at, f := range r.kept {
		if g := now[at]; g == nil || g.Key() != f.Key() {
			return false
		}
	}
	return true
}

// Scatter sets every input to the value that choose returns for the input's range, and every atom
// to the value that follows from these. The run's own proof does not change. But give and Upper
// compare the forms and bounds that they find with these values. This also detects bounds that are
// wrong only at the ends of ranges.
func (r *Run) Scatter(choose func(lo, hi *big.Int) *big.Int) {
	for _, a := range r.atoms {
		if r.doubles[a].x != nil {
			r.elsewhere = true // the bits of doubles are not computed again
			return
		}
		a.now = new(big.Int)
		if a.kind == input && a.x == nil {
			a.now = choose(a.lo, a.hi)
		}
		a.define(a.now, (*Form).Now)
	}
	for a, x := range r.given {
		r.elsewhere = r.elsewhere || a.now.Cmp(x) != 0
	}
	for _, a := range r.atoms {
		if !r.elsewhere && (a.now.Cmp(a.lo) < 0 || a.now.Cmp(a.hi) > 0) {
			panic(fmt.Sprintf("proof: %v is said to be from %v to %v, and is %v", a, a.lo, a.hi, a.now))
		}
	}
}
