package riscv64

import "github.com/koblitz-go/koblitz/_asm/interp"

// alternatives maps each opcode to the opcodes that may replace it in a mutant.
var alternatives = map[string][]string{
	"ADD": {"SUB"}, "SUB": {"ADD"}, "ADDIW": {"ADDI"},
	"MUL": {"MULHU"}, "MULHU": {"MUL", "MULH"}, "MULH": {"MULHU", "MULHSU"},
	"MULHSU": {"MULHU", "MULH"},
	"AND":    {"OR"}, "OR": {"AND"}, "XOR": {"OR"},
	"ANDI": {"ORI"}, "ORI": {"ANDI"}, "XORI": {"ORI"},
	"SLL": {"SRL"}, "SRL": {"SLL", "SRA"}, "SRA": {"SRL"},
	"SLLI": {"SRLI"}, "SRLI": {"SLLI", "SRAI"}, "SRAI": {"SRLI"},
	"SLT": {"SLTU"}, "SLTU": {"SLT"}, "SLTI": {"SLTIU"}, "SLTIU": {"SLTI"},
}

func others(x *interp.Instruction) []string { return alternatives[x.Opcode] }

// opposites lists pairs of opposite conditions, by their names in conditional jumps.
var opposites = [][2]string{{"EQ", "NE"}, {"LT", "GE"}, {"LTU", "GEU"}}

func negated(opcode string) string { return interp.Opposite(opposites, opcode, "B") }

// sources returns the indices of the two sources of x, if their order matters: in subtractions,
// comparisons, shifts, and multiplications of a signed by an unsigned number. The second source is
// the first operand.
func sources(x *interp.Instruction) (a, b int, ok bool) {
	switch x.Opcode {
	case "SUB", "SLT", "SLTU", "SLL", "SRL", "SRA", "MULHSU", "BLT", "BGE", "BLTU", "BGEU":
		return 0, 1, true
	}
	return 0, 0, false
}

// neighbour returns the next register that a kernel may write. For ZERO it returns the last such
// register, which seldom holds zero.
func neighbour(o operand) (operand, bool) {
	if o.Index == Zero {
		o.Index = assembler - 2
	}
	for why := reserved(nil); ; {
		if o.Index = (o.Index + 1) % count; o.Index != Zero && why[o.Index] == "" {
			return o, true
		}
	}
}
