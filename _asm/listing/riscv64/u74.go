package riscv64

import (
	"fmt"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/inorder"
)

// These are the two pipes of the U74. Both can add, compare and shift.
const (
	memory inorder.Pipe = iota + 1
	products
)

// U74 describes SiFive's U74 core, as LLVM models it ("SchedSiFive7"). It starts two instructions
// in a cycle: at most one load or store, and at most one multiplication or jump. A result is ready
// three cycles after the start. Additions, comparisons and shifts can be computed in a later stage
// of a pipe, and then read their operands two cycles after their start; multiplications and
// addresses need them at the start.
func U74() *inorder.CPU { return &inorder.CPU{Width: 2, Effects: effects} }

func effects(x *interp.Instruction) (inorder.Effects, error) {
	var changed []int
	if table.Ends(x.Opcode) && len(x.Operands) > 3 {
		for _, o := range x.Operands[3:] {
			changed = append(changed, o.Index)
		}
		short := *x
		short.Operands = x.Operands[:3]
		x = &short
	}
	u := table.UsesOf(x)
	e := inorder.Effects{Reads: u.Reads, Changes: changed, Latency: 3}
	if u.Writes > table.Zero {
		e.Writes = []int{u.Writes}
	}
	switch x.Opcode {
	case "MUL", "MULH", "MULHU", "MULHSU":
		e.Pipe = products
	case "BEQ", "BNE", "BLT", "BGE", "BLTU", "BGEU":
		e.Pipe, e.Exit, e.Late = products, changed == nil, 2
	case "RET", "JMP":
		return e, fmt.Errorf("riscv64: %s in a straight list", x.Opcode)
	default:
		e.Late = 2
	}
	if u.Loads {
		e.Pipe, e.Load, e.Late = memory, u.Memory, 0
	}
	if u.Stores {
		e.Pipe, e.Store, e.Latency, e.Late = memory, u.Memory, 1, 2
	}
	return e, nil
}
