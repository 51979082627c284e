package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func divsteps() []Kernel {
	return []Kernel{
		{
			Name: "invertADX", Package: "divsteps", File: "invert_amd64",
			Signature: "func(out, in *[4]uint64, m *Modulus, batches int)",
			Layout:    "func(out, in, m *uint64, batches int)",
			Doc: "invertADX makes 60·batches division steps, 1 ≤ batches ≤ 15. They end with f\n" +
				"and d such that d·in ≡ f modulo m. It sets out to d if f is positive, and to\n" +
				"−d otherwise, modulo m and canonical. After ten batches out is the inverse\n" +
				"of in. The inverse of 0 is 0. in must be below m. out may be in. m and\n" +
				"batches are public.",
			ConstantTime: true,
			Wipes:        true,
			Build:        invert,
		},
		{
			Name: "invertPairAVX512VL", Package: "divsteps", File: "pair_amd64",
			Signature: "func(a, b *[4]uint64, m, n *Modulus, batches int)",
			Layout:    "func(a, b, m, n *uint64, batches int)",
			Doc: "invertPairAVX512VL replaces a as invertADX does modulo m, and b modulo n, with\n" +
				"the same number of batches. a and b must not overlap.",
			ConstantTime: true,
			Wipes:        true,
			Build:        invertPair,
		},
		{
			Name: "euclidVartimeADX", Package: "divsteps", File: "invert_amd64",
			Signature: "func(out, in *[4]uint64, m *Modulus, runs int) (ok bool)",
			Layout:    "func(out, in, m *uint64, runs int) (ok bool)",
			Doc: "euclidVartimeADX sets out to the inverse of in modulo m, canonical, and\n" +
				"returns true. If this takes more than the given number of runs of the binary\n" +
				"Euclidean algorithm, 0 ≤ runs ≤ 63, it leaves out unchanged and returns\n" +
				"false. The inverse of 0 is 0. in must be below m. out may be in.",
			Build: euclid,
		},
		{
			Name: "jacobiRunVartimeADX", Package: "divsteps", File: "invert_amd64",
			Signature: "func(s *jacobiState)",
			Layout:    "func(s *uint64)",
			Doc: "jacobiRunVartimeADX makes 61 halvings of the numbers a and b of the algorithm\n" +
				"for Jacobi symbols, by comparisons of their 64 leading bits, and replaces both\n" +
				"by their absolute values. It changes bit 0 of changes if the symbol (a/b)\n" +
				"changes its sign, and leaves the other bits undefined. If the new a is not 0, it\n" +
				"sets negative to all ones if a was negative, and to 0 if not. b must be odd.",
			Build: jacobi,
		},
	}
}

// These constants are the byte offsets of the fields of a Modulus.
const (
	offC0   = 0
	offC1   = 8
	offC2   = 16
	offCInv = 24
)

const (
	blockSteps = 20
	batchSteps = 3 * blockSteps
)

// A stepper is the state of division steps on the packed words f and g. It holds g, h = (f - 1)/2
// and y = δ - 1/2. Between steps, it also holds w, which is h for δ > 0, and the complement of h
// otherwise. In every step, g and even exchange their registers, and so do y and next.
type stepper struct {
	*build.Context
	g, even, y, next         reg.GPPhysical
	h, w                     reg.GPPhysical
	half, odd, neg, one, top reg.GPPhysical
}

// step makes one division step. Let half = ⌊g/2⌋. Since f = 2·h + 1 and an odd g is 2·half + 1,
//
//	(g + f)/2 = half + h + 1 = half - w    w = -h - 1, for δ ≤ 0
//	(g - f)/2 = half - h     = half - w    w = h, for δ > 0
//
// If g is odd and y = δ - 1/2 is not negative, f and g are exchanged: h becomes half, and y becomes
// -y. Otherwise y becomes y + 1. The longest dependency chains are g → half → difference → next g,
// three cycles, and g → exchange → y → w → g after two steps, seven cycles for two steps.
func (s *stepper) step() {
	s.SARXQ(s.one, s.g, s.half)
	s.MOVQ(s.half, s.even)
	s.SUBQ(s.w, s.even) // even becomes the next g if g is odd
	s.LEAQ(operand.Mem{Base: s.y, Disp: 1}, s.next)
	s.MOVQ(s.y, s.neg)
	s.NEGQ(s.neg)
	s.SHLXQ(s.top, s.g, s.odd)
	s.ANDNQ(s.odd, s.y, s.odd) // odd becomes nonzero if g is odd and y ≥ 0, that is, δ > 0
	s.CMOVQNE(s.half, s.h)
	s.CMOVQNE(s.neg, s.next)
	s.TESTB(operand.U8(1), s.g.As8())
	s.CMOVQEQ(s.half, s.even)
	s.SARXQ(s.top, s.next, s.w)
	s.XORQ(s.h, s.w)
	s.g, s.even = s.even, s.g
	s.y, s.next = s.next, s.y
}

