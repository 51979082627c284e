package arm64

import "github.com/koblitz-go/koblitz/_asm/listing/arm64"

// runShifts is the number of halvings in a run, after which the matrix is applied to the long
// numbers.
const runShifts = 63

// A euclid assigns registers for Euclid. The registers a and b of the inverter always hold the two
// numbers. A run uses the inverter's registers named sum and w as scratch, and leaves its result,
// the matrix (u, v, q, r), in the inverter's matrix.
type euclid struct {
	*inverter
	a, b, t [4]reg
	aSign   reg // top word of the first difference u·a − v·b, and later the sign of s
	spare   reg
	// These are the addresses in the frame of: the cofactor s; the cofactor t; the constants (C0,
	// C1, −C2, CInv) of the modulus; and state, which is two words: the sign in bit 63, and the
	// number of runs so far.
	sAt, tAt, constants, state arm64.Mem
}

// Euclid writes the kernel for Modulus.euclidVartime, with the same steps as amd64's kernel. In the
// first run the cofactor s is 2^64 and the cofactor t is 0, so the new s and t are single matrix
// entries. Euclid copies them instead of multiplying.
func Euclid(code arm64.Code) {
	i := newInverter(code)
	c := &euclid{
		inverter: i, a: [4]reg(i.a[:4]), b: [4]reg(i.b[:4]), t: [4]reg(i.sum[:4]),
		aSign: i.a[4], spare: i.b[4],
		sAt: i.Local(32), tAt: i.Local(32), constants: i.Local(32), state: i.Local(16),
	}
	u, v, q, r := c.matrix[0], c.matrix[1], c.matrix[2], c.matrix[3]
	w := [4]reg(c.w[1:])

	c.Argument("runs", c.lo)
	c.CBZ(c.lo, "enough")
	c.begin()
	c.Label("runs")
	c.leading()
	c.run()

	// With the run's matrix (u, v; q, r), set a = |u·a − v·b|/2^63 and b = |r·b − q·a|/2^63.
	positive := c.t
	c.difference(u, v, c.a, c.b, [5]reg{c.w[0], c.w[1], c.w[2], c.w[3], c.aSign}, positive)
	c.difference(r, q, c.b, c.a, c.w, c.b)
	c.absolute(c.aSign, positive, c.a)
	c.absolute(c.w[4], c.b, c.b)
	c.EOR(c.w[4], c.aSign, c.aSign)
	c.LDP(c.state, c.lo, c.hi)
	c.EOR(c.w[4], c.lo, c.lo)
	c.ADD(arm64.Imm(1), c.hi, c.hi)
	c.STP(c.lo, c.hi, c.state)
	c.CMP(arm64.Imm(1), c.hi)
	c.BCC("EQ", "first")

	// With the run's matrix (u, v; q, r), set s = (u·s + v·t)/2^64 and t = (q·s + r·t)/2^64, modulo
	// m.
	c.load4(c.t, c.tAt)
	c.sumModulo(q, r)
	c.store4(w, c.tAt)
	c.jumpIfZero("end")
	c.sumModulo(u, v)
	c.Label("summed")
	c.CMP(zr, c.aSign)
	c.BCC("MI", "opposite")
	c.Label("positive")
	c.store4(w, c.sAt)
	c.MOVD(c.state.Offset(8), c.lo)
	c.Argument("runs", c.hi)
	c.CMP(c.hi, c.lo)
	c.BCC("NE", "runs")

	c.Label("enough")
	c.Result(zr, "ok")
	c.RET()

	c.Label("first") // after the first run s is u, and t is q
	c.store4([4]reg{q, zr, zr, zr}, c.tAt)
	c.MOVD(u, w[0])
	for _, z := range w[1:] {
		c.MOVD(zr, z)
	}
	c.jumpIfZero("end")
	c.B("summed")

	c.Label("opposite")
	c.negate(w)
	c.B("positive")

	c.Label("end")
	c.load4([4]reg(c.w[:4]), c.tAt)
	c.subtractOnce([4]reg(c.w[:4]))
	c.MOVD(zr, c.w[4])
	c.MOVD(c.state, c.hi)
	c.ASR(arm64.Imm(63), c.hi, c.hi)
	c.settle(c.hi, func(n reg) { c.MOVD(c.state.Offset(8), n) })
	c.MOVZ(1, c.lo)
	c.Result(c.lo, "ok")
	c.RET()
}

// load4 copies four words from memory to registers, and store4 copies four words from registers to
// memory.
func (c *euclid) load4(dst [4]reg, src arm64.Mem) {
	c.LDP(src, dst[0], dst[1])
	c.LDP(src.Offset(16), dst[2], dst[3])
}

func (c *euclid) store4(src [4]reg, dst arm64.Mem) {
	c.STP(src[0], src[1], dst)
	c.STP(src[2], src[3], dst.Offset(16))
}

