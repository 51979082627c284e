package main

import (
	"strings"
	"testing"
)

// TestVex compares the bytes of instructions with those that GNU binutils 2.40 disassembles to the
// same instruction. The cases have registers from both halves of the register file in each place,
// and each form of an address.
func TestVex(t *testing.T) {
	for _, tt := range []struct{ instruction, bytes string }{
		{"VPMADD52HUQ Y14, Y13, Y12", "c4 42 95 b5 e6"},
		{"VPMADD52LUQ Y3, Y4, Y5", "c4 e2 dd b4 eb"},
		{"VPMADD52LUQ Y9, Y0, Y1", "c4 c2 fd b4 c9"},
		{"VPMADD52HUQ Y1, Y0, Y9", "c4 62 fd b5 c9"},
		{"VPMADD52LUQ (SI), Y15, Y2", "c4 e2 85 b4 96 00 00 00 00"},
		{"VPMADD52LUQ 512(R10), Y15, Y8", "c4 42 85 b4 82 00 02 00 00"},
		{"VPMADD52HUQ 64(BP), Y1, Y2", "c4 e2 f5 b5 95 40 00 00 00"},
		{"VPMADD52HUQ 8(R12), Y1, Y2", "c4 c2 f5 b5 94 24 08 00 00 00"},
		{"VPMADD52LUQ 70000(SP), Y1, Y2", "c4 e2 f5 b4 94 24 70 11 01 00"},
		{"VPMADD52LUQ 32(R10)(R13*1), Y7, Y11", "c4 02 c5 b4 9c 2a 20 00 00 00"},
		{"VPMADD52LUQ (DI)(R12*1), Y7, Y3", "c4 a2 c5 b4 9c 27 00 00 00 00"},
	} {
		want := "\tBYTE $0x" + strings.ReplaceAll(tt.bytes, " ", "; BYTE $0x") + " // " +
			tt.instruction
		if got, err := vex("\t" + tt.instruction); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", tt.instruction, got, err, want)
		}
	}
}

// TestVexRefuses checks that vex fails for instructions that it cannot encode, because they would
// stay in the encoding of AVX-512, and that it leaves others alone.
func TestVexRefuses(t *testing.T) {
	for _, s := range []string{
		"VPMADD52LUQ Y16, Y1, Y2", "VPMADD52LUQ Y1, Y31, Y2", "VPMADD52LUQ Y1, Y2, Y20",
		"VPMADD52LUQ (SI)(AX*8), Y1, Y2", "VPMADD52LUQ -8(SI), Y1, Y2", "VPMADD52LUQ (R16), Y1, Y2",
		"VPMADD52LUQ (SI)(SP*1), Y1, Y2", "VPMADD52HUQ data<>+8(SB), Y1, Y2",
		"VPMADD52HUQ.BCST (SI), Y1, Y2", "VPMADD52HUQ (X1), Y1, Y2",
	} {
		if got, err := vex("\t" + s); err == nil {
			t.Errorf("%s: %s", s, got)
		}
	}
	for _, s := range []string{"VPMADD52LUQ Z1, Z2, Z3", "VPADDQ Y1, Y2, Y3", "// VPMADD52LUQ Y1, Y2, Y3"} {
		if got, err := vex("\t" + s); got != "\t"+s || err != nil {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
}
