package riscv64

import "github.com/koblitz-go/koblitz/_asm/interp"

// Uses are the registers and the memory that an instruction reads and writes: what a scheduler
// puts instructions into another order has to know. Registers are by their numbers, and Zero is
// none that is read.
type Uses struct {
	Reads  []int
	Writes int // -1: no register

	// Memory is the place that is read or written, nil if there is none.
	Memory        *interp.Operand
	Loads, Stores bool
}

// UsesOf returns what an instruction of the table uses.
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

// Ends returns whether what stands behind an instruction may not be moved before it, nor it
// behind that: a jump or a return.
func Ends(opcode string) bool { return architecture.Instructions[opcode].Control != interp.Next }
