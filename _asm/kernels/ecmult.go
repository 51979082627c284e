package kernels

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func ecmult() []Kernel {
	doc := " sets e to entry index of a table, which has at least\n" +
		"one and index of which it has. It reads every byte of the table in the same\n" +
		"order whatever the index, which is secret though it is passed by value.\n" +
		"Vector registers are left clear."
	return []Kernel{
		{
			Name: "readPackedAVX2", Package: "ecmult", File: "read_amd64",
			Signature: "func(e *entry, table string, index uint64)", Layout: "func(e *uint64, table string, index uint64)",
			Doc:          "readPackedAVX2" + doc + " The length of\nthe table is a multiple of that of an entry.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, true) },
		},
		{
			Name: "readAVX2", Package: "ecmult", File: "read_amd64",
			Signature: "func(e *entry, table []entry, index uint64)", Layout: "func(e *uint64, table [][8]uint64, index uint64)",
			Doc:          "readAVX2" + doc,
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, false) },
		},
	}
}

// readTable compares a counter, which starts at the index and goes down by one an
// entry, with zero, and applies the mask to both halves of the entry.
func readTable(c *build.Context, packed bool) {
	e, at, count := reg.RDI, reg.RSI, reg.RCX
	counter, minus, zero := reg.Y0, reg.Y1, reg.Y2
	x, y := reg.Y3, reg.Y4 // the sum: the halves of the entry
	mask, tx, ty := reg.Y5, reg.Y6, reg.Y7

	argument(c, "e", e)
	c.Load(c.Param("table").Base(), at)
	c.Load(c.Param("table").Len(), count)
	if packed {
		c.SHRQ(operand.U8(6), count)
	}
	index := 24
	if !packed {
		index = 32
	}
	c.VPBROADCASTQ(operand.NewParamAddr("index", index), counter)
	c.VPXOR(zero, zero, zero)
	c.VPXOR(x, x, x)
	c.VPXOR(y, y, y)
	c.VPCMPEQQ(zero, zero, minus)

	entry := func(k int) {
		m := operand.Mem{Base: at, Disp: 64 * k}
		c.VPCMPEQQ(zero, counter, mask)
		c.VPADDQ(minus, counter, counter)
		c.VPAND(m, mask, tx)
		c.VPAND(m.Offset(32), mask, ty)
		c.VPOR(tx, x, x)
		c.VPOR(ty, y, y)
	}
	c.SUBQ(operand.U8(4), count)
	c.JLT(operand.LabelRef("rest"))
	c.Label("four")
	for k := range 4 {
		entry(k)
	}
	c.ADDQ(operand.U32(256), at)
	c.SUBQ(operand.U8(4), count)
	c.JGE(operand.LabelRef("four"))
	c.Label("rest")
	c.ADDQ(operand.U8(4), count)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	entry(0)
	c.ADDQ(operand.U8(64), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.VMOVDQU(x, operand.Mem{Base: e})
	c.VMOVDQU(y, operand.Mem{Base: e, Disp: 32})
	for _, r := range []reg.VecPhysical{counter, x, y, mask, tx, ty} {
		c.VPXOR(r, r, r)
	}
	c.VZEROUPPER()
	c.RET()
}
