package amd64_test

import (
	"math"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/_asm/interp"
	"github.com/koblitz-go/koblitz/_asm/interp/amd64"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// assemble builds a function with the given signature, as a kernel generator does.
func assemble(
	t *testing.T, signature string, body func(c *build.Context),
) (*ir.File, *ir.Function) {
	t.Helper()
	c := build.NewContext()
	c.Function("kernel")
	c.SignatureExpr(signature)
	body(c)
	f, err := c.Result()
	if err != nil {
		t.Fatal(err)
	}
	if err := pass.Compile.Execute(f); err != nil {
		t.Fatal(err)
	}
	return f, f.Functions()[0]
}

// doubles sets registers Z0, Z1 and Z2 to x, y and z in every lane.
func doubles(c *build.Context, x, y, z float64) {
	for k, v := range []float64{x, y, z} {
		c.MOVQ(operand.U64(math.Float64bits(v)), reg.RAX)
		c.VPBROADCASTQ(reg.RAX, []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2}[k])
	}
}

// setMXCSR sets MXCSR to v, and returns where its former value is.
func setMXCSR(c *build.Context, v uint32) operand.Mem {
	saved, next := c.AllocLocal(8), c.AllocLocal(8)
	c.STMXCSR(saved)
	c.MOVL(operand.U32(v), next)
	c.LDMXCSR(next)
	return saved
}

func param(name string, offset int) operand.Mem { return operand.NewParamAddr(name, offset) }

func mem(base reg.Register, disp int) operand.Mem { return operand.Mem{Base: base, Disp: disp} }

