// Package inorder orders straight-line lists of instructions for an in-order CPU. Such a CPU starts
// instructions in their given order: one that waits for an operand delays all later ones. The
// package also chooses the registers, because both problems are linked: a result that is computed
// early occupies a register for longer.
//
// A list may use any number of virtual registers, so that code can be written like a formula.
// [CPU.Order] is list scheduling (Cooper and Torczon, "Engineering a Compiler", chapter 12) with a
// limit on the registers in use, followed by a linear scan that assigns registers.
package inorder

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// Virtual is the number of the first virtual register. Smaller numbers are those of the CPU's
// registers.
const Virtual = 1 << 10

// A Pipe is an execution unit of the CPU. It starts at most one instruction in a cycle.
type Pipe uint8

// Any is the Pipe of instructions that every pipe can execute.
const Any Pipe = 0

// Effects describes the inputs and effects of an instruction. They restrict its place in a list.
type Effects struct {
	// Reads and Writes list the general registers that the instruction reads and writes.
	Reads, Writes []int
	// Changes lists registers that out-of-line code of the instruction changes in place. That code
	// rarely runs. A reader of such a register stays before or after the instruction, as in the
	// list, but need not wait for it.
	Changes []int
	// Load and Store are the memory operands that the instruction reads and writes, or nil. Each
	// has at most eight bytes.
	Load, Store *interp.Operand
	// Exit says that the instruction is a jump out of the list. Stores to memory outside the frame,
	// and writes to registers that are not virtual, must not move across it.
	Exit bool

	Pipe Pipe
	// Latency is the number of cycles from the start of this instruction to the earliest start of
	// one that reads its result, if that instruction reads its operands at its start. Late is the
	// number of cycles after its start at which this instruction reads its registers.
	Latency, Late int
}

// A CPU describes the width of an in-order CPU and the timing of its instructions.
type CPU struct {
	// Width is the largest number of instructions that start in one cycle.
	Width int
	// Effects returns the effects of the instruction x, or an error if x may not be in a
	// straight-line list.
	Effects func(x *interp.Instruction) (Effects, error)
}

// A node is an instruction in the dependency graph of a list.
type node struct {
	Effects
	before int // number of unplaced instructions that must come before this one
	after  []edge
	height int // least number of cycles from the start of this instruction to the end of the list
}

// held returns the virtual registers that the instruction of n reads or changes. A register may
// occur twice.
func (n *node) held() (all []int) {
	for _, r := range slices.Concat(n.Reads, n.Changes) {
		if r >= Virtual {
			all = append(all, r)
		}
	}
	return all
}

// An edge leads to another instruction. The field to is that instruction's index, and cycles is the
// least number of cycles by which it must start later.
type edge struct{ to, cycles int }

// A list is a list of instructions with its dependency graph.
type list struct {
	cpu   *CPU
	text  []interp.Instruction
	nodes []node
	uses  map[int]int // number of reads of each virtual register
}

// graph builds the dependency graph. An instruction that reads a register stays after the one that
// wrote the register. An instruction that writes a register stays after the writer and the readers
// of the previous value. The same holds for memory. Two memory operands are known to differ only if
// they have the same base and do not overlap, or if exactly one of them is in the frame.
func (cpu *CPU) graph(text []interp.Instruction) (*list, error) {
	l := &list{cpu: cpu, text: text, nodes: make([]node, len(text)), uses: map[int]int{}}
	type write struct{ by, latency int }
	writer, readers := map[int]write{}, map[int][]int{}
	for k := range text {
		e, err := cpu.Effects(&text[k])
		if err != nil {
			return nil, err
		}
		l.nodes[k].Effects = e
		for _, r := range e.Reads {
			if w, ok := writer[r]; ok {
				l.wait(w.by, k, max(min(1, w.latency), w.latency-e.Late))
			} else if r >= Virtual {
				return nil, fmt.Errorf("inorder: instruction %d reads a register before it is written", k)
			}
			readers[r] = append(readers[r], k)
		}
		for _, r := range l.nodes[k].held() {
			l.uses[r]++
		}
		for _, r := range slices.Concat(e.Writes, e.Changes) {
			changes := slices.Contains(e.Changes, r)
			if w, ok := writer[r]; ok && changes {
				l.wait(w.by, k, 0)
			} else if ok && r >= Virtual {
				return nil, fmt.Errorf("inorder: instruction %d writes a virtual register again", k)
			} else if ok {
				l.wait(w.by, k, 1)
			}
			for _, before := range readers[r] {
				if before != k {
					l.wait(before, k, 0)
				}
			}
			latency := e.Latency
			if changes {
				latency = 0
			}
			writer[r], readers[r] = write{k, latency}, nil
		}
		for before := range k {
			if l.ordered(before, k) {
				l.wait(before, k, 0)
			}
		}
	}
	for k := range l.nodes {
		for _, r := range l.nodes[k].Writes {
			if r >= Virtual && l.uses[r] == 0 {
				return nil, fmt.Errorf("inorder: nothing reads the result of instruction %d, %s",
					k, text[k].Opcode)
			}
		}
	}
	for k := len(text) - 1; k >= 0; k-- {
		n := &l.nodes[k]
		n.height = n.Latency
		for _, e := range n.after {
			n.height = max(n.height, l.nodes[e.to].height+e.cycles)
		}
	}
	return l, nil
}

func (l *list) wait(before, k, cycles int) {
	l.nodes[before].after = append(l.nodes[before].after, edge{k, cycles})
	l.nodes[k].before++
}

// ordered reports whether instruction j, which comes before instruction k, must stay before it
// because of effects other than writes to registers.
func (l *list) ordered(j, k int) bool {
	a, b := &l.nodes[j], &l.nodes[k]
	return a.Exit && (b.Exit || b.lasting()) || b.Exit && a.lasting() ||
		a.Store != nil && (overlap(a.Store, b.Load) || overlap(a.Store, b.Store)) ||
		b.Store != nil && overlap(a.Load, b.Store)
}

// lasting reports whether an instruction with these effects changes state that is visible after the
// list.
func (e *Effects) lasting() bool {
	return e.Store != nil && e.Store.Base != interp.Frame ||
		slices.ContainsFunc(slices.Concat(e.Writes, e.Changes), func(r int) bool { return r < Virtual })
}

// overlap reports whether the memory operands a and b may share a byte.
func overlap(a, b *interp.Operand) bool {
	switch {
	case a == nil || b == nil:
		return false
	case a.Base == b.Base:
		return a.Disp < b.Disp+8 && b.Disp < a.Disp+8
	}
	// Pointer arguments never point to the frame or to the argument area.
	return a.Base >= 0 && b.Base >= 0
}
