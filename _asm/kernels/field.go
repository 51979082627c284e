package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const noSplit = attr.NOSPLIT

func field() []Kernel {
	return []Kernel{
		{
			Name: "mulADX", Package: "field", File: "mul_amd64",
			Signature: "func(v, a, b *Element)", Layout: "func(v, a, b *uint64)",
			Doc: "mulADX sets v = a·b modulo p. a, b and v are loose (below 2^256, not always\n" +
				"below p). v may be a or b.",
			ConstantTime: true,
			Build:        fieldMultiply,
		},
		{
			Name: "squareNADX", Package: "field", File: "mul_amd64",
			Signature: "func(v, a *Element, n int)", Layout: "func(v, a *uint64, n int)",
			Doc: "squareNADX sets v = a^(2^n) modulo p, n ≥ 1. a and v are loose (below 2^256,\n" +
				"not always below p). v may be a. The time depends on n.",
			ConstantTime: true,
			Build:        func(c *build.Context) { fieldSquareN(c, false) },
		},
		{
			Name: "squareNVartimeADX", Package: "field", File: "mul_amd64",
			Signature: "func(v, a *Element, n int) (ok bool)", Layout: "func(v, a *uint64, n int) (ok bool)",
			Doc: "squareNVartimeADX sets v = a^(2^n) modulo p, n ≥ 1, and returns true. If a\n" +
				"carry goes beyond the limbs that the kernel corrects, it leaves v unchanged\n" +
				"and returns false. a and v are loose (below 2^256, not always below p). v\n" +
				"may be a. The time depends on n and reveals such a carry.",
			Build: func(c *build.Context) { fieldSquareN(c, true) },
		},
	}
}

// fieldMultiply writes the kernel mulADX. Both factors are read completely before v is written, so
// v may share their memory.
func fieldMultiply(c *build.Context) {
	m := machine(c)
	argument(c, "a", limbs.P0)
	argument(c, "b", limbs.P1)
	m.Product(limbs.At(limbs.Pointer(limbs.P0), 0), limbs.At(limbs.Pointer(limbs.P1), 0))
	argument(c, "v", limbs.P0)
	m.Store(limbs.At(limbs.Pointer(limbs.P0), 0))
	c.RET()
}

// fieldSquareN writes a kernel that squares a field element several times. It keeps the value in
// registers from one squaring to the next, and the count in the frame, because no register is free.
func fieldSquareN(c *build.Context, vartime bool) {
	m := machine(c)
	if vartime {
		m.Far = far
	}
	x := limbs.Number{limbs.W[0], reg.RSI, reg.RDI, limbs.W[7]}
	count := c.AllocLocal(8)
	argument(c, "n", reg.RAX)
	c.MOVQ(reg.RAX, count)
	argument(c, "a", reg.RBX)
	m.Load(x, limbs.At(limbs.Pointer(reg.RBX), 0))
	c.Label("loop")
	m.Square(x)
	m.Fold()
	m.Close()
	c.MOVQ(limbs.W[1], x[1])
	c.MOVQ(limbs.W[2], x[2])
	c.MOVQ(limbs.W[3], x[3])
	c.DECQ(count)
	c.JNZ(operand.LabelRef("loop"))
	argument(c, "v", reg.RAX)
	m.Store(limbs.At(limbs.Pointer(reg.RAX), 0))
	finish(c, vartime)
}
