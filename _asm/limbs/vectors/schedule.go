package vectors

import (
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Schedule reorders the vector instructions of a function, separately in each stretch without
// jumps, labels and other instructions. The new order is that in which a CPU with an unlimited
// window would start them; among ready instructions, the one with the longest chain of dependents
// comes first. A real CPU sees a few hundred instructions ahead, but its queue holds only about a
// hundred that wait for others, and formulas have long stretches of such instructions. The new
// order keeps ready instructions within its window.
//
// The meaning stays the same: an instruction stays after those that write a register or memory that
// it reads, and after those that read or write a register or memory that it writes. Two accesses to
// memory are independent if they have different offsets from the same register, or if one of them
// is in the frame or in read-only data.
//
// frame is the register with the address of the scratch memory in the frame, and width the size of
// a vector in bytes.
func Schedule(fn *ir.Function, frame reg.Register, width int) {
	var out []ir.Node
	var run []*ir.Instruction
	flush := func() {
		for _, i := range schedule(run, frame, width) {
			out = append(out, i)
		}
		run = nil
	}
	for _, n := range fn.Nodes {
		if i, ok := n.(*ir.Instruction); ok && strings.HasPrefix(i.Opcode, "V") &&
			!strings.HasPrefix(i.Opcode, "VZERO") {
			run = append(run, i)
			continue
		}
		flush()
		out = append(out, n)
	}
	flush()
	fn.Nodes = out
}

// A node is an instruction in the dependency graph that schedule builds.
type node struct {
	i       *ir.Instruction
	waits   map[int]bool // nodes that must come before this one; true: this one needs their results
	feeds   []int
	latency int
	height  int // cycles from its start until all instructions that depend on it have finished
	done    int // cycle in which its result is ready, set when it starts
}

// latency returns the number of cycles between the start of an instruction and the earliest start
// of one that uses its result. The numbers are those of Zen 5. On Intel's CPUs additions and shifts
// are faster, which hardly changes the order.
func latency(i *ir.Instruction) int {
	switch {
	case cancels(i):
		return 0
	case accumulates(i), strings.HasPrefix(i.Opcode, "VSUBPD"):
		return 4
	case isMove(i):
		return 0
	}
	return 2
}

// accumulates reports whether the instruction i multiplies, and adds the product to its
// destination.
func accumulates(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VPMADD52") || strings.HasPrefix(i.Opcode, "VFM")
}

func cancels(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VPXOR") && key(i.Operands[0]) == key(i.Operands[1])
}

func isMove(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VMOV") || strings.HasPrefix(i.Opcode, "VPBROADCAST")
}

// key returns a name for a register, the same for all its widths, or "" if o is not a register.
func key(o operand.Op) string {
	if r, ok := o.(reg.VecPhysical); ok {
		return r.AsZ().Asm()
	}
	if isMask(o) {
		return o.Asm()
	}
	return ""
}

func isMask(o operand.Op) bool {
	r, ok := o.(reg.Register)
	return ok && r.Kind() == reg.KindOpmask
}

// schedule returns the instructions of list in a new order. There are no jumps among them.
func schedule(list []*ir.Instruction, frame reg.Register, width int) []*ir.Instruction {
	nodes := make([]node, len(list))
	writer, readers := map[string]int{}, map[string][]int{}
	type access struct {
		at    int
		mem   operand.Mem
		write bool
	}
	var memory []access
	for k, i := range list {
		n := &nodes[k]
		*n = node{i: i, waits: map[int]bool{}, latency: latency(i)}
		last := len(i.Operands) - 1
		var reads []string
		for at, o := range i.Operands {
			if s := key(o); s != "" && (at < last || !cancels(i) &&
				(accumulates(i) || masked(i))) && !cancels(i) {
				reads = append(reads, s)
			}
			m, ok := o.(operand.Mem)
			if !ok || m.Symbol.Name != "" {
				continue
			}
			a := access{k, m, at == last}
			for _, b := range memory {
				if (a.write || b.write) && overlap(a.mem, b.mem, frame, width) {
					n.waits[b.at] = true
				}
			}
			memory = append(memory, a)
		}
		for _, s := range reads {
			if w, ok := writer[s]; ok {
				n.waits[w] = true
			}
			readers[s] = append(readers[s], k)
		}
		if s := key(i.Operands[last]); s != "" {
			for _, r := range readers[s] {
				if _, ok := n.waits[r]; !ok && r != k {
					n.waits[r] = false
				}
			}
			if w, ok := writer[s]; ok {
				if _, ok := n.waits[w]; !ok {
					n.waits[w] = false
				}
			}
			writer[s], readers[s] = k, nil
		}
	}
	for k := range nodes {
		for w := range nodes[k].waits {
			nodes[w].feeds = append(nodes[w].feeds, k)
		}
	}
	for k := len(nodes) - 1; k >= 0; k-- {
		n := &nodes[k]
		for _, f := range n.feeds {
			h := nodes[f].height
			if nodes[f].waits[k] {
				h += n.latency
			}
			n.height = max(n.height, h)
		}
	}
	return issue(nodes)
}

// masked reports whether the instruction has a mask that may leave lanes of its destination
// unchanged.
func masked(i *ir.Instruction) bool {
	for _, o := range i.Operands[:len(i.Operands)-1] {
		if isMask(o) {
			return true
		}
	}
	return false
}

// overlap reports whether the width bytes at a and the width bytes at b may have a byte in common.
// frame is the register with the address of the kernel's scratch memory.
func overlap(a, b operand.Mem, frame reg.Register, width int) bool {
	if a.Base.Asm() == b.Base.Asm() && a.Index == b.Index {
		return a.Disp-b.Disp < width && b.Disp-a.Disp < width
	}
	return a.Base.Asm() != frame.Asm() && b.Base.Asm() != frame.Asm()
}

// issue returns the order in which a simulated CPU starts the instructions. In each cycle it starts
// at most eight instructions; at most four of these compute, at most two are multiply-adds, and at
// most two are shifts. Among ready instructions, it prefers those with the longest chain of
// dependents (node.height).
func issue(nodes []node) []*ir.Instruction {
	var out []*ir.Instruction
	started := make([]bool, len(nodes))
	for cycle := 0; len(out) < len(nodes); cycle++ {
		all, compute, multiply, shift := 8, 4, 2, 2
		for all > 0 {
			best := -1
			for k := range nodes {
				n := &nodes[k]
				if started[k] || best >= 0 && nodes[best].height >= n.height {
					continue
				}
				if !isMove(n.i) && !cancels(n.i) {
					if compute == 0 || accumulates(n.i) && multiply == 0 ||
						strings.HasPrefix(n.i.Opcode, "VPSR") && shift == 0 {
						continue
					}
				}
				ready := true
				for w, finished := range n.waits {
					if !started[w] || finished && nodes[w].done > cycle {
						ready = false
						break
					}
				}
				if ready {
					best = k
				}
			}
			if best < 0 {
				break
			}
			n := &nodes[best]
			started[best], n.done = true, cycle+n.latency
			out = append(out, n.i)
			all--
			if !isMove(n.i) && !cancels(n.i) {
				compute--
				if accumulates(n.i) {
					multiply--
				}
				if strings.HasPrefix(n.i.Opcode, "VPSR") {
					shift--
				}
			}
		}
	}
	return out
}
