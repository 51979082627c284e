package arm64

import "github.com/koblitz-go/koblitz/_asm/listing/arm64"

// These constants are the byte offsets of the fields of a Modulus. C0 and C1 are adjacent, and so
// are C2 and CInv. One instruction loads two adjacent fields.
const (
	offC0 = 0
	offC2 = 16
)

const (
	blockSteps = 20
	batchSteps = 3 * blockSteps
)

const zr = arm64.ZR

type reg = arm64.Reg

// An inverter assigns registers for Invert. The numbers a and b and their sum have five words each,
// in two's complement. matrix is a transition matrix, and w holds the five words of a result.
type inverter struct {
	arm64.Code
	a, b, sum, w [5]reg
	matrix       [4]reg
	lo, hi       reg
}

func newInverter(c arm64.Code) *inverter {
	return &inverter{
		Code:   c,
		a:      [5]reg{arm64.R0, arm64.R1, arm64.R2, arm64.R3, arm64.R4},
		b:      [5]reg{arm64.R5, arm64.R6, arm64.R7, arm64.R8, arm64.R9},
		sum:    [5]reg{arm64.R10, arm64.R11, arm64.R12, arm64.R13, arm64.R14},
		matrix: [4]reg{arm64.R15, arm64.R16, arm64.R17, arm64.R19},
		w:      [5]reg{arm64.R20, arm64.R21, arm64.R22, arm64.R23, arm64.R24},
		lo:     arm64.R25, hi: arm64.R26,
	}
}

// load copies five words from memory to registers, and store copies five words from registers to
// memory.
func (c *inverter) load(dst [5]reg, src arm64.Mem) {
	c.LDP(src, dst[0], dst[1])
	c.LDP(src.Offset(16), dst[2], dst[3])
	c.MOVD(src.Offset(32), dst[4])
}

func (c *inverter) store(src [5]reg, dst arm64.Mem) {
	c.STP(src[0], src[1], dst)
	c.STP(src[2], src[3], dst.Offset(16))
	c.MOVD(src[4], dst.Offset(32))
}

// add sets a to a + b, and subtract sets a to a − b.
func (c *inverter) add(a, b [5]reg) {
	c.ADDS(b[0], a[0], a[0])
	for k := 1; k < 4; k++ {
		c.ADCS(b[k], a[k], a[k])
	}
	c.ADC(b[4], a[4], a[4])
}

func (c *inverter) subtract(a, b [5]reg) {
	c.SUBS(b[0], a[0], a[0])
	for k := 1; k < 4; k++ {
		c.SBCS(b[k], a[k], a[k])
	}
	c.SBC(b[4], a[4], a[4])
}

// Invert writes the kernel for Modulus.Invert, with the same steps as amd64's kernel.
func Invert(code arm64.Code) {
	c := newInverter(code)
	f, g, d, e := c.Local(40), c.Local(40), c.Local(40), c.Local(40)
	y, rest := c.Local(8), c.Local(8)

	// Start with f = m, g = in, d = 0, e = 2^64 and y = δ − 1/2 = 0.
	c.Argument("in", c.lo)
	c.LDP(arm64.At(c.lo, 0), c.b[0], c.b[1])
	c.LDP(arm64.At(c.lo, 16), c.b[2], c.b[3])
	c.STP(c.b[0], c.b[1], g)
	c.STP(c.b[2], c.b[3], g.Offset(16))
	c.MOVD(zr, g.Offset(32))
	c.Argument("m", c.lo)
	c.LDP(arm64.At(c.lo, offC0), c.a[0], c.a[1])
	c.MOVD(arm64.At(c.lo, offC2), c.a[2])
	c.NEG(c.a[0], c.a[0])
	c.MOVZ(1, c.hi)
	c.NEG(c.hi, c.a[3])
	c.EOR(c.a[3], c.a[1], c.a[1])
	c.EOR(c.a[3], c.a[2], c.a[2])
	c.STP(c.a[0], c.a[1], f)
	c.STP(c.a[2], c.a[3], f.Offset(16))
	c.MOVD(zr, f.Offset(32))
	zero := [5]reg{zr, zr, zr, zr, zr}
	c.store(zero, d)
	c.store([5]reg{zr, c.hi, zr, zr, zr}, e)
	c.Argument("batches", c.hi)
	c.STP(zr, c.hi, y)

	c.Label("batch")
	c.batch(f, g, y)
	c.apply(f, g)
	c.reduce(d, e)
	c.MOVD(rest, c.lo)
	c.SUBS(arm64.Imm(1), c.lo, c.lo)
	c.MOVD(c.lo, rest)
	c.BCC("NE", "batch")

	c.load(c.w, d)
	c.MOVD(f.Offset(32), c.hi)
	c.settle(c.hi, func(n reg) { // each batch divided by 2^64 instead of 2^60: 4 bits too many
		c.Argument("batches", n)
		c.LSL(arm64.Imm(2), n, n)
	})
	for _, number := range []arm64.Mem{f, g, d, e} {
		c.store(zero, number)
	}
	c.MOVD(zr, y)
	c.RET()
}

