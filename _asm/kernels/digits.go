package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file holds the kernels that read points for secret digits, one digit in each lane, in
// constant time. The coordinates in the tables are already cut into limbs. The kernels need neither
// IFMA nor FMA, so there is one for CPUs with AVX-512F and one for CPUs with AVX2.

// digits returns the kernels that read points for secret digits.
func digits() []Kernel {
	const digit = "The digit of lane j is the odd number 2·code − (2^width − 1), where code is the\n" +
		"number in the width bits of lane j of words from bit shift up. shift and width\n" +
		"are public. The time and the order of reads do not depend on words.\n" +
		"p must not overlap the other arguments.\n" +
		"On return, no vector register holds data from table or words."
	kernel := func(name, signature, layout, doc string, build func(c *build.Context)) Kernel {
		return Kernel{
			Name: name, Package: "ecmult", File: "digits_amd64", Signature: signature, Layout: layout,
			Doc: name + doc + digit, ConstantTime: true, Build: build,
		}
	}
	own := func(name string, build func(c *build.Context)) Kernel {
		return kernel(name, "func(p *lanes.Affine, table []lanes.Affine, words *[3]lanes.Vector, "+
			"shift, width int)", "func(p *uint64, table [][80]uint64, words *uint64, shift, width int)",
			" sets lane j of p to d·P for the digit d of lane j. The points (2·i + 1)·P\n"+
				"are in lane j of table[i]. All elements, including the result, are reduced.\n"+
				"len(table) is 2^(width−1), 1 ≤ width ≤ 7, and shift + width ≤ 192.\n"+
				"The kernel reads every byte of table.\n", build)
	}
	shared := func(name, reads string, build func(c *build.Context)) Kernel {
		return kernel(name, "func(p *lanes.Affine, table *[10][4]lanes.Vector, "+
			"words *[5]lanes.Vector, shift, width int)", "func(p, table, words *uint64, shift, width int)",
			" sets lane j of p to d·P for the digit d of lane j. Point i of table is\n"+
				"(2·i + 1)·P. Element e of table[k][g] is limb k of point 8·g + e: limbs 0 to 4 are\n"+
				"x, and limbs 5 to 9 are y. All elements, including the result, are reduced.\n"+
				"Only the first 2^(width−1) points need to be set, 1 ≤ width ≤ 6, and\n"+
				"shift + width ≤ 320. The kernel reads "+reads+".\n", build)
	}
	return []Kernel{
		own("readDigitsAVX512", readDigitsAVX512),
		shared("readSharedAVX512", "every byte of table", readSharedAVX512),
		own("readDigitsAVX2", readDigitsAVX2),
		shared("readSharedAVX2", "every byte of these points", readSharedAVX2),
	}
}

// readDigitsAVX512 writes the kernel readDigits for AVX-512F. As in readTableAVX512, the masks are
// made of words with one bit set, which moves up by one position for each entry.
func readDigitsAVX512(c *build.Context) {
	const orOfAnd, ones = 0xf8, 0xff
	m := vectors.New(c, "readDigitsAVX512", vectors.FMA)
	at, count := reg.RSI, reg.RCX
	hot, scratch := m.Register(), registers4(m)
	mask, t := scratch[0], scratch[1]
	digitIndex(c, 3, hot, scratch, true)
	c.VPTERNLOGQ(operand.U8(ones), t, t, t)
	c.VPSLLQ(operand.U8(63), t, t)
	c.VPSRLVQ(hot, t, hot)

	var sum [2]vectors.Element
	for k := range sum {
		for i := range sum[k] {
			r := m.Register()
			m.Zero(r)
			sum[k][i] = r
		}
	}
	c.Load(c.Param("table").Base(), at)
	c.Load(c.Param("table").Len(), count)
	c.Label("entry")
	c.VPSRAQ(operand.U8(63), hot, mask)
	c.VPADDQ(hot, hot, hot)
	for k := range sum {
		for i, limb := range coordinates(at, k) {
			c.VPTERNLOGQ(operand.U8(orOfAnd), limb, mask, sum[k][i])
		}
	}
	c.ADDQ(operand.U32(2*vectors.Size), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("entry"))
	m.Release(hot, mask, t, scratch[2], scratch[3])
	storeSigned(c, m, sum)
}

