package riscv64

import "github.com/koblitz-go/koblitz/_asm/interp"

// Uses lists the registers and the memory that an instruction reads and writes, for a scheduler.
// Registers are given by their numbers. Reads of the register Zero are left out.
type Uses struct {
	Reads  []int
	Writes int // register that is written; -1: none

	// Memory is the memory operand, or nil. Loads and Stores say whether the instruction reads and
	// writes it.
	Memory        *interp.Operand
	Loads, Stores bool
}

// UsesOf returns the registers and the memory that the instruction x uses. x must be in the table.
func UsesOf(x *interp.Instruction) Uses {
	u := Uses{Writes: -1}
	last := len(x.Operands) - 1
	for k := range x.Operands {
		o := &x.Operands[k]
		switch o.Kind {
		case interp.General:
			switch {
			case k == last:
				u.Writes = o.Index
			case o.Index != Zero:
				u.Reads = append(u.Reads, o.Index)
			}
		case interp.Memory:
			u.Memory, u.Loads, u.Stores = o, k != last, k == last
			if o.Base > Zero {
				u.Reads = append(u.Reads, o.Base)
			}
		}
	}
	return u
}

// Ends reports whether an instruction with this opcode is a jump or a return. A scheduler must not
// move other instructions across it, in either direction.
func Ends(opcode string) bool { return architecture.Instructions[opcode].Control != interp.Next }