// A stepper is the state of division steps on the packed words f and g. It holds g, h = (f − 1)/2
// and y = δ − 1/2. Between steps, it also holds w, which is h for δ > 0, and the complement of h
// if δ ≤ 0.
type stepper struct{ g, h, y, w, half, even reg }

// step makes one division step. Let half = ⌊g/2⌋. Since f = 2·h + 1 and an odd g is 2·half + 1,
//
//	(g + f)/2 = half + h + 1 = half − w    w = −h − 1, for δ ≤ 0
//	(g − f)/2 = half − h     = half − w    w = h, for δ > 0
//
// If g is odd and y = δ − 1/2 is not negative, f and g are exchanged: h becomes half, and y becomes
// −y. Otherwise y becomes y + 1.
func (c *inverter) step(s *stepper) {
	c.ASR(arm64.Imm(1), s.g, s.half)
	c.SUB(s.w, s.half, s.even) // even becomes the next g if g is odd
	c.TST(arm64.Imm(1), s.g)
	c.CSEL("NE", s.even, s.half, s.g)
	c.CCMP("NE", s.y, arm64.Imm(0), 8) // if g is even, the flags become those of a negative number
	c.ADD(arm64.Imm(1), s.y, s.even)
	c.CSEL("GE", s.half, s.h, s.h)
	c.CSNEG("LT", s.even, s.y, s.y)
	c.EORASR(63, s.y, s.h, s.w)
}

// batch sets the matrix to the transition matrix of the 60 division steps that start from f, g and
// y. Each entry has 2^60 added to it. The method matrix.batch of package divsteps explains how.
func (c *inverter) batch(f, g, y arm64.Mem) {
	f0, g0, count := c.a[0], c.a[1], c.a[2]
	s := &stepper{g: c.a[3], h: c.a[4], y: c.b[0], w: c.b[1], half: c.b[2], even: c.b[3]}
	c.MOVD(f, f0)
	c.MOVD(g, g0)
	c.MOVD(y, s.y)
	row := [4]reg{c.sum[0], c.sum[1], c.sum[2], c.sum[3]}
	before, after := [4]reg(c.w[:4]), c.matrix // product of matrices, without and with this block
	for block, label := range []string{"first", "second", "third"} {
		// Let F and G be the low 20 bits of f and g. The packed words are F − 2^41 and G − 2^62. h
		// is half of the first, and g is the second.
		c.AND(arm64.Imm(1<<blockSteps-1), f0, s.h)
		c.LSR(arm64.Imm(1), s.h, s.h)
		c.ORR(arm64.Imm(1<<64-1<<40), s.h, s.h)
		c.AND(arm64.Imm(1<<blockSteps-1), g0, s.g)
		c.ORR(arm64.Imm(1<<64-1<<62), s.g, s.g)
		c.EORASR(63, s.y, s.h, s.w)
		const unroll = 10
		c.MOVZ(blockSteps/unroll, count)
		c.Label(label)
		for range unroll {
			c.step(s)
		}
		c.SUBS(arm64.Imm(1), count, count)
		c.BCC("NE", label)

		// Compute the rows of the block's matrix from 2·h + 1 and g, as unpack of package divsteps
		// does.
		u, v, q, r := row[0], row[1], row[2], row[3]
		if block == 0 {
			u, v, q, r = after[0], after[1], after[2], after[3]
		}
		c.ADD(arm64.Imm(1<<19), s.h, s.h)
		c.ADD(arm64.Imm(1<<20), s.g, s.g)
		c.LSL(arm64.Imm(23), s.h, u)
		c.ASR(arm64.Imm(43), u, u)
		c.MOVZ(1<<40, v)
		c.ADD(s.h, v, v)
		c.ASR(arm64.Imm(41), v, v)
		c.LSL(arm64.Imm(22), s.g, q)
		c.ASR(arm64.Imm(43), q, q)
		c.MOVZ(1<<41, r)
		c.ADD(s.g, r, r)
		c.ASR(arm64.Imm(42), r, r)
		if block < 2 {
			// Set f = (u·f + v·g)/2^20 and g = (q·f + r·g)/2^20 for the block's matrix (u, v; q,
			// r).
			c.MUL(u, f0, c.lo)
			c.MADD(v, c.lo, g0, c.lo)
			c.MUL(q, f0, c.hi)
			c.MADD(r, c.hi, g0, c.hi)
			c.ASR(arm64.Imm(blockSteps), c.lo, f0)
			c.ASR(arm64.Imm(blockSteps), c.hi, g0)
		}
		if block == 0 {
			continue
		}
		// Multiply the block's matrix (u, v; q, r) by the product of the earlier blocks' matrices.
		before, after = after, before
		if block == 2 {
			c.MOVZ(1<<batchSteps, c.lo)
		}
		for k, x := range [][2]reg{{u, v}, {u, v}, {q, r}, {q, r}} {
			if block == 2 {
				c.MADD(x[0], c.lo, before[k%2], after[k])
			} else {
				c.MUL(x[0], before[k%2], after[k])
			}
			c.MADD(x[1], after[k], before[2+k%2], after[k])
		}
	}
	c.MOVD(s.y, y)
}

