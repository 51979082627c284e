// Package arm64 is the interpreter's table of arm64 (the instruction set A64). It describes
// registers and flags, Go's calling convention for assembly, the effect of each instruction on
// values (instructions.go, conditions.go, vectors.go), and the errors that package mutant plants
// (mutations.go). Package listing/arm64 writes kernels in these instructions. The table refuses an
// instruction that Go's assembler would expand to several. The tests of package probes run each
// instruction on a CPU, and compare the result with the table.
//
// Operands are in the order of Go's assembler: sources first, the second factor or subtrahend
// before the first, and the destination last.
package arm64

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

// These are indices of the CPU's flags in Machine.Flag.
const (
	negative = iota
	zero
	carry // after a subtraction: 1 if there was no borrow
	overflow
)

// These are the general registers, by their numbers here. ZR reads as zero, and writes to it are
// discarded. In the machine encoding, ZR and the stack pointer have the same number.
const (
	platform     = 18
	linker       = 27
	goroutine    = 28
	framePointer = 29
	link         = 30
	ZR           = 31
	RSP          = 32
)

// Locals is the offset of the local variables from the stack pointer, in bytes. The 16 bytes below
// them hold the return address and eight bytes of alignment.
const Locals = 16

// names lists the names of the registers. It is read-only.
var names = registers()

// Table returns the description of arm64 for the interpreter.
func Table() *interp.Architecture { return architecture }

var architecture = &interp.Architecture{
	Name:      "arm64",
	Registers: names,
	Vectors:   32, Lanes: lanes,
	Flags: []string{"N", "Z", "C", "V"},
	Kept:  []int{platform, linker, goroutine, framePointer, link, ZR, RSP},

	Instructions: instructions(),
	Decode:       decode,
	Format:       format,
	Syntax:       syntax,
	Reserved:     reserved,
	Begin: func(m *machine) {
		m.Reg[RSP] = register{V: m.FrameAddress() - Locals, Defined: 0xff}
		m.Reg[ZR] = register{Defined: 0xff}
	},
	Mutations: interp.Mutations{
		NOP: "NOP", Opcodes: others, Negated: negated, Results: results, Neighbour: neighbour,
	},
}

func registers() []string {
	all := make([]string, RSP+1)
	for k := range all {
		all[k] = fmt.Sprintf("R%d", k)
	}
	all[platform], all[goroutine], all[ZR], all[RSP] = "R18_PLATFORM", "g", "ZR", "RSP"
	return all
}

// reserved returns a list indexed by the numbers of the registers. An entry is the reason why
// functions may not write the register on at least one operating system, or "" if they may.
func reserved(*interp.Program) []string {
	return []string{
		platform:     "writes R18, which macOS and Windows keep for themselves",
		linker:       "writes R27, which the assembler and the linker use",
		goroutine:    "writes R28, which holds the goroutine",
		framePointer: "writes R29, the frame pointer",
		link:         "writes R30, the return address",
		RSP:          "writes the stack pointer",
	}
}

// decode returns an error for an instruction that the CPU does not have. Go's assembler would
// expand such an instruction into several.
func decode(i *inst) error {
	for k := range i.Op {
		o := &i.Op[k]
		var err error
		switch o.Kind {
		case interp.Immediate:
			err = immediate(i, o.Imm)
		case interp.Memory:
			err = place(i, o)
		case interp.General:
			if o.Index == RSP {
				err = fmt.Errorf("the stack pointer as an operand")
			}
		}
		vector := o.Kind == interp.Vec
		if first := i.Opcode[0] == 'V'; vector && !first {
			err = fmt.Errorf("a vector register")
		}
		if err != nil {
			return err
		}
	}
	switch i.Opcode {
	case "VLD1P":
		return following(i.Op[1:])
	case "VST1P":
		return following(i.Op[:len(i.Op)-1])
	}
	return nil
}

