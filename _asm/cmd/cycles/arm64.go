package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/arm64"
)

// vectorBytes is the size of a vector register in bytes.
const vectorBytes = 16

// gnuARM64 returns the instruction i in LLVM's syntax for arm64: the destination first, then the
// sources in the order of Arm's manual. For most instructions, that is the reverse of the order in
// Go's assembler, which i follows.
func gnuARM64(i *interp.Inst) string {
	opcode := strings.ToLower(i.Opcode)
	var list []string
	for k := range i.Operands {
		list = append(list, operandARM64(&i.Operands[k], opcode))
	}
	for _, name := range []string{"csel", "csinc", "csneg", "ccmp"} {
		cc, ok := strings.CutPrefix(opcode, name)
		switch {
		case ok && name == "ccmp":
			return line(name, list[0], list[1], list[2], cc)
		case ok:
			return line(name, list[2], list[0], list[1], cc)
		}
	}
	if cc, ok := strings.CutPrefix(opcode, "b"); ok && len(cc) == 2 {
		return line("b."+cc, list...)
	}
	switch opcode {
	case "b", "cbz", "cbnz", "stp":
		return line(opcode, list...)
	case "ldp":
		return line(opcode, list[1], list[2], list[0])
	case "madd", "msub":
		return line(opcode, list[3], list[2], list[0], list[1])
	case "eorasr":
		return line("eor", list[3], list[2], list[1], "asr "+list[0])
	case "movz":
		return line("mov", list[1], list[0])
	case "movk":
		shift, part := 0, i.Operands[0].Imm
		for ; part > 1<<16-1; part >>= 16 {
			shift += 16
		}
		return line(opcode, list[1], fmt.Sprintf("#%d", part), fmt.Sprintf("lsl #%d", shift))
	case "movb":
		return line("strb", strings.Replace(list[0], "x", "w", 1), list[1])
	case "movd":
		switch {
		case i.Operands[0].Kind == interp.Memory:
			return line("ldr", list[1], list[0])
		case i.Operands[1].Kind == interp.Memory:
			return line("str", list[0], list[1])
		}
		return line("mov", list[1], list[0])
	case "vld1p":
		return several("ld1", list[0], list[1:])
	case "vst1p":
		last := len(list) - 1
		return several("st1", list[last], list[:last])
	}
	slices.Reverse(list)
	return line(strings.TrimPrefix(opcode, "v"), list...)
}

func line(opcode string, operands ...string) string {
	return opcode + " " + strings.Join(operands, ", ")
}

// several returns, in LLVM's syntax, a load or store of the given vector registers, which are
// consecutive. The memory is at the address in the register pointer. The instruction then adds the
// number of loaded or stored bytes to that register.
func several(opcode, pointer string, vectors []string) string {
	return line(opcode, "{"+strings.Join(vectors, ", ")+"}", "["+pointer+"]",
		fmt.Sprintf("#%d", vectorBytes*len(vectors)))
}

func operandARM64(o *interp.Operand, opcode string) string {
	switch o.Kind {
	case interp.General:
		if o.Index == table.ZR {
			return "xzr"
		}
		return fmt.Sprintf("x%d", o.Index)
	case interp.Vec:
		parts := "2d"
		switch opcode {
		case "vand", "vorr", "veor", "vbit":
			parts = "16b"
		}
		return fmt.Sprintf("v%d.%s", o.Index, parts)
	case interp.Immediate:
		return fmt.Sprintf("#%d", o.Imm)
	case interp.Label:
		return "away"
	}
	if o.Base == interp.Frame || o.Base == interp.Arguments {
		return fmt.Sprintf("[sp, #%d]", o.Disp+table.Locals)
	}
	return fmt.Sprintf("[x%d, #%d]", o.Base, o.Disp)
}
