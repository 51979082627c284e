package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesVartime returns the variable-time kernels that read points for the lanes. Such a kernel
// reads memory at addresses that depend on its inputs.
func (l *laneLevel) lanesVartime() []Kernel {
	const digit = "\n" +
		"Lane j of words is a number of 192 bits. Its width bits from bit shift up are the\n" +
		"number code. The digit of lane j is the odd number 2·code − (2^width − 1).\n" +
		"1 ≤ width ≤ 63, and shift + width ≤ 192. The kernel does not check bounds.\n\n" +
		"The entry for (2i + 1)·P "
	const entry = ":\nx, then y, as four 64-bit limbs each, canonical."
	return []Kernel{
		l.kernel("blocks", "rows", "lookup",
			"func(p *lanes.Affine, table []lanes.Packed, words *[3]lanes.Vector, shift, width int)",
			"func(p *uint64, table []uint64, words *uint64, shift, width int)",
			" sets lane j of p, reduced, to d·P. d is the digit of lane j, and P is the\n"+
				"point whose odd multiples are row j of the elements of table."+digit+
				"is row j of element i of table"+entry,
			func(c *build.Context, m *vectors.Machine) {
				row := digitRows(c, m, false, true)
				loadPoint(c, m, row)
			}),
		l.kernel("blocks", "rows", "lookupPacked",
			"func(p *lanes.Affine, tables *[lanes.Width]string, words *[3]lanes.Vector, "+
				"shift, width, skip int)",
			"func(p, tables, words *uint64, shift, width, skip int)",
			" sets lane j of p, reduced, to d·P. d is the digit of lane j, and P\n"+
				"is the point whose odd multiples are in tables[j]."+digit+
				"is the 64 bytes of tables[j] from byte 64·(skip + i) on"+entry,
			func(c *build.Context, m *vectors.Machine) {
				row := digitRows(c, m, true, true)
				loadPoint(c, m, row)
			}),
		l.kernel("blocks", "rows", "prefetchPacked",
			"func(tables *[lanes.Width]string, words *[3]lanes.Vector, shift, width, skip int)",
			"func(tables, words *uint64, shift, width, skip int)",
			" prefetches the table entries that lookupPacked"+l.name+" reads if\n"+
				"it is called with the same arguments.",
			func(c *build.Context, m *vectors.Machine) {
				rows := digitRows(c, m, true, false)
				for _, r := range rows[:m.Lanes()] {
					c.PREFETCHT0(r)
				}
				m.ReturnPublic()
			}),
		l.kernel("sums", "rows", "loadRows",
			"func(p *lanes.Affine, tables []lanes.Packed, offsets *lanes.Vector, neg lanes.Mask)",
			"func(p *uint64, tables []uint64, offsets *uint64, neg_bits uint8)",
			" sets lane j of p, reduced, to the point at byte offsets[j] of tables,\n"+
				"and negates it if lane j is set in neg. A point in tables is x, then y, as four\n"+
				"64-bit limbs each, canonical. The kernel does not check bounds.",
			func(c *build.Context, m *vectors.Machine) {
				argument(c, "tables", reg.RSI)
				argument(c, "offsets", reg.RDI)
				laneMask(c, "neg_bits", reg.K1)
				var row [8]operand.Mem
				for j, r := range pointers[:m.Lanes()] {
					c.MOVQ(operand.Mem{Base: reg.RDI, Disp: 8 * j}, r)
					row[j] = operand.Mem{Base: reg.RSI, Index: r, Scale: 1}
				}
				loadPoint(c, m, row)
			}),
	}
}

// pointers lists the registers for the addresses of eight rows. R15 is not among them, because the
// linker may use it.
var pointers = [8]reg.GPPhysical{
	reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.R8, reg.R9, reg.R10, reg.R11,
}