// readSharedAVX512 writes the kernel readShared for AVX-512F. A permutation of two registers
// selects one of 16 points by the lowest four bits of the index. The highest bit selects one of the
// results.
func readSharedAVX512(c *build.Context) {
	m := vectors.New(c, "readSharedAVX512", vectors.FMA)
	index, scratch := m.Register(), registers4(m)
	digitIndex(c, 5, index, scratch, true)
	c.VPTESTMQ_BCST(m.Constant(1<<4), index, reg.K2)
	m.Release(scratch[0], scratch[1], scratch[2], scratch[3])
	argument(c, "table", reg.RSI)
	var sum [2]vectors.Element
	for k := range sum {
		for i := range sum[k] {
			var found [2]reg.VecPhysical
			for h := range found {
				row := operand.Mem{Base: reg.RSI, Disp: 4*vectors.Width*(5*k+i) + 2*vectors.Width*h}
				lower := m.Register()
				found[h] = m.Register()
				c.VMOVDQU64(row, lower)
				c.VMOVDQA64(index, found[h])
				c.VPERMI2Q(row.Offset(vectors.Width), lower, found[h])
				m.Release(lower)
			}
			c.VMOVDQA64(found[1], reg.K2, found[0])
			m.Release(found[1])
			sum[k][i] = found[0]
		}
	}
	m.Release(index)
	storeSigned(c, m, sum)
}

// registers4 allocates four registers.
func registers4(m *vectors.Machine) [4]reg.VecPhysical {
	return [4]reg.VecPhysical{m.Register(), m.Register(), m.Register(), m.Register()}
}

// storeSigned sets the argument p to the points whose coordinates are in registers, and negates the
// points in the lanes that K1 selects. Then it returns.
func storeSigned(c *build.Context, m *vectors.Machine, point [2]vectors.Element) {
	argument(c, "p", reg.RDI)
	m.Store(point[0], coordinates(reg.RDI, 0))
	m.Drop(point[0])
	y := point[1]
	opposite := m.Negative(y)
	m.Reduce(opposite)
	for i := range y {
		c.VMOVDQA64(opposite[i], reg.K1, y[i])
	}
	m.Store(y, coordinates(reg.RDI, 1))
	m.Return()
}

// These are the registers of the kernels for AVX2. The first ten hold the limbs of four points, x
// and then y.
var (
	halfSum = [10]reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9,
	}
	halfIndex, halfNegative          = reg.Y10, reg.Y11
	halfMask, halfOnes, halfBytes    = reg.Y12, reg.Y13, reg.Y14
	halfRow, halfRowX, halfNegativeX = reg.Y15, reg.X15, reg.X11
)

// A halfTable describes how a kernel for AVX2 reads a table of entries.
type halfTable struct {
	words int // number of words of each lane's number
	entry int // bytes from an entry to the next
	half  int // bytes from the data for lanes 0 to 3 to the data for lanes 4 to 7
	// begin, if not nil, is called before the loop over the entries. It sets halfBytes, and may
	// change halfIndex and the number of entries in count.
	begin func(m *vectors.Machine, count reg.Register)
	// mask, if not nil, is called for each entry. halfMask is −1 in the lanes that need the entry,
	// and 0 in the others.
	mask func()
	// limb sets halfRow to limb k of the entry at the address at, in the lanes that need the entry,
	// and to 0 in the others.
	limb func(at reg.Register, k int)
}

// readDigitsAVX2 writes the kernel readDigits for AVX2.
func readDigitsAVX2(c *build.Context) {
	readHalves(c, "readDigitsAVX2", halfTable{
		words: 3, entry: 2 * vectors.Size, half: vectors.Width / 2,
		limb: func(at reg.Register, k int) {
			c.VPAND(operand.Mem{Base: at, Disp: vectors.Width * k}, halfMask, halfRow)
		},
	})
}

