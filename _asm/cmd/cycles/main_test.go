package main

import (
	"slices"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// TestText: LLVM reads operands in the order of the manual, and a loop ends with its jump.
func TestText(t *testing.T) {
	c := riscv64.New("f", "func(a *uint64)")
	c.Argument("a", riscv64.X5)
	c.Label("loop")
	c.LD(riscv64.At(riscv64.X5, 8), riscv64.X6)
	c.SUB(riscv64.X6, riscv64.X7, riscv64.X8) // 8 = 7 − 6
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
	from, to := body(p)
	var got []string
	for k := from; k < to; k++ {
		line, err := gnu(p.Instruction(k))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, line)
	}
	want := []string{
		"ld x6, 8(x5)", "sub x8, x7, x6", "sltu x8, x7, x0", "addi x7, x7, -1", "mv x9, x7",
		"sd x6, 8(x2)", "blt x7, x6, away",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
