package vectors

import (
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Schedule puts the vector instructions of a function between one jump, label or
// other instruction and the next into the order in which a CPU with an unlimited window
// would start them, those first that most others wait for. A CPU sees a few hundred
// instructions ahead, but keeps only about a hundred that wait for others, and formulas
// have long stretches of those. In this order, instructions that can start stand within
// its sight.
//
// Nothing else changes: an instruction stays behind those that write what it
// reads, read what it writes, or write what it writes, in registers and memory.
// Two accesses to memory are independent if they are at different distances from
// one register, or one of them is in the frame or read-only data.
func Schedule(fn *ir.Function, frame reg.Register) {
	var out []ir.Node
	var run []*ir.Instruction
	flush := func() {
		for _, i := range schedule(run, frame) {
			out = append(out, i)
		}
		run = nil
	}
	for _, n := range fn.Nodes {
		if i, ok := n.(*ir.Instruction); ok && strings.HasPrefix(i.Opcode, "V") &&
			i.Opcode != "VZEROUPPER" {
			run = append(run, i)
			continue
		}
		flush()
		out = append(out, n)
	}
	flush()
	fn.Nodes = out
}

// A node is an instruction in the graph of dependencies.
type node struct {
	i       *ir.Instruction
	waits   map[int]bool // must stand before; true: and be finished
	feeds   []int
	latency int
	height  int // cycles from its start to the end of all that wait for it
	done    int // cycle, once it has started
}

// Cycles from the start of an instruction to that of one that needs its result, on
// Zen 5. On Intel's cores those of additions and shifts are shorter, and the order
// that comes out nearly the same.
func latency(i *ir.Instruction) int {
	switch {
	case cancels(i):
		return 0
	case strings.HasPrefix(i.Opcode, "VPMADD52"):
		return 4
	case isMove(i):
		return 0
	}
	return 2
}

func cancels(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VPXOR") && key(i.Operands[0]) == key(i.Operands[1])
}

func isMove(i *ir.Instruction) bool {
	return strings.HasPrefix(i.Opcode, "VMOV") || strings.HasPrefix(i.Opcode, "VPBROADCAST")
}

// key names a register, however wide, or is empty.
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

// schedule orders instructions without jumps.
func schedule(list []*ir.Instruction, frame reg.Register) []*ir.Instruction {
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
				(strings.HasPrefix(i.Opcode, "VPMADD52") || masked(i))) && !cancels(i) {
				reads = append(reads, s)
			}
			m, ok := o.(operand.Mem)
			if !ok || m.Symbol.Name != "" {
				continue
			}
			a := access{k, m, at == last}
			for _, b := range memory {
				if (a.write || b.write) && overlap(a.mem, b.mem, frame) {
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

// masked returns whether lanes of the result may stay as they were.
func masked(i *ir.Instruction) bool {
	for _, o := range i.Operands[:len(i.Operands)-1] {
		if isMask(o) {
			return true
		}
	}
	return false
}

// overlap returns whether two vectors in memory may be the same or share bytes.
func overlap(a, b operand.Mem, frame reg.Register) bool {
	if a.Base.Asm() == b.Base.Asm() && a.Index == nil && b.Index == nil {
		return a.Disp-b.Disp < Width && b.Disp-a.Disp < Width
	}
	return a.Base.Asm() != frame.Asm() && b.Base.Asm() != frame.Asm()
}

// issue starts instructions cycle by cycle: eight at a time, of them two
// multiply-adds, two shifts and four that compute, those with the most waiting for
// them first.
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
					if compute == 0 || strings.HasPrefix(n.i.Opcode, "VPMADD52") && multiply == 0 ||
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
				if strings.HasPrefix(n.i.Opcode, "VPMADD52") {
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
