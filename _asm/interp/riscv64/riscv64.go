// Package riscv64 is the table of riscv64 (the base instruction set RV64I with the extension M)
// for the interpreter: its registers, Go's calling convention for assembly, what each
// instruction does to values (instructions.go), what a slip makes of it (slips.go), and which
// registers it reads and writes (uses.go). Package listing/riscv64 writes kernels in these
// instructions, one at a time: what Go's assembler would make more than one of is refused. The
// probes compare the table with a CPU.
//
// Operands stand in the order of Go's assembler: sources first, the second factor or
// subtrahend before the first, the destination last. There are no flags: a carry is a number,
// which SLTU finds.
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

// General registers, by their numbers. Zero reads as zero, and what is written to it is gone.
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

// Locals is where the frame begins, from the stack pointer: the return address is below.
const Locals = 8

// names are those of the registers. It is not written to.
var names = registers()

// Table returns the architecture.
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
	},
	Slips: interp.Slips{
		Nothing: "NOP", Others: others, Negated: negated, Swapped: swapped, Sources: sources,
		Neighbour: neighbour,
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

// reserved names the registers that no function may write. The assembler uses X31 for what it
// makes several instructions of: it does so in a function's first and last ones, too.
func reserved(*interp.Program) []string {
	why := make([]string, count)
	why[link] = "writes X1, the return address"
	why[stackPointer] = "writes X2, the stack pointer"
	why[global] = "writes X3, the global pointer"
	why[thread] = "writes X4, the thread pointer"
	why[goroutine] = "writes X27, which holds the goroutine"
	why[assembler] = "writes X31, which the assembler and the linker use"
	return why
}

// decode refuses operands of another kind than the instruction's, and what the CPU has no
// instruction for, so that the assembler makes one instruction of each.
func decode(i *inst) error {
	shape := shapes[i.Opcode]
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
	// Go's assembler has no short form of this, and fails.
	if i.Opcode == "ADD" && i.Op[1].Index == Zero {
		return fmt.Errorf("a sum with ZERO, which is MOV")
	}
	return nil
}

// letter returns the kind of an operand as shapes have it.
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

// immediate refuses numbers that the instruction cannot hold.
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

// place refuses offsets that the instruction cannot hold, and the stack pointer as a base: locals
// have a base of their own, and package inorder takes two bases of these for two places.
func place(i *inst, o *operand) error {
	if o.IndexReg >= 0 || o.Base == interp.Static || o.Base == Zero || o.Base == stackPointer {
		return fmt.Errorf("the address %s", o.Text)
	}
	d := o.Disp
	switch o.Base {
	case interp.Frame:
		d += Locals
	case interp.Arguments: // above the frame, of which little is known here
		d += 1 << 10
	}
	if d < -1<<11 || d > 1<<11-1 || d%int64(i.Bits/8) != 0 {
		return fmt.Errorf("the offset %d", o.Disp)
	}
	return nil
}

// format returns an operand as Go's assembler reads it.
func format(o *operand) string {
	switch o.Kind {
	case interp.General:
		return names[o.Index]
	case interp.Immediate:
		return fmt.Sprintf("$%d", int64(o.Imm))
	case interp.Label:
		return o.Label
	case interp.Memory:
	default:
		return "?"
	}
	d, base := o.Disp, "SP"
	switch o.Base {
	case interp.Arguments:
		return fmt.Sprintf("%s+%d(FP)", o.Name, d)
	case interp.Frame:
		d += Locals
	case interp.Static:
		return o.Name + "(SB)"
	default:
		base = names[o.Base]
	}
	if d == 0 {
		return "(" + base + ")"
	}
	return fmt.Sprintf("%d(%s)", d, base)
}

// moves are the names in Go's assembler of instructions that move an argument or a result.
var moves = map[string]string{
	"LD": "MOV", "SD": "MOV", "LW": "MOVW", "LWU": "MOVWU", "SW": "MOVW", "LBU": "MOVBU", "SB": "MOVB",
}

// syntax writes the operands behind the opcode. The assembler finds arguments for its own
// names of moves alone.
func syntax(x *interp.Instruction, operands []string) string {
	name := x.Opcode
	for k := range x.Operands {
		if o := &x.Operands[k]; o.Kind == interp.Memory && o.Base == interp.Arguments {
			name = moves[name]
		}
	}
	return strings.TrimSuffix(name+" "+strings.Join(operands, ", "), " ")
}
