package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// runShifts is the number of halvings in a run, after which the matrix is applied to the long
// numbers.
const runShifts = 63

const zero = riscv64.ZERO

// These are the registers of a run: its matrix (u, v; q, r), the parts above 2^256 of the two
// differences (topOfA and topOfB), the low and leading words of the two numbers, and counters.
const (
	u, v, q, r        = riscv64.X5, riscv64.X6, riscv64.X7, riscv64.X8
	topOfA, topOfB    = riscv64.X9, riscv64.X10
	a, b, ah, bh      = riscv64.X11, riscv64.X12, riscv64.X13, riscv64.X14
	al, bl, n, t      = riscv64.X15, riscv64.X16, riscv64.X17, riscv64.X18
	left, zeros, both = riscv64.X19, riscv64.X20, riscv64.X21
)

// A euclid has the variables in the stack frame of Euclid. Up to powers of two, a ≡ s·in and b ≡
// −t·in modulo m. The numbers a and b are never exchanged; instead, turned is nonzero if b is the
// one to be halved next.
type euclid struct {
	riscv64.Code
	a, b, s, t    riscv64.Mem
	runs, turned  riscv64.Mem // number of runs left; nonzero if b is halved next
	again, lookup riscv64.Mem // nonzero after the first run; the constant trailingZeros
}

// trailingZeros is a table of sixteen 4-bit entries. Entry k, at bit 4·k, is the number of trailing
// zeros of the even number 2·k, at most five.
const trailingZeros = 0x1213121412131215

// leadingZeros is a table of 2-bit entries. Entry k, at bit 2·k, is the number of leading zeros of
// the 4-bit number k, for k > 0.
const leadingZeros = 0x55ac

// Euclid writes the kernel for Modulus.euclidVartime; package divsteps explains its correctness.
// Each run of the loop replaces a by u·a − v·b and b by r·b − q·a, where u, v, q and r are the
// entries of the run's matrix. Where amd64's kernel exchanges a and b, this one jumps to a copy of
// the loop in which their registers are exchanged. So both formulas have these signs in every run,
// and the kernel need not track signs. A difference is negative only if a comparison of leading
// words ordered a and b wrongly; the kernel then negates the difference.
func Euclid(code riscv64.Code) {
	c := &euclid{
		Code: code, a: code.Local(32), b: code.Local(32), s: code.Local(32), t: code.Local(32),
		runs: code.Local(8), turned: code.Local(8), again: code.Local(8), lookup: code.Local(8),
	}
	m := c.begin()
	c.Label("runs")
	c.leading()
	c.LD(c.runs, t)
	c.BEQ(t, zero, "enough")
	c.ADDI(-1, t, t)
	c.SD(t, c.runs)
	c.run()

	m = m.Next()
	x, y := m.Load(c.a), m.Load(c.b)
	dx := m.ProductDifference(u, v, x, y)
	m.Store(m.ShiftRight(dx, runShifts), c.a)
	m.MOV(dx[4], topOfA)
	dy := m.ProductDifference(r, q, y, x)
	m.Store(m.ShiftRight(dy, runShifts), c.b)
	m.MOV(dy[4], topOfB)
	m.Order()
	c.LD(c.again, t)
	c.BEQ(t, zero, "first")

	m = m.Next()
	x, y = m.Load(c.s), m.Load(c.t)
	s, t2 := m.ProductSum(u, v, x, y), m.ProductSum(q, r, x, y)
	modulus := m.LoadModulus("m")
	m.Store(m.Reduce(s, modulus), c.s)
	m.Store(m.Reduce(t2, modulus), c.t)
	m.Order()
	c.Label("summed")
	c.OR(topOfA, topOfB, t)
	c.BGE(t, zero, "runs")
	c.turn(m, "b", topOfA, c.a, c.s)
	c.Label("b")
	c.turn(m, "runs", topOfB, c.b, c.t)
	c.JMP("runs")

	// After the first run, set s = u and t = q without multiplying, since s was 2^64 and t was 0.
	c.Label("first")
	for k := range 4 {
		c.SD([]riscv64.Reg{u, zero, zero, zero}[k], c.s.Offset(8*k))
		c.SD([]riscv64.Reg{q, zero, zero, zero}[k], c.t.Offset(8*k))
	}
	c.ADDI(1, zero, t)
	c.SD(t, c.again)
	c.JMP("summed")
	c.end(m)
}

