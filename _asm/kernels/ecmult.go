package kernels

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cleared is a line in the contracts of the kernels that read tables.
const cleared = "On return, no vector register holds data from table or index."

func ecmult() []Kernel {
	doc := " sets e to entry index of table. table is not empty, and\n" +
		"index is in range. The order of reads does not depend on index: the kernel reads\n" +
		"every byte of table. index is secret, although it is passed by value.\n" +
		cleared
	return []Kernel{
		{
			Name: "readPackedAVX2", Package: "ecmult", File: "read_amd64",
			Signature: "func(e *entry, table string, index uint64)",
			Layout:    "func(e *uint64, table string, index uint64)",
			Doc: "readPackedAVX2" + doc +
				"\nlen(table) is a multiple of the 64 bytes of an entry.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, true) },
		},
		{
			Name: "readAVX2", Package: "ecmult", File: "read_amd64",
			Signature:    "func(e *entry, table []entry, index uint64)",
			Layout:       "func(e *uint64, table [][8]uint64, index uint64)",
			Doc:          "readAVX2" + doc,
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, false) },
		},
		{
			Name: "readPackedAVX512", Package: "ecmult", File: "read_amd64",
			Signature: "func(e *entry, table string, index uint64)",
			Layout:    "func(e *uint64, table string, index uint64)",
			Doc: "readPackedAVX512" + doc +
				"\nlen(table) is a multiple of the 64 bytes of an entry. " +
				"table has at most 64 entries.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTableAVX512(c, true) },
		},
		{
			Name: "readAVX512", Package: "ecmult", File: "read_amd64",
			Signature:    "func(e *entry, table []entry, index uint64)",
			Layout:       "func(e *uint64, table [][8]uint64, index uint64)",
			Doc:          "readAVX512" + doc + "\ntable has at most 64 entries.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTableAVX512(c, false) },
		},
	}
}

// table loads the arguments of a kernel that reads a table. The register base gets the address of
// the table, count gets its number of entries, and every lane of index gets the index.
func table(c *build.Context, packed bool, base, count reg.GPPhysical, index reg.VecPhysical) {
	c.Load(c.Param("table").Base(), base)
	c.Load(c.Param("table").Len(), count)
	offset := 32
	if packed {
		c.SHRQ(operand.U8(6), count)
		offset = 24
	}
	c.VPBROADCASTQ(operand.NewParamAddr("index", offset), index)
}

// readTable writes code that reads a table entry by index in constant time. A counter, repeated in
// a vector, starts at the index and decreases by one for each entry read. Comparing it with zero
// gives a mask of ones at the wanted entry only, and the mask is applied to both halves of each
// entry.
func readTable(c *build.Context, packed bool) {
	e, at, count := reg.RDI, reg.RSI, reg.RCX
	counter, minus, zero := reg.Y0, reg.Y1, reg.Y2
	x, y := reg.Y3, reg.Y4 // halves of the selected entry
	mask, tx, ty := reg.Y5, reg.Y6, reg.Y7

	argument(c, "e", e)
	table(c, packed, at, count, counter)
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

// readTableAVX512 writes code that reads a table entry by index in constant time. One bit of a word
// is set. It moves up by one position for each entry read, and is the sign bit at the wanted entry.
// So each entry takes one shift, from which the mask register is made, and one masked addition that
// loads the entry. A masked load would take fewer instructions, but the CPU may skip loads that the
// mask disables, which would reveal the index.
func readTableAVX512(c *build.Context, packed bool) {
	e, at, count := reg.RDI, reg.RSI, reg.RCX
	hot, sum, other := reg.Z0, reg.Z1, reg.Z2
	masks := [4]reg.VecPhysical{reg.Z3, reg.Z4, reg.Z5, reg.Z6}

	argument(c, "e", e)
	table(c, packed, at, count, hot)
	c.VPTERNLOGQ(operand.U8(0xff), sum, sum, sum)
	c.VPSLLQ(operand.U8(63), sum, sum)
	c.VPSRLVQ(hot, sum, hot)
	c.VPXORQ(sum, sum, sum)
	c.VPXORQ(other, other, other)

	// entry adds table entry k to sum if the sign bit of mask is set.
	entry := func(k int, mask, sum reg.VecPhysical) {
		const orOfAnd = 0xf8
		c.VPSRAQ(operand.U8(63), mask, mask)
		c.VPTERNLOGQ(operand.U8(orOfAnd), operand.Mem{Base: at, Disp: 64 * k}, mask, sum)
	}
	c.SUBQ(operand.U8(4), count)
	c.JLT(operand.LabelRef("rest"))
	c.Label("four")
	c.VPADDQ(hot, hot, masks[1])
	c.VPSLLQ(operand.U8(2), hot, masks[2])
	c.VPADDQ(masks[2], masks[2], masks[3])
	c.VMOVDQA64(hot, masks[0])
	c.VPSLLQ(operand.U8(4), hot, hot)
	for k, mask := range masks {
		entry(k, mask, []reg.VecPhysical{sum, other}[k%2])
	}
	c.ADDQ(operand.U32(256), at)
	c.SUBQ(operand.U8(4), count)
	c.JGE(operand.LabelRef("four"))
	c.Label("rest")
	c.ADDQ(operand.U8(4), count)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	c.VMOVDQA64(hot, masks[0])
	c.VPADDQ(hot, hot, hot)
	entry(0, masks[0], sum)
	c.ADDQ(operand.U8(64), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.VPORQ(other, sum, sum)
	c.VMOVDQU64(sum, operand.Mem{Base: e})
	for _, r := range append(masks[:], hot, sum, other) {
		c.VPXORQ(r, r, r)
	}
	c.VZEROUPPER()
	c.RET()
}
