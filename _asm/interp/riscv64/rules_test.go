package riscv64_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	table "github.com/koblitz-go/koblitz/_asm/interp/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

const (
	ptr, a, b, d = riscv64.X10, riscv64.X11, riscv64.X12, riscv64.X13
	zero         = riscv64.ZERO
)

// run interprets a function with two pointer parameters. The parameter "in" points to four secret
// words, and "out" points to four result words.
func run(t *testing.T, body func(c riscv64.Code)) error {
	t.Helper()
	c := riscv64.New("f", "func(out, in *uint64, n int)")
	body(c)
	p, err := c.Program()
	if err != nil {
		return err
	}
	m := p.NewMachine()
	m.ConstantTime = true
	in := m.NewRegion("in", 32, interp.Read)
	in.FillWords(0, []uint64{1, 2, 3, 4}, true)
	m.SetArg(0, m.NewRegion("out", 32, interp.Read|interp.Write).Address(), false)
	m.SetArg(8, in.Address(), false)
	m.SetArg(16, 3, false)
	return m.Run()
}

// secret loads a secret word into the register dst.
func secret(c riscv64.Code, dst riscv64.Reg) {
	c.Argument("in", ptr)
	c.LD(riscv64.At(ptr, 8), dst)
}

// TestRules checks that a function which breaks a rule fails with the matching fault, for each
// rule.
func TestRules(t *testing.T) {
	// after returns a function body in which f computes b from the secret a, and a jump depends on
	// b.
	after := func(f func(c riscv64.Code)) func(c riscv64.Code) {
		return func(c riscv64.Code) {
			secret(c, a)
			f(c)
			c.BEQ(b, zero, "end")
			c.Label("end")
		}
	}
	for _, tt := range []struct {
		name string
		body func(c riscv64.Code)
		want string // substring of the error; empty: no error
	}{
		{"jump on a public number", func(c riscv64.Code) {
			c.Argument("n", a)
			c.Label("loop")
			c.ADDI(-1, a, a)
			c.BNE(a, zero, "loop")
		}, ""},
		{"jump on a secret", func(c riscv64.Code) {
			secret(c, a)
			c.BLTU(zero, a, "end")
			c.Label("end")
		}, "jumps on a secret"},
		{"the carry of a secret", after(func(c riscv64.Code) { c.SLTU(a, a, b) }), "jumps on a secret"},
		{"the sum", after(func(c riscv64.Code) { c.ADD(zero, a, b) }), "jumps on a secret"},
		{"the sum of 32 bits", after(func(c riscv64.Code) { c.ADDIW(1, a, b) }), "jumps on a secret"},
		{"a copy", after(func(c riscv64.Code) { c.MOV(a, b) }), "jumps on a secret"},
		{"a product with zero", after(func(c riscv64.Code) { c.MULHU(zero, a, b) }),
			"jumps on a secret"},
		{"a secret that went through the frame", after(func(c riscv64.Code) {
			at := c.Local(8)
			c.SD(a, at)
			c.LD(at, b)
		}), "jumps on a secret"},
		{"a secret minus itself", after(func(c riscv64.Code) { c.SUB(a, a, b) }), ""},
		{"a secret xor itself", after(func(c riscv64.Code) { c.XOR(a, a, b) }), ""},
		{"address from a secret", func(c riscv64.Code) {
			secret(c, a)
			c.ADD(a, ptr, ptr)
			c.LD(riscv64.At(ptr, 0), b)
		}, "address from a secret in X10"},
		{"an odd address of a word", func(c riscv64.Code) {
			c.Argument("in", ptr)
			c.ADDI(4, ptr, ptr)
			c.LD(riscv64.At(ptr, 0), b)
		}, "not a multiple of 8"},
		{"an odd address of a store", func(c riscv64.Code) {
			c.Argument("out", ptr)
			c.ADDI(1, ptr, ptr)
			c.SD(zero, riscv64.At(ptr, 0))
		}, "not a multiple of 8"},
		{"an odd address of a byte", func(c riscv64.Code) {
			c.Argument("out", ptr)
			c.SB(zero, riscv64.At(ptr, 1))
		}, ""},
		{"a word beyond the end", func(c riscv64.Code) {
			c.Argument("in", ptr)
			c.LD(riscv64.At(ptr, 32), a)
		}, "of in, which has 32"},
		{"a store to an input", func(c riscv64.Code) {
			c.Argument("in", ptr)
			c.SD(zero, riscv64.At(ptr, 0))
		}, "may not write in"},
		{"a register at entry", func(c riscv64.Code) { c.MOV(riscv64.X5, a) },
			"reads register X5, which holds no value"},
		{"a frame that holds nothing", func(c riscv64.Code) { c.LD(c.Local(8), a) },
			"reads byte 0 of frame"},
		{"below the frame", func(c riscv64.Code) { c.LD(c.Local(8).Offset(-8), a) },
			"at offset -8 of frame"},
		{"the return address", func(c riscv64.Code) { c.ADDI(1, zero, 1) }, "writes X1"},
		{"the stack pointer", func(c riscv64.Code) { c.ADDI(1, zero, 2) },
			"the stack pointer as an operand"},
		{"an address from the stack pointer", func(c riscv64.Code) { c.LD(riscv64.At(2, 8), a) },
			"the address 8(SP)"},
		{"the global pointer", func(c riscv64.Code) { c.ADDI(1, zero, 3) }, "writes X3"},
		{"the thread pointer", func(c riscv64.Code) { c.ADDI(1, zero, 4) }, "writes X4"},
		{"the goroutine", func(c riscv64.Code) { c.ADDI(1, zero, 27) }, "writes X27"},
		{"a register of the assembler", func(c riscv64.Code) { c.ADDI(1, zero, 31) }, "writes X31"},
		// The following instructions must be refused, because Go's assembler would replace them by
		// others.
		{"a long number", func(c riscv64.Code) { c.ADDI(2048, a, a) }, "the immediate operand 2048"},
		{"a long negative number", func(c riscv64.Code) { c.ANDI(-2049, a, a) },
			"the immediate operand -2049"},
		{"21 bits", func(c riscv64.Code) { c.LUI(1<<19, a) }, "the immediate operand"},
		{"a shift by nothing", func(c riscv64.Code) { c.SRLI(0, a, a) }, "the immediate operand"},
		{"a shift by all", func(c riscv64.Code) { c.SRAI(64, a, a) }, "the immediate operand"},
		{"a far place", func(c riscv64.Code) { c.LD(riscv64.At(ptr, 2048), a) }, "the offset 2048"},
		{"a far place below", func(c riscv64.Code) { c.LD(riscv64.At(ptr, -2056), a) },
			"the offset -2056"},
		{"a far local", func(c riscv64.Code) { c.LD(c.Local(2048).Offset(2040), a) }, "the offset 2040"},
		{"an odd offset", func(c riscv64.Code) { c.LD(riscv64.At(ptr, 4), a) }, "the offset 4"},
		{"a result in ZERO", func(c riscv64.Code) { c.LD(riscv64.At(ptr, 0), zero) },
			"a result that is gone"},
		{"a sum with ZERO", func(c riscv64.Code) { c.ADD(a, zero, b) }, "which is MOV"},
		{"a number for a register", func(c riscv64.Code) {
			c.Add("MOV", interp.Operand{Kind: interp.Immediate, Imm: 1, IndexReg: -1},
				interp.Operand{Kind: interp.General, Index: int(b), Bits: 64, IndexReg: -1})
		}, "the operand $1"},
		{"too few operands", func(c riscv64.Code) { c.Add("ADD") }, "0 operands"},
		{"no such label", func(c riscv64.Code) { c.JMP("nowhere") }, "no such label"},
		{"no such argument", func(c riscv64.Code) { c.Argument("m", a) }, "no argument m"},
	} {
		err := run(t, func(c riscv64.Code) {
			tt.body(c)
			c.RET()
		})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil ||
			!strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestText checks that a small function with several kinds of operands is printed as the expected
// Go assembly.
func TestText(t *testing.T) {
	c := riscv64.New("f", "func(out *uint64, in []uint64, n int) (ok bool)")
	c.Argument("in", ptr)
	c.LD(riscv64.At(ptr, 16), a)
	c.Label("loop")
	c.ADD(b, a, d)
	c.SLTU(b, d, a)
	c.ADDI(-1, d, d)
	c.Constant(0x1000003d1, b)
	c.BNE(a, zero, "loop")
	c.SD(a, c.Local(16).Offset(8))
	c.Result(zero, "ok")
	c.RET()
	const want = `// f does nothing.
//
// func f(out *uint64, in []uint64, n int) (ok bool)
TEXT ·f(SB), NOSPLIT, $16-41
	MOV    in_base+8(FP), X10
	LD     16(X10), X11

loop:
	ADD    X12, X11, X13
	SLTU   X12, X13, X11
	ADDI   $-1, X13, X13
	ADDI   $1, ZERO, X12
	SLLI   $32, X12, X12
	ADDI   $977, X12, X12
	BNE    X11, ZERO, loop
	SD     X11, 16(SP)
	MOVB   ZERO, ok+40(FP)
	RET
`
	got, err := c.Assembly([]string{"f does nothing.", ""})
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestEncoded checks that Assembly refuses an instruction that cannot be assembled.
func TestEncoded(t *testing.T) {
	c := riscv64.New("f", "func()")
	c.ADDI(4096, zero, a)
	c.RET()
	var fault *interp.Fault
	if _, err := c.Assembly(nil); err == nil || errors.As(err, &fault) {
		t.Errorf("%v", err)
	}
}

// TestUses checks that UsesOf returns the registers and the memory that instructions use.
func TestUses(t *testing.T) {
	c := riscv64.New("f", "func(s *uint64)")
	c.Argument("s", ptr)
	c.ADD(b, a, d)
	c.SLTU(zero, a, d)
	c.LD(riscv64.At(ptr, 8), a)
	c.SD(a, riscv64.At(ptr, 8))
	c.BLT(a, b, "end")
	c.LUI(1, a)
	c.Label("end")
	c.RET()
	p, err := c.Program()
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []table.Uses{
		{Writes: int(ptr), Loads: true},
		{Reads: []int{int(b), int(a)}, Writes: int(d)},
		{Reads: []int{int(a)}, Writes: int(d)},
		{Reads: []int{int(ptr)}, Writes: int(a), Loads: true},
		{Reads: []int{int(a), int(ptr)}, Writes: -1, Stores: true},
		{Reads: []int{int(a), int(b)}, Writes: -1},
		{Writes: int(a)},
		{Writes: -1},
	} {
		i := p.Instruction(k)
		got := table.UsesOf(&i.Instruction)
		if (got.Memory != nil) != (want.Loads || want.Stores) || !slices.Equal(got.Reads, want.Reads) ||
			got.Writes != want.Writes || got.Loads != want.Loads || got.Stores != want.Stores {
			t.Errorf("%s: %+v, want %+v", i.Text, got, want)
		}
		if got, want := table.Ends(i.Opcode), k == 5 || k == 7; got != want {
			t.Errorf("%s ends: %v", i.Text, got)
		}
	}
}