// readSharedAVX2 writes the kernel readShared for AVX2. An entry is a pair of points, whose limbs
// are 16 bytes. VPSHUFB selects the eight bytes of one point. In the lanes that need another entry
// it gives 0, because all bits of their selectors are set.
func readSharedAVX2(c *build.Context) {
	readHalves(c, "readSharedAVX2", halfTable{
		words: 5, entry: 16,
		begin: func(m *vectors.Machine, count reg.Register) {
			c.INCQ(count)
			c.SHRQ(operand.U8(1), count)
			// halfBytes gets the selectors of bytes 0 to 7 for points with an even index, and those
			// of bytes 8 to 15 for points with an odd index.
			c.VPSLLQ(operand.U8(63), halfIndex, halfBytes)
			c.VPXOR(halfMask, halfMask, halfMask)
			c.VPCMPGTQ(halfBytes, halfMask, halfBytes)
			c.VPBROADCASTQ(m.Constant(0x0808080808080808), halfMask)
			c.VPAND(halfMask, halfBytes, halfBytes)
			c.VPBROADCASTQ(m.Constant(0x0706050403020100), halfMask)
			c.VPOR(halfMask, halfBytes, halfBytes)
			c.VPSRLQ(operand.U8(1), halfIndex, halfIndex)
		},
		mask: func() { c.VPBLENDVB(halfMask, halfBytes, halfOnes, halfMask) },
		limb: func(at reg.Register, k int) {
			c.VBROADCASTI128(operand.Mem{Base: at, Disp: 4 * vectors.Width * k}, halfRow)
			c.VPSHUFB(halfMask, halfRow, halfRow)
		},
	})
}

// readHalves writes a kernel that reads the points for lanes 0 to 3, and then those for lanes 4 to
// 7 by the same instructions. A counter, repeated in a vector, starts at the index of the entry and
// decreases by one before each entry is read. So it is −1 at the wanted entry only.
func readHalves(c *build.Context, name string, t halfTable) {
	m := vectors.New(c, name, vectors.FMA)
	at, count, halves := reg.RSI, reg.RCX, reg.R11
	word, base, p := reg.R8, reg.R9, reg.R10
	argument(c, "words", word)
	argument(c, "table", base)
	argument(c, "p", p)
	c.MOVL(operand.U32(2), halves.As32())
	c.Label("half")
	halfDigits(c, t.words, word, count)
	if t.begin != nil {
		t.begin(m, count)
	}
	for _, r := range halfSum {
		c.VPXOR(r, r, r)
	}
	c.VPCMPEQQ(halfSum[0], halfSum[0], halfOnes)
	c.MOVQ(base, at)
	c.Label("entry")
	c.VPADDQ(halfOnes, halfIndex, halfIndex)
	c.VPCMPEQQ(halfOnes, halfIndex, halfMask)
	if t.mask != nil {
		t.mask()
	}
	for k, sum := range halfSum {
		t.limb(at, k)
		c.VPOR(halfRow, sum, sum)
	}
	c.ADDQ(operand.U32(uint32(t.entry)), at)
	c.DECQ(count)
	c.JNZ(operand.LabelRef("entry"))

	for k, r := range halfSum[:5] {
		c.VMOVDQU(r, operand.Mem{Base: p, Disp: vectors.Width * k})
	}
	negateHalf(c, m)
	for k, r := range halfSum[5:] {
		c.VMOVDQU(r, operand.Mem{Base: p, Disp: vectors.Width * (5 + k)})
	}
	c.ADDQ(operand.U8(vectors.Width/2), word)
	c.ADDQ(operand.U8(vectors.Width/2), p)
	if t.half > 0 {
		c.ADDQ(operand.U8(t.half), base)
	}
	c.DECQ(halves)
	c.JNZ(operand.LabelRef("half"))
	secret := append(halfSum[:], halfIndex, halfNegative, halfRow)
	if t.begin != nil {
		secret = append(secret, halfBytes)
	}
	for _, r := range secret {
		c.VPXOR(r, r, r)
	}
	c.VZEROUPPER()
	c.RET()
}

