package arm64

import "github.com/koblitz-go/koblitz/_asm/interp"

// alternatives maps each opcode to the opcodes that may replace it in a mutant.
var alternatives = map[string][]string{
	"ADD": {"SUB"}, "ADDS": {"ADCS", "SUBS", "ADD"},
	"ADC": {"ADD", "SBC"}, "ADCS": {"ADDS", "SBCS", "ADC"},
	"SUB": {"ADD"}, "SUBS": {"SBCS", "ADDS", "SUB"},
	"SBC": {"SUB", "ADC"}, "SBCS": {"SUBS", "ADCS", "SBC"},
	"MUL": {"UMULH"}, "UMULH": {"MUL", "SMULH"}, "SMULH": {"UMULH"},
	"MADD": {"MSUB"}, "MSUB": {"MADD"},
	"AND": {"ORR"}, "ORR": {"AND"}, "EOR": {"ORR"},
	"LSL": {"LSR"}, "LSR": {"LSL", "ASR"}, "ASR": {"LSR"},
	"VADD": {"VSUB"}, "VSUB": {"VADD"}, "VBIT": {"VAND"}, "VCMEQ": {"VADD"},
	"VAND": {"VORR"}, "VORR": {"VAND"}, "VEOR": {"VORR"},
	"RBIT": {"CLZ"}, "CLZ": {"RBIT"},
	"CMP": {"CMN"}, "CMN": {"CMP"}, "MOVZ": {"MOVK"}, "MOVK": {"MOVZ"},
}

func others(x *interp.Instruction) []string { return alternatives[x.Opcode] }

func negated(opcode string) string {
	return interp.Opposite(opposites, opcode, append(conditional, "B", "CB")...)
}

func results(x *interp.Instruction) (a, b int, ok bool) {
	switch x.Opcode {
	case "LDP":
		a, b = 1, 2
	case "STP":
		a, b = 0, 1
	}
	return a, b, a != b && !x.Operands[a].Same(&x.Operands[b])
}

// neighbour returns the next register that a kernel may write. For ZR it returns the last such
// register, which seldom holds zero.
func neighbour(o operand) (operand, bool) {
	if o.Kind == interp.Vec {
		o.Index = (o.Index + 1) % 32
		return o, true
	}
	if o.Index == ZR {
		o.Index = linker - 2
	}
	o.Index = (o.Index + 1) % linker
	if o.Index == platform {
		o.Index++
	}
	return o, true
}
