package main

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// TestRISCV64 checks that riscv64 instructions have LLVM's operand order, and that the simulated
// loop of a function ends with its jump back.
func TestRISCV64(t *testing.T) {
	c := riscv64.New("f", "func(a *uint64)")
	c.Argument("a", riscv64.X5)
	c.Label("loop")
	c.LD(riscv64.At(riscv64.X5, 8), riscv64.X6)
	c.SUB(riscv64.X6, riscv64.X7, riscv64.X8) // X8 = X7 − X6
	c.SLTU(riscv64.ZERO, riscv64.X7, riscv64.X8)
	c.ADDI(-1, riscv64.X7, riscv64.X7)
	c.MOV(riscv64.X7, riscv64.X9)
	c.SD(riscv64.X6, c.Local(8))
	c.BLT(riscv64.X7, riscv64.X6, "loop")
	c.RET()
	p, err := c.Program()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, p, gnuRISCV64, []string{
		"ld x6, 8(x5)", "sub x8, x7, x6", "sltu x8, x7, x0", "addi x7, x7, -1", "mv x9, x7",
		"sd x6, 8(x2)", "blt x7, x6, away",
	})
}

// TestARM64 checks that arm64 instructions have LLVM's operand order, in every form of operands.
func TestARM64(t *testing.T) {
	c := arm64.New("f", "func(a *uint64)")
	c.Argument("a", arm64.R0)
	c.Label("loop")
	c.LDP(arm64.At(arm64.R0, 16), arm64.R1, arm64.R2)
	c.SUBS(arm64.R1, arm64.R2, arm64.R3) // R3 = R2 − R1
	c.CSEL("LO", arm64.R4, arm64.ZR, arm64.R5)
	c.CCMP("NE", arm64.R4, arm64.Imm(0), 8)
	c.MADD(arm64.R1, arm64.R2, arm64.R3, arm64.R4) // R4 = R2 + R1·R3
	c.EORASR(63, arm64.R1, arm64.R2, arm64.R3)
	c.EXTR(1, arm64.R1, arm64.R2, arm64.R3)
	c.ORR(arm64.R1, arm64.R2, arm64.R3)
	c.MOVK(7<<32, arm64.R1)
	c.MOVD(arm64.R1, c.Local(8))
	c.VLD1P(arm64.R0, 4, 5)
	c.VBIT(1, 2, 3)
	c.VADD(1, 2, 3)
	c.CBZ(arm64.R3, "away")
	c.STP(arm64.R1, arm64.R2, arm64.At(arm64.R0, 0))
	c.BCC("NE", "loop")
	c.Label("away")
	c.RET()
	p, err := c.Program()
	if err != nil {
		t.Fatal(err)
	}
	compare(t, p, gnuARM64, []string{
		"ldp x1, x2, [x0, #16]", "subs x3, x2, x1", "csel x5, x4, xzr, lo", "ccmp x4, #0, #8, ne",
		"madd x4, x3, x1, x2", "eor x3, x2, x1, asr #63", "extr x3, x2, x1, #1", "orr x3, x2, x1",
		"movk x1, #7, lsl #32", "str x1, [sp, #16]", "ld1 {v4.2d, v5.2d}, [x0], #32",
		"bit v3.16b, v2.16b, v1.16b", "add v3.2d, v2.2d, v1.2d", "cbz x3, away",
		"stp x1, x2, [x0, #0]", "b.ne away",
	})
}

// compare checks that the loop of a program, written in LLVM's syntax, is the expected text.
func compare(
	t *testing.T, p *interp.Program, gnu func(*interp.Inst) string, want []string,
) {
	t.Helper()
	from, to := body(p)
	var got []string
	for k := from; k < to; k++ {
		got = append(got, gnu(p.Instruction(k)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