// begin sets a to the number that the argument in points to, and b to the modulus m. It stores the
// constants of the modulus, and sets the state to a negative sign and 0 runs.
func (c *euclid) begin() {
	minusOne := c.hi
	c.Argument("in", c.lo)
	c.load4(c.a, arm64.At(c.lo, 0))
	c.Argument("m", c.lo)
	c.load4(c.t, arm64.At(c.lo, 0))
	c.MOVZ(1, minusOne)
	c.NEG(minusOne, minusOne)
	c.NEG(c.t[0], c.b[0])
	c.EOR(minusOne, c.t[1], c.b[1])
	c.EOR(minusOne, c.t[2], c.b[2])
	c.MOVD(minusOne, c.b[3])
	c.NEG(c.t[2], c.t[2])
	c.store4(c.t, c.constants)
	c.STP(minusOne, zr, c.state)
}

// roles names the registers of a run other than its matrix. a and b are the low words of the two
// numbers, ah and bh their leading words, and d and dh the differences of these words. q and r are
// the matrix entries before shifting. n is a count of trailing zeros, and remaining is the number
// of halvings still to make.
func (c *euclid) roles() (d, dh, a, ah, b, bh, q, r, n, remaining reg) {
	s, w := c.sum, c.w
	return s[0], s[1], s[2], s[3], s[4], w[0], w[1], w[2], w[3], w[4]
}

// leading sets dh and bh to 64 leading bits of a and b. These bits start at the top bit of the
// larger of the two numbers. If both numbers are below 2^64, leading sets dh to a and bh to b.
func (c *euclid) leading() {
	_, dh, t, _, _, bh, _, _, n, _ := c.roles()
	labels := []string{"limb0", "limb1", "limb2", "limb3"}
	for k := 3; k > 0; k-- {
		if k < 3 {
			c.Label(labels[k])
		}
		c.ORR(c.b[k], c.a[k], n)
		c.CBZ(n, labels[k-1])
		c.CLZ(n, n)
		c.LSL(n, c.a[k], dh)
		c.LSL(n, c.b[k], bh)
		c.EOR(arm64.Imm(63), n, n) // now n is 63 − n
		for _, x := range []struct{ low, high reg }{{c.a[k-1], dh}, {c.b[k-1], bh}} {
			c.LSR(arm64.Imm(1), x.low, t)
			c.LSR(n, t, t)
			c.ORR(t, x.high, x.high)
		}
		c.B("aligned")
	}
	c.Label(labels[0])
	c.MOVD(c.a[0], dh)
	c.MOVD(c.b[0], bh)
	c.Label("aligned")
}

// run computes the matrix from the leading words in dh and bh and the low words of a and b. Its
// only branch is the one back to the start of the loop. If a difference is 0, the count of its
// trailing zeros is 64. The run then ends, and shifts only by the halvings that were left.
func (c *euclid) run() {
	d, dh, a, ah, b, bh, qBefore, rBefore, n, left := c.roles()
	u, v, q, r := c.matrix[0], c.matrix[1], c.matrix[2], c.matrix[3]
	zeros := func(x reg) {
		c.RBIT(x, n)
		c.CLZ(n, n)
	}
	c.MOVZ(1, u)
	c.MOVD(zr, v)
	c.MOVD(zr, qBefore)
	c.MOVZ(1, rBefore)
	c.MOVZ(runShifts, left)
	c.MOVD(c.a[0], d)
	c.MOVD(c.b[0], b)
	zeros(d)
	c.SUBS(n, left, left)
	c.BCC("LE", "last")

	c.Label("halvings")
	c.LSR(n, d, a)
	c.LSR(n, dh, ah)
	c.LSL(n, qBefore, q)
	c.LSL(n, rBefore, r)
	c.SUB(b, a, d)
	zeros(d) // −d has the same number of trailing zeros as d
	c.SUBS(bh, ah, dh)
	c.CSEL("LO", a, b, b)
	c.CSEL("LO", ah, bh, bh)
	c.CSEL("LO", u, q, qBefore)
	c.CSEL("LO", v, r, rBefore)
	c.CSNEG("HS", d, d, d)
	c.CSNEG("HS", dh, dh, dh)
	c.ADD(q, u, u)
	c.ADD(r, v, v)
	c.SUBS(n, left, left)
	c.BCC("GT", "halvings")

	c.Label("last")
	c.ADD(left, n, n) // now n is the number of halvings that were left
	c.LSL(n, qBefore, q)
	c.LSL(n, rBefore, r)
}

// difference sets z to the bits from 63 up of u·a − v·b, four words. w is scratch. Afterwards the
// top bit of the last word of w is the sign of the difference.
func (c *euclid) difference(u, v reg, a, b [4]reg, w [5]reg, z [4]reg) {
	c.product(w, u, func(k int) reg { return a[k] })
	c.accumulate(w, v, b, true)
	for k := range z {
		c.EXTR(runShifts, w[k], w[k+1], z[k])
	}
}

