package main

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
)

// gnuRISCV64 returns the instruction i in LLVM's syntax for riscv64: the destination first, then
// the sources in the order of the RISC-V manual.
func gnuRISCV64(i *interp.Inst) string {
	opcode := strings.ToLower(i.Opcode)
	var operands []string
	for k := len(i.Operands) - 1; k >= 0; k-- {
		o := &i.Operands[k]
		switch o.Kind {
		case interp.General:
			operands = append(operands, fmt.Sprintf("x%d", o.Index))
		case interp.Immediate:
			operands = append(operands, fmt.Sprint(int64(o.Imm)))
		case interp.Label:
			operands = append(operands, "away")
		case interp.Memory:
			at, base := o.Disp, o.Base
			if base == interp.Frame || base == interp.Arguments {
				at, base = at+table.Locals, 2
			}
			operands = append(operands, fmt.Sprintf("%d(x%d)", at, base))
		}
	}
	switch opcode {
	case "mov":
		opcode = "mv"
	case "jmp":
		opcode = "j"
	case "sd", "sw", "sb":
		operands[0], operands[1] = operands[1], operands[0]
	case "beq", "bne", "blt", "bge", "bltu", "bgeu":
		operands[0], operands[2] = operands[2], operands[0]
	}
	return opcode + " " + strings.Join(operands, ", ")
}
