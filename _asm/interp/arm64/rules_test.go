package arm64_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

const (
	ptr, a, b, d = arm64.R0, arm64.R1, arm64.R2, arm64.R3
	zr           = arm64.ZR
)

// run interprets a function with two pointer parameters. The parameter "in" points to four secret
// words, and "out" points to four result words.
func run(t *testing.T, body func(c arm64.Code)) error {
	t.Helper()
	c := arm64.New("f", "func(out, in *uint64, n int)")
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
func secret(c arm64.Code, dst arm64.Reg) {
	c.Argument("in", ptr)
	c.MOVD(arm64.At(ptr, 8), dst)
}

// TestRules checks that a function which breaks a rule fails with the matching fault, for each
// rule.
func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name string
		body func(c arm64.Code)
		want string // substring of the error; empty: no error
	}{
		{"jump on a public number", func(c arm64.Code) {
			c.Argument("n", a)
			c.Label("loop")
			c.SUBS(arm64.Imm(1), a, a)
			c.BCC("NE", "loop")
		}, ""},
		{"jump on a flag of a secret", func(c arm64.Code) {
			secret(c, a)
			c.SUBS(arm64.Imm(1), a, a)
			c.BCC("HS", "end")
			c.Label("end")
		}, "jumps on a secret"},
		{"jump on a secret", func(c arm64.Code) {
			secret(c, a)
			c.CBNZ(a, "end")
			c.Label("end")
		}, "jumps on a secret"},
		{"jump on a secret that went through the frame, a pair and a selection", func(c arm64.Code) {
			at := c.Local(16)
			secret(c, a)
			c.STP(zr, a, at)
			c.LDP(at, b, d)
			c.CMP(zr, b)
			c.CSEL("EQ", d, b, b)
			c.CBZ(b, "end")
			c.Label("end")
		}, "jumps on a secret"},
		{"the other of a pair is public", func(c arm64.Code) {
			at := c.Local(16)
			secret(c, a)
			c.STP(zr, a, at)
			c.LDP(at, b, d)
			c.CBZ(b, "end")
			c.Label("end")
		}, ""},
		{"a selection by a secret", func(c arm64.Code) {
			secret(c, a)
			c.CMP(zr, a)
			c.CSEL("EQ", zr, zr, b)
			c.CBZ(b, "end")
			c.Label("end")
		}, "jumps on a secret"},
		{"address from a secret", func(c arm64.Code) {
			secret(c, a)
			c.Argument("in", ptr)
			c.ADD(a, ptr, ptr)
			c.MOVD(arm64.At(ptr, 0), b)
		}, "address from a secret in R0"},
		{"a pair across the end", func(c arm64.Code) {
			c.Argument("in", ptr)
			c.LDP(arm64.At(ptr, 24), a, b)
		}, "of in, which has 32"},
		{"a store to an input", func(c arm64.Code) {
			c.Argument("in", ptr)
			c.STP(zr, zr, arm64.At(ptr, 0))
		}, "may not write in"},
		{"the carry at entry", func(c arm64.Code) { c.ADC(zr, zr, a) }, "reads C, which is undefined"},
		{"a register at entry", func(c arm64.Code) { c.MOVD(arm64.R5, a) },
			"reads register R5, which holds no value"},
		{"a frame that holds nothing", func(c arm64.Code) { c.MOVD(c.Local(8), a) },
			"reads byte 0 of frame"},
		{"below the frame", func(c arm64.Code) { c.MOVD(c.Local(8).Offset(-16), a) },
			"at offset -16 of frame"},
		{"a register of the system", func(c arm64.Code) { c.MOVZ(1, 18) }, "writes R18"},
		{"a register of the linker", func(c arm64.Code) { c.MOVZ(1, 27) }, "writes R27"},
		{"the goroutine", func(c arm64.Code) { c.MOVZ(1, 28) }, "writes R28"},
		{"the frame pointer", func(c arm64.Code) { c.MOVZ(1, 29) }, "writes R29"},
		{"the return address", func(c arm64.Code) { c.MOVZ(1, 30) }, "writes R30"},
		{"the stack pointer", func(c arm64.Code) { c.MOVD(a, arm64.Reg(32)) },
			"the stack pointer as an operand"},
		{"a pair in one register", func(c arm64.Code) {
			c.Argument("in", ptr)
			c.LDP(arm64.At(ptr, 0), a, a)
		}, "loads a register twice"},
		// The following instructions must be refused, because Go's assembler would replace them by
		// others.
		{"a long number", func(c arm64.Code) { c.ADD(arm64.Imm(4097), a, a) }, "the immediate operand"},
		{"a number with ZR", func(c arm64.Code) { c.ADDS(arm64.Imm(1), zr, a) },
			"the immediate operand"},
		{"a number to ZR", func(c arm64.Code) { c.AND(arm64.Imm(1), a, zr) }, "the immediate operand"},
		{"two runs of bits", func(c arm64.Code) { c.AND(arm64.Imm(5), a, a) }, "the immediate operand"},
		{"two parts of a number", func(c arm64.Code) { c.MOVZ(0x10001, a) }, "the immediate operand"},
		{"no number", func(c arm64.Code) { c.MOVZ(0, a) }, "the immediate operand"},
		{"any number", func(c arm64.Code) { c.MOVD(arm64.Imm(1), a) }, "the immediate operand"},
		{"a shift by nothing", func(c arm64.Code) { c.LSR(arm64.Imm(0), a, a) }, "the immediate operand"},
		{"a far pair", func(c arm64.Code) { c.LDP(arm64.At(ptr, 512), a, b) }, "the offset 512"},
		{"an odd offset", func(c arm64.Code) { c.MOVD(arm64.At(ptr, 4), a) }, "the offset 4"},
		{"no such label", func(c arm64.Code) { c.B("nowhere") }, "no such label"},
		{"no such argument", func(c arm64.Code) { c.Argument("m", a) }, "no argument m"},
		{"arguments that are no pair", func(c arm64.Code) { c.ArgumentPair("in", "out", a, b) },
			"out does not follow in"},
		{"one label twice", func(c arm64.Code) {
			c.Label("x")
			c.NEG(zr, a)
			c.Label("x")
		}, "two labels x"},
	} {
		err := run(t, func(c arm64.Code) {
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
	c := arm64.New("f", "func(out *uint64, in []uint64, n int) (ok bool)")
	c.Argument("in", ptr)
	c.LDP(arm64.At(ptr, 16), a, b)
	c.Label("loop")
	c.ADDS(b, a, d)
	c.EXTR(1, a, b, d)
	c.CSEL("LO", a, zr, d)
	c.MOVK(1<<32, d)
	c.EORASR(63, a, b, d)
	c.CCMP("NE", a, arm64.Imm(0), 8)
	c.BCC("NE", "loop")
	c.STP(a, b, c.Local(16))
	c.Result(zr, "ok")
	c.RET()
	const want = `// f does nothing.
//
// func f(out *uint64, in []uint64, n int) (ok bool)
TEXT ·f(SB), NOSPLIT, $24-41
	MOVD   in_base+8(FP), R0
	LDP    16(R0), (R1, R2)

loop:
	ADDS   R2, R1, R3
	EXTR   $1, R1, R2, R3
	CSEL   LO, R1, ZR, R3
	MOVK   $0x100000000, R3
	EOR    R1->63, R2, R3
	CCMP   NE, R1, $0, $8
	BNE    loop
	STP    (R1, R2), 16(RSP)
	MOVB   ZR, ok+40(FP)
	RET
`
	got, err := c.Assembly([]string{"f does nothing.", ""})
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestEncoded checks that Assembly refuses an instruction that cannot be assembled.
func TestEncoded(t *testing.T) {
	c := arm64.New("f", "func()")
	c.MOVZ(0x10001, a)
	c.RET()
	var fault *interp.Fault
	if _, err := c.Assembly(nil); err == nil || errors.As(err, &fault) {
		t.Errorf("%v", err)
	}
}
