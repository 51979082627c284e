package amd64

import (
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/mmcloughlin/avo/ir"
	avo "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	top64 = uint64(1) << 63
	all64 = ^uint64(0)
)

// TestFlags checks the effect of instructions on the flags. Flags are written in the order CF PF ZF
// SF OF, with a dot for a flag that holds no value. The operands are AX and BX, and DX for the
// factor of MULX. The test also checks the contents of AX and BX after the instruction.
func TestFlags(t *testing.T) {
	ax, bx, cx := reg.RAX, reg.RBX, reg.RCX
	tests := []struct {
		opcode   string
		ops      []avo.Op
		a, b     uint64
		in       string
		a2, b2   uint64
		out      string
		whatever string
	}{
		{"ADDQ", []avo.Op{ax, bx}, 1, all64, ".....", 1, 0, "11100", "carries, no overflow"},
		{"ADDQ", []avo.Op{ax, bx}, 1, top64 - 1, ".....", 1, top64, "01011", "overflows, no carry"},
		{"ADCQ", []avo.Op{ax, bx}, 0, all64, "1....", 0, 0, "11100", "the carry alone carries out"},
		{"ADCQ", []avo.Op{ax, bx}, all64, all64, "1....", all64, all64, "11010", "largest sum"},
		{"ADCXQ", []avo.Op{ax, bx}, 0, all64, "10011", 0, 0, "10011", "CF alone"},
		{"ADCXQ", []avo.Op{ax, bx}, 5, 6, "1...1", 5, 12, "0...1", "CF alone, cleared"},
		{"ADCXQ", []avo.Op{ax, bx}, 5, 6, "0...1", 5, 11, "0...1", "does not read OF"},
		{"ADOXQ", []avo.Op{ax, bx}, 0, all64, "01001", 0, 0, "01001", "OF alone"},
		{"ADOXQ", []avo.Op{ax, bx}, top64, top64, "0...0", top64, 0, "0...1",
			"OF is a carry, not an overflow"},
		{"ADOXQ", []avo.Op{ax, bx}, 1, top64 - 1, "1...0", 1, top64, "1...0", "an overflow is no carry"},
		{"SUBQ", []avo.Op{ax, bx}, 1, 0, ".....", 1, all64, "11010", "borrows"},
		{"SBBQ", []avo.Op{ax, bx}, all64, 0, "1....", all64, 0, "11100", "borrows all"},
		{"SBBQ", []avo.Op{ax, ax}, 7, 0, "1....", all64, 0, "11010", "the carry as a mask"},
		{"SBBQ", []avo.Op{ax, ax}, 7, 0, "0....", 0, 0, "01100", "no carry as a mask"},
		{"CMPQ", []avo.Op{ax, bx}, 1, 2, ".....", 1, 2, "11010", "first minus second"},
		{"NEGQ", []avo.Op{ax}, 0, 0, ".....", 0, 0, "01100", "no borrow from zero"},
		{"NEGQ", []avo.Op{ax}, top64, 0, ".....", top64, 0, "11011", "its own negative"},
		{"NOTQ", []avo.Op{ax}, 0, 0, "10.01", all64, 0, "10.01", "no flags"},
		{"INCQ", []avo.Op{ax}, all64, 0, "0....", 0, 0, "01100", "CF stays"},
		{"DECQ", []avo.Op{ax}, 0, 0, "1....", all64, 0, "11010", "CF stays"},
		{"ANDQ", []avo.Op{ax, bx}, 12, 10, "1...1", 12, 8, "00000", "clears CF and OF"},
		{"XORQ", []avo.Op{ax, ax}, 12, 0, "1...1", 0, 0, "01100", "clears CF and OF"},
		{"TESTQ", []avo.Op{ax, ax}, top64, 0, "1...1", top64, 0, "01010", "clears CF and OF"},
		{"MULXQ", []avo.Op{ax, bx, cx}, 3, 0, "10101", 3, 6, "10101", "no flags"},
		{"IMULQ", []avo.Op{ax, bx}, all64, 5, ".....", all64, 0xfffffffffffffffb, "0...0", "-5 fits"},
		{"IMULQ", []avo.Op{ax, bx}, 2, top64 - 1, ".....", 2, all64 - 1, "1...1", "does not fit"},
		{"SHLQ", []avo.Op{avo.U8(1), ax}, top64, 0, ".....", 0, 0, "11101", "by one: OF"},
		{"SHLQ", []avo.Op{avo.U8(2), ax}, top64 >> 1, 0, "....1", 0, 0, "1110.", "by two: no OF"},
		{"SHRQ", []avo.Op{avo.U8(1), ax}, top64 | 1, 0, ".....", top64 >> 1, 0, "11001",
			"by one: OF is the old sign"},
		{"SARQ", []avo.Op{avo.U8(1), ax}, top64, 0, ".....", 3 << 62, 0, "01010", "keeps the sign"},
		{"SHRQ", []avo.Op{avo.U8(0), ax}, 5, 0, "1.0.1", 5, 0, "1.0.1", "by none: no flags"},
		{"SHRQ", []avo.Op{reg.CL, ax}, 16, 0, "11111", 4, 0, ".....", "by CL: none is known"},
		{"SHLQ", []avo.Op{avo.U8(4), ax, bx}, top64, 3 << 60, ".....", top64, 8, "1000.",
			"pair to the left"},
		{"SHRQ", []avo.Op{avo.U8(4), ax, bx}, 9, 24, ".....", 9, 9<<60 | 1, "1001.", "pair to the right"},
		{"SHLXQ", []avo.Op{cx, ax, bx}, 3, 0, "1.101", 3, 12, "1.101", "no flags"},
		{"CMOVQCS", []avo.Op{ax, bx}, 1, 2, "1....", 1, 1, "1....", "moves"},
		{"CMOVQCS", []avo.Op{ax, bx}, 1, 2, "0....", 1, 2, "0....", "does not move"},
		{"CMOVQHI", []avo.Op{ax, bx}, 1, 2, "0.0..", 1, 1, "0.0..", "neither CF nor ZF"},
		{"CMOVQLT", []avo.Op{ax, bx}, 1, 2, "...10", 1, 1, "...10", "SF is not OF"},
		{"SETOS", []avo.Op{reg.AL}, 0x1234, 0, "....1", 0x1201, 0, "....1", "one byte"},
		{"LEAQ", []avo.Op{avo.Mem{Base: ax, Index: bx, Scale: 2, Disp: 1}, bx}, 1, 2, "1.101", 1, 6,
			"1.101", "no flags"},
		{"MOVQ", []avo.Op{ax, bx}, 1, 2, "1.101", 1, 1, "1.101", "no flags"},
		{"MOVL", []avo.Op{reg.EAX, reg.EBX}, all64, all64, "1.101", all64, 1<<32 - 1, "1.101",
			"clears the upper half"},
		{"ANDNQ", []avo.Op{ax, bx, bx}, 12, 10, "1...1", 12, 4, "0.000", "not the second source"},
		{"TZCNTQ", []avo.Op{ax, bx}, 0, 0, ".....", 0, 64, "1.0..", "no bit: CF"},
	}
	for _, test := range tests {
		x, err := instruction(&ir.Instruction{Opcode: test.opcode, Operands: test.ops}, nil)
		if err != nil {
			t.Errorf("%s: %v", test.opcode, err)
			continue
		}
		p := &interp.Program{Name: test.opcode, Arch: Table()}
		if err := p.Compile([]interp.Instruction{x}, nil); err != nil {
			t.Error(err)
			continue
		}
		m := p.NewMachine()
		m.Reg[rax] = register{V: test.a, Defined: 0xff}
		m.Reg[rcx] = register{V: 2, Defined: 0xff}
		m.Reg[rdx] = register{V: 2, Defined: 0xff}
		m.Reg[rbx] = register{V: test.b, Defined: 0xff}
		for f, c := range test.in {
			if c != '.' {
				m.SetFlag(f, c == '1', false)
			}
		}
		m.Execute(0)
		out := ""
		for _, f := range m.Flag[:uppers] {
			switch {
			case !f.Defined:
				out += "."
			case f.V == 1:
				out += "1"
			default:
				out += "0"
			}
		}
		if m.Reg[rax].V != test.a2 || m.Reg[rbx].V != test.b2 || out != test.out {
			t.Errorf("%s, %s: AX = %#x, BX = %#x, flags %s; want %#x, %#x, %s", p.Instruction(0).Text,
				test.whatever,
				m.Reg[rax].V, m.Reg[rbx].V, out, test.a2, test.b2, test.out)
		}
	}
}