// words allocates n 64-bit words in the stack frame.
func words(c *build.Context, n int) []operand.Mem {
	m := c.AllocLocal(8 * n)
	out := make([]operand.Mem, n)
	for k := range out {
		out[k] = m.Offset(8 * k)
	}
	return out
}

// invert builds the kernel for Modulus.Invert.
func invert(c *build.Context) {
	m := machine(c)
	f, g, d, e := words(c, 5), words(c, 5), words(c, 5), words(c, 5)
	sum, mat, kept := words(c, 5), words(c, 4), words(c, 5)
	y, rest := words(c, 1)[0], words(c, 1)[0]
	in, mod := limbs.Pointer(reg.RSI), limbs.Pointer(reg.RDI)
	argument(c, "in", reg.RSI)
	argument(c, "m", reg.RDI)
	ax := reg.RAX
	clear := func(r reg.GPPhysical) { c.XORL(r.As32(), r.As32()) }

	start(c, in, mod, f, g, d, e, 1)
	c.MOVQ(ax, y) // y = δ - 1/2 = 0
	argument(c, "batches", ax)
	c.MOVQ(ax, rest)

	c.Label("batch")
	batch(c, f[0], g[0], y, mat)
	apply(m, f, g, sum, mat)
	reduce(m, "m", d, e, sum, mat, kept, false)
	c.DECQ(rest)
	c.JNE(operand.LabelRef("batch"))

	unscale(c, "out", "m", f, d)
	clear(ax)
	for _, n := range [][]operand.Mem{f, g, d, e, sum, mat, kept, {y}} {
		for _, x := range n {
			c.MOVQ(ax, x)
		}
	}
	c.RET()
}

// start sets f to the number that mod points to, g to in, d to 0, e to 2^(64·power), and AX to 0.
func start(c *build.Context, in, mod operand.Mem, f, g, d, e []operand.Mem, power int) {
	ax, bx := reg.RAX, reg.RBX
	c.XORL(ax.As32(), ax.As32())
	for k := range 5 {
		c.MOVQ(ax, d[k])
		if k != power {
			c.MOVQ(ax, e[k])
		}
	}
	c.MOVQ(ax, g[4])
	c.MOVQ(ax, f[4])
	c.MOVQ(operand.I32(1), e[power])
	c.MOVQ(operand.I32(-1), f[3])
	for k := range 4 {
		c.MOVQ(in.Offset(8*k), bx)
		c.MOVQ(bx, g[k])
	}
	for k := range 3 {
		c.MOVQ(mod.Offset(8*k), bx)
		if k == 0 {
			c.NEGQ(bx)
		} else {
			c.NOTQ(bx)
		}
		c.MOVQ(bx, f[k])
	}
}

// unscale sets the argument out to ±d/2^n modulo the argument named modulus, with the sign of f.
// The argument batches determines n. See Modulus.finish.
func unscale(c *build.Context, out, modulus string, f, d []operand.Mem) {
	c.MOVQ(f[4], reg.RCX)
	for k := range 5 {
		c.MOVQ(d[k], limbs.W[k])
	}
	argument(c, modulus, reg.RDI)
	argument(c, "batches", reg.RAX)
	c.SHLQ(operand.U8(2), reg.RAX) // 4 bits a batch: it divided by 2^64 instead of 2^60
	c.MOVL(operand.U32(64), reg.ESI)
	c.SUBQ(reg.RAX, reg.RSI)
	settle(c, out)
}

