// Package amd64 is the interpreter's table of amd64. It describes registers and flags, Go's calling
// convention for assembly, the effect of each instruction (instructions.go, vector_instructions.go
// and the files with their functions), and the errors that package mutant plants (mutations.go).
// [Load] decodes kernels that avo has built. The tests of package probes run each instruction on
// the CPU, and compare the result with the table.
package amd64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

type (
	machine  = interp.Machine
	inst     = interp.Inst
	operand  = interp.Operand
	word     = interp.Word
	vector   = interp.Vector
	bit      = interp.Bits
	register = interp.Register
)

func value(v uint64, secret bool) word { return word{V: v, Secret: secret} }

// These are indices of the CPU's flags in Machine.Flag.
const (
	carry = iota
	parity
	zero
	sign
	overflow
	uppers // not a CPU flag: 1 if the upper halves of vector registers are in use
	mxcsr  // not a flag: the register MXCSR, which holds no value if its status bits are unknown
)

// towardZero is the value that MXCSR must have, except for the status bits, where it rounds a
// product: toward zero, with all exceptions masked, without special rules for subnormal numbers.
const towardZero, status = 0x7f80, 0x3f

// entryMXCSR is the value of MXCSR when a kernel is called: rounding toward −∞, no exceptions
// masked, subnormal numbers replaced by 0, and all status bits set. A kernel must work with it, and
// must restore it before it returns.
const entryMXCSR = 0xa07f

// These are the general registers, with their numbers in the machine encoding.
const (
	rax = 0
	rcx = 1
	rdx = 2
	rbx = 3
	rsp = 4
	rbp = 5
	r15 = 15
)

// entryBP is the value of BP when a kernel is called. It is the caller's frame pointer, so a kernel
// must restore it before it returns.
const entryBP = 0x00c0_dead_beef_0008

var registers = [16]string{
	"AX", "CX", "DX", "BX", "SP", "BP", "SI", "DI",
	"R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15",
}

// Table returns the description of amd64 for the interpreter.
func Table() *interp.Architecture { return architecture }

var architecture = &interp.Architecture{
	Name:      "amd64",
	Registers: registers[:],
	Vectors:   32, Lanes: 8, Masks: 8,
	Flags: []string{"CF", "PF", "ZF", "SF", "OF", "uppers", "MXCSR"},
	Kept:  []int{rsp, rbp}, Linker: []int{r15},

	Instructions: instructions(),
	Decode:       decode,
	Format:       format,
	Reserved:     reserved,
	Begin:        begin,
	Return:       returns,

	Mutations: interp.Mutations{
		NOP: "NOP", Opcodes: others, Negated: negated, Results: results, Neighbour: neighbour,
	},
}

// reserved returns a list indexed by the numbers of the registers. An entry is the reason why the
// function p may not write the register, or "" if it may.
func reserved(p *interp.Program) []string {
	why := make([]string, 16)
	why[rsp] = "writes the stack pointer"
	if !p.SavesFrame {
		why[rbp] = "writes the frame pointer in a function that does not save it"
	}
	return why
}

// begin sets the machine to the state that Go's calling convention guarantees at a call: arguments
// are in memory, and no registers hold values except the stack and frame pointers.
func begin(m *machine) {
	m.Reg[rsp] = register{V: m.FrameAddress(), Defined: 0xff}
	m.Reg[rbp] = register{V: entryBP, Defined: 0xff}
	m.Flag[mxcsr] = bit{V: entryMXCSR, Defined: true}
}

// returns checks what the calling convention requires of a function at its return.
func returns(m *machine) {
	if m.Flag[uppers].V == 1 {
		m.Fault("the upper halves of vector registers are in use: no VZEROUPPER")
	}
	if x := m.Flag[mxcsr]; x.V != entryMXCSR || !x.Defined {
		m.Fault("MXCSR is not restored")
	}
	if sp := m.Reg[rsp]; sp.V != m.FrameAddress() {
		m.Fault("the stack pointer has moved by %d", int64(sp.V-m.FrameAddress()))
	}
	// If the function has a frame, the assembler saves and restores the frame pointer, so that only
	// functions without a frame must keep BP.
	if bp := m.Reg[rbp]; !m.Program().SavesFrame && (bp.V != entryBP || bp.Defined != 0xff) {
		m.Fault("the frame pointer is lost")
	}
}

// decode records the suffixes of an instruction's opcode in fields of i. It removes the mask
// register that selects lanes from the operands, and records that too. It returns an error for an
// instruction that cannot be assembled.
func decode(i *inst) error {
	for _, s := range i.Suffixes {
		switch s {
		case "Z":
			i.Zeroing = true
		case "BCST":
			i.Broadcast = true
		case "RZ_SAE":
			if !strings.HasPrefix(i.Opcode, "VFM") {
				return fmt.Errorf("suffix %s", s)
			}
		default:
			return fmt.Errorf("suffix %s", s)
		}
	}
	// A mask register right before the destination selects the lanes to write.
	if last := len(i.Op) - 1; i.Kind.Masked && last >= 2 && i.Op[last-1].Kind == interp.Mask {
		i.Selection = i.Op[last-1].Index
		if i.Selection == 0 {
			return fmt.Errorf("K0 does not select lanes")
		}
		i.Op = slices.Delete(i.Op, last-1, last)
	}
	// The last vector operand determines the number of lanes.
	for k := range i.Op {
		if i.Op[k].Kind == interp.Vec {
			i.Lanes = int(i.Op[k].Bits / 64)
		}
	}
	// The assembler encodes immediates as 32 signed bits, except in a move to a register.
	wide := i.Opcode == "MOVQ" && i.Op[len(i.Op)-1].Kind == interp.General
	for k := range i.Op {
		if v := int64(i.Op[k].Imm); i.Bits == 64 && !wide && v != int64(int32(v)) {
			return fmt.Errorf("an immediate operand of more than 32 signed bits")
		}
	}
	return nil
}
