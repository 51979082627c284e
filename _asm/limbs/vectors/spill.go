package vectors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An allocator assigns the 16 registers to the slots of one block after another. Within a block, a
// slot is in a register, in memory, or both. If no register is free, the allocator frees that of
// the slot whose next use is farthest away (Belady's rule). Between blocks, all live slots are in
// memory, except those in keep. A constant is read from read-only data again instead of being
// stored.
type allocator struct {
	frame  operand.Mem          // where slots are stored
	places map[slot]int         // index of the memory of each slot that has been stored
	data   reg.GPPhysical       // Layout.Data
	fixed  map[slot]operand.Mem // slots with the same constant throughout the kernel
	keep   map[slot]int         // slots that are in a register between blocks, and which

	// The state in a block.
	*block
	at    map[slot]int // register of each slot that is in one
	used  [16]bool
	last  int                  // register that was assigned last
	dirty map[slot]bool        // slots that are only in a register
	home  map[slot]operand.Mem // slots with a constant, and where it is
	uses  map[slot][]int       // indices of the steps that read each slot
	defs  map[slot][]int       // indices of the steps that write each slot
	list  []ir.Node
}

// fixed returns the slots that are never written but by a load of one constant.
func fixed(blocks []*block) map[slot]operand.Mem {
	f, other := map[slot]operand.Mem{}, map[slot]bool{}
	for _, b := range blocks {
		for k := range b.steps {
			s := &b.steps[k]
			_, d := s.slots()
			if d < 0 {
				continue
			}
			m, ok := s.constant()
			if before, twice := f[d]; !ok || twice && before != m {
				other[d] = true
			}
			f[d] = m
		}
	}
	maps.DeleteFunc(f, func(s slot, _ operand.Mem) bool { return other[s] })
	return f
}

// constant returns the constant that s loads, and whether it loads one.
func (s *step) constant() (operand.Mem, bool) {
	m, _ := s.args[0].(operand.Mem)
	return m, s.name == "VMOVDQU" && isConstant(s.args[0])
}

// run returns the instructions of the block b.
func (a *allocator) run(b *block) []ir.Node {
	*a = allocator{
		frame: a.frame, places: a.places, data: a.data, fixed: a.fixed, keep: a.keep,
		block: b, at: map[slot]int{}, dirty: map[slot]bool{}, home: map[slot]operand.Mem{},
		uses: map[slot][]int{}, defs: map[slot][]int{},
	}
	for k := range b.steps {
		reads, writes := b.steps[k].slots()
		for _, s := range reads {
			a.uses[s] = append(a.uses[s], k)
		}
		a.defs[writes] = append(a.defs[writes], k)
	}
	for s, r := range a.keep {
		if b.in[s] {
			a.at[s], a.used[r], a.dirty[s] = r, true, true
		}
	}
	k := 0
	for _, n := range b.nodes {
		if i, ok := n.(*ir.Instruction); ok && i.IsBranch {
			a.flush()
		}
		if n != nil {
			a.list = append(a.list, n)
			continue
		}
		a.step(k)
		k++
	}
	a.flush()
	return a.list
}

const (
	never = 1 << 30   // after the last step, for a slot that is not needed again
	later = never - 1 // after the last step, for a slot that another block needs
)

// next returns the index of the first step after k that reads s before another writes it.
func (a *allocator) next(s slot, k int) int {
	first := func(list []int) int {
		at, _ := slices.BinarySearch(list, k+1)
		if at == len(list) {
			return never
		}
		return list[at]
	}
	use, def := first(a.uses[s]), first(a.defs[s])
	switch {
	case use <= def && use != never:
		return use
	case def == never && a.out[s]:
		return later
	}
	return never
}

// place returns the memory of s.
func (a *allocator) place(s slot) operand.Mem {
	for _, constants := range []map[slot]operand.Mem{a.fixed, a.home} {
		if m, ok := constants[s]; ok {
			return m
		}
	}
	if _, ok := a.places[s]; !ok {
		a.places[s] = len(a.places)
	}
	return a.frame.Offset(slotBytes * a.places[s])
}

// emit writes the instruction with the given name in AVX2. A long formula leaves the cache of
// decoded instructions, and a CPU then decodes only so many bytes in a cycle. So emit uses short
// encodings.
func (a *allocator) emit(name string, ops ...operand.Op) {
	if m, ok := ops[0].(operand.Mem); ok && a.data != nil && isConstant(m) {
		ops[0] = operand.Mem{Base: a.data, Disp: m.Disp - dataMiddle}
	}
	if commutes[name] && len(ops) == 3 && long(ops[0]) && !long(ops[1]) {
		ops[0], ops[1] = ops[1], ops[0]
	}
	i, err := avx2[name](ops...)
	if err != nil {
		panic(fmt.Sprint("vectors: ", name, ": ", err, " ", ops))
	}
	if strings.HasPrefix(name, "VPMADD52") {
		i.ISA = []string{"AVXIFMA"} // avo knows only the form of AVX-512
	}
	a.list = append(a.list, i)
}

// long reports whether o is a register that makes an instruction longer if it is the first operand.
func long(o operand.Op) bool {
	r, ok := o.(reg.VecPhysical)
	return ok && r.PhysicalIndex() >= 8
}