// halfDigits does the work of digitIndex for the four lanes of words at the address in word. It
// sets halfIndex to the indices, and halfNegative to −1 in the lanes with negative digits and to 0
// in the others. count gets 2^(width−1).
func halfDigits(c *build.Context, words int, word, count reg.GPPhysical) {
	code, next, nextX := halfIndex, halfRow, halfRowX
	argument(c, "shift", reg.RAX)
	c.MOVQ(reg.RAX, reg.RBX)
	c.ANDQ(operand.I8(63), reg.RBX)
	c.VMOVQ(reg.RBX, halfNegativeX)
	c.ANDQ(operand.I8(-64), reg.RAX)
	c.VMOVDQU(operand.Mem{Base: word, Index: reg.RAX, Scale: 1}, code)
	c.VPSRLQ(halfNegativeX, code, code)
	c.CMPQ(reg.RAX, operand.U32(64*(words-1)))
	c.JEQ(operand.LabelRef("last"))
	c.SUBQ(operand.I8(64), reg.RBX)
	c.NEGQ(reg.RBX)
	c.VMOVQ(reg.RBX, halfNegativeX)
	c.VMOVDQU(operand.Mem{Base: word, Index: reg.RAX, Scale: 1, Disp: 64}, next)
	c.VPSLLQ(halfNegativeX, next, next)
	c.VPOR(next, code, code)
	c.Label("last")

	argument(c, "width", reg.RCX)
	c.DECQ(reg.RCX)
	c.MOVL(operand.U32(1), reg.EAX)
	c.SHLQ(reg.CL, reg.RAX)
	c.LEAQ(operand.Mem{Base: reg.RAX, Index: reg.RAX, Scale: 1, Disp: -1}, reg.RBX)
	c.VMOVQ(reg.RBX, nextX)
	c.VPBROADCASTQ(nextX, next)
	c.VPAND(next, code, code)
	c.VMOVQ(reg.RAX, nextX)
	c.VPBROADCASTQ(nextX, next)
	c.VPSUBQ(next, code, code)
	c.VPXOR(next, next, next)
	c.VPCMPGTQ(code, next, halfNegative)
	c.VPXOR(halfNegative, code, code)
	c.MOVQ(reg.RAX, count)
}

// negateHalf negates y in the lanes in which halfNegative is −1. The registers of x, which the
// kernel has stored, first get 4·p − y, which is then reduced as by vectors.Machine.Reduce.
func negateHalf(c *build.Context, m *vectors.Machine) {
	y, opposite := halfSum[5:], halfSum[:5]
	part, constant := halfRow, halfMask
	for i, v := range vectors.Multiple(4, 2) {
		c.VPBROADCASTQ(m.Constant(v), opposite[i])
		c.VPSUBQ(y[i], opposite[i], opposite[i])
	}
	// C times the bits from 2^256 up is added to limb 0.
	c.VPSRLQ(operand.U8(48), opposite[4], part)
	c.VPBROADCASTQ(m.Constant(1<<48-1), constant)
	c.VPAND(constant, opposite[4], opposite[4])
	c.VPBROADCASTQ(m.Constant(vectors.C-1<<32), constant)
	c.VPMULUDQ(constant, part, constant)
	c.VPSLLQ(operand.U8(32), part, part)
	c.VPADDQ(constant, opposite[0], opposite[0])
	c.VPADDQ(part, opposite[0], opposite[0])

	c.VPBROADCASTQ(m.Constant(1<<52-1), constant)
	for i := range 4 {
		c.VPSRLQ(operand.U8(52), opposite[i], part)
		c.VPADDQ(part, opposite[i+1], opposite[i+1])
		c.VPAND(constant, opposite[i], opposite[i])
	}
	for i := range y {
		c.VPBLENDVB(halfNegative, opposite[i], y[i], y[i])
	}
}