// digitRows returns, for each lane, the address of the table entry for the lane's digit. There is
// one table for all lanes, or, if packed is set, a packed table for each lane. If sign is set, K1
// becomes the mask of the lanes with negative digits.
//
// code is the digit as it is stored in the scalar. If code − 2^(width−1) is not negative, the digit
// is positive, and the difference is the entry's index. Otherwise the digit is negative, and the
// difference is −1 − index, that is, the index with all bits inverted.
func digitRows(c *build.Context, m *vectors.Machine, packed, sign bool) (row [8]operand.Mem) {
	line := m.Scratch(64, reg.RDI)
	count, rest := reg.X30, reg.X31
	code, next, half := m.Register(), m.Register(), m.Register()

	argument(c, "words", reg.RSI)
	argument(c, "shift", reg.RAX)
	c.MOVQ(reg.RAX, reg.RBX)
	c.ANDQ(operand.I8(63), reg.RBX)
	c.VMOVQ(reg.RBX, count)
	c.SUBQ(operand.I8(64), reg.RBX)
	c.NEGQ(reg.RBX)
	c.VMOVQ(reg.RBX, rest)
	c.ANDQ(operand.I8(-64), reg.RAX)
	c.VMOVDQU64(operand.Mem{Base: reg.RSI, Index: reg.RAX, Scale: 1}, code)
	c.VPSRLQ(count, code, code)
	c.CMPQ(reg.RAX, operand.U32(128))
	c.JEQ(operand.LabelRef("last"))
	// Add the bits from the next word. If the digit begins at bit 0 of its word, the shift count,
	// rest, is 64, and the shift leaves no bits of the next word.
	c.VMOVDQU64(operand.Mem{Base: reg.RSI, Index: reg.RAX, Scale: 1, Disp: 64}, next)
	c.VPSLLQ(rest, next, next)
	c.VPORQ(next, code, code)
	c.Label("last")

	argument(c, "width", reg.RCX)
	c.DECQ(reg.RCX)
	c.MOVL(operand.U32(1), reg.EAX)
	c.SHLQ(reg.CL, reg.RAX)
	c.VPBROADCASTQ(reg.RAX, half)
	c.LEAQ(operand.Mem{Base: reg.RAX, Index: reg.RAX, Scale: 1, Disp: -1}, reg.RAX)
	c.VPBROADCASTQ(reg.RAX, next)
	c.VPANDQ(next, code, code)
	c.VPSUBQ(half, code, code)
	c.VPSRAQ(operand.U8(63), code, next)
	if sign {
		c.VPTESTMQ(next, next, reg.K1)
	}
	c.VPXORQ(next, code, code)
	if packed {
		argument(c, "skip", reg.RAX)
		c.VPBROADCASTQ(reg.RAX, next)
		c.VPADDQ(next, code, code)
		c.VPSLLQ(operand.U8(6), code, code)
		argument(c, "tables", reg.RSI)
	} else {
		c.VPSLLQ(operand.U8(9), code, code)
		argument(c, "table", reg.RSI)
	}
	c.VMOVDQU64(code, line)
	m.Release(code, next, half)
	for j, r := range pointers[:m.Lanes()] {
		c.MOVQ(line.Offset(8*j), r)
		if packed {
			c.ADDQ(operand.Mem{Base: reg.RSI, Disp: 16 * j}, r)
			row[j] = operand.Mem{Base: r}
		} else {
			row[j] = operand.Mem{Base: reg.RSI, Index: r, Scale: 1, Disp: 64 * j}
		}
	}
	return row
}

// loadPoint sets the argument p to the points at the addresses in rows, and negates the points in
// the lanes that K1 selects.
func loadPoint(c *build.Context, m *vectors.Machine, rows [8]operand.Mem) {
	w := m.LoadRows(rows)
	argument(c, "p", reg.RSI)
	x := m.Split(w[:4])
	m.Store(x, coordinates(reg.RSI, 0))
	m.Drop(x)
	y := m.Split(w[4:])
	m.NegateLanes(y, reg.K1)
	m.Store(y, coordinates(reg.RSI, 1))
	m.ReturnPublic()
}