// TestRules checks that the machine finds every kind of error that it promises to find. It plants
// each error in a kernel, and also runs similar kernels without an error, which must pass.
//
// Every kernel has five arguments: "out" points to 4 words that hold no value, "in" to 4 secret
// words, and "table" to 8 public read-only words; n is a public number and k a secret one. Both
// numbers are 3.
func TestRules(t *testing.T) {
	out, in, table, n, k := param("out", 0), param("in", 8), param("table", 16), param("n", 24),
		param("k", 32)
	tests := []struct {
		name string
		want string // substring of the fault's text; empty: no fault
		body func(c *build.Context)
	}{
		{"jump on a public number", "", func(c *build.Context) {
			c.MOVQ(n, reg.RAX)
			c.Label("loop")
			c.DECQ(reg.RAX)
			c.JNE(operand.LabelRef("loop"))
		}},
		{"jump on a secret number", "jumps on a secret", func(c *build.Context) {
			c.MOVQ(k, reg.RAX)
			c.Label("loop")
			c.DECQ(reg.RAX)
			c.JNE(operand.LabelRef("loop"))
		}},
		{"jump on a carry of secrets", "jumps on a secret", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.MOVQ(mem(reg.RSI, 0), reg.RAX)
			c.ADDQ(mem(reg.RSI, 8), reg.RAX)
			c.JCC(operand.LabelRef("done"))
			c.INCQ(reg.RAX)
			c.Label("done")
		}},
		{"jump on a secret that went through the frame and a vector", "jumps on a secret",
			func(c *build.Context) {
				c.AllocLocal(32)
				c.MOVQ(in, reg.RSI)
				c.VMOVDQU(mem(reg.RSI, 0), reg.Y3)
				c.VMOVDQU(reg.Y3, operand.NewStackAddr(0))
				c.VZEROALL()
				c.MOVQ(operand.NewStackAddr(24), reg.RAX)
				c.TESTQ(reg.RAX, reg.RAX)
				c.JEQ(operand.LabelRef("done"))
				c.NOP()
				c.Label("done")
			}},
		{"jump on a flag that a conditional move spread", "jumps on a secret", func(c *build.Context) {
			c.MOVQ(k, reg.RAX)
			c.MOVQ(n, reg.RBX)
			c.XORL(reg.ECX, reg.ECX)
			c.TESTQ(reg.RAX, reg.RAX)
			c.CMOVQEQ(reg.RBX, reg.RCX)
			c.CMPQ(reg.RCX, operand.I8(3))
			c.JEQ(operand.LabelRef("done"))
			c.NOP()
			c.Label("done")
		}},
		{"a secret cancelled by itself is public", "", func(c *build.Context) {
			c.MOVQ(k, reg.RAX)
			c.SUBQ(reg.RAX, reg.RAX)
			c.JNE(operand.LabelRef("done"))
			c.NOP()
			c.Label("done")
		}},
		{"load at a public index", "", func(c *build.Context) {
			c.MOVQ(table, reg.RSI)
			c.MOVQ(n, reg.RAX)
			c.MOVQ(operand.Mem{Base: reg.RSI, Index: reg.RAX, Scale: 8}, reg.RBX)
		}},
		{"load at a secret index", "address from a secret in AX", func(c *build.Context) {
			c.MOVQ(table, reg.RSI)
			c.MOVQ(k, reg.RAX)
			c.MOVQ(operand.Mem{Base: reg.RSI, Index: reg.RAX, Scale: 8}, reg.RBX)
		}},
		{"store at a secret address", "address from a secret in SI", func(c *build.Context) {
			c.MOVQ(out, reg.RSI)
			c.MOVQ(k, reg.RAX)
			c.ANDQ(operand.I8(0), reg.RAX)
			c.ADDQ(reg.RAX, reg.RSI)
			c.MOVQ(reg.RAX, mem(reg.RSI, 0))
		}},
		{"an exact difference of doubles", "", func(c *build.Context) {
			doubles(c, 0x1p104+0x1p52, 0x1p52, 0)
			c.VSUBPD(reg.Z1, reg.Z0, reg.Z0)
			c.VZEROUPPER()
		}},
		{"a rounded difference of doubles", "is rounded", func(c *build.Context) {
			doubles(c, 0x1p52, 0x1p-60, 0)
			c.VSUBPD(reg.Z1, reg.Z0, reg.Z0)
			c.VZEROUPPER()
		}},
		{"a subnormal number", "may take more time", func(c *build.Context) {
			doubles(c, 0x1p-1060, 3, 0x1p104)
			c.VFMADD231PD_RZ_SAE(reg.Z0, reg.Z1, reg.Z2)
			c.VZEROUPPER()
		}},
		{"an infinite number", "may take more time", func(c *build.Context) {
			doubles(c, 0x1p1000, 0x1p1000, 0x1p104)
			c.VFMADD231PD_RZ_SAE(reg.Z0, reg.Z1, reg.Z2)
			c.VZEROUPPER()
		}},
		{"a fused product toward zero", "", func(c *build.Context) {
			doubles(c, 0x1p52-1, 0x1p52-1, 0x1p104)
			c.VFMADD231PD_RZ_SAE(reg.Z0, reg.Z1, reg.Z2)
			c.VZEROUPPER()
		}},
		{"a fused product in an unknown rounding mode", "MXCSR", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			c.VFMADD231PD(reg.Z0, reg.Z1, reg.Z2)
			c.VZEROUPPER()
		}},
		{"a fused product with MXCSR set", "", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			saved := setMXCSR(c, 0x7f80)
			c.VFMADD231PD(reg.Y0, reg.Y1, reg.Y2)
			c.LDMXCSR(saved)
			c.VZEROUPPER()
		}},
		{"a fused product to nearest", "MXCSR, which is 0x1f80", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			setMXCSR(c, 0x1f80)
			c.VFMADD231PD(reg.Y0, reg.Y1, reg.Y2)
		}},
		{"a fused product with exceptions", "MXCSR, which is 0x7f00", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			setMXCSR(c, 0x7f00)
			c.VFMSUB231PD(reg.Y0, reg.Y1, reg.Y2)
		}},
		{"a fused product without subnormal numbers", "MXCSR, which is 0xff80", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			setMXCSR(c, 0xff80)
			c.VFMADD231PD(reg.Y0, reg.Y1, reg.Y2)
		}},
		{"MXCSR not restored", "MXCSR is not restored", func(c *build.Context) { setMXCSR(c, 0x7f80) }},
		{"MXCSR stored after a fused product", "reads MXCSR", func(c *build.Context) {
			doubles(c, 2, 3, 0x1p104)
			saved := setMXCSR(c, 0x7f80)
			c.VFMADD231PD(reg.Y0, reg.Y1, reg.Y2)
			c.STMXCSR(saved)
		}},
		{"MXCSR with bits that it lacks", "sets MXCSR to 0x17f80",
			func(c *build.Context) { setMXCSR(c, 0x17f80) }},
		{"MXCSR from a secret", "sets MXCSR to a secret", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.LDMXCSR(mem(reg.RSI, 0))
		}},
		{"prefetch at a secret address", "address from a secret", func(c *build.Context) {
			c.MOVQ(table, reg.RSI)
			c.MOVQ(k, reg.RAX)
			c.PREFETCHT0(operand.Mem{Base: reg.RSI, Index: reg.RAX, Scale: 8})
		}},
		{"scan for a bit", "not an instruction of constant time", func(c *build.Context) {
			c.MOVQ(n, reg.RAX)
			c.BSRQ(reg.RAX, reg.RAX)
		}},
		{"load past the end", "8 bytes at offset 32 of in", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.MOVQ(mem(reg.RSI, 32), reg.RAX)
		}},
		{"load across the end", "8 bytes at offset 32 of in", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.VMOVDQU(mem(reg.RSI, 8), reg.Y0)
			c.VZEROUPPER()
		}},
		{"load before the start", "8 bytes at offset -8 of table", func(c *build.Context) {
			c.MOVQ(table, reg.RSI)
			c.MOVQ(mem(reg.RSI, -8), reg.RAX)
		}},
		{"load from nowhere", "outside all memory", func(c *build.Context) {
			c.MOVQ(n, reg.RSI)
			c.MOVQ(mem(reg.RSI, 0), reg.RAX)
		}},
		{"load of the return address", "of frame, which has 8", func(c *build.Context) {
			c.AllocLocal(8)
			c.MOVQ(operand.NewStackAddr(8), reg.RAX)
		}},
		{"aligned load of what need not be aligned", "not a multiple of 32", func(c *build.Context) {
			c.MOVQ(table, reg.RSI)
			c.VMOVDQA64(mem(reg.RSI, 0), reg.Y0)
			c.VZEROUPPER()
		}},
		{"store to an input", "may not write in", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.MOVQ(reg.RSI, mem(reg.RSI, 0))
		}},
		{"store to an argument", "writes the arguments", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.MOVQ(reg.RSI, in)
		}},
		{"load of an output that holds nothing", "byte 0 of out, which holds no value",
			func(c *build.Context) {
				c.MOVQ(out, reg.RSI)
				c.MOVQ(mem(reg.RSI, 0), reg.RAX)
			}},
		{"load of a frame that holds nothing", "byte 0 of frame, which holds no value",
			func(c *build.Context) {
				c.AllocLocal(8)
				c.MOVQ(operand.NewStackAddr(0), reg.RAX)
			}},
		{"read of a register that holds nothing", "register R8",
			func(c *build.Context) { c.MOVQ(reg.R8, reg.RAX) }},
		{"read of half a register that holds nothing", "register R8", func(c *build.Context) {
			c.MOVB(operand.U8(1), reg.R8B)
			c.MOVQ(reg.R8, reg.RAX)
		}},
		{"read of a vector that holds nothing", "reads Y1", func(c *build.Context) {
			c.VPXOR(reg.Y0, reg.Y0, reg.Y0)
			c.VPADDQ(reg.Y0, reg.Y1, reg.Y0)
			c.VZEROUPPER()
		}},
		{"carry at entry", "reads CF, which is undefined", func(c *build.Context) {
			c.MOVQ(n, reg.RAX)
			c.ADCQ(operand.I8(0), reg.RAX)
		}},
		{"overflow after a shift by more than one", "reads OF, which is undefined",
			func(c *build.Context) {
				c.MOVQ(n, reg.RAX)
				c.SHLQ(operand.U8(2), reg.RAX)
				c.ADOXQ(reg.RAX, reg.RAX)
			}},
		{"zero flag after a multiplication", "reads ZF, which is undefined", func(c *build.Context) {
			c.MOVQ(n, reg.RAX)
			c.IMULQ(reg.RAX)
			c.CMOVQEQ(reg.RAX, reg.RDX)
		}},
		{"return with vectors in use", "no VZEROUPPER",
			func(c *build.Context) { c.VPXOR(reg.Y0, reg.Y0, reg.Y0) }},
		{"return after vectors of 128 bits", "",
			func(c *build.Context) { c.VPXOR(reg.X0, reg.X0, reg.X0) }},
		{"return with a secret in a vector", "leaves a secret in vector register 3",
			func(c *build.Context) {
				c.MOVQ(in, reg.RSI)
				c.VMOVDQU(mem(reg.RSI, 0), reg.Y3)
				c.VZEROUPPER()
			}},
		{"return with a secret wiped", "", func(c *build.Context) {
			c.MOVQ(in, reg.RSI)
			c.VMOVDQU(mem(reg.RSI, 0), reg.Y3)
			c.VPXOR(reg.Y3, reg.Y3, reg.Y3)
			c.VZEROUPPER()
		}},
		{"frame pointer saved by the assembler", "", func(c *build.Context) {
			c.AllocLocal(8)
			c.MOVQ(n, reg.RBP)
		}},
		{"stack pointer moved", "writes the stack pointer",
			func(c *build.Context) { c.ADDQ(operand.I8(8), reg.RSP) }},
		{"no way out of a loop", "no return after", func(c *build.Context) {
			c.Label("loop")
			c.NOP()
			c.JMP(operand.LabelRef("loop"))
		}},
	}
	for _, test := range tests {
		t.Run(strings.ReplaceAll(test.name, " ", "_"), func(t *testing.T) {
			f, _ := assemble(t, "func(out, in, table *uint64, n, k uint64)", func(c *build.Context) {
				test.body(c)
				c.RET()
			})
			p, err := amd64.Load(f, "kernel")
			if err != nil {
				t.Fatal(err)
			}
			err = runRules(p)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

func runRules(p *interp.Program) error {
	m := p.NewMachine()
	m.ConstantTime = true
	out := m.NewRegion("out", 32, interp.Read|interp.Write)
	in := m.NewRegion("in", 32, interp.Read)
	table := m.NewRegion("table", 64, interp.Read)
	in.FillWords(0, []uint64{1, 2, 3, ^uint64(0)}, true)
	table.FillWords(0, make([]uint64, 8), false)
	for k, r := range []*interp.Region{out, in, table} {
		m.SetArg(8*k, r.Address(), false)
	}
	m.SetArg(24, 3, false)
	m.SetArg(32, 3, true)
	return m.Run()
}

// TestFramePointer checks that a function without a frame may not change BP: the assembler saves BP
// only for functions with a frame. avo refuses such code, so the test removes the frame afterwards.
func TestFramePointer(t *testing.T) {
	f, fn := assemble(t, "func(out, in, table *uint64, n, k uint64)", func(c *build.Context) {
		c.AllocLocal(8)
		c.XORL(reg.EBP, reg.EBP)
		c.RET()
	})
	fn.LocalSize = 0
	p, err := amd64.Load(f, "kernel")
	if err != nil {
		t.Fatal(err)
	}
	if err := runRules(p); err == nil || !strings.Contains(err.Error(), "frame pointer") {
		t.Error(err)
	}
}

// TestResults checks that a kernel which leaves a result unset fails, and that one which sets all
// results passes.
func TestResults(t *testing.T) {
	for _, set := range []bool{false, true} {
		f, fn := assemble(t, "func(a uint64) (r uint64, ok bool)", func(c *build.Context) {
			c.MOVQ(param("a", 0), reg.RAX)
			c.MOVQ(reg.RAX, param("r", 8))
			if set {
				c.MOVB(operand.U8(1), param("ok", 16))
			}
			c.RET()
		})
		p, err := amd64.Load(f, fn.Name)
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMachine()
		m.SetArg(0, 7, true)
		if err := m.Run(); (err == nil) != set {
			t.Errorf("all results set: %v; %v", set, err)
		}
		if r, err := m.Result(8); err != nil || r != 7 {
			t.Error(r, err)
		}
	}
}

// TestStatic checks that read-only data can be read only within its bounds, and that R15 holds no
// value after an access to read-only data.
func TestStatic(t *testing.T) {
	for _, test := range []struct {
		offset int
		base   reg.Register
		want   string
	}{
		{8, reg.RAX, ""},
		{12, reg.RAX, "8 bytes at offset 12"},
		{8, reg.R15, "register R15"},
	} {
		c := build.NewContext()
		data := c.StaticGlobal("constants")
		c.AppendDatum(operand.U64(5))
		c.AppendDatum(operand.U64(6))
		c.Function("kernel")
		c.SignatureExpr("func() uint64")
		c.MOVQ(operand.U32(1), test.base)
		c.MOVQ(data.Offset(test.offset), reg.RBX)
		c.ADDQ(test.base, reg.RBX)
		c.MOVQ(reg.RBX, param("ret", 0))
		c.RET()
		f, err := c.Result()
		if err != nil {
			t.Fatal(err)
		}
		if err := pass.Compile.Execute(f); err != nil {
			t.Fatal(err)
		}
		p, err := amd64.Load(f, "kernel")
		if err != nil {
			t.Fatal(err)
		}
		m := p.NewMachine()
		err = m.Run()
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			continue
		}
		if r, _ := m.Result(0); err != nil || r != 7 {
			t.Error(r, err)
		}
	}
}

// TestUnknownInstruction checks that an instruction missing from the table cannot be loaded.
func TestUnknownInstruction(t *testing.T) {
	f, fn := assemble(t, "func()", func(c *build.Context) {
		c.CPUID()
		c.RET()
	})
	if _, err := amd64.Load(f, fn.Name); err == nil || !strings.Contains(err.Error(), "CPUID") {
		t.Error(err)
	}
}