// begin sets a to the argument in and b to the modulus m, and jumps to the label zero if in is 0.
func (c *euclid) begin() limbs.Machine {
	m := limbs.New(c.Code, true, u, v, q, r, topOfA, topOfB)
	in := m.Load(riscv64.At(m.Pointer("in"), 0))
	m.Store(in, c.a)
	m.Store(m.Value(m.LoadComplement("m")), c.b)
	m.SD(m.Pointer("runs"), c.runs)
	m.SD(zero, c.turned)
	m.SD(zero, c.again)
	m.MOV(m.Any(in), u)
	m.Order()
	c.Code.Constant(trailingZeros, t)
	c.SD(t, c.lookup)
	c.BEQ(u, zero, "zero")
	return m
}

// leading sets ah and bh to 64 leading bits of a and b. These bits start at the top bit of the
// larger of the two numbers. If both numbers are below 2^64, leading sets ah to a and bh to b. It
// sets the registers a and b to the lowest limbs. If one of the numbers is 0, it jumps to aIsZero
// or bIsZero.
func (c *euclid) leading() {
	name := []string{"", "limb1", "limb2", "limb3"}
	for k := 3; k > 0; k-- {
		c.LD(c.a.Offset(8*k), ah)
		c.LD(c.b.Offset(8*k), bh)
		c.OR(ah, bh, both)
		c.BNE(both, zero, name[k])
	}
	c.LD(c.a, ah)
	c.LD(c.b, bh)
	c.BEQ(ah, zero, "aIsZero")
	c.BEQ(bh, zero, "bIsZero")
	c.JMP("aligned")
	for k := 3; k > 0; k-- {
		c.Label(name[k])
		c.LD(c.a.Offset(8*(k-1)), al)
		c.LD(c.b.Offset(8*(k-1)), bl)
		if k > 1 {
			c.JMP("align")
		}
	}
	c.Label("align")
	for k, log := range []riscv64.Imm{5, 4, 3, 2} {
		c.SRLI(64-1<<log, both, t)
		c.SLTIU(1, t, t)
		c.SLLI(log, t, t)
		c.SLL(t, both, both)
		if k == 0 {
			c.MOV(t, n)
		} else {
			c.OR(t, n, n)
		}
	}
	c.Code.Constant(leadingZeros, t)
	c.SRLI(60, both, both)
	c.SLLI(1, both, both)
	c.SRL(both, t, t)
	c.ANDI(3, t, t)
	c.OR(t, n, n)
	c.XORI(-1, n, t) // now t is the shift count 63 − n
	c.SRLI(1, al, al)
	c.SRLI(1, bl, bl)
	c.SRL(t, al, al)
	c.SRL(t, bl, bl)
	c.SLL(n, ah, ah)
	c.SLL(n, bh, bh)
	c.OR(al, ah, ah)
	c.OR(bl, bh, bh)
	c.Label("aligned")
	c.LD(c.a, a)
	c.LD(c.b, b)
}

// A side assigns registers for one of the loop's two copies. A copy halves one of the two numbers a
// and b; the other number is odd. x and xh are the low and the leading word of the halved number;
// ox and oxh are those of the odd number. Each number has a row of the matrix: oy and oz are the
// row of the halved number, and y and z are the row of the odd number.
type side struct {
	name        string
	x, xh, y, z riscv64.Reg // x, xh: halved; y, z: doubled at every halving
	ox, oxh     riscv64.Reg
	oy, oz      riscv64.Reg
}

