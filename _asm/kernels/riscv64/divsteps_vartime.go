package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

// runShifts is how many halvings a run makes.
const runShifts = 63

const zero = riscv64.ZERO

// The matrix of a run, (u, v; q, r), and what differences have above 2^256.
const (
	u, v, q, r        = riscv64.X5, riscv64.X6, riscv64.X7, riscv64.X8
	topOfA, topOfB    = riscv64.X9, riscv64.X10
	a, b, ah, bh      = riscv64.X11, riscv64.X12, riscv64.X13, riscv64.X14
	al, bl, n, t      = riscv64.X15, riscv64.X16, riscv64.X17, riscv64.X18
	left, zeros, both = riscv64.X19, riscv64.X20, riscv64.X21
)

// A euclid is Euclid's frame. a ≡ s·in and b ≡ −t·in modulo m, up to a power of two. Neither
// changes its place: if b is to be halved from here on, turned is not zero.
type euclid struct {
	riscv64.Code
	a, b, s, t    riscv64.Mem
	runs, turned  riscv64.Mem // how many runs are left
	again, lookup riscv64.Mem // not zero after the first run; trailingZeros
}

// trailingZeros has in four bits from 4·k up how many zeros stand below the lowest one of 2·k,
// at most five.
const trailingZeros = 0x1213121412131215

// leadingZeros has in two bits from 2·k up how many zeros stand above the highest one of k in
// four bits, for k > 0.
const leadingZeros = 0x55ac

// Euclid is Modulus.euclidVartime: package divsteps says why it is right. Where amd64's kernel
// exchanges a and b, this one jumps to a copy of the loop in which they have each other's
// registers. So u·a − v·b and r·b − q·a are positive, but for a comparison that was wrong, and
// no sign has to be followed.
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

	// s = 2^64, and t = 0: sums need no products.
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

// begin sets (a, b) = (in, m), and jumps if in is 0.
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

// leading sets ah and bh to 64 bits of a and b from the top bit of the larger one on, or to all
// bits if both are below 2^64, and a and b to the lowest limbs. It jumps if one of both is 0.
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
	c.XORI(-1, n, t) // 63 − n as a count
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

// A side is the registers of a half of the algorithm: what is halved, with its row, and the
// other number, that is odd, with its.
type side struct {
	name        string
	x, xh, y, z riscv64.Reg // halved; the row of the other number is doubled
	ox, oxh     riscv64.Reg
	oy, oz      riscv64.Reg
}

// run sets the matrix.
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

		// At most five zeros go in one turn: more, once in 32 turns, take another one.
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

		// what there was to shift
		c.Label("last" + s.name)
		c.ADD(left, n, n)
		c.SLL(n, s.y, s.y)
		c.SLL(n, s.z, s.z)
		if k == 0 {
			c.SD(zero, c.turned)
			c.JMP("combine")
		}
	}
	c.SD(a, c.turned) // which is odd
	c.Label("combine")
}

// next counts the zeros of an even number, up to five, shifts them out, and goes on if that leaves
// halvings, with the lowest bit in t.
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

// turn negates a number and its factor if what a run made of it is negative: a comparison was
// wrong.
func (c *euclid) turn(m limbs.Machine, next string, top riscv64.Reg, number, factor riscv64.Mem) {
	c.BGE(top, zero, next)
	m = m.Next()
	m.Store(m.Negate(m.Load(number)), number)
	m.Store(m.NegateModulo(m.Load(factor), m.LoadComplement("m")), factor)
	m.Order()
}

// end sets out to −t, if a is 0 and so b = 1, or to s, or to 0, and the result.
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
