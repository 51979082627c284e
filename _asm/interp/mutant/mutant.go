// Package mutant makes mutants: copies of a kernel with one planted error each. Running the mutants
// in place of the kernel on the inputs of its tests shows whether these inputs would find such an
// error. A mutant with correct results on all inputs is either equivalent to the kernel, or shows
// that an input is missing.
//
// The kinds of error are the same for all architectures; [interp.Mutations] says how each kind
// changes an instruction.
package mutant

//ci:untested interp/contract hunts mutants with it.

import (
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// A Mutant is a program in which one instruction is replaced.
type Mutant struct {
	Index       int // position of the replaced instruction, from 0
	Kind        string
	Original    interp.Instruction
	Instruction interp.Instruction

	arch *interp.Architecture
}

func (m *Mutant) String() string {
	return fmt.Sprintf("%d: %s: %s -> %s", m.Index, m.Kind, m.arch.Text(&m.Original),
		m.arch.Text(&m.Instruction))
}

// All returns all mutants of the program p.
func All(p *interp.Program) []Mutant {
	var out []Mutant
	mutations := &p.Arch.Mutations
	for k := range p.Len() {
		i := p.Instruction(k)
		if i.Kind.Control == interp.Return {
			continue
		}
		x := i.Instruction
		add := func(kind string, n interp.Instruction) {
			out = append(out, Mutant{Index: k, Kind: kind, Original: x, Instruction: n, arch: p.Arch})
		}
		add("deleted", interp.Instruction{Opcode: mutations.NOP})
		for _, o := range mutations.Opcodes(&x) {
			n := x.Clone()
			n.Opcode = o
			add("another opcode", n)
		}
		if o := mutations.Negated(x.Opcode); o != "" {
			n := x.Clone()
			n.Opcode = o
			add("negated", n)
		}
		exchange := func(kind string, which func(*interp.Instruction) (a, b int, ok bool)) {
			if which == nil {
				return
			}
			if a, b, ok := which(&x); ok && !x.Operands[a].Same(&x.Operands[b]) {
				n := x.Clone()
				n.Operands[a], n.Operands[b] = n.Operands[b], n.Operands[a]
				add(kind, n)
			}
		}
		exchange("halves swapped", mutations.Results)
		exchange("sources swapped", mutations.Sources)
		operands(mutations, &x, add)
	}
	return out
}

// operands changes each operand of x slightly, and calls add for each change: an immediate by one,
// an offset by one limb, a register to its neighbour.
func operands(
	mutations *interp.Mutations, x *interp.Instruction, add func(string, interp.Instruction),
) {
	for k, o := range x.Operands {
		with := func(kind string, p interp.Operand) {
			n := x.Clone()
			n.Operands[k] = p
			add(kind, n)
		}
		switch o.Kind {
		case interp.Immediate:
			o.Imm ^= 1
			with("immediate", o)
		case interp.Memory:
			o.Disp += 8
			with("offset", o)
			o.Disp -= 16
			with("offset", o)
		case interp.General, interp.Vec, interp.Mask:
			if p, ok := mutations.Neighbour(o); ok {
				with("register", p)
			}
		}
	}
}
