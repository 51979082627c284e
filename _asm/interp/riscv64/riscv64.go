// Package riscv64 is the interpreter's table of riscv64 (the base instruction set RV64I with the
// extension M). It describes the registers, Go's calling convention for assembly, the effect of
// each instruction on values (instructions.go), the errors that package mutant plants
// (mutations.go), and the registers that each instruction reads and writes (uses.go). Package
// listing/riscv64 writes kernels in these instructions. The table refuses an instruction that Go's
// assembler would expand to several. The tests of package probes run each instruction on a CPU, and
// compare the result with the table.
//
// Operands are in the order of Go's assembler: sources first, the second factor or subtrahend
// before the first, and the destination last. There are no flags: SLTU computes a carry as a
// number.
package riscv64

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

type (
	machine  = interp.Machine
	inst     = interp.Inst
	operand  = interp.Operand
	word     = interp.Word
	register = interp.Register
)

// These are the general registers, by their numbers. Zero reads as zero, and writes to it are
// discarded.
const (
	Zero         = 0
	link         = 1
	stackPointer = 2
	global       = 3
	thread       = 4
	goroutine    = 27
	assembler    = 31
	count        = 32
)

// Locals is the offset of the local variables from the stack pointer, in bytes. The eight bytes
// below them hold the return address.
const Locals = 8

// names lists the names of the registers. It is read-only.
var names = registers()

// Table returns the description of riscv64 for the interpreter.
func Table() *interp.Architecture { return architecture }

var architecture = &interp.Architecture{
	Name:      "riscv64",
	Registers: names,
	Kept:      []int{Zero, link, stackPointer, global, thread, goroutine, assembler},

	Instructions: instructions(),
	Decode:       decode,
	Format:       format,
	Syntax:       syntax,
	Reserved:     reserved,
	Begin: func(m *machine) {
		m.Reg[stackPointer] = register{V: m.FrameAddress() - Locals, Defined: 0xff}
		m.Reg[Zero] = register{Defined: 0xff}
	},
	Mutations: interp.Mutations{
		NOP: "NOP", Opcodes: others, Negated: negated, Sources: sources, Neighbour: neighbour,
	},
}

func registers() []string {
	all := make([]string, count)
	for k := range all {
		all[k] = fmt.Sprintf("X%d", k)
	}
	all[Zero], all[stackPointer], all[global] = "ZERO", "SP", "GP"
	all[thread], all[goroutine] = "TP", "g"
	return all
}

// reserved returns a list indexed by the numbers of the registers. An entry is the reason why
// functions may not write the register, or "" if they may. The assembler uses X31 when it expands
// an instruction, also for the first and last instructions of a function.
func reserved(*interp.Program) []string {
	return []string{
		link:         "writes X1, the return address",
		stackPointer: "writes X2, the stack pointer",
		global:       "writes X3, the global pointer",
		thread:       "writes X4, the thread pointer",
		goroutine:    "writes X27, which holds the goroutine",
		assembler:    "writes X31, which the assembler and the linker use",
	}
}

// decode returns an error for operands of the wrong kind, and for an instruction that the CPU does
// not have. Go's assembler would expand such an instruction into several.
func decode(i *inst) error {
	shape := i.Kind.Shape
	if len(shape) != len(i.Op) {
		return fmt.Errorf("%d operands", len(i.Op))
	}
	for k := range i.Op {
		o := &i.Op[k]
		var err error
		if letter(o) != shape[k] {
			return fmt.Errorf("the operand %s", o.Text)
		}
		switch o.Kind {
		case interp.Immediate:
			err = immediate(i.Opcode, int64(o.Imm))
		case interp.Memory:
			err = place(i, o)
		case interp.General:
			if o.Index == stackPointer {
				err = fmt.Errorf("the stack pointer as an operand")
			}
		}
		if err != nil {
			return err
		}
	}
	if u := UsesOf(&i.Instruction); u.Writes == Zero {
		return fmt.Errorf("a result that is gone")
	}
	// Go's assembler cannot encode this form of ADD.
	if i.Opcode == "ADD" && i.Op[1].Index == Zero {
		return fmt.Errorf("a sum with ZERO, which is MOV")
	}
	return nil
}

// letter returns the letter for the kind of the operand o, as in Kind.Shape.
func letter(o *operand) byte {
	switch o.Kind {
	case interp.General:
		return 'r'
	case interp.Immediate:
		return 'i'
	case interp.Memory:
		return 'm'
	case interp.Label:
		return 'l'
	}
	return '?'
}

// immediate returns an error if the instruction cannot encode the immediate v.
func immediate(opcode string, v int64) error {
	least, most := int64(-1<<11), int64(1<<11-1)
	switch opcode {
	case "LUI":
		least, most = -1<<19, 1<<19-1
	case "SLLI", "SRLI", "SRAI":
		least, most = 1, 63
	}
	if v < least || v > most {
		return fmt.Errorf("the immediate operand %d", v)
	}
	return nil
}

// place returns an error if the instruction cannot encode the offset of the memory operand o, or if
// the base of o is the stack pointer. Local variables have a base of their own, and package inorder
// assumes that memory operands with these two bases do not overlap.
func place(i *inst, o *operand) error {
	if o.IndexReg >= 0 || o.Base == interp.Static || o.Base == Zero || o.Base == stackPointer {
		return fmt.Errorf("the address %s", o.Text)
	}
	d := o.Disp
	switch o.Base {
	case interp.Frame:
		d += Locals
	case interp.Arguments: // the offset is larger by the size of the frame, which is not known here
		d += 1 << 10
	}
	if d < -1<<11 || d > 1<<11-1 || d%int64(i.Bits/8) != 0 {
		return fmt.Errorf("the offset %d", o.Disp)
	}
	return nil
}

// format returns the operand o in the syntax of Go's assembler.
func format(o *operand) string {
	switch o.Kind {
	case interp.General:
		return names[o.Index]
	case interp.Immediate:
		return fmt.Sprintf("$%d", int64(o.Imm))
	case interp.Label:
		return o.Label
	case interp.Memory:
		return interp.MemoryText(o, names, "SP", Locals)
	}
	return "?"
}

// moves maps the instructions that move an argument or a result to their names in Go's assembler.
var moves = map[string]string{
	"LD": "MOV", "SD": "MOV", "SB": "MOVB",
}

// syntax returns the instruction in the syntax of Go's assembler, with the operands after the
// opcode. For arguments and results it uses the names in moves, because the assembler finds
// arguments only in these instructions.
func syntax(x *interp.Instruction, operands []string) string {
	name := x.Opcode
	for k := range x.Operands {
		if o := &x.Operands[k]; o.Kind == interp.Memory && o.Base == interp.Arguments {
			name = moves[name]
		}
	}
	return strings.TrimSuffix(name+" "+strings.Join(operands, ", "), " ")
}
