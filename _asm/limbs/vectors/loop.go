package vectors

import (
	"maps"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// lookAhead limits the reordering of a loop by ScheduleLoop: an instruction moves ahead of fewer
// than lookAhead others that compute.
const lookAhead = 60

// ScheduleLoop reorders the instructions of the loop at the label "loop", and assigns vector
// registers again. Schedule keeps registers, so an instruction cannot move ahead of another that
// uses its register. ScheduleLoop can move it, as long as the 32 registers suffice. So the
// multiplier works on one of two interleaved formulas while the carries of the other one wait for
// each other. The kernel computes the same under these conditions: accesses to memory through
// different base registers are independent, and so are those with an index register. After the
// loop, a vector register is read only if the loop never writes it. Additions to the pointers and
// counters are the first and the last instructions of the loop, and stay there.
func ScheduleLoop(fn *ir.Function) {
	at := slices.IndexFunc(fn.Nodes, func(n ir.Node) bool {
		l, ok := n.(ir.Label)
		return ok && l == "loop"
	})
	steps := func(n ir.Node) bool {
		i := n.(*ir.Instruction)
		return i.Opcode == "ADDQ" || i.Opcode == "SUBQ"
	}
	first := at + 1
	for steps(fn.Nodes[first]) {
		first++
	}
	end := first
	for !fn.Nodes[end].(*ir.Instruction).IsBranch {
		end++
	}
	for steps(fn.Nodes[end-1]) {
		end--
	}
	l := newLoop(fn.Nodes[first:end])
	for l.oldest < len(l.nodes) {
		l.step()
	}
	out := slices.Clone(fn.Nodes[:first])
	for _, k := range l.order {
		out = append(out, l.rename(k))
	}
	fn.Nodes = append(out, fn.Nodes[end:]...)
}

// A value is the content of a register from a write that does not depend on the register's old
// content to the last access before the next such write. Each general register and each mask has a
// single value.
type value struct {
	home     reg.Register // register that keeps the value, or nil if it has to be assigned
	place    int          // number of the vector register, once assigned
	accesses int          // instructions left that read or write the value
	writer   int          // last instruction so far that writes the value, or −1
	readers  []int        // instructions that read what writer wrote
}

// A loopNode is an instruction of a loop in the dependency graph.
type loopNode struct {
	node
	reads  map[reg.Register]*value // by the register in which the instruction names the value
	writes *value                  // or nil
	fresh  bool                    // whether writes begins here
	before []int                   // keys of waits, in order
	// early says that the instruction depends on no computation: it loads or clears a register. It
	// starts together with the first instruction that needs it.
	early bool
}

// A loop is the state of ScheduleLoop. Its cycles are those of a CPU that starts two vector
// computations per cycle, among them at most one multiply-add and at most one shift or shuffle.
type loop struct {
	nodes  []loopNode
	order  []int
	free   []int // numbers of the vector registers without a value
	oldest int   // first instruction in nodes that has not started; early ones do not count
	cycle  int
}

func newLoop(list []ir.Node) *loop {
	l := &loop{nodes: make([]loopNode, len(list))}
	now := map[reg.Register]*value{}
	find := func(r reg.Register) *value {
		if now[r] == nil {
			now[r] = &value{home: r, writer: -1}
		}
		return now[r]
	}
	type access struct {
		at    int
		mem   operand.Mem
		write bool
	}
	var memory []access
	for k, x := range list {
		i := x.(*ir.Instruction)
		n := &l.nodes[k]
		*n = loopNode{node: node{i: i, waits: map[int]bool{}}, reads: map[reg.Register]*value{}}
		wait := func(at int, result bool) {
			if at >= 0 && at != k {
				n.waits[at] = n.waits[at] || result
			}
		}
		computes := false
		for _, r := range i.InputRegisters() {
			if r == reg.StaticBase {
				continue
			}
			r = whole(r)
			v := find(r)
			wait(v.writer, true)
			n.reads[r] = v
			computes = computes || r.Kind() != reg.KindGP
		}
		for _, v := range n.reads {
			v.readers = append(v.readers, k)
			v.accesses++
		}
		for _, r := range i.OutputRegisters() {
			r = whole(r)
			n.fresh = r.Kind() == reg.KindVector && !accumulates(i) && !masked(i)
			if n.fresh {
				now[r] = &value{writer: -1}
			}
			v := find(r)
			for _, reader := range v.readers {
				wait(reader, false)
			}
			wait(v.writer, false)
			v.writer, v.readers = k, nil
			v.accesses++
			n.writes = v
		}
		n.early = !computes && n.writes != nil && n.writes.home == nil ||
			n.writes != nil && n.writes.home != nil && n.writes.home.Kind() == reg.KindGP
		for at, o := range i.Operands {
			m, ok := o.(operand.Mem)
			if !ok || m.Symbol.Name != "" || m.Index != nil {
				continue
			}
			a := access{k, m, at > 0}
			for _, b := range memory {
				if (a.write || b.write) && a.mem.Base == b.mem.Base &&
					a.mem.Disp-b.mem.Disp < Width && b.mem.Disp-a.mem.Disp < Width {
					wait(b.at, true)
				}
			}
			memory = append(memory, a)
		}
		switch {
		case accumulates(i), isMove(i) && n.writes == nil:
			n.latency = 4
		case crosses(i):
			n.latency = 3
		case !isMove(i) && !cancels(i) && isVector(i):
			n.latency = 1
		}
	}
	for k := len(l.nodes) - 1; k >= 0; k-- {
		n := &l.nodes[k]
		n.before = slices.Sorted(maps.Keys(n.waits))
		for _, at := range n.before {
			h := n.height
			if n.waits[at] {
				h += l.nodes[at].latency
			}
			l.nodes[at].height = max(l.nodes[at].height, h)
			l.nodes[at].feeds = append(l.nodes[at].feeds, k)
		}
		n.early = n.early && len(n.feeds) > 0
	}
	for k, r := range zmm {
		if v := now[whole(r)]; v == nil || v.home == nil {
			l.free = append(l.free, k)
		}
	}
	return l
}

// whole returns the register that contains r.
func whole(r reg.Register) reg.Register {
	switch r := r.(type) {
	case reg.VecPhysical:
		return r.AsZ()
	case reg.GPPhysical:
		return r.As64()
	}
	return r
}

// isVector reports whether i uses the units of the CPU for vectors.
func isVector(i *ir.Instruction) bool { return strings.HasPrefix(i.Opcode, "V") }

// crosses reports whether i moves words between lanes.
func crosses(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VSHUF") || strings.HasPrefix(i.Opcode, "VPUNPCK")
}

// shifts reports whether i shifts words.
func shifts(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VPSR") || strings.HasPrefix(i.Opcode, "VPSL") ||
		strings.HasPrefix(i.Opcode, "VPSHR")
}

// step starts instructions for one cycle. Of two instructions that can start, it prefers the one
// with the longer chain of dependents.
func (l *loop) step() {
	compute, multiply, shift := 2, 1, 1
	for {
		for l.oldest < len(l.nodes) && (l.nodes[l.oldest].done > 0 || l.nodes[l.oldest].early) {
			l.oldest++
		}
		var best []int // the instruction to start, and before it the early ones that it needs
		height, seen := -1, 0
		for k := l.oldest; k < len(l.nodes) && seen < lookAhead; k++ {
			n := &l.nodes[k]
			if n.done > 0 || n.early {
				continue
			}
			seen++
			if n.height <= height || isVector(n.i) && !isMove(n.i) && (compute == 0 ||
				accumulates(n.i) && multiply == 0 || (shifts(n.i) || crosses(n.i)) && shift == 0) {
				continue
			}
			list, ok := l.ready(k, nil)
			if !ok {
				continue
			}
			// Only the oldest instruction may occupy the last free register. Otherwise the others
			// could take registers until none of them can finish.
			if peak, net := l.registers(list); peak > len(l.free) ||
				k > l.oldest && net > 0 && peak == len(l.free) {
				continue
			}
			best, height = list, n.height
		}
		if best == nil {
			break
		}
		for _, k := range best {
			l.start(k)
			i := l.nodes[k].i
			if !isVector(i) || isMove(i) || cancels(i) {
				continue
			}
			compute--
			if accumulates(i) {
				multiply--
			}
			if shifts(i) || crosses(i) {
				shift--
			}
		}
	}
	l.cycle++
	if l.cycle > 100*len(l.nodes) {
		panic("vectors: too few registers for the loop")
	}
}

// ready appends to list the early instructions that instruction k needs and that have not started,
// and then k. It reports whether k can start in this cycle.
func (l *loop) ready(k int, list []int) ([]int, bool) {
	ok := true
	for _, at := range l.nodes[k].before {
		n := &l.nodes[at]
		switch {
		case slices.Contains(list, at):
		case n.done > 0:
			ok = ok && (!l.nodes[k].waits[at] || n.done <= l.cycle+1)
		case n.early:
			var can bool
			list, can = l.ready(at, list)
			ok = ok && can
		default:
			ok = false
		}
		if !ok {
			return list, false
		}
	}
	return append(list, k), true
}

// registers returns by how much the instructions in list raise the number of registers with values,
// at most and in the end.
func (l *loop) registers(list []int) (peak, net int) {
	left := map[*value]int{}
	for _, k := range list {
		n := &l.nodes[k]
		access := func(v *value) {
			if v.home != nil {
				return
			}
			if _, ok := left[v]; !ok {
				left[v] = v.accesses
			}
			if left[v]--; left[v] == 0 {
				net--
			}
		}
		for _, v := range n.reads {
			access(v)
		}
		if n.writes != nil {
			if n.fresh {
				net++
				peak = max(peak, net)
			}
			access(n.writes)
		}
	}
	return peak, net
}

// start puts instruction k next in the order, and assigns a register to its result.
func (l *loop) start(k int) {
	n := &l.nodes[k]
	access := func(v *value) {
		if v.accesses--; v.accesses == 0 && v.home == nil {
			l.free = append(l.free, v.place)
		}
	}
	for _, v := range n.sorted() {
		access(v)
	}
	if n.writes != nil {
		if n.fresh {
			n.writes.place, l.free = l.free[0], l.free[1:]
		}
		access(n.writes)
	}
	n.done = l.cycle + 1 + n.latency
	l.order = append(l.order, k)
}

// sorted returns the values that n reads, in a fixed order.
func (n *loopNode) sorted() (v []*value) {
	for _, r := range n.i.InputRegisters() {
		if x := n.reads[whole(r)]; x != nil && !slices.Contains(v, x) {
			v = append(v, x)
		}
	}
	return v
}

// rename returns instruction k with the registers that were assigned.
func (l *loop) rename(k int) *ir.Instruction {
	n := &l.nodes[k]
	register := func(o operand.Op, v *value) operand.Op {
		r, ok := o.(reg.VecPhysical)
		if !ok || v == nil || v.home != nil {
			return o
		}
		switch r.Size() {
		case 16:
			return zmm[v.place].AsX()
		case 32:
			return zmm[v.place].AsY()
		}
		return zmm[v.place]
	}
	if cancels(n.i) { // the shorter instruction has only 16 registers
		z := zmm[n.writes.place]
		i, err := x86.VPXORQ(z, z, z)
		if y := z.AsY(); n.writes.place < 16 {
			i, err = x86.VPXOR(y, y, y)
		}
		if err != nil {
			panic(err)
		}
		return i
	}
	i := *n.i
	source := func(o operand.Op) operand.Op {
		if r, ok := o.(reg.Register); ok {
			return register(o, n.reads[whole(r)])
		}
		return o
	}
	i.Operands = slices.Clone(i.Operands)
	i.Inputs, i.Outputs = slices.Clone(i.Inputs), slices.Clone(i.Outputs)
	last := len(i.Operands) - 1
	for at, o := range i.Operands {
		if at == last && n.writes != nil {
			i.Operands[at] = register(o, n.writes)
			continue
		}
		i.Operands[at] = source(o)
	}
	for at, o := range i.Inputs {
		i.Inputs[at] = source(o)
	}
	for at, o := range i.Outputs {
		i.Outputs[at] = register(o, n.writes)
	}
	return &i
}
