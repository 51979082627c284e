package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
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
			Signature: "func(e *point.Entry, table string, index uint64)",
			Layout:    "func(e *uint64, table string, index uint64)",
			Doc: "readPackedAVX2" + doc +
				"\nlen(table) is a multiple of the 64 bytes of an entry.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, true) },
		},
		{
			Name: "readAVX2", Package: "ecmult", File: "read_amd64",
			Signature:    "func(e *point.Entry, table []point.Entry, index uint64)",
			Layout:       "func(e *uint64, table [][8]uint64, index uint64)",
			Doc:          "readAVX2" + doc,
			ConstantTime: true,
			Build:        func(c *build.Context) { readTable(c, false) },
		},
		{
			Name: "readPackedAVX512", Package: "ecmult", File: "read_amd64",
			Signature: "func(e *point.Entry, table string, index uint64)",
			Layout:    "func(e *uint64, table string, index uint64)",
			Doc: "readPackedAVX512" + doc +
				"\nlen(table) is a multiple of the 64 bytes of an entry. " +
				"table has at most 64 entries.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTableAVX512(c, true) },
		},
		{
			Name: "readAVX512", Package: "ecmult", File: "read_amd64",
			Signature:    "func(e *point.Entry, table []point.Entry, index uint64)",
			Layout:       "func(e *uint64, table [][8]uint64, index uint64)",
			Doc:          "readAVX512" + doc + "\ntable has at most 64 entries.",
			ConstantTime: true,
			Build:        func(c *build.Context) { readTableAVX512(c, false) },
		},
		readRound(),
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

// eachEntry writes a loop over all entries of a table. The register at points to the next entry,
// and count holds the number of entries. The functions write the code for four entries and for
// one.
func eachEntry(c *build.Context, at, count reg.GPPhysical, four, one func()) {
	c.SUBQ(operand.U8(4), count)
	c.JLT(operand.LabelRef("rest"))
	c.Label("four")
	four()
	c.ADDQ(operand.U32(256), at)
	c.SUBQ(operand.U8(4), count)
	c.JGE(operand.LabelRef("four"))
	c.Label("rest")
	c.ADDQ(operand.U8(4), count)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	one()
	c.ADDQ(operand.U8(64), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
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
	eachEntry(c, at, count, func() {
		for k := range 4 {
			entry(k)
		}
	}, func() { entry(0) })
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
	eachEntry(c, at, count, func() {
		c.VPADDQ(hot, hot, masks[1])
		c.VPSLLQ(operand.U8(2), hot, masks[2])
		c.VPADDQ(masks[2], masks[2], masks[3])
		c.VMOVDQA64(hot, masks[0])
		c.VPSLLQ(operand.U8(4), hot, hot)
		for k, mask := range masks {
			entry(k, mask, []reg.VecPhysical{sum, other}[k%2])
		}
	}, func() {
		c.VMOVDQA64(hot, masks[0])
		c.VPADDQ(hot, hot, hot)
		entry(0, masks[0], sum)
	})
	c.VPORQ(other, sum, sum)
	c.VMOVDQU64(sum, operand.Mem{Base: e})
	for _, r := range append(masks[:], hot, sum, other) {
		c.VPXORQ(r, r, r)
	}
	c.VZEROUPPER()
	c.RET()
}

// readRound returns the kernel that reads eight points from a table whose entries are in lanes, and
// negates those for negative digits, in constant time.
func readRound() Kernel {
	l := laneLevels[0]
	k := l.kernel("ecmult", "read_lanes",
		"readRound", "func(a *lanes.Affine, table string, parts *[lanes.Width]uint64, pos uint64)",
		"func(a *uint64, table string, parts *[8]uint64, pos uint64)",
		" sets lane j of a to the point for the window in bits pos to\n"+
			"pos + w − 1 of parts[j], reduced. table holds 2^(w−1) entries of 256 bytes,\n"+
			"1 ≤ w ≤ 7, in the layout of roundsTable. The order of reads does not depend on\n"+
			"parts: the kernel reads every byte of table.\n"+
			"On return, no vector register holds data from table or parts.", lanesReadRound)
	k.ConstantTime = true
	return k
}

// lanesReadRound writes the kernel readRound. A row of 64 bytes holds two words of the points in
// lanes 0 to 3, which are also those of lanes 4 to 7. So each row is loaded once and added, under
// two masks, to the words of the lower four and of the upper four lanes. As in readTableAVX512, the
// masks are made of words with one bit set, which moves up by one position for each entry.
func lanesReadRound(c *build.Context, m *vectors.Machine) {
	const orOfAnd, ones = 0xf8, 0xff
	at, count := reg.RSI, reg.RCX
	negative := reg.K1
	c.Load(c.Param("table").Base(), at)
	c.Load(c.Param("table").Len(), count)
	c.SHRQ(operand.U8(8), count)

	// digits gets the windows and then the indices. The mask negative gets the lanes with negative
	// digits.
	argument(c, "parts", reg.RDI)
	digits, t, top := m.Register(), m.Register(), m.Register()
	c.VMOVDQU64(operand.Mem{Base: reg.RDI}, digits)
	c.VPBROADCASTQ(operand.NewParamAddr("pos", 32), t)
	c.VPSRLVQ(t, digits, digits)
	c.VPBROADCASTQ(count, top)
	c.VPTESTNMQ(top, digits, negative)
	c.VPTERNLOGQ(operand.U8(ones), t, t, t)
	c.VPXORQ(t, digits, negative, digits)
	c.VPADDQ(t, top, top)
	c.VPANDQ(top, digits, digits)

	// hot[h] has the bits for lanes 4·h to 4·h + 3, twice.
	var hot [2]reg.VecPhysical
	c.VPSLLQ(operand.U8(63), t, t)
	c.VPSRLVQ(digits, t, digits)
	for h, half := range []operand.U8{0x44, 0xee} {
		hot[h] = m.Register()
		c.VSHUFI64X2(half, digits, digits, hot[h])
	}
	m.Release(digits, t, top)
	var sum [4][2]reg.VecPhysical // words 2·k and 2·k + 1 of half h
	for k := range sum {
		for h := range sum[k] {
			sum[k][h] = m.Register()
			m.Zero(sum[k][h])
		}
	}
	masks := [2]reg.VecPhysical{m.Register(), m.Register()}
	rows := [4]reg.VecPhysical{m.Register(), m.Register(), m.Register(), m.Register()}
	c.Label("entry")
	for h := range hot {
		c.VPSRAQ(operand.U8(63), hot[h], masks[h])
		c.VPADDQ(hot[h], hot[h], hot[h])
	}
	for k, row := range rows {
		c.VMOVDQU64(operand.Mem{Base: at, Disp: 64 * k}, row)
		for h, mask := range masks {
			c.VPTERNLOGQ(operand.U8(orOfAnd), row, mask, sum[k][h])
		}
	}
	c.ADDQ(operand.U32(256), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("entry"))
	m.Release(hot[0], hot[1], masks[0], masks[1], rows[0], rows[1], rows[2], rows[3])

	argument(c, "a", reg.RDI)
	for k := range 2 {
		var w [4]operand.Op
		for i := range w {
			r := m.Register()
			c.VSHUFI64X2([]operand.U8{0x44, 0xee}[i%2], sum[2*k+i/2][1], sum[2*k+i/2][0], r)
			w[i] = r
		}
		e := m.Split(w[:])
		if k == 1 {
			m.NegateLanes(e, negative)
		}
		m.Store(e, coordinates(reg.RDI, k))
		m.Drop(e)
	}
	m.Return()
}