// flush stores all slots that are live after the block and only in registers or read-only data. It
// writes only moves, so it may come between a comparison and the jump that uses the flags.
func (a *allocator) flush() {
	for _, s := range slices.Sorted(maps.Keys(a.home)) {
		if a.out[s] {
			a.load(s, len(a.steps), nil)
			a.dirty[s] = true
		}
		delete(a.home, s) // before another load evicts s, which would store it in the constant's place
	}
	for _, s := range slices.Sorted(maps.Keys(a.keep)) {
		if r, in := a.at[s]; a.out[s] && (!in || r != a.keep[s]) {
			panic("vectors: a kept slot is not in its register at the end of a block")
		}
	}
	for _, s := range slices.Sorted(maps.Keys(a.at)) {
		if _, kept := a.keep[s]; a.out[s] && a.dirty[s] && !kept {
			a.emit("VMOVDQU", ymm(a.at[s]), a.place(s))
		}
	}
	clear(a.dirty)
}

// ymm returns register Yk.
func ymm(k int) reg.VecPhysical { return zmm[k].AsY().(reg.VecPhysical) }

// register returns a free register for step k. If there is none, it frees one, but none of those
// with slots in keep.
func (a *allocator) register(k int, keep []slot) int {
	for n := range 16 {
		r := (a.last + 1 + n) % 16
		if !a.used[r] {
			a.last, a.used[r] = r, true
			return r
		}
	}
	var far slot
	when := -1
	for _, s := range slices.Sorted(maps.Keys(a.at)) {
		if n := a.next(s, k-1); !slices.Contains(keep, s) && n > when {
			far, when = s, n
		}
	}
	a.last = a.at[far]
	a.evict(far, k)
	return a.last
}

// evict moves s from its register to memory, if s is needed from step k on.
func (a *allocator) evict(s slot, k int) {
	if a.dirty[s] && a.next(s, k-1) != never {
		a.emit("VMOVDQU", ymm(a.at[s]), a.place(s))
	}
	delete(a.dirty, s)
	delete(a.at, s)
}

// assign returns the register for the result s of the step before step k.
func (a *allocator) assign(s slot, k int) int {
	r, kept := a.keep[s]
	if !kept {
		return a.register(k, nil)
	}
	for other, at := range a.at {
		if at == r {
			a.evict(other, k)
			break
		}
	}
	a.used[r] = true
	return r
}

// load puts s in a register for step k.
func (a *allocator) load(s slot, k int, keep []slot) {
	if _, ok := a.at[s]; !ok {
		r := a.register(k, keep)
		a.emit("VMOVDQU", a.place(s), ymm(r))
		a.at[s] = r
	}
}

// inRegister reports whether o is a slot in a register.
func (a *allocator) inRegister(o operand.Op) bool {
	s, ok := o.(slot)
	_, in := a.at[s]
	return ok && in
}

// step writes step k. A first operand in memory that no later step of the block reads, perhaps
// because step k overwrites it, stays there. The destination may get the register of an operand
// that step k reads last.
func (a *allocator) step(k int) {
	s := &a.steps[k]
	reads, writes := s.slots()
	if m, ok := s.constant(); ok {
		if _, ok := a.fixed[writes]; !ok {
			a.forget(writes)
			a.home[writes] = m
		}
		return
	}
	args := slices.Clone(s.args)
	last := len(args) - 1
	if commutes[s.name] && a.inRegister(args[0]) && !a.inRegister(args[1]) {
		if _, ok := args[1].(slot); ok {
			args[0], args[1] = args[1], args[0]
		}
	}
	for n, o := range args {
		x, ok := o.(slot)
		if !ok || !slices.Contains(reads, x) || n == last && !s.accumulates() {
			continue
		}
		if n == 0 && !a.inRegister(x) && (x == writes || a.next(x, k) >= later) &&
			!slices.Contains(args[1:last], o) && !(s.accumulates() && x == writes) &&
			s.memory(a.place(x)) {
			args[0] = a.place(x)
			continue
		}
		a.load(x, k, reads)
	}
	for n, o := range args[:last] { // without reads, the step only clears a register
		if x, ok := o.(slot); ok && len(reads) > 0 {
			args[n] = ymm(a.at[x])
		}
	}
	for _, x := range reads {
		if x != writes && a.next(x, k) == never {
			a.forget(x)
		}
	}
	if writes >= 0 {
		if !a.inRegister(writes) {
			a.at[writes] = a.assign(writes, k+1)
		}
		delete(a.home, writes)
		a.dirty[writes] = true
		args[last] = ymm(a.at[writes])
		if len(reads) == 0 && s.name == "VPXOR" {
			args[0], args[1] = args[last], args[last]
		}
	}
	if s.short > 0 {
		if r, ok := args[s.short-1].(reg.VecPhysical); ok {
			args[s.short-1] = r.AsX()
		}
	}
	if s.imm != nil {
		args = append([]operand.Op{s.imm}, args...)
	}
	a.emit(s.name, args...)
	if writes >= 0 && a.next(writes, k) == never {
		a.forget(writes)
	}
}

// forget frees the register of s.
func (a *allocator) forget(s slot) {
	if r, in := a.at[s]; in {
		a.used[r] = false
		delete(a.at, s)
	}
	delete(a.dirty, s)
}

// accumulates reports whether s reads its destination.
func (s *step) accumulates() bool {
	return strings.HasPrefix(s.name, "VFM") || strings.HasPrefix(s.name, "VPMADD52")
}

// memory reports whether the first operand of s may be the memory at m. VPMADD52 is written as
// bytes, which the linker cannot complete with the address of a constant.
func (s *step) memory(m operand.Mem) bool {
	switch {
	case s.name == "VMOVDQU":
		_, slot := s.args[1].(slot)
		return slot
	case s.name == "VPERM2I128", s.name == "VPERMQ", s.name == "VPSHUFD", s.name == "VPBLENDD":
		return true
	case strings.HasPrefix(s.name, "VPMADD52"):
		return !isConstant(m)
	}
	return s.imm == nil && s.short == 0 && s.name != "VPBLENDVB"
}
