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
		l.kernel("lanewise", "rows", "lookupPacked",
			"func(p *lanes.Affine, tables *[lanes.Width]string, words *[3]lanes.Vector, "+
				"shift, width, skip int)",
			"func(p, tables, words *uint64, shift, width, skip int)",
			" sets lane j of p, reduced, to d·P. d is the digit of lane j, and P\n"+
				"is the point whose odd multiples are in tables[j]."+digit+
				"is the 64 bytes of tables[j] from byte 64·(skip + i) on"+entry,
			func(c *build.Context, m *vectors.Machine) {
				row := digitRows(c, m, true)
				loadPoint(c, m, row)
			}),
		l.kernel("lanewise", "rows", "prefetchPacked",
			"func(tables *[lanes.Width]string, words *[3]lanes.Vector, shift, width, skip int)",
			"func(tables, words *uint64, shift, width, skip int)",
			" prefetches the table entries that lookupPacked"+l.name+" reads if\n"+
				"it is called with the same arguments.",
			func(c *build.Context, m *vectors.Machine) {
				rows := digitRows(c, m, false)
				for _, r := range rows[:m.Lanes()] {
					c.PREFETCHT0(r)
				}
				m.ReturnPublic()
			}),
		l.kernel("eisenstein", "rows", "loadRows",
			"func(p *lanes.Affine, tables []lanes.Packed, digits *lanes.Vector) (some lanes.Mask)",
			"func(p *uint64, tables []uint64, digits *uint64) (some_bits uint8)",
			" sets lane j of p, reduced, to the multiple for the digit d = digits[j]. The\n"+
				"coordinates are four 64-bit limbs each, canonical, in tables: y at byte\n"+
				"(d & ^1023) + 64·j + 32, and x at byte (d & ^95) + 64·j. The kernel negates y if\n"+
				"bit 4 of d is set, and returns the mask of the lanes j in which bit 6 of d is set.\n"+
				"It does not check bounds.",
			func(c *build.Context, m *vectors.Machine) {
				argument(c, "tables", reg.RSI)
				argument(c, "digits", reg.RDI)
				flags, bit := m.Register(), m.Register()
				c.VMOVDQU64(operand.Mem{Base: reg.RDI}, flags)
				for _, f := range []struct {
					left uint8
					mask reg.OpmaskPhysical
				}{{63 - 4, reg.K1}, {63 - 6, reg.K2}} {
					c.VPSLLQ(operand.U8(f.left), flags, bit)
					c.VPSRAQ(operand.U8(63), bit, bit)
					c.VPTESTMQ(bit, bit, f.mask)
				}
				m.Release(flags, bit)
				c.KMOVB(reg.K2, reg.EAX)
				c.Store(reg.AL, c.Return("some_bits"))
				load := func(mask operand.Op, offset int) vectors.Element {
					w := m.LoadHalves(func(j int) operand.Mem {
						r := pointers[j]
						c.MOVQ(operand.Mem{Base: reg.RDI, Disp: 8 * j}, r)
						c.ANDQ(mask, r)
						return operand.Mem{Base: reg.RSI, Index: r, Scale: 1, Disp: 64*j + offset}
					})
					return m.Split(w[:])
				}
				x := load(operand.I8(^95), 0)
				y := load(operand.I32(^1023), 32)
				m.NegateLanes(y, reg.K1)
				argument(c, "p", reg.RSI)
				m.Store(x, coordinates(reg.RSI, 0))
				m.Store(y, coordinates(reg.RSI, 1))
				m.ReturnPublic()
			}),
	}
}

// pointers lists the registers for the addresses of eight rows. R15 is not among them, because the
// linker may use it.
var pointers = [8]reg.GPPhysical{
	reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.R8, reg.R9, reg.R10, reg.R11,
}

// digitRows returns, for each lane, the address of the entry for the lane's digit in the lane's
// table. If sign is set, K1 becomes the mask of the lanes with negative digits.
func digitRows(c *build.Context, m *vectors.Machine, sign bool) (row [8]operand.Mem) {
	line := m.Scratch(64, reg.RDI)
	code, next, half := m.Register(), m.Register(), m.Register()
	digitIndex(c, 3, code, [4]reg.VecPhysical{next, half, reg.Z30, reg.Z31}, sign)
	argument(c, "skip", reg.RAX)
	c.VPBROADCASTQ(reg.RAX, next)
	c.VPADDQ(next, code, code)
	c.VPSLLQ(operand.U8(6), code, code)
	argument(c, "tables", reg.RSI)
	c.VMOVDQU64(code, line)
	m.Release(code, next, half)
	for j, r := range pointers[:m.Lanes()] {
		c.MOVQ(line.Offset(8*j), r)
		c.ADDQ(operand.Mem{Base: reg.RSI, Disp: 16 * j}, r)
		row[j] = operand.Mem{Base: r}
	}
	return row
}

// digitIndex sets index to the index of each lane's digit among the odd multiples of a point: (|d|
// − 1)/2 for the digit d. The arguments words, shift and width of the kernel say which bits encode
// the digit; words has the given number of words for each lane. If sign is set, K1 becomes the mask
// of the lanes with negative digits.
//
// code is the digit as it is stored in the scalar. If code − 2^(width−1) is not negative, the digit
// is positive, and the difference is the entry's index. Otherwise the digit is negative, and the
// difference is −1 − index, that is, the index with all bits inverted.
func digitIndex(
	c *build.Context, words int, index reg.VecPhysical, scratch [4]reg.VecPhysical, sign bool,
) {
	code, next, half := index, scratch[0], scratch[1]
	count, rest := scratch[2].AsX(), scratch[3].AsX()
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
	c.CMPQ(reg.RAX, operand.U32(64*(words-1)))
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
