package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// runShifts is the number of halvings in a run, after which the matrix is applied to the long
// numbers.
const runShifts = 63

// euclid builds the kernel for Modulus.euclidVartime.
func euclid(c *build.Context) {
	m := machine(c)
	a, b, s, t, kept := words(c, 4), words(c, 4), words(c, 4), words(c, 4), words(c, 4)
	mat := words(c, 4)
	sign, differ, left, done := words(c, 1)[0], words(c, 1)[0], words(c, 1)[0], words(c, 1)[0]
	w := limbs.W
	ax, bx, cx, si, di := reg.RAX, reg.RBX, reg.RCX, reg.RSI, reg.RDI
	zero := operand.I8(0)
	clear := func(r reg.GPPhysical) { c.XORL(r.As32(), r.As32()) }
	mod := limbs.Pointer(di)

	// Start with a = in, b = m and t = 0. s starts as 2^64, since the first run divides s by 2^64.
	argument(c, "m", di)
	argument(c, "in", si)
	argument(c, "runs", cx)
	c.MOVQ(cx, left)
	clear(ax)
	c.MOVQ(ax, done)
	for k := range 4 {
		c.MOVQ(limbs.Pointer(si).Offset(8*k), bx)
		c.MOVQ(bx, a[k])
		if k != 1 {
			c.MOVQ(ax, s[k])
		}
		c.MOVQ(ax, t[k])
	}
	c.MOVQ(operand.I32(1), s[1])
	c.MOVQ(operand.I32(-1), sign)
	modulus(c, mod, w[:4])
	for k := range 4 {
		c.MOVQ(w[k], b[k])
	}

	c.Label("runs")
	c.DECQ(left)
	c.JMI(operand.LabelRef("enough"))
	c.INCQ(done)
	leading(c, a, b)
	run(c, mat)

	difference(m, mat[0], mat[1], a, b)
	c.MOVQ(cx, differ)
	for k := range 4 {
		c.MOVQ(w[k+1], kept[k])
	}
	difference(m, mat[3], mat[2], b, a)
	for k := range 4 {
		c.MOVQ(w[k+1], b[k])
		c.MOVQ(kept[k], ax)
		c.MOVQ(ax, a[k])
	}
	c.XORQ(cx, differ)
	c.XORQ(cx, sign)

	sumModulo(m, mat[2], mat[3], s, t)
	for k := range 4 {
		c.MOVQ(w[k+1], kept[k])
	}
	c.MOVQ(a[0], ax)
	for k := 1; k < 4; k++ {
		c.ORQ(a[k], ax)
	}
	c.JEQ(operand.LabelRef("end"))
	sumModulo(m, mat[0], mat[1], s, t)
	for k := range 4 {
		c.MOVQ(w[k+1], s[k])
		c.MOVQ(kept[k], ax)
		c.MOVQ(ax, t[k])
	}
	c.CMPQ(differ, zero)
	c.JEQ(operand.LabelRef("runs"))
	// If the sign is negative, set s = m - s.
	argument(c, "m", di)
	for k := range 4 {
		c.MOVQ(s[k], w[k])
	}
	subtractOnce(c, mod)
	modulus(c, mod, w[4:])
	c.SUBQ(w[0], w[4])
	for k := 1; k < 4; k++ {
		c.SBBQ(w[k], w[4+k])
	}
	for k := range 4 {
		c.MOVQ(w[4+k], s[k])
	}
	c.JMP(operand.LabelRef("runs"))

	c.Label("enough")
	result(c, 0)
	c.RET()

	c.Label("end")
	argument(c, "m", di)
	for k := range 4 {
		c.MOVQ(kept[k], w[k])
	}
	subtractOnce(c, mod)
	c.MOVQ(sign, cx)
	clear(w[4])
	c.MOVL(operand.U32(64), si.As32())
	c.SUBQ(done, si)
	settle(c, "out")
	result(c, 1)
	c.RET()
}

// modulus sets the registers w to the modulus m, whose constants are at mod.
func modulus(c *build.Context, mod operand.Mem, w []reg.GPPhysical) {
	for k := range 3 {
		c.MOVQ(mod.Offset(8*k), w[k])
	}
	c.NEGQ(w[0])
	c.NOTQ(w[1])
	c.NOTQ(w[2])
	c.MOVQ(operand.I32(-1), w[3])
}

