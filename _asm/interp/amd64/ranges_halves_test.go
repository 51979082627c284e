package amd64_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// TestRangesOfHalves is TestRangeRules for kernels on registers of four lanes, which compute lanes
// 0 to 3 and then lanes 4 to 7. R13 holds the offset of the present half, 0 or 32. Y0 and Y1 hold
// halves of two vectors of in, and Y7 holds 0. MXCSR says that products are rounded toward zero. If
// the name of a test ends in "each round", the kernel does all of this n times.
func TestRangesOfHalves(t *testing.T) {
	half := func(base reg.Register, disp int) operand.Mem {
		return operand.Mem{Base: base, Disp: disp, Index: reg.R13, Scale: 1}
	}
	out := func(k int) operand.Mem { return half(reg.RDI, 64*k) }
	constant := func(c *build.Context, v ...uint64) operand.Mem {
		data := c.StaticGlobal(fmt.Sprintf("constant%x", v))
		for k := range 4 {
			c.AppendDatum(operand.U64(v[k%len(v)]))
		}
		return data
	}
	const mask = 1<<52 - 1
	// shift sets Y2 to Y0 − Y1, and stores its low 52 bits at out(0), and its other bits plus 1 at
	// out(1). place is the place of the sign after the shift. flip and extend say whether the sign
	// is flipped and extended.
	shift := func(c *build.Context, place uint64, flip, extend bool) {
		sign := constant(c, place)
		c.VPSUBQ(reg.Y1, reg.Y0, reg.Y2)
		c.VPSRLQ(operand.U8(52), reg.Y2, reg.Y3)
		if flip {
			c.VPXOR(sign, reg.Y3, reg.Y3)
		}
		if extend {
			c.VPSUBQ(sign, reg.Y3, reg.Y3)
		}
		c.VPADDQ(constant(c, 1), reg.Y3, reg.Y3)
		c.VMOVDQU(reg.Y3, out(1))
		c.VPAND(constant(c, mask), reg.Y2, reg.Y2)
		c.VMOVDQU(reg.Y2, out(0))
	}
	// multiply stores 16 times the upper 48 bits of Y0. If upper is not set, it leaves out the bits
	// that the multiplier does not read.
	multiply := func(c *build.Context, upper bool) {
		c.VPSRLQ(operand.U8(4), reg.Y0, reg.Y0)
		c.VPMULUDQ(constant(c, 16), reg.Y0, reg.Y2)
		if upper {
			c.VPSRLQ(operand.U8(32), reg.Y0, reg.Y3)
			c.VPMULUDQ(constant(c, 16), reg.Y3, reg.Y3)
			c.VPSLLQ(operand.U8(32), reg.Y3, reg.Y3)
			c.VPADDQ(reg.Y3, reg.Y2, reg.Y2)
		}
		c.VMOVDQU(reg.Y2, out(0))
	}
	// subtract subtracts 2^52 − 977 from Y0 if the result is not negative. other exchanges the lanes
	// in which it does so.
	subtract := func(c *build.Context, other bool) {
		c.VPADDQ(constant(c, 977), reg.Y0, reg.Y2)
		c.VPSRLQ(operand.U8(52), reg.Y2, reg.Y3)
		c.VPCMPEQQ(reg.Y3, reg.Y7, reg.Y3)
		if !other {
			c.VPXOR(constant(c, 1<<64-1), reg.Y3, reg.Y3)
		}
		c.VPBLENDVB(reg.Y3, reg.Y2, reg.Y0, reg.Y0)
		c.VPAND(constant(c, mask), reg.Y0, reg.Y0)
		c.VMOVDQU(reg.Y0, out(0))
	}
	// accumulate adds Y1 to Y0 in a loop; see TestRangeRules.
	accumulate := func(c *build.Context, carry bool) {
		c.MOVQ(param("n", 40), reg.RCX)
		c.Label("loop")
		c.VPADDQ(reg.Y1, reg.Y0, reg.Y0)
		if carry {
			c.VPSRLQ(operand.U8(52), reg.Y0, reg.Y2)
			c.VPAND(constant(c, mask), reg.Y0, reg.Y0)
			c.VPCMPEQQ(reg.Y2, reg.Y7, reg.Y2)
		}
		c.DECQ(reg.RCX)
		c.JNZ(operand.LabelRef("loop"))
		c.VMOVDQU(reg.Y0, out(0))
	}
	// product stores the halves of the product of Y0 and Y1.
	product := func(c *build.Context) {
		both := constant(c, square+1)
		for k, r := range []reg.VecPhysical{reg.Y2, reg.Y3} {
			c.VPOR(constant(c, unit), []reg.VecPhysical{reg.Y0, reg.Y1}[k], r)
			c.VSUBPD(constant(c, unit), r, r)
		}
		c.VMOVDQU(constant(c, square), reg.Y4)
		c.VFMADD231PD(reg.Y2, reg.Y3, reg.Y4)
		c.VSUBPD(both, reg.Y4, reg.Y5)
		c.VFMSUB231PD(reg.Y3, reg.Y2, reg.Y5) // the factors may be exchanged
		c.VPADDQ(constant(c, -square&(1<<64-1)), reg.Y4, reg.Y4)
		c.VPADDQ(constant(c, -unit&(1<<64-1)), reg.Y5, reg.Y5)
		c.VMOVDQU(reg.Y4, out(0))
		c.VMOVDQU(reg.Y5, out(1))
	}
	// multiplyAdd stores the halves of the product of Y0 and Y1, or only the low half.
	multiplyAdd := func(c *build.Context, high bool) {
		for _, r := range []reg.VecPhysical{reg.Y2, reg.Y3} {
			c.VPXOR(r, r, r)
		}
		c.VPMADD52LUQ(reg.Y0, reg.Y1, reg.Y2)
		if high {
			c.VPMADD52HUQ(reg.Y0, reg.Y1, reg.Y3)
		}
		c.VMOVDQU(reg.Y2, out(0))
		c.VMOVDQU(reg.Y3, out(1))
	}
	// rows sets Y2 to word 3 of four rows, and Y3 to word 2, or to others if imm is not 0x31.
	rows := func(c *build.Context, imm operand.U8) {
		four := [4]reg.VecPhysical{reg.Y2, reg.Y3, reg.Y4, reg.Y5}
		for j, r := range four {
			c.VMOVDQU(operand.Mem{Base: reg.R9, Disp: 32 * j, Index: reg.R13, Scale: 4}, r)
		}
		c.VPUNPCKLQDQ(reg.Y3, reg.Y2, reg.Y6)
		c.VPUNPCKHQDQ(reg.Y3, reg.Y2, reg.Y2)
		c.VPUNPCKLQDQ(reg.Y5, reg.Y4, reg.Y3)
		c.VPUNPCKHQDQ(reg.Y5, reg.Y4, reg.Y4)
		c.VPERM2I128(imm, reg.Y4, reg.Y2, reg.Y2)
		c.VPERM2I128(operand.U8(0x31), reg.Y3, reg.Y6, reg.Y3)
	}
	for _, test := range []struct {
		name string
		want string // substring of the fault's text; empty: no fault
		body func(c *build.Context)
	}{
		{"a sum with a carry in each round", "", func(c *build.Context) {
			c.VPADDQ(out(0), reg.Y0, reg.Y0)
			c.VPSRLQ(operand.U8(52), reg.Y0, reg.Y2)
			c.VPCMPEQQ(reg.Y2, reg.Y7, reg.Y2)
			c.VPAND(constant(c, mask), reg.Y0, reg.Y0)
			c.VMOVDQU(reg.Y0, out(0))
		}},
		{"a sum that grows in each round", "differ from round to round", func(c *build.Context) {
			c.VPADDQ(out(0), reg.Y0, reg.Y0)
			c.VMOVDQU(reg.Y0, out(0))
		}},
		{"a half of a sum that grows in each round", "differ from round to round",
			func(c *build.Context) {
				c.CMPQ(reg.R13, operand.I8(0))
				c.JEQ(operand.LabelRef("first"))
				c.VPADDQ(mem(reg.RDI, 32), reg.Y0, reg.Y0)
				c.VMOVDQU(reg.Y0, mem(reg.RDI, 32))
				c.Label("first")
			}},
		{"a sum", "", func(c *build.Context) {
			c.VPADDQ(reg.Y0, reg.Y1, reg.Y2)
			c.VPSRLQ(operand.U8(1), reg.Y2, reg.Y2)
			c.VMOVDQU(reg.Y2, out(0))
		}},
		{"a sum too long for out", "limb 0", func(c *build.Context) {
			c.VPADDQ(reg.Y0, reg.Y1, reg.Y2)
			c.VMOVDQU(reg.Y2, out(0))
		}},
		{"the other half", "at other positions",
			func(c *build.Context) { c.VPADDQ(half(reg.RSI, 32), reg.Y0, reg.Y0) }},
		{"always the first half", "at other positions",
			func(c *build.Context) { c.VPADDQ(mem(reg.RSI, 128), reg.Y0, reg.Y0) }},
		{"a store to the first half", "limb 0",
			func(c *build.Context) { c.VMOVDQU(reg.Y0, mem(reg.RDI, 0)) }},
		{"blocks that changed places", "at other positions", func(c *build.Context) {
			c.VPERM2I128(operand.U8(0x01), reg.Y0, reg.Y0, reg.Y2)
			c.VPADDQ(reg.Y0, reg.Y2, reg.Y2)
		}},
		{"constants that differ", "different numbers",
			func(c *build.Context) { c.VPADDQ(constant(c, 1, 2), reg.Y0, reg.Y0) }},
		{"a shift that extends the sign", "",
			func(c *build.Context) { shift(c, 1<<11, true, true) }},
		{"the sign at another place", "as if it were not negative",
			func(c *build.Context) { shift(c, 1<<10, true, true) }},
		{"a shift without the sign", "as if it were not negative",
			func(c *build.Context) { shift(c, 1<<11, false, false) }},
		{"a sign that is not flipped", "as if it were not negative",
			func(c *build.Context) { shift(c, 1<<11, false, true) }},
		{"a sign that is not extended", "as if it were not negative",
			func(c *build.Context) { shift(c, 1<<11, true, false) }},
		{"a product in two parts", "", func(c *build.Context) { multiply(c, true) }},
		{"a product without its upper part", "left out are lost",
			func(c *build.Context) { multiply(c, false) }},
		{"a choice by a bit", "", func(c *build.Context) { subtract(c, false) }},
		{"a choice of the other lanes", "from 52 up are lost",
			func(c *build.Context) { subtract(c, true) }},
		{"a choice by numbers", "by what is no mask",
			func(c *build.Context) { c.VPBLENDVB(reg.Y0, reg.Y0, reg.Y1, reg.Y2) }},
		{"signs of numbers", "of what is no mask",
			func(c *build.Context) { c.VMOVMSKPD(reg.Y0, reg.EAX) }},
		{"signs of masks", "", func(c *build.Context) {
			c.VPCMPEQQ(reg.Y0, reg.Y7, reg.Y2)
			c.VPCMPEQQ(reg.Y1, reg.Y7, reg.Y3)
			c.VPOR(reg.Y2, reg.Y3, reg.Y2)
			c.VMOVMSKPD(reg.Y2, reg.EAX)
		}},
		{"a choice by references", "", func(c *build.Context) {
			c.VPCMPEQQ(half(reg.R10, 0), reg.Y7, reg.Y2)
			c.VPBLENDVB(reg.Y2, reg.Y1, reg.Y0, reg.Y0)
			c.VMOVDQU(reg.Y0, out(0))
		}},
		{"words under a mask of references", "", func(c *build.Context) {
			c.VPCMPGTQ(half(reg.R10, 0), reg.Y7, reg.Y2)
			c.VPAND(reg.Y1, reg.Y2, reg.Y2)
			c.VMOVDQU(reg.Y2, out(0))
		}},
		{"a mask of numbers by a comparison of sizes", "without a rule",
			func(c *build.Context) { c.VPCMPGTQ(reg.Y1, reg.Y7, reg.Y2) }},
		{"a mask among references", "", func(c *build.Context) {
			c.VPCMPEQQ(half(reg.R10, 0), reg.Y7, reg.Y2)
			c.VPXOR(half(reg.R10, 0), reg.Y2, reg.Y2)
			c.VPCMPEQQ(reg.Y2, reg.Y7, reg.Y2)
			c.VPAND(reg.Y1, reg.Y2, reg.Y2)
			c.VMOVDQU(reg.Y2, out(0))
		}},
		{"a mask whose blocks changed places", "at other positions", func(c *build.Context) {
			c.VPCMPEQQ(half(reg.R10, 0), reg.Y7, reg.Y2)
			c.VPERM2I128(operand.U8(0x01), reg.Y2, reg.Y2, reg.Y2)
			c.VPBLENDVB(reg.Y2, reg.Y1, reg.Y0, reg.Y0)
		}},
		{"a test of poison", "a test of poison",
			func(c *build.Context) { c.VPCMPEQQ(half(reg.R8, 0), reg.Y7, reg.Y2) }},
		{"signs of poison", "a test of poison", func(c *build.Context) {
			c.VMOVDQU(half(reg.R8, 0), reg.Y2)
			c.VMOVMSKPD(reg.Y2, reg.EAX)
		}},
		{"words of rows", "", func(c *build.Context) {
			rows(c, 0x31)
			c.VPSRLQ(operand.U8(13), reg.Y2, reg.Y2)
			c.VPSRLQ(operand.U8(13), reg.Y3, reg.Y3)
			c.VMOVDQU(reg.Y2, out(0))
			c.VMOVDQU(reg.Y3, out(1))
		}},
		{"different words of rows", "different words", func(c *build.Context) {
			rows(c, 0x30)
			c.VPSRLQ(operand.U8(13), reg.Y2, reg.Y2)
		}},
		{"words of rows at other lanes", "at other positions", func(c *build.Context) {
			rows(c, 0x31)
			c.VPSRLQ(operand.U8(13), reg.Y2, reg.Y2)
			c.VPERM2I128(operand.U8(0x01), reg.Y2, reg.Y2, reg.Y2)
			c.VPADDQ(reg.Y2, reg.Y0, reg.Y0)
		}},
		{"a loop with a carry", "", func(c *build.Context) { accumulate(c, true) }},
		{"a loop in which a sum grows", "differ from round to round",
			func(c *build.Context) { accumulate(c, false) }},
		{"a product of halves", "", product},
		{"a factor of 53 bits", "may be rounded", func(c *build.Context) {
			c.VPADDQ(reg.Y0, reg.Y0, reg.Y0)
			product(c)
		}},
		{"a product to nearest", "MXCSR, which is 0x1f80", func(c *build.Context) {
			c.MOVL(operand.U32(0x1f80), reg.EAX)
			next := c.AllocLocal(8)
			c.MOVQ(reg.RAX, next)
			c.LDMXCSR(next)
			product(c)
		}},
		{"a product of 52-bit factors", "", func(c *build.Context) { multiplyAdd(c, true) }},
		{"a product without its high half", "the high half",
			func(c *build.Context) { multiplyAdd(c, false) }},
		{"a general register among limbs", "not tracked",
			func(c *build.Context) { c.MOVQ(reg.RCX, out(0)) }},
	} {
		failure := rangeFailure(t, func(c *build.Context) {
			saved := setMXCSR(c, 0x7f80)
			c.Label("round")
			c.XORL(reg.R13L, reg.R13L)
			c.Label("half")
			c.VMOVDQU(half(reg.RSI, 0), reg.Y0)
			c.VMOVDQU(half(reg.RSI, 64), reg.Y1)
			c.VPXOR(reg.Y7, reg.Y7, reg.Y7)
			test.body(c)
			c.ADDQ(operand.I8(32), reg.R13)
			c.CMPQ(reg.R13, operand.I8(64))
			c.JNE(operand.LabelRef("half"))
			if strings.HasSuffix(test.name, "each round") {
				c.DECQ(reg.RCX)
				c.JNE(operand.LabelRef("round"))
			}
			c.LDMXCSR(saved)
			c.VZEROALL()
		})
		if (failure == "") != (test.want == "") || !strings.Contains(failure, test.want) {
			t.Errorf("%s: %q, want %q", test.name, failure, test.want)
		}
	}
}