// settle sets the argument out to ±W/2^n modulo m, where W is the number W4 … W0 in two's
// complement. The sign is minus if CX is all ones. n is in SI with 0 < n < 64, and DI points to the
// Modulus. See Modulus.finish.
func settle(c *build.Context, out string) {
	w := limbs.W
	ax, bx, sign, dx, n := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI
	mod := limbs.Pointer(reg.RDI)
	zero := operand.I8(0)
	for k := range 5 {
		c.XORQ(sign, w[k])
	}
	c.ANDL(operand.U8(1), sign.As32())
	c.ADDQ(sign, w[0])
	for k := 1; k < 5; k++ {
		c.ADCQ(zero, w[k])
	}
	// If the number is negative, add the modulus m.
	for k := range 3 {
		c.MOVQ(mod.Offset(8*k), w[5+k])
		c.ANDQ(w[4], w[5+k])
	}
	c.SUBQ(w[5], w[0])
	c.SBBQ(w[6], w[1])
	c.SBBQ(w[7], w[2])
	c.SBBQ(zero, w[3])
	// Compute (W + k·m)/2^n, for the k below 2^n that makes the division exact.
	c.MOVQ(mod.Offset(offCInv), dx)
	c.IMULQ(w[0], dx)
	c.BZHIQ(n, dx, dx)
	c.MULXQ(mod.Offset(offC0), w[4], w[5])
	c.MULXQ(mod.Offset(offC1), ax, w[6])
	c.MOVQ(mod.Offset(offC2), bx)
	c.NEGQ(bx)
	c.ANDQ(dx, bx)
	c.XORL(w[7].As32(), w[7].As32())
	c.ADDQ(ax, w[5])
	c.ADCQ(bx, w[6])
	c.ADCQ(zero, w[7])
	c.SUBQ(w[4], w[0])
	c.SBBQ(w[5], w[1])
	c.SBBQ(w[6], w[2])
	c.SBBQ(w[7], w[3])
	c.SBBQ(zero, dx)
	argument(c, out, reg.RDI)
	c.MOVQ(n, ax)
	c.NEGQ(ax) // now AX holds the shift count 64 - n
	for k, up := range []reg.GPPhysical{w[1], w[2], w[3], dx} {
		c.SHRXQ(n, w[k], w[k])
		c.SHLXQ(ax, up, bx)
		c.ORQ(bx, w[k])
		c.MOVQ(w[k], limbs.Pointer(reg.RDI).Offset(8*k))
	}
}

// batch sets mat to the transition matrix of the 60 division steps that start from f0, g0 and y.
// Each entry has 2^60 added to it. The method matrix.batch of package divsteps explains how.
func batch(c *build.Context, f0, g0, y operand.Mem, mat []operand.Mem) {
	ax, bx, cx, dx, si, di := reg.RAX, reg.RBX, reg.RCX, reg.RDX, reg.RSI, reg.RDI
	s := &stepper{
		Context: c, g: reg.R8, h: reg.R9, y: reg.R10,
		half: reg.R11, even: reg.R12, odd: reg.R13, neg: reg.R14, next: reg.R15,
		w: ax, one: di, top: dx,
	}
	c.MOVQ(f0, bx)
	c.MOVQ(g0, si)
	c.MOVQ(y, s.y)
	for block := range 3 {
		// Let F and G be the low 20 bits of f and g. The packed words are F - 2^41 and G - 2^62. g
		// becomes G - 2^62, and h becomes (F - 2^41 - 1)/2, since F is odd.
		c.MOVL(operand.U32(1<<blockSteps-1), s.half.As32())
		c.MOVQ(bx, s.h)
		c.ANDQ(s.half, s.h)
		c.SHRQ(operand.U8(1), s.h)
		c.MOVQ(si, s.g)
		c.ANDQ(s.half, s.g)
		c.MOVQ(operand.I64(-1<<40), s.even)
		c.ORQ(s.even, s.h)
		c.MOVQ(operand.I64(-1<<62), s.even)
		c.ORQ(s.even, s.g)
		c.MOVQ(s.y, s.w)
		c.SARQ(operand.U8(63), s.w)
		c.XORQ(s.h, s.w)

		c.MOVL(operand.U32(1), s.one.As32())
		c.MOVL(operand.U32(63), s.top.As32())
		label := []string{"first", "second", "third"}[block]
		const unroll = 4 // steps in one iteration; 10 and 20 are longer code and no faster
		c.MOVL(operand.U32(blockSteps/unroll), cx.As32())
		c.Label(label)
		for range unroll {
			s.step()
		}
		c.DECL(cx.As32())
		c.JNE(operand.LabelRef(label))

		// Compute the rows of the block's matrix from 2·h + 1 and g, as unpack of package divsteps
		// does.
		u, v, q, r := s.even, s.half, s.odd, s.neg
		c.ADDQ(operand.I32(1<<19), s.h)
		c.ADDQ(operand.I32(1<<20), s.g)
		c.MOVQ(s.h, u)
		c.SHLQ(operand.U8(23), u)
		c.SARQ(operand.U8(43), u)
		c.MOVQ(operand.U64(1<<40), v)
		c.ADDQ(s.h, v)
		c.SARQ(operand.U8(41), v)
		c.MOVQ(s.g, q)
		c.SHLQ(operand.U8(22), q)
		c.SARQ(operand.U8(43), q)
		c.MOVQ(operand.U64(1<<41), r)
		c.ADDQ(s.g, r)
		c.SARQ(operand.U8(42), r)

		if block < 2 {
			// Set f = (u·f + v·g)/2^20 and g = (q·f + r·g)/2^20 for the block's matrix (u, v; q,
			// r).
			c.MOVQ(bx, ax)
			c.MOVQ(si, dx)
			c.IMULQ(u, bx)
			c.IMULQ(v, dx)
			c.ADDQ(dx, bx)
			c.SARQ(operand.U8(20), bx)
			c.IMULQ(q, ax)
			c.IMULQ(r, si)
			c.ADDQ(ax, si)
			c.SARQ(operand.U8(20), si)
		}
		if block == 0 {
			for k, x := range []reg.GPPhysical{u, v, q, r} {
				c.MOVQ(x, mat[k])
			}
			continue
		}
		if block == 2 {
			c.MOVQ(s.y, y)
		}
		// Multiply the block's matrix (u, v; q, r) by mat, the product of the earlier blocks'
		// matrices.
		t0, t1, t2, t3 := s.h, s.g, s.next, cx
		c.MOVQ(mat[0], t0)
		c.MOVQ(mat[1], t1)
		c.MOVQ(mat[2], t2)
		c.MOVQ(mat[3], t3)
		if block == 2 {
			c.MOVQ(operand.U64(1<<batchSteps), di)
		}
		for row, x := range [][2]reg.GPPhysical{{u, v}, {q, r}} {
			for k, y := range [][2]reg.GPPhysical{{t0, t2}, {t1, t3}} {
				c.MOVQ(x[0], ax)
				c.IMULQ(y[0], ax)
				c.MOVQ(x[1], dx)
				c.IMULQ(y[1], dx)
				c.ADDQ(dx, ax)
				if block == 2 {
					c.ADDQ(di, ax)
				}
				c.MOVQ(ax, mat[2*row+k])
			}
		}
	}
}