// subtractOnce subtracts the modulus m from W3 … W0 if W3 … W0 ≥ m.
func subtractOnce(c *build.Context, mod operand.Mem) {
	w := limbs.W
	for k := range 4 {
		c.MOVQ(w[k], w[4+k])
	}
	c.ADDQ(mod.Offset(offC0), w[4])
	c.ADCQ(mod.Offset(offC1), w[5])
	c.ADCQ(mod.Offset(offC2), w[6])
	c.ADCQ(operand.I8(0), w[7])
	for k := range 4 {
		c.CMOVQCS(w[4+k], w[k])
	}
}

// leading sets R8 and R9 to 64 leading bits of a and b. These bits start at the top bit of the
// larger of the two numbers. If both numbers are below 2^64, leading sets R8 to a and R9 to b.
func leading(c *build.Context, a, b []operand.Mem) {
	ah, bh, al, bl, n := reg.R8, reg.R9, reg.RAX, reg.RBX, reg.RDX
	name := []string{"", "limb1", "limb2", "limb3"}
	for k := 3; k > 0; k-- {
		c.MOVQ(a[k], ah)
		c.MOVQ(b[k], bh)
		c.MOVQ(ah, n)
		c.ORQ(bh, n)
		c.JNE(operand.LabelRef(name[k]))
	}
	c.MOVQ(a[0], ah)
	c.MOVQ(b[0], bh)
	c.JMP(operand.LabelRef("aligned"))
	for k := 3; k > 0; k-- {
		c.Label(name[k])
		c.MOVQ(a[k-1], al)
		c.MOVQ(b[k-1], bl)
		if k > 1 {
			c.JMP(operand.LabelRef("align"))
		}
	}
	c.Label("align")
	c.BSRQ(n, n)
	c.SHRQ(operand.U8(1), al)
	c.SHRQ(operand.U8(1), bl)
	c.SHRXQ(n, al, al)
	c.SHRXQ(n, bl, bl)
	c.NOTQ(n) // now n is the shift count 63 - n
	c.SHLXQ(n, ah, ah)
	c.SHLXQ(n, bh, bh)
	c.ORQ(al, ah)
	c.ORQ(bl, bh)
	c.Label("aligned")
	c.MOVQ(a[0], reg.R10)
	c.MOVQ(b[0], reg.R11)
}

// run sets mat to the matrix (u, v, q, r) of one run. It starts from the leading words in R8 and R9
// and the low words in R10 and R11. Its only branch is the one back to the start of the loop.
func run(c *build.Context, mat []operand.Mem) {
	ah, bh, a, b := reg.R8, reg.R9, reg.R10, reg.R11
	u, v, q, r := reg.R12, reg.R13, reg.R14, reg.R15
	d, dh, x, y, n, left := reg.RAX, reg.RBX, reg.RSI, reg.RDI, reg.RDX, reg.RCX
	c.MOVL(operand.U32(1), u.As32())
	c.XORL(v.As32(), v.As32())
	c.XORL(q.As32(), q.As32())
	c.MOVL(operand.U32(1), r.As32())
	c.MOVL(operand.U32(runShifts), left.As32())
	c.TZCNTQ(a, n)
	c.SUBQ(n, left)
	c.JLE(operand.LabelRef("last"))
	c.MOVQ(a, d)
	c.MOVQ(ah, dh)

	c.Label("halvings")
	c.SHRXQ(n, d, a)
	c.SHRXQ(n, dh, ah)
	c.SHLXQ(n, q, q)
	c.SHLXQ(n, r, r)
	c.MOVQ(a, d)
	c.SUBQ(b, d)
	c.TZCNTQ(d, n)
	c.MOVQ(q, x)
	c.MOVQ(r, y)
	c.MOVQ(ah, dh)
	c.SUBQ(bh, dh)
	c.CMOVQCS(ah, bh)
	c.CMOVQCS(a, b)
	c.CMOVQCS(u, q)
	c.CMOVQCS(v, r)
	c.LEAQ(operand.Mem{Base: u, Index: x, Scale: 1}, u)
	c.LEAQ(operand.Mem{Base: v, Index: y, Scale: 1}, v)
	c.SBBQ(x, x)
	c.XORQ(x, d)
	c.XORQ(x, dh)
	c.SUBQ(x, d)
	c.SUBQ(x, dh)
	c.SUBQ(n, left)
	c.JGT(operand.LabelRef("halvings"))

	c.Label("last")
	c.ADDQ(left, n) // now n is the number of halvings that were left
	c.SHLXQ(n, q, q)
	c.SHLXQ(n, r, r)
	for k, w := range []reg.GPPhysical{u, v, q, r} {
		c.MOVQ(w, mat[k])
	}
}

