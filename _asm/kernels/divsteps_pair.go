package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halfSteps is the number of division steps in half a batch of [invertPair].
const halfSteps = batchSteps / 2

// A pair is the state of the division steps of two inversions, in four 64-bit lanes: two for the
// first inversion and two for the second. The lanes of one inversion hold the words
//
//	f + u·2^61/2^i    f + v·2^61/2^i    in the register h, halved, without the last bit
//	g + q·2^61/2^i    g + r·2^61/2^i    in the register g
//
// after i steps, where f and g are the low words, and (u, v; q, r) is the matrix of the i steps. So
// a step processes a low word and an entry of the matrix by the same instructions. All lanes of
// one inversion have the same last bits and the same y = δ - 1/2. sign is all ones for y < 0, and 0
// otherwise, and w is the exclusive or of h and sign.
type pair struct {
	*build.Context
	g, h, w, y, sign     reg.VecPhysical
	half, odd, swap, sum reg.VecPhysical
	minusOne             reg.VecPhysical
	constants            operand.Mem
}

// These are the offsets of the vectors in the constants of a pair.
const (
	maskH = 32 * iota
	maskG
	unitH
	unitG
	roundH
	roundG
	identityF
	identityG
	threeHalves
)

// stepConstants returns the constants of a pair.
func stepConstants(c *build.Context) operand.Mem {
	m := c.StaticGlobal("stepConstants")
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	set := func(at int, first, second uint64) {
		for k, x := range []uint64{first, second, first, second} {
			c.AddDatum(at+8*k, operand.U64(x))
		}
	}
	set(maskH, 1<<(halfSteps-1)-1, 1<<(halfSteps-1)-1)
	set(maskG, 1<<halfSteps-1, 1<<halfSteps-1)
	set(unitH, 1<<60, 0)
	set(unitG, 0, 1<<61)
	set(roundH, 1<<60+1<<(halfSteps-1), 1<<60+1<<(halfSteps-1))
	set(roundG, 1<<61+1<<halfSteps, 1<<61+1<<halfSteps)
	set(identityF, 1<<batchSteps+1, 1<<batchSteps)
	set(identityG, 1<<batchSteps, 1<<batchSteps+1)
	set(threeHalves, 3<<halfSteps, 3<<halfSteps)
	return m
}

// These tables of VPTERNLOGQ compute a function of the destination a, then b, then c.
const (
	selectC  = 0xb8 // c where b is set, and a elsewhere
	xorAndN  = 0xb4 // a ^ (b &^ c)
	maskedOr = 0xea // a&b | c
)

// step makes one division step, as stepper.step does. The longest dependency chains are g → half →
// sum → next g, three cycles, and g → odd → y → sign → w → sum → g after two steps, seven cycles
// for two steps.
func (s *pair) step() {
	s.VPSRAQ(operand.U8(1), s.g, s.half)
	s.VPSLLQ(operand.U8(63), s.g, s.odd)
	s.VPSRAQ(operand.U8(63), s.odd, s.odd)
	s.VPSUBQ(s.w, s.half, s.sum) // the next g if g is odd
	s.VPTERNLOGQ(operand.U8(xorAndN), s.sign, s.odd, s.y)
	s.VPANDNQ(s.odd, s.sign, s.swap)
	s.VPTERNLOGQ(operand.U8(selectC), s.half, s.swap, s.h)
	s.VPCMPGTQ(s.y, s.minusOne, s.sign) // the sign of y + 1
	s.VPTERNLOGQ(operand.U8(selectC), s.sum, s.odd, s.half)
	s.VPSUBQ(s.minusOne, s.y, s.y)
	s.VPXOR(s.h, s.sign, s.w)
	s.g, s.half = s.half, s.g
}

