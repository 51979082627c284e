package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowKernel is a kernel of a package below vartime: which memory it reads depends on
// what the pointers point to.
func rowKernel(pkg, name, signature, layout, doc string, body func(c *build.Context, m *vectors.Machine)) Kernel {
	return Kernel{
		Name: name, Package: pkg, File: "rows_amd64",
		Signature: signature, Layout: layout, Doc: name + doc,
		Build: func(c *build.Context) { body(c, vectors.New(c, name)) },
	}
}

func lanesVartime() []Kernel {
	const digit = "\nLane j's digit is 2·code − (2^width − 1), where code is the width bits, from bit\nshift on, of the 192 bits that lane j of words holds; 1 ≤ width ≤ 63, and\nshift + width ≤ 192. The entry at base + offsets[j] + 64·i is (2i + 1)·P, x, then\ny, four 64-bit limbs each, canonical. All of them must be there: no bound is\nchecked."
	return []Kernel{
		rowKernel("blocks", "lookupIFMA", "func(p *lanes.Affine, base *byte, offsets *lanes.Vector, words *[3]lanes.Vector, shift, width int)",
			"func(p *uint64, base *byte, offsets, words *uint64, shift, width int)",
			" sets lane j of p, reduced, to a digit of lane j times a point P that has\na table of odd multiples."+digit, func(c *build.Context, m *vectors.Machine) {
				row := digitRows(c, m, true)
				loadPoint(c, m, row)
			}),
		rowKernel("blocks", "prefetchIFMA", "func(base *byte, offsets *lanes.Vector, words *[3]lanes.Vector, shift, width int)",
			"func(base *byte, offsets, words *uint64, shift, width int)",
			" brings the entries that lookupIFMA would read with the same arguments\ninto the cache.", func(c *build.Context, m *vectors.Machine) {
				for _, r := range digitRows(c, m, false) {
					c.PREFETCHT0(r)
				}
				m.ReturnPublic()
			}),
		rowKernel("sums", "loadRowsIFMA", "func(p *lanes.Affine, base *byte, offsets *lanes.Vector, neg lanes.Mask)",
			"func(p *uint64, base *byte, offsets *uint64, neg uint8)",
			" sets lane j of p, reduced, to the point in the 64 bytes at\nbase + offsets[j], negated in the lanes of neg: x, then y, four 64-bit limbs\neach, canonical.", func(c *build.Context, m *vectors.Machine) {
				argument(c, "base", reg.RSI)
				argument(c, "offsets", reg.RDI)
				laneMask(c, "neg", reg.K1)
				loadPoint(c, m, offsetRows(c))
			}),
		rowKernel("blocks", "storeRowsIFMA", "func(base *byte, offsets *lanes.Vector, p *lanes.Affine)",
			"func(base *byte, offsets, p *uint64)",
			" writes lane j of p, canonical, to the 64 bytes at\nbase + offsets[j], as loadRowsIFMA reads it. The rows do not overlap.", func(c *build.Context, m *vectors.Machine) {
				argument(c, "p", reg.RAX)
				w := canonicalWords(m, reg.RAX)
				argument(c, "base", reg.RSI)
				argument(c, "offsets", reg.RDI)
				m.StoreRows(w, offsetRows(c))
				m.ReturnPublic()
			}),
	}
}

// pointers holds the addresses of eight rows. R15 is left to the linker.
var pointers = [8]reg.GPPhysical{reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.R8, reg.R9, reg.R10, reg.R11}

// offsetRows returns the rows at SI plus the offsets in memory at DI.
func offsetRows(c *build.Context) (row [8]operand.Mem) {
	for j, r := range pointers {
		c.MOVQ(operand.Mem{Base: reg.RDI, Disp: 8 * j}, r)
		row[j] = operand.Mem{Base: reg.RSI, Index: r, Scale: 1}
	}
	return row
}

// digitRows returns the rows of the entries for a digit. K1 is set to the lanes
// of negative ones if sign is set.
//
// code − 2^(width−1) is the entry's index for a positive digit. For a negative
// one it is −1 − index, the index with all bits inverted.
func digitRows(c *build.Context, m *vectors.Machine, sign bool) [8]operand.Mem {
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
	// For a count of 0, rest is 64, which leaves nothing of the next word.
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
	c.VPSLLQ(operand.U8(6), code, code)
	argument(c, "offsets", reg.RSI)
	c.VPADDQ(operand.Mem{Base: reg.RSI}, code, code)
	c.VMOVDQU64(code, line)
	m.Release(code, next, half)
	argument(c, "base", reg.RSI)
	return offsetRows(c)
}

// loadPoint sets p to the points in rows, negated in the lanes of K1.
func loadPoint(c *build.Context, m *vectors.Machine, row [8]operand.Mem) {
	w := m.LoadRows(row)
	argument(c, "p", reg.RSI)
	x := m.Split(w[:4])
	m.Store(x, coordinates(reg.RSI, 0))
	m.Drop(x)
	y := m.Split(w[4:])
	m.NegateLanes(y, reg.K1)
	m.Store(y, coordinates(reg.RSI, 1))
	m.ReturnPublic()
}