// combine sets w to u·a + v·b, in two's complement. u and v are below 2^62, and a and b are below
// 2^257 in absolute value.
func (c *inverter) combine(u, v reg) {
	w, lo := c.w, c.lo
	add := c.ADDS
	for k := range 4 {
		if k == 0 {
			c.MUL(u, c.a[0], w[0])
		} else {
			c.MUL(u, c.a[k], lo)
			add(lo, w[k], w[k])
			add = func(b arm64.Op, a, to reg) { c.ADCS(b.(reg), a, to) }
		}
		c.UMULH(u, c.a[k], w[k+1])
	}
	c.ADC(zr, w[4], w[4])
	c.AND(c.a[4], u, lo) // if a < 0, its unsigned words are 2^256 too large: subtract 2^256·u
	c.SUB(lo, w[4], w[4])
	c.accumulate(w, v, [4]reg(c.b[:4]), false)
	c.AND(c.b[4], v, lo)
	c.SUB(lo, w[4], w[4])
}

// accumulate adds v·b to w, or subtracts it if minus is set: first the low halves of the products
// of v and the words of b, and then the high halves.
func (c *inverter) accumulate(w [5]reg, v reg, b [4]reg, minus bool) {
	first, next, last := c.ADDS, c.ADCS, c.ADC
	if minus {
		first, next, last = c.SUBS, c.SBCS, c.SBC
	}
	for half, multiply := range []func(a, b, to reg){c.MUL, c.UMULH} {
		for k := range b {
			multiply(v, b[k], c.lo)
			switch to := w[k+half]; {
			case k == 0:
				first(c.lo, to, to)
			case k+half == 4:
				last(c.lo, to, to)
			default:
				next(c.lo, to, to)
			}
		}
		if half == 0 {
			last(zr, w[4], w[4])
		}
	}
}

// rows computes u·a + v·b for each row (u, v) of the matrix. After each row it calls finish, which
// returns the registers of the row's result. rows stores the first result in the memory operand a,
// and the second in b.
func (c *inverter) rows(a, b arm64.Mem, finish func(u, v reg) [5]reg) {
	for k, to := range []arm64.Mem{a, b} {
		u, v := c.matrix[2*k], c.matrix[2*k+1]
		c.combine(u, v)
		c.store(finish(u, v), to)
	}
}

// apply sets f to (u·f + v·g)/2^60 and g to (q·f + r·g)/2^60. The matrix holds u, v, q and r with
// 2^60 added to each. So each sum of products is too large by 2^60·(f + g), and apply subtracts f +
// g after the shift.
func (c *inverter) apply(f, g arm64.Mem) {
	c.load(c.a, f)
	c.load(c.b, g)
	c.both()
	c.rows(f, g, func(_, _ reg) [5]reg {
		for k := range 4 {
			c.EXTR(batchSteps, c.w[k], c.w[k+1], c.w[k])
		}
		c.ASR(arm64.Imm(batchSteps), c.w[4], c.w[4])
		c.subtract(c.w, c.sum)
		return c.w
	})
}

// both sets c.sum, a number in five registers, to the sum of the numbers c.a and c.b.
func (c *inverter) both() {
	c.ADDS(c.b[0], c.a[0], c.sum[0])
	for k := 1; k < 4; k++ {
		c.ADCS(c.b[k], c.a[k], c.sum[k])
	}
	c.ADC(c.b[4], c.a[4], c.sum[4])
}