// load starts the half of a batch with the low words that h, halved, and g contain.
func (s *pair) load() {
	for _, x := range []struct {
		r          reg.VecPhysical
		mask, unit int
	}{{s.h, maskH, unitH}, {s.g, maskG, unitG}} {
		s.VMOVDQU(s.constants.Offset(x.mask), s.sum)
		s.VPTERNLOGQ(operand.U8(maskedOr), s.constants.Offset(x.unit), s.sum, x.r)
	}
	s.VPXOR(s.h, s.sign, s.w)
}

// rows sets uv and qr to the rows of the matrix of half a batch, with 2^30 added to each entry.
func (s *pair) rows(uv, qr reg.VecPhysical) {
	s.VPADDQ(s.constants.Offset(roundH), s.h, uv)
	s.VPSRLQ(operand.U8(halfSteps), uv, uv)
	s.VPADDQ(s.constants.Offset(roundG), s.g, qr)
	s.VPSRLQ(operand.U8(halfSteps+1), qr, qr)
}

// steps makes the 60 division steps of a batch. f and g hold the low words of the two inversions.
// It sets the rows uv and qr of both matrices to u, v, u, v and to q, r, q, r, with 2^60 added to
// each entry. Both rows are written after everything else. It uses all vector registers.
func (s *pair) steps(f, g [2]operand.Mem, uv, qr operand.Mem) {
	fg, uv1, qr1, low, high, product := reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15
	for _, x := range []struct {
		at [2]operand.Mem
		r  reg.VecPhysical
	}{{f, s.h}, {g, s.g}} {
		s.VPBROADCASTQ(x.at[0], x.r)
		s.VPBROADCASTQ(x.at[1], low)
		s.VINSERTI128(operand.U8(1), low.AsX(), x.r, x.r)
	}
	s.VPUNPCKLQDQ(s.g, s.h, fg)
	s.VPSRLQ(operand.U8(halfSteps), fg, fg)
	s.VPSRLQ(operand.U8(1), s.h, s.h)
	s.load()
	for range halfSteps {
		s.step()
	}
	// The steps saw the low 30 bits of f and g. Add the products of the matrix and the next bits.
	// Multiples of 2^30, such as those in the entries, do not matter.
	s.rows(uv1, qr1)
	for _, x := range []struct{ row, r reg.VecPhysical }{{uv1, s.h}, {qr1, s.g}} {
		s.VPMULUDQ(x.row, fg, product)
		s.VPUNPCKLQDQ(product, product, low)
		s.VPUNPCKHQDQ(product, product, high)
		s.VPADDQ(low, high, product)
		if x.r == s.h {
			s.VPSRLQ(operand.U8(1), product, product)
		}
		s.VPADDQ(product, x.r, x.r)
	}
	s.load()
	for range halfSteps {
		s.step()
	}
	// Multiply the matrices. Let K = 2^30, and let u', v', … be the entries with K added to each:
	//
	//	u2·u1 + v2·q1 + K^2 = u2'·u1' + v2'·q1' - K·(u2' + v2' + u1' + q1' - 3·K)
	uv2, qr2, common := s.half, s.odd, s.swap
	s.rows(uv2, qr2)
	s.VPADDQ(uv1, qr1, common)
	s.VPSUBQ(s.constants.Offset(threeHalves), common, common)
	for _, row := range []reg.VecPhysical{uv2, qr2} {
		s.VPUNPCKLQDQ(row, row, low)
		s.VPUNPCKHQDQ(row, row, high)
		s.VPADDQ(low, high, product)
		s.VPADDQ(common, product, product)
		s.VPSLLQ(operand.U8(halfSteps), product, product)
		s.VPMULUDQ(low, uv1, low)
		s.VPMULUDQ(high, qr1, high)
		s.VPADDQ(low, high, row)
		s.VPSUBQ(product, row, row)
	}
	s.VMOVDQU(uv2, uv)
	s.VMOVDQU(qr2, qr)
}