// number returns the first four words of x.
func number(x []operand.Mem) limbs.Number { return limbs.At(x[0], 0) }

// combine sets W4 … W0 to u·a + v·b, in two's complement. u and v are in memory and below 2^62. a
// and b are signed numbers of five words, below 2^257 in absolute value.
func combine(m limbs.Machine, u, v operand.Mem, a, b []operand.Mem) {
	w, lo, hi := limbs.W, limbs.Lo, limbs.Hi
	m.Row([5]reg.GPPhysical(w[:5]), u, number(a))
	// If a is negative, its unsigned words are 2^256 too large: subtract 2^256·u.
	m.ANDQ(a[4], limbs.Factor)
	m.SUBQ(limbs.Factor, w[4])
	m.MOVQ(v, limbs.Factor)
	m.XORL(w[5].As32(), w[5].As32())
	for k := range 4 {
		m.MULXQ(b[k], lo, hi)
		m.ADCXQ(lo, w[k])
		m.ADOXQ(hi, w[k+1])
	}
	m.ADCXQ(w[5], w[4])
	m.ANDQ(b[4], limbs.Factor)
	m.SUBQ(limbs.Factor, w[4])
}

// sums sets dst to a + b. All three are numbers of five words.
func sums(m limbs.Machine, dst, a, b []operand.Mem) {
	m.MOVQ(a[0], limbs.Lo)
	m.ADDQ(b[0], limbs.Lo)
	m.MOVQ(limbs.Lo, dst[0])
	for k := 1; k < 5; k++ {
		m.MOVQ(a[k], limbs.Lo)
		m.ADCQ(b[k], limbs.Lo)
		m.MOVQ(limbs.Lo, dst[k])
	}
}

// apply sets f to (u·f + v·g)/2^60 and g to (q·f + r·g)/2^60. mat holds u, v, q and r with 2^60
// added to each. So each sum of products is too large by 2^60·(f + g), and apply subtracts f + g
// after the shift.
func apply(m limbs.Machine, f, g, sum, mat []operand.Mem) {
	w := limbs.W
	sums(m, sum, f, g)
	divide := func() {
		m.MOVQ(w[4], w[5])
		m.SARQ(operand.U8(batchSteps), w[5])
		for k := 4; k > 0; k-- {
			m.SHLQ(operand.U8(64-batchSteps), w[k-1], w[k])
		}
		m.SUBQ(sum[0], w[1])
		for k := 1; k < 5; k++ {
			m.SBBQ(sum[k], w[k+1])
		}
	}
	combine(m, mat[0], mat[1], f, g)
	divide()
	kept := []reg.GPPhysical{reg.RSI, reg.RDI, reg.RCX, w[6], w[7]}
	for k, r := range kept {
		m.MOVQ(w[k+1], r)
	}
	combine(m, mat[2], mat[3], f, g)
	divide()
	for k, r := range kept {
		m.MOVQ(r, f[k])
		m.MOVQ(w[k+1], g[k])
	}
}