// immediate returns an error if the instruction cannot encode the immediate v.
func immediate(i *inst, v uint64) error {
	ok := false
	if strings.HasPrefix(i.Opcode, "CCMP") {
		ok = v < 16 // v is the immediate with the new flags; a number to compare may be up to 31
	}
	switch i.Opcode {
	case "ADD", "ADDS", "SUB", "SUBS", "CMP", "CMN":
		ok = v < 1<<12 || v < 1<<24 && v&(1<<12-1) == 0
		for k := range i.Op { // register number 31 would mean the stack pointer instead of ZR
			ok = ok && (i.Op[k].Kind != interp.General || i.Op[k].Index != ZR)
		}
	case "MOVZ", "MOVK": // 16 bits at a multiple of 16; the assembler refuses the number 0
		for s := uint(0); s < 64; s += 16 {
			ok = ok || v != 0 && v&^(0xffff<<s) == 0
		}
	case "AND", "ORR", "EOR", "TST": // their immediates are a single run of one bits
		low := v & -v
		ok = v != 0 && v != ^uint64(0) && (v+low)&(v+low-1) == 0
		last := &i.Op[len(i.Op)-1] // register number 31 would mean the stack pointer instead of ZR
		ok = ok && (last.Kind != interp.General || last.Index != ZR)
	case "LSL", "LSR", "ASR", "EXTR", "EORASR":
		ok = v > 0 && v < 64
	}
	if !ok {
		return fmt.Errorf("the immediate operand %#x", v)
	}
	return nil
}

// place returns an error if the instruction cannot encode the offset of the memory operand o.
func place(i *inst, o *operand) error {
	if o.IndexReg >= 0 || o.Base == interp.Static {
		return fmt.Errorf("the address %s", o.Text)
	}
	d := o.Disp
	if o.Base == interp.Frame {
		d += Locals
	}
	bytes, most := int64(i.Bits/8), int64(1<<12-1)
	least := int64(0)
	if i.Opcode == "LDP" || i.Opcode == "STP" {
		least, most = -64, 63
	}
	if d%bytes != 0 || d/bytes < least || d/bytes > most {
		return fmt.Errorf("the offset %d", d)
	}
	return nil
}

// format returns the operand o in the syntax of Go's assembler.
func format(o *operand) string {
	switch o.Kind {
	case interp.General:
		return names[o.Index]
	case interp.Vec:
		return fmt.Sprintf("V%d", o.Index)
	case interp.Immediate:
		if o.Imm < 1<<16 {
			return fmt.Sprintf("$%d", o.Imm)
		}
		return fmt.Sprintf("$%#x", o.Imm)
	case interp.Label:
		return o.Label
	}
	return interp.MemoryText(o, names, "RSP", Locals)
}

// syntax returns the instruction in the syntax of Go's assembler. It writes pairs of registers in
// parentheses, and a condition as the first operand.
func syntax(x *interp.Instruction, operands []string) string {
	name := x.Opcode
	for k := range operands {
		if x.Operands[k].Kind == interp.Vec {
			operands[k] += arrangement(name)
		}
	}
	switch {
	case name == "LDP":
		operands = []string{operands[0], "(" + operands[1] + ", " + operands[2] + ")"}
	case name == "EORASR":
		shifted := operands[1] + "->" + strings.TrimPrefix(operands[0], "$")
		name, operands = "EOR", append([]string{shifted}, operands[2:]...)
	case name == "STP":
		operands = []string{"(" + operands[0] + ", " + operands[1] + ")", operands[2]}
	case name == "VLD1P":
		place, registers := list(operands[0], operands[1:])
		name, operands = "VLD1.P", []string{place, registers}
	case name == "VST1P":
		last := len(operands) - 1
		place, registers := list(operands[last], operands[:last])
		name, operands = "VST1.P", []string{registers, place}
	default:
		for _, prefix := range conditional {
			if c, ok := strings.CutPrefix(name, prefix); ok && c != "" {
				name, operands = prefix, append([]string{c}, operands...)
				break
			}
		}
	}
	return strings.TrimSuffix(name+" "+strings.Join(operands, ", "), " ")
}