// run writes the loop that computes the matrix of one run of 63 halvings.
func (c *euclid) run() {
	sides := [2]side{
		{"A", a, ah, q, r, b, bh, u, v},
		{"B", b, bh, u, v, a, ah, q, r},
	}
	c.ADDI(1, zero, u)
	c.MOV(zero, v)
	c.MOV(zero, q)
	c.ADDI(1, zero, r)
	c.LD(c.lookup, zeros)
	c.LD(c.turned, t)
	c.ADDI(runShifts, zero, left)
	c.BNE(t, zero, "startB")
	for k, s := range sides {
		if k == 1 {
			c.Label("startB")
		}
		c.ANDI(1, s.x, t)
		c.BNE(t, zero, "odd"+s.name)
		c.Label("even" + s.name)
		c.next(s)
		c.JMP("last" + s.name)

		// One iteration shifts out at most five zeros. One number in 32 has more trailing zeros,
		// and takes another iteration.
		c.Label("shift" + s.name)
		c.SLL(n, s.y, s.y)
		c.SLL(n, s.z, s.z)
		c.BEQ(t, zero, "even"+s.name)
		c.Label("odd" + s.name)
		c.BLTU(s.xh, s.oxh, "less"+sides[1-k].name)
		c.Label("less" + s.name)
		c.SUB(s.ox, s.x, s.x)
		c.SUB(s.oxh, s.xh, s.xh)
		c.next(s, func() { c.ADD(s.y, s.oy, s.oy) }, func() { c.ADD(s.z, s.oz, s.oz) })

		// Shift the matrix row by the number of halvings that were left.
		c.Label("last" + s.name)
		c.ADD(left, n, n)
		c.SLL(n, s.y, s.y)
		c.SLL(n, s.z, s.z)
		if k == 0 {
			c.SD(zero, c.turned)
			c.JMP("combine")
		}
	}
	c.SD(a, c.turned) // a is odd here, and therefore nonzero
	c.Label("combine")
}

// next counts the trailing zeros of the even number in s.x, up to five, and shifts them out. If
// halvings are left, it jumps back into the loop, with the new lowest bit in t.
func (c *euclid) next(s side, between ...func()) {
	c.SLLI(1, s.x, t)
	for _, f := range between {
		f()
	}
	c.SRL(t, zeros, n)
	c.ANDI(7, n, n)
	c.SUB(n, left, left)
	c.SRL(n, s.x, s.x)
	c.SRL(n, s.xh, s.xh)
	c.ANDI(1, s.x, t)
	c.BLT(zero, left, "shift"+s.name)
}

// turn negates a number and its factor (s or t) if the difference that a run computed for the
// number is negative, which happens after a wrong comparison. top is the sign of the difference.
func (c *euclid) turn(m limbs.Machine, next string, top riscv64.Reg, number, factor riscv64.Mem) {
	c.BGE(top, zero, next)
	m = m.Next()
	m.Store(m.Negate(m.Load(number)), number)
	m.Store(m.NegateModulo(m.Load(factor), m.LoadComplement("m")), factor)
	m.Order()
}

// end sets the argument out and the return value. out is −t if a is 0, because then b = 1; s if b
// is 0; and 0 if the argument in is 0.
func (c *euclid) end(m limbs.Machine) {
	const sign = topOfA
	c.Label("bIsZero")
	c.MOV(zero, sign)
	for k := range 4 {
		c.LD(c.s.Offset(8*k), t)
		c.SD(t, c.t.Offset(8*k))
	}
	c.JMP("settle")
	c.Label("aIsZero")
	c.ADDI(-1, zero, sign)
	c.Label("settle")
	m = m.Next()
	number := m.Load(c.t)
	made := m.Sub(m.Pointer("runs"), m.Word(c.runs))
	m.Store(m.Settle(number, sign, m.Sub(m.Small(64), made), m.LoadModulus("m")),
		riscv64.At(m.Pointer("out"), 0))
	m.Order()
	c.Label("done")
	c.ADDI(1, zero, t)
	c.Result(t, "ok")
	c.RET()

	c.Label("zero")
	c.LD(c.runs, t)
	c.BEQ(t, zero, "enough")
	c.Argument("out", t)
	for k := range 4 {
		c.SD(zero, riscv64.At(t, 8*k))
	}
	c.JMP("done")
	c.Label("enough")
	c.Result(zero, "ok")
	c.RET()
}
