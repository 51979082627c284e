// Package inorder puts straight lists of instructions into an order for a CPU that starts
// instructions in the order in which they stand: one that has to wait for a result keeps all
// that follow waiting. It also chooses the registers, since the two cannot be separated: what
// is computed early occupies a register for longer.
//
// A list is written with virtual registers, of which there are as many as it needs, and reads
// like a formula. [CPU.Order] is list scheduling (Cooper and Torczon, "Engineering a
// Compiler", chapter 12) under a limit on the registers that are in use, and then a linear
// scan over what comes out.
package inorder

import (
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// Virtual is the number of the first virtual register.
const Virtual = 1 << 10

// A Pipe is a part of the CPU that starts at most one instruction in a cycle.
type Pipe uint8

// Any is no part: an instruction that every one of them executes.
const Any Pipe = 0

// Effects are what an instruction needs and does, as far as its place in a list depends on it.
type Effects struct {
	// Reads and Writes are general registers.
	Reads, Writes []int
	// Changes are registers that are changed where they are, by code that is elsewhere and
	// seldom reached: what reads them has its place before or behind, but does not wait.
	Changes []int
	// Load and Store are memory operands that are read and written, of eight bytes at most.
	Load, Store *interp.Operand
	// Exit is a jump out of the list. What is in registers of its own and in memory outside
	// the frame is then as it is where the jump stands.
	Exit bool

	Pipe Pipe
	// Latency is the number of cycles until a result can be read at the start of an
	// instruction, and Late how many cycles after its start an instruction reads registers.
	Latency, Late int
}

// A CPU is what decides how long a list takes.
type CPU struct {
	// Width is how many instructions start in a cycle at most.
	Width int
	// Effects returns what an instruction of the CPU does, or an error if it is none for
	// straight lists.
	Effects func(x *interp.Instruction) (Effects, error)
}

// A node is an instruction in the graph of what waits for what.
type node struct {
	Effects
	before int // instructions that must stand before it and do not yet
	after  []edge
	height int // cycles from its start to the end of the list at least
}

// held returns the virtual registers that an instruction needs, which may be one twice.
func (n *node) held() (all []int) {
	for _, r := range n.Reads {
		if r >= Virtual {
			all = append(all, r)
		}
	}
	for _, r := range n.Changes {
		if r >= Virtual {
			all = append(all, r)
		}
	}
	return all
}

// An edge leads to an instruction that starts at least so many cycles later.
type edge struct{ to, cycles int }

// A list is a list of instructions with its graph.
type list struct {
	cpu   *CPU
	text  []interp.Instruction
	nodes []node
	uses  map[int]int // how often each virtual register is read
}

// graph finds what has to stay behind what: readers of a register behind its writer, writers
// behind readers and writers of the value before; and the same for places in memory, of which
// two are known to be different only if they have the same base, or one is in the frame.
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

// ordered returns whether two instructions keep their order for what they do beside writing
// registers.
func (l *list) ordered(before, k int) bool {
	a, b := &l.nodes[before], &l.nodes[k]
	if a.Exit && b.Exit {
		return true
	}
	if a.Exit && b.lasting() || b.Exit && a.lasting() {
		return true
	}
	return a.Store != nil && (overlap(a.Store, b.Load) || overlap(a.Store, b.Store)) ||
		b.Store != nil && overlap(a.Load, b.Store)
}

// lasting returns whether an instruction changes what is there after the list.
func (e *Effects) lasting() bool {
	return e.Store != nil && e.Store.Base != interp.Frame ||
		slices.ContainsFunc(slices.Concat(e.Writes, e.Changes), func(r int) bool { return r < Virtual })
}

// overlap returns whether two places in memory may have a byte in common.
func overlap(a, b *interp.Operand) bool {
	switch {
	case a == nil || b == nil:
		return false
	case a.Base == b.Base:
		return a.Disp < b.Disp+8 && b.Disp < a.Disp+8
	}
	// Nothing that an argument points to is in the frame, or is an argument.
	return a.Base >= 0 && b.Base >= 0
}