// product sets w to u times the number with the four words limb(0) to limb(3). It calls limb once
// for each word, in that order.
func (c *euclid) product(w [5]reg, u reg, limb func(k int) reg) {
	x := limb(0)
	c.MUL(u, x, w[0])
	c.UMULH(u, x, w[1])
	for k := 1; k < 4; k++ {
		x := limb(k)
		c.MUL(u, x, c.lo)
		c.UMULH(u, x, w[k+1])
		if k == 1 {
			c.ADDS(c.lo, w[k], w[k])
		} else {
			c.ADCS(c.lo, w[k], w[k])
		}
	}
	c.ADC(zr, w[4], w[4])
}

// absolute sets z to x, or to −x if bit 63 of sign is set.
func (c *euclid) absolute(sign reg, x, z [4]reg) {
	for k := range z {
		c.EORASR(63, sign, x[k], z[k])
	}
	c.CMN(sign, sign) // the carry becomes the top bit of sign
	for k := range 3 {
		c.ADCS(zr, z[k], z[k])
	}
	c.ADC(zr, z[3], z[3])
}

// jumpIfZero jumps to the given label if the number a is 0.
func (c *euclid) jumpIfZero(label string) {
	c.ORR(c.a[1], c.a[0], c.lo)
	c.ORR(c.a[2], c.lo, c.lo)
	c.ORR(c.a[3], c.lo, c.lo)
	c.CBZ(c.lo, label)
}

// sumModulo sets w4 … w1 to a number congruent to (u·s + v·t)/2^64 modulo m, like Modulus.sum. It
// reads s from the frame; t is in registers.
func (c *euclid) sumModulo(u, v reg) {
	w, lo, hi, k, top := c.w, c.lo, c.hi, c.sum[4], c.spare
	pair := [2]reg{hi, k}
	c.product(w, u, func(k int) reg {
		if k%2 == 0 {
			c.LDP(c.sAt.Offset(8*k), pair[0], pair[1])
		}
		return pair[k%2]
	})
	c.accumulate(w, v, c.t, false)

	// Add k·m = k·2^256 − k·c for the k that makes the lowest word 0. c is 2^256 − m.
	c.LDP(c.constants.Offset(16), hi, top)
	c.MUL(w[0], top, k)
	c.AND(k, hi, hi)
	c.LDP(c.constants, w[0], lo)
	c.UMULH(k, w[0], w[0])
	c.MUL(k, lo, top)
	c.UMULH(k, lo, lo)
	c.ADDS(top, w[0], w[0])
	c.ADCS(hi, lo, lo)
	c.ADC(zr, zr, hi)
	c.ADDS(k, w[4], w[4])
	c.ADC(zr, zr, top)
	c.SUBS(w[0], w[1], w[1])
	c.SBCS(lo, w[2], w[2])
	c.SBCS(hi, w[3], w[3])
	c.SBCS(zr, w[4], w[4])
	c.SBC(zr, top, top)
	// If the sum carries out of 256 bits, add c = 2^256 − m for the carry.
	c.LDP(c.constants, lo, hi)
	c.MOVD(c.constants.Offset(16), w[0])
	c.AND(top, w[0], w[0])
	c.NEG(top, top)
	c.AND(top, lo, lo)
	c.AND(top, hi, hi)
	c.ADDS(lo, w[1], w[1])
	c.ADCS(hi, w[2], w[2])
	c.ADCS(w[0], w[3], w[3])
	c.ADC(zr, w[4], w[4])
}

// subtractOnce subtracts the modulus m from z if z ≥ m.
func (c *euclid) subtractOnce(z [4]reg) {
	t, c0, c1, c2, cInv := c.t, c.a[0], c.a[1], c.a[2], c.a[3]
	c.load4([4]reg{c0, c1, c2, cInv}, c.constants)
	c.NEG(c2, c2)
	c.ADDS(c0, z[0], t[0])
	c.ADCS(c1, z[1], t[1])
	c.ADCS(c2, z[2], t[2])
	c.ADCS(zr, z[3], t[3])
	for k := range z {
		c.CSEL("HS", t[k], z[k], z[k])
	}
}

// negate sets z to −z modulo m. It computes m − z = (2^256 − 1 − z) − (c − 1) with c = 2^256 − m.
// If z > m, this is negative, and negate adds m by subtracting c modulo 2^256.
func (c *euclid) negate(z [4]reg) {
	c0, c1, c2 := c.lo, c.hi, c.spare
	less := func() {
		c.SUBS(c0, z[0], z[0])
		c.SBCS(c1, z[1], z[1])
		c.SBCS(c2, z[2], z[2])
		c.SBCS(zr, z[3], z[3])
	}
	c.MOVZ(1, c0)
	c.NEG(c0, c0)
	for k := range z {
		c.EOR(c0, z[k], z[k])
	}
	c.LDP(c.constants, c0, c1)
	c.MOVD(c.constants.Offset(16), c2)
	c.NEG(c2, c2)
	c.SUB(arm64.Imm(1), c0, c0) // does not borrow, since c0 is odd
	less()
	c.CSINC("HS", zr, c0, c0)
	c.CSEL("HS", zr, c1, c1)
	c.CSEL("HS", zr, c2, c2)
	less()
}