// reduce sets d to (u·d + v·e)/2^64 and e to (q·d + r·e)/2^64, modulo m. mat holds u, v, q and r
// with 2^60 added to each. Modulus.reduce states the range of the results. sum and kept are memory
// for intermediate results. modulus is the name of the argument m. If last is set, reduce only
// sets kept to the new d.
func reduce(m limbs.Machine, modulus string, d, e, sum, mat, kept []operand.Mem, last bool) {
	w, lo, hi := limbs.W, limbs.Lo, limbs.Hi
	zero := operand.I8(0)
	mod := limbs.Pointer(reg.RDI)
	// Subtract 2^60·(d + e), because each entry in mat is too large by 2^60.
	for k := range 5 {
		m.MOVQ(d[k], w[k])
	}
	m.ADDQ(e[0], w[0])
	for k := 1; k < 5; k++ {
		m.ADCQ(e[k], w[k])
	}
	for k := 4; k > 0; k-- {
		m.SHLQ(operand.U8(batchSteps), w[k-1], w[k])
	}
	m.SHLQ(operand.U8(batchSteps), w[0])
	for k := range 5 {
		m.MOVQ(w[k], sum[k])
	}
	row := func(u, v operand.Mem) {
		combine(m, u, v, d, e)
		m.SUBQ(sum[0], w[0])
		for k := 1; k < 5; k++ {
			m.SBBQ(sum[k], w[k])
		}
		// t is the number W4 … W0. Set k = t/c modulo 2^64, as a signed number, where c is 2^256 −
		// m; see Modulus.reduce.
		neg, top := w[6], w[7]
		argument(m.Context, modulus, reg.RDI)
		m.MOVQ(w[4], top)
		m.SARQ(operand.U8(63), top)
		m.MOVQ(mod.Offset(offCInv), limbs.Factor)
		m.IMULQ(w[0], limbs.Factor)
		m.MULXQ(mod.Offset(offC0), lo, w[5]) // the low half of the product equals W0
		m.MULXQ(mod.Offset(offC1), lo, hi)
		m.MOVQ(limbs.Factor, neg)
		m.SARQ(operand.U8(63), neg)
		m.MOVQ(mod.Offset(offC2), w[0])
		m.NEGQ(w[0])
		m.ANDQ(limbs.Factor, w[0])
		m.ADDQ(lo, w[5])
		m.ADCQ(w[0], hi)
		m.MOVL(operand.U32(0), w[0].As32())
		m.ADCQ(zero, w[0])
		// Add 2^256·k to W and subtract the product k·c, without the lowest word of the result. The
		// words of k·c above its lowest are in neg, W0, hi and W5.
		m.ADDQ(limbs.Factor, w[4])
		m.ADCQ(neg, top)
		m.SUBQ(w[5], w[1])
		m.SBBQ(hi, w[2])
		m.SBBQ(w[0], w[3])
		m.SBBQ(zero, w[4])
		m.SBBQ(zero, top)
		// If the factor k is negative, the product k·c with c = 2^256 − m, computed with k as an
		// unsigned number, is 2^64·c too large, and too much was subtracted: add 2^64·c.
		m.MOVQ(mod.Offset(offC0), lo)
		m.MOVQ(mod.Offset(offC1), hi)
		m.MOVQ(mod.Offset(offC2), w[5])
		m.ANDQ(neg, lo)
		m.ANDQ(neg, hi)
		m.ANDQ(neg, w[5])
		m.ADDQ(lo, w[1])
		m.ADCQ(hi, w[2])
		m.ADCQ(w[5], w[3])
		m.ADCQ(zero, w[4])
		m.ADCQ(zero, top)
	}
	row(mat[0], mat[1])
	result := []reg.GPPhysical{w[1], w[2], w[3], w[4], w[7]}
	for k, r := range result {
		m.MOVQ(r, kept[k])
	}
	if last {
		return
	}
	row(mat[2], mat[3])
	for k, r := range result {
		m.MOVQ(r, e[k])
		m.MOVQ(kept[k], lo)
		m.MOVQ(lo, d[k])
	}
}