// reduce sets d to (u·d + v·e)/2^64 and e to (q·d + r·e)/2^64, modulo m. Modulus.reduce states the
// range of the results.
func (c *inverter) reduce(d, e arm64.Mem) {
	w, lo, hi := c.w, c.lo, c.hi
	c.load(c.a, d)
	c.load(c.b, e)
	c.both()
	for k := 4; k > 0; k-- { // subtract 2^60·(d + e)
		c.EXTR(64-batchSteps, c.sum[k-1], c.sum[k], c.sum[k])
	}
	c.LSL(arm64.Imm(batchSteps), c.sum[0], c.sum[0])
	c.rows(d, e, func(t, s reg) [5]reg {
		c.subtract(w, c.sum)
		// Set t = w/c modulo 2^64, as a signed number, where c is 2^256 − m; see Modulus.reduce.
		c.Argument("m", lo)
		c.LDP(arm64.At(lo, offC2), s, hi)
		c.MUL(w[0], hi, t)
		c.LDP(arm64.At(lo, offC0), hi, lo)
		c.UMULH(t, hi, w[0]) // the low half of the product equals w0 and cancels it
		c.NEG(s, s)
		c.AND(t, s, s)
		c.MUL(t, lo, hi)
		c.UMULH(t, lo, lo)
		c.ADDS(hi, w[0], w[0])
		c.ADCS(s, lo, lo)
		c.ADC(zr, zr, hi)
		// Add 2^256·t to w and subtract the product t·c, which is in (hi, lo, w0). The lowest word
		// is dropped.
		c.ASR(arm64.Imm(63), w[4], s)
		c.ADDS(t, w[4], w[4])
		c.ASR(arm64.Imm(63), t, t)
		c.ADC(t, s, s)
		result := [5]reg{w[1], w[2], w[3], w[4], s}
		c.subtract(result, [5]reg{w[0], lo, hi, zr, zr})
		// If the factor t is negative, the product t·c with c = 2^256 − m, computed with t as an
		// unsigned number, is 2^64·c too large, and too much was subtracted: add 2^64·c.
		c.Argument("m", lo)
		c.LDP(arm64.At(lo, offC0), hi, w[0])
		c.MOVD(arm64.At(lo, offC2), lo)
		c.AND(t, hi, hi)
		c.AND(t, w[0], w[0])
		c.AND(t, lo, lo)
		c.add(result, [5]reg{hi, w[0], lo, zr, zr})
		return result
	})
}

// settle sets the argument out to ±w/2^n modulo m, for 0 < n < 64. The sign is minus if the
// register sign is all ones. w is in two's complement. The function surplus emits code that sets
// the register it is given to 64 − n. See Modulus.finish.
func (c *inverter) settle(sign reg, surplus func(n reg)) {
	w := c.w
	m, n, k, out := c.a[0], c.a[1], c.a[2], c.a[3]
	c0, c1, c2, inverse := c.b[0], c.b[1], c.b[2], c.b[3]
	t := c.sum
	for i := range w {
		c.EOR(sign, w[i], w[i])
	}
	c.AND(arm64.Imm(1), sign, sign)
	c.add(w, [5]reg{sign, zr, zr, zr, zr})
	// If w is negative, add the modulus m.
	c.Argument("m", m)
	c.LDP(arm64.At(m, offC0), c0, c1)
	c.LDP(arm64.At(m, offC2), c2, inverse)
	for i, x := range []reg{c0, c1, c2} {
		c.AND(w[4], x, t[i])
	}
	c.SUBS(t[0], w[0], w[0])
	c.SBCS(t[1], w[1], w[1])
	c.SBCS(t[2], w[2], w[2])
	c.SBC(zr, w[3], w[3])
	// Compute (w + k·m)/2^n, for the k below 2^n that makes the division exact.
	surplus(n)
	c.MOVZ(64, t[0])
	c.SUB(n, t[0], n)
	c.MOVZ(1, t[0])
	c.LSL(n, t[0], t[0])
	c.SUB(arm64.Imm(1), t[0], t[0])
	c.MUL(w[0], inverse, k)
	c.AND(t[0], k, k)
	c.MUL(k, c0, t[0])
	c.UMULH(k, c0, t[1])
	c.MUL(k, c1, t[3])
	c.UMULH(k, c1, t[2])
	c.NEG(c2, c2)
	c.AND(k, c2, c2)
	c.ADDS(t[3], t[1], t[1])
	c.ADCS(c2, t[2], t[2])
	c.ADC(zr, zr, t[3])
	w[4] = k
	c.subtract(w, [5]reg{t[0], t[1], t[2], t[3], zr})
	c.Argument("out", out)
	c.NEG(n, t[0]) // now n holds the shift count 64 − n
	for i := range 4 {
		c.LSR(n, w[i], w[i])
		c.LSL(t[0], w[i+1], t[1])
		c.ORR(t[1], w[i], w[i])
	}
	c.STP(w[0], w[1], arm64.At(out, 0))
	c.STP(w[2], w[3], arm64.At(out, 16))
}
