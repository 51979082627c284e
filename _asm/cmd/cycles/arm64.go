package main

import (
	"fmt"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/arm64"
)

// vectorBytes is the size of a vector register in bytes.
const vectorBytes = 16

// gnuARM64 returns the instruction i in LLVM's syntax for arm64: the destination first, then the
// sources in the order of Arm's manual. For most instructions, this reverses the operand order of
// Go's assembler, which i has.
func gnuARM64(i *interp.Inst) (string, error) {
	opcode := strings.ToLower(i.Opcode)
	var list []string
	for k := range i.Operands {
		text, err := operandARM64(&i.Operands[k], opcode)
		if err != nil {
			return "", err
		}
		list = append(list, text)
	}
	for _, name := range []string{"csel", "csinc", "csneg", "ccmp"} {
		cc, ok := strings.CutPrefix(opcode, name)
		switch {
		case ok && name == "ccmp":
			return line(name, list[0], list[1], list[2], cc), nil
		case ok:
			return line(name, list[2], list[0], list[1], cc), nil
		}
	}
	if cc, ok := strings.CutPrefix(opcode, "b"); ok && len(cc) == 2 {
		return line("b."+cc, list...), nil
	}
	switch opcode {
	case "b", "cbz", "cbnz", "stp":
		return line(opcode, list...), nil
	case "ldp":
		return line(opcode, list[1], list[2], list[0]), nil
	case "madd", "msub":
		return line(opcode, list[3], list[2], list[0], list[1]), nil
	case "eorasr":
		return line("eor", list[3], list[2], list[1], "asr "+list[0]), nil
	case "movz":
		return line("mov", list[1], list[0]), nil
	case "movk":
		shift, part := 0, i.Operands[0].Imm
		for ; part > 1<<16-1; part >>= 16 {
			shift += 16
		}
		return line(opcode, list[1], fmt.Sprintf("#%d", part), fmt.Sprintf("lsl #%d", shift)), nil
	case "movb":
		return line("strb", strings.Replace(list[0], "x", "w", 1), list[1]), nil
	case "movd":
		switch {
		case i.Operands[0].Kind == interp.Memory:
			return line("ldr", list[1], list[0]), nil
		case i.Operands[1].Kind == interp.Memory:
			return line("str", list[0], list[1]), nil
		}
		return line("mov", list[1], list[0]), nil
	case "vld1p":
		return several("ld1", list[0], list[1:]), nil
	case "vst1p":
		last := len(list) - 1
		return several("st1", list[last], list[:last]), nil
	}
	for k, n := 0, len(list)-1; k < n; k, n = k+1, n-1 {
		list[k], list[n] = list[n], list[k]
	}
	return line(strings.TrimPrefix(opcode, "v"), list...), nil
}

func line(opcode string, operands ...string) string {
	return opcode + " " + strings.Join(operands, ", ")
}

// several returns, in LLVM's syntax, a load or store of the consecutive vector registers vectors,
// at the address in pointer, that then adds the number of bytes to pointer.
func several(opcode, pointer string, vectors []string) string {
	return line(opcode, "{"+strings.Join(vectors, ", ")+"}", "["+pointer+"]",
		fmt.Sprintf("#%d", vectorBytes*len(vectors)))
}

func operandARM64(o *interp.Operand, opcode string) (string, error) {
	switch o.Kind {
	case interp.General:
		if o.Index == table.ZR {
			return "xzr", nil
		}
		return fmt.Sprintf("x%d", o.Index), nil
	case interp.Vec:
		parts := "2d"
		switch opcode {
		case "vand", "vorr", "veor", "vbit":
			parts = "16b"
		}
		return fmt.Sprintf("v%d.%s", o.Index, parts), nil
	case interp.Immediate:
		return fmt.Sprintf("#%d", o.Imm), nil
	case interp.Label:
		return "away", nil
	case interp.Memory:
		switch o.Base {
		case interp.Frame, interp.Arguments:
			return fmt.Sprintf("[sp, #%d]", o.Disp+table.Locals), nil
		default:
			return fmt.Sprintf("[x%d, #%d]", o.Base, o.Disp), nil
		}
	}
	return "", fmt.Errorf("the operand %s", o.Text)
}
