package listing

import "github.com/koblitz-go/koblitz/_asm/interp"

// An Op is an operand of an instruction.
type Op interface{ Operand() interp.Operand }

// General returns the general register with the given number as an operand.
func General(register int) interp.Operand {
	return interp.Operand{Kind: interp.General, Index: register, Bits: 64, IndexReg: -1}
}

// Immediate returns the number n as an operand.
func Immediate(n uint64) interp.Operand {
	return interp.Operand{Kind: interp.Immediate, Imm: n, Bits: 64, IndexReg: -1}
}

// A Target is the label that a jump names.
type Target string

func (t Target) Operand() interp.Operand {
	return interp.Operand{Kind: interp.Label, Label: string(t), IndexReg: -1}
}

// Mem is an operand in memory.
type Mem struct{ o interp.Operand }

// At returns the memory operand at offset bytes above the address base. base is the number of a
// general register, or one of interp's other bases.
func At(base, offset int) Mem {
	return Mem{interp.Operand{Kind: interp.Memory, Base: base, IndexReg: -1, Disp: int64(offset)}}
}

func (m Mem) Operand() interp.Operand { return m.o }

// Offset returns the memory operand the given number of bytes above m.
func (m Mem) Offset(bytes int) Mem {
	m.o.Disp += int64(bytes)
	return m
}