// difference sets W4 … W1 to |u·a - v·b|/2^63, and sets CX to all ones if u·a < v·b, else to 0.
func difference(m limbs.Machine, u, v operand.Mem, a, b []operand.Mem) {
	w := limbs.W
	y := [5]reg.GPPhysical{w[5], w[6], w[7], reg.RSI, reg.RDI}
	m.Row([5]reg.GPPhysical(w[:5]), u, number(a))
	m.Row(y, v, number(b))
	m.SUBQ(y[0], w[0])
	for k := 1; k < 5; k++ {
		m.SBBQ(y[k], w[k])
	}
	m.SBBQ(limbs.Mask, limbs.Mask)
	m.ADDQ(w[0], w[0])
	for k := 1; k < 5; k++ {
		m.ADCQ(w[k], w[k])
	}
	for k := 1; k < 5; k++ {
		m.XORQ(limbs.Mask, w[k])
	}
	m.SUBQ(limbs.Mask, w[1])
	for k := 2; k < 5; k++ {
		m.SBBQ(limbs.Mask, w[k])
	}
}

// sumModulo sets W4 … W1 to a number congruent to (u·s + v·t)/2^64 modulo m, like Modulus.sum. It
// overwrites DI.
func sumModulo(m limbs.Machine, u, v operand.Mem, s, t []operand.Mem) {
	w, lo, hi := limbs.W, limbs.Lo, limbs.Hi
	zero := operand.I8(0)
	mod := limbs.Pointer(reg.RDI)
	argument(m.Context, "m", reg.RDI)
	m.Row([5]reg.GPPhysical(w[:5]), u, number(s))
	m.MOVQ(v, limbs.Factor)
	m.XORL(w[5].As32(), w[5].As32())
	for k := range 4 {
		m.MULXQ(t[k], lo, hi)
		m.ADCXQ(lo, w[k])
		m.ADOXQ(hi, w[k+1])
	}
	m.ADCXQ(w[5], w[4])

	// Add k·m = k·2^256 - k·c for the k that makes the lowest word 0. c is 2^256 - m.
	m.MOVQ(mod.Offset(offCInv), limbs.Factor)
	m.IMULQ(w[0], limbs.Factor)
	m.MULXQ(mod.Offset(offC0), lo, w[5])
	m.MULXQ(mod.Offset(offC1), lo, hi)
	m.MOVQ(mod.Offset(offC2), w[6])
	m.NEGQ(w[6])
	m.ANDQ(limbs.Factor, w[6])
	m.XORL(w[7].As32(), w[7].As32())
	m.ADDQ(lo, w[5])
	m.ADCQ(w[6], hi)
	m.ADCQ(zero, w[7])
	m.XORL(w[0].As32(), w[0].As32())
	m.ADDQ(limbs.Factor, w[4])
	m.ADCQ(zero, w[0])
	m.SUBQ(w[5], w[1])
	m.SBBQ(hi, w[2])
	m.SBBQ(w[7], w[3])
	m.SBBQ(zero, w[4])
	m.SBBQ(zero, w[0])
	// If the sum carries out of 256 bits, add c = 2^256 - m for the carry.
	m.NEGQ(w[0])
	m.MOVQ(mod.Offset(offC0), lo)
	m.MOVQ(mod.Offset(offC1), hi)
	m.MOVQ(mod.Offset(offC2), w[5])
	m.ANDQ(w[0], lo)
	m.ANDQ(w[0], hi)
	m.ANDQ(w[0], w[5])
	m.ADDQ(lo, w[1])
	m.ADCQ(hi, w[2])
	m.ADCQ(w[5], w[3])
	m.ADCQ(zero, w[4])
}