// weave writes the instructions of a and b in turn, spread evenly. Neither may depend on the other
// or contain a label, and b must be the shorter.
func weave(c *build.Context, a, b func()) {
	f, err := c.Result()
	if err != nil {
		return // the pass Build reports it
	}
	fn := f.Functions()[len(f.Functions())-1]
	start := len(fn.Nodes)
	a()
	middle := len(fn.Nodes)
	b()
	first, second := fn.Nodes[start:middle], fn.Nodes[middle:]
	var all []ir.Node
	for k, node := range first {
		from, to := k*len(second)/len(first), (k+1)*len(second)/len(first)
		all = append(append(all, second[from:to]...), node)
	}
	fn.Nodes = append(fn.Nodes[:start:start], all...)
}

// invertPair builds a kernel that makes two inversions at once. The division steps of both use
// vectors. Meanwhile the general registers apply the matrices of the batch before to d and e.
func invertPair(c *build.Context) {
	m := machine(c)
	s := &pair{
		Context: c, constants: operand.Mem{Base: reg.RSI},
		g: reg.Y0, h: reg.Y1, w: reg.Y2, y: reg.Y3, sign: reg.Y4,
		half: reg.Y5, odd: reg.Y6, swap: reg.Y7, sum: reg.Y8, minusOne: reg.Y9,
	}
	rows := words(c, 8)
	sum, kept, rest := words(c, 5), words(c, 5), words(c, 1)[0]
	inversions := [2]struct {
		value, modulus  string
		f, g, d, e, mat []operand.Mem
	}{{value: "a", modulus: "m"}, {value: "b", modulus: "n"}}
	all := [][]operand.Mem{rows, sum, kept}
	for i := range inversions {
		x := &inversions[i]
		x.f, x.g, x.d, x.e = words(c, 5), words(c, 5), words(c, 5), words(c, 5)
		x.mat = []operand.Mem{rows[2*i], rows[2*i+1], rows[4+2*i], rows[5+2*i]}
		all = append(all, x.f, x.g, x.d, x.e)
		argument(c, x.value, reg.RSI)
		argument(c, x.modulus, reg.RDI)
		// The first reduction, by the identity matrix, makes e 2^64.
		start(c, limbs.Pointer(reg.RSI), limbs.Pointer(reg.RDI), x.f, x.g, x.d, x.e, 2)
	}
	// An access to a global variable may overwrite R15. So the steps use its address.
	constants := stepConstants(c)
	c.LEAQ(constants, reg.RSI)
	for k, at := range []int{identityF, identityG} {
		c.VMOVDQU(s.constants.Offset(at), s.sum)
		c.VMOVDQU(s.sum, rows[4*k])
	}
	c.VPXOR(s.y, s.y, s.y)
	c.VPXOR(s.sign, s.sign, s.sign)
	c.VPCMPEQQ(s.y, s.y, s.minusOne)
	argument(c, "batches", reg.RAX)
	c.MOVQ(reg.RAX, rest)

	c.Label("batch")
	c.LEAQ(constants, reg.RSI)
	p, q := &inversions[0], &inversions[1]
	weave(c, func() {
		s.steps([2]operand.Mem{p.f[0], q.f[0]}, [2]operand.Mem{p.g[0], q.g[0]}, rows[0], rows[4])
	}, func() {
		for _, x := range inversions {
			reduce(m, x.modulus, x.d, x.e, sum, x.mat, kept, false)
		}
	})
	for _, x := range inversions {
		apply(m, x.f, x.g, sum, x.mat)
	}
	c.DECQ(rest)
	c.JNE(operand.LabelRef("batch"))

	for _, x := range inversions {
		reduce(m, x.modulus, x.d, x.e, sum, x.mat, kept, true)
		unscale(c, x.value, x.modulus, x.f, kept)
	}
	c.XORL(reg.EAX, reg.EAX)
	for _, words := range all {
		for _, x := range words {
			c.MOVQ(reg.RAX, x)
		}
	}
	c.VZEROALL()
	c.RET()
}
