package amd64

import (
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp"
)

// alternatives maps each opcode to the opcodes that may replace it in a mutant.
var alternatives = map[string][]string{
	"ADCXQ": {"ADOXQ", "ADDQ"}, "ADOXQ": {"ADCXQ", "ADDQ"},
	"ADDQ": {"ADCQ", "SUBQ"}, "ADCQ": {"ADDQ", "SBBQ"},
	"SUBQ": {"SBBQ", "ADDQ"}, "SBBQ": {"SUBQ", "ADCQ"},
	"ANDQ": {"ORQ"}, "ORQ": {"ANDQ"}, "XORQ": {"ORQ"},
	"NEGQ": {"NOTQ"}, "NOTQ": {"NEGQ"}, "INCQ": {"DECQ"}, "DECQ": {"INCQ"},
	"SHLQ": {"SHRQ"}, "SHRQ": {"SHLQ", "SARQ"}, "SARQ": {"SHRQ"},
	"SHLXQ": {"SHRXQ"}, "SHRXQ": {"SHLXQ"}, "MOVQ": {"ADDQ"},
	"SHLL": {"SHRL"}, "SHRL": {"SHLL"}, "ORL": {"ANDL"},
	"STMXCSR": {"LDMXCSR"}, "LDMXCSR": {"STMXCSR"},
	"VPAND": {"VPOR"}, "VPOR": {"VPAND"}, "VPXOR": {"VPAND"},
	"VPANDQ": {"VPORQ"}, "VPORQ": {"VPANDQ"}, "VPANDNQ": {"VPANDQ"},
	"VPADDQ": {"VPSUBQ"}, "VPSUBQ": {"VPADDQ"}, "VPCMPEQQ": {"VPCMPGTQ"},
	"VPADDD":      {"VPSUBD"},
	"VFMADD231PD": {"VFMSUB231PD"}, "VFMSUB231PD": {"VFMADD231PD"},
	"SHA256MSG1": {"SHA256MSG2"}, "SHA256MSG2": {"SHA256MSG1"},
	"PUNPCKLLQ": {"PUNPCKHLQ"}, "PUNPCKHLQ": {"PUNPCKLLQ"},
	"PUNPCKLQDQ": {"PUNPCKHQDQ"}, "PUNPCKHQDQ": {"PUNPCKLQDQ"},
	"VPMADD52LUQ": {"VPMADD52HUQ"}, "VPMADD52HUQ": {"VPMADD52LUQ"},
}

func others(x *interp.Instruction) []string {
	if x.Opcode == "MOVQ" && !plainMove(x) {
		return nil
	}
	return alternatives[x.Opcode]
}

// plainMove reports whether x is a move between general registers, or from memory to a general
// register. Only then can an addition with the same operands replace x.
func plainMove(x *interp.Instruction) bool {
	from, to := &x.Operands[0], &x.Operands[1]
	return to.Kind == interp.General && to.Bits == 64 && from.Kind != interp.Immediate &&
		from.Kind != interp.Vec
}

func negated(opcode string) string {
	return interp.Opposite(opposites, opcode, "CMOVL", "CMOVQ", "SET", "J")
}

func results(x *interp.Instruction) (a, b int, ok bool) {
	return 1, 2, strings.HasPrefix(x.Opcode, "MULX")
}

// neighbour returns the next register of the same kind and width as o. It skips the stack pointer,
// and the mask register K0, which selects nothing.
func neighbour(o operand) (operand, bool) {
	count, skip := 16, -1
	switch o.Kind {
	case interp.General:
		skip = rsp
	case interp.Mask:
		count, skip = 8, 0
	}
	if o.Index = (o.Index + 1) % count; o.Index == skip {
		o.Index++
	}
	return o, o.At == 0 || o.Index < 4 // only AH, CH, DH and BH name a second byte
}
