package amd64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/mmcloughlin/avo/ir"
	avo "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestMoves checks where each part of the result of an instruction with Moves comes from. The
// expected parts are those of Intel's manual (volume 2). The proofs cannot find an error in a
// description, because they use the same descriptions as the interpreter.
//
// The parts of register 1 are a0, a1, and so on, from the lowest; those of register 2, and of the
// memory at BX, are b0, b1, and so on. A dash is a part of zeros. In three-operand instructions,
// register 1 is the manual's first source and register 2 its second source.
func TestMoves(t *testing.T) {
	x, y, z := []avo.Op{reg.X2, reg.X1, reg.X0}, []avo.Op{reg.Y2, reg.Y1, reg.Y0},
		[]avo.Op{reg.Z2, reg.Z1, reg.Z0}
	with := func(imm uint8, ops ...avo.Op) []avo.Op { return append([]avo.Op{avo.U8(imm)}, ops...) }
	memory := avo.Mem{Base: reg.RBX}
	tests := []struct {
		opcode string
		ops    []avo.Op
		bits   int // width of a part
		want   string
	}{
		{"VPUNPCKLQDQ", x, 64, "a0 b0"},
		{"VPUNPCKLQDQ", y, 64, "a0 b0 a2 b2"},
		{"VPUNPCKLQDQ", z, 64, "a0 b0 a2 b2 a4 b4 a6 b6"},
		{"VPUNPCKHQDQ", x, 64, "a1 b1"},
		{"VPUNPCKHQDQ", y, 64, "a1 b1 a3 b3"},
		{"VPUNPCKHQDQ", z, 64, "a1 b1 a3 b3 a5 b5 a7 b7"},
		{"VPUNPCKLDQ", x, 32, "a0 b0 a1 b1"},
		{"VPUNPCKLDQ", y, 32, "a0 b0 a1 b1 a4 b4 a5 b5"},
		{"VPUNPCKLDQ", z, 32, "a0 b0 a1 b1 a4 b4 a5 b5 a8 b8 a9 b9 a12 b12 a13 b13"},
		{"VPUNPCKHDQ", x, 32, "a2 b2 a3 b3"},
		{"VPUNPCKHDQ", y, 32, "a2 b2 a3 b3 a6 b6 a7 b7"},
		{"VPUNPCKHDQ", z, 32, "a2 b2 a3 b3 a6 b6 a7 b7 a10 b10 a11 b11 a14 b14 a15 b15"},
		{"VPSHUFD", with(0x72, x[1:]...), 32, "a2 a0 a3 a1"},
		{"VPSHUFD", with(0x72, y[1:]...), 32, "a2 a0 a3 a1 a6 a4 a7 a5"},
		{"VPSHUFD", with(0x72, z[1:]...), 32, "a2 a0 a3 a1 a6 a4 a7 a5 a10 a8 a11 a9 a14 a12 a15 a13"},
		{"VPBLENDD", with(0x5, x...), 32, "b0 a1 b2 a3"},
		{"VPBLENDD", with(0x72, y...), 32, "a0 b1 a2 a3 b4 b5 b6 a7"},
		{"VPERMQ", with(0x72, y[1:]...), 64, "a2 a0 a3 a1"},
		{"VPERMQ", with(0x72, z[1:]...), 64, "a2 a0 a3 a1 a6 a4 a7 a5"},
		{"VPMOVQD", []avo.Op{reg.Y1, reg.X0}, 32, "a0 a2 a4 a6"},
		{"VPMOVQD", []avo.Op{reg.Z1, reg.Y0}, 32, "a0 a2 a4 a6 a8 a10 a12 a14"},
		{"VBROADCASTI128", []avo.Op{memory, reg.Y0}, 64, "b0 b1 b0 b1"},
		{"VINSERTI128", with(0, reg.X2, reg.Y1, reg.Y0), 64, "b0 b1 a2 a3"},
		{"VINSERTI128", with(1, reg.X2, reg.Y1, reg.Y0), 64, "a0 a1 b0 b1"},
		{"VINSERTI128", with(1, memory, reg.Y1, reg.Y0), 64, "a0 a1 b0 b1"},
		{"VINSERTI64X4", with(0, reg.Y2, reg.Z1, reg.Z0), 64, "b0 b1 b2 b3 a4 a5 a6 a7"},
		{"VINSERTI64X4", with(1, reg.Y2, reg.Z1, reg.Z0), 64, "a0 a1 a2 a3 b0 b1 b2 b3"},
		{"VINSERTI64X4", with(1, memory, reg.Z1, reg.Z0), 64, "a0 a1 a2 a3 b0 b1 b2 b3"},
		{"VSHUFI64X2", with(1, y...), 64, "a2 a3 b0 b1"},
		{"VSHUFI64X2", with(2, y...), 64, "a0 a1 b2 b3"},
		{"VSHUFI64X2", with(0x72, z...), 64, "a4 a5 a0 a1 b6 b7 b2 b3"},
		{"VPERM2I128", with(0x20, y...), 64, "a0 a1 b0 b1"},
		{"VPERM2I128", with(0x13, y...), 64, "b2 b3 a2 a3"},
		{"VPERM2I128", with(0x38, y...), 64, "- - b2 b3"},
		{"VPERM2I128", with(0x82, y...), 64, "b0 b1 - -"},
	}
	tested := map[string]bool{}
	for _, test := range tests {
		tested[test.opcode] = true
		x, err := instruction(&ir.Instruction{Opcode: test.opcode, Operands: test.ops}, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.opcode, err)
		}
		p := &interp.Program{Name: test.opcode, Arch: Table()}
		if err := p.Compile([]interp.Instruction{x}, nil); err != nil {
			t.Fatal(err)
		}
		a, b := vector{Defined: 0xff}, vector{Defined: 0xff}
		for k := range uint64(8) {
			a.V[k], b.V[k] = (0xa1+2*k)<<32|(0xa0+2*k), (0xc1+2*k)<<32|(0xc0+2*k)
		}
		name := map[uint64]string{0: "-"}
		for k := range 512 / test.bits {
			name[lane(&a, k, uint(test.bits))] = fmt.Sprint("a", k)
			name[lane(&b, k, uint(test.bits))] = fmt.Sprint("b", k)
		}
		m := p.NewMachine()
		source := m.NewRegion("source", 64, interp.Read)
		source.FillWords(0, b.V[:], false)
		m.Reg[rbx] = register{V: source.Address(), Defined: 0xff}
		m.Vec[1], m.Vec[2] = a, b
		m.Execute(0)
		var got []string
		for k := range len(strings.Fields(test.want)) {
			got = append(got, name[lane(&m.Vec[0], k, uint(test.bits))])
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s: %s, want %s", p.Instruction(0).Text, s, test.want)
		}
	}
	for opcode, kind := range Table().Instructions {
		if kind.Moves != nil && !tested[opcode] {
			t.Errorf("%s is not tested", opcode)
		}
	}
}
