package riscv64

import (
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/riscv64"
	"github.com/koblitz-go/koblitz/_asm/listing/riscv64"
)

const (
	blockSteps = 20
	batchSteps = 3 * blockSteps
)

// Invert writes the kernel for Modulus.Invert, with the same steps as amd64's kernel. The
// instructions of a batch are ordered as one list. So the matrix products of one block fill the
// waits between the division steps of the next block.
func Invert(c riscv64.Code) {
	f, g, d, e := c.Local(40), c.Local(40), c.Local(40), c.Local(40)
	zetaAt, rest := c.Local(8), c.Local(8)
	count := riscv64.X14

	// Start with f = m, g = in, d = 0, e = 2^64 and ζ = −(δ + 1/2) = −1.
	m := limbs.New(c, false, count)
	m.Store(m.Load(riscv64.At(m.Pointer("in"), 0)), g)
	m.Store(m.Value(m.LoadComplement("m")), f)
	m.SD(m.Small(1), e.Offset(8))
	for _, word := range []riscv64.Mem{f.Offset(32), g.Offset(32), e, e.Offset(16), e.Offset(24),
		e.Offset(32), d, d.Offset(8), d.Offset(16), d.Offset(24), d.Offset(32)} {
		m.SD(zero, word)
	}
	m.SD(m.Small(-1), zetaAt)
	m.SD(m.Pointer("batches"), rest)
	m.Order()

	c.Label("batch")
	m = m.Next()
	f0, g0 := m.Word(f), m.Word(g) // low words of f and g
	steps := m.Pack(f0, g0, m.Word(zetaAt))
	var matrix limbs.Matrix
	for block := range 3 {
		for range blockSteps {
			steps = m.DivisionStep(steps)
		}
		next := m.Unpack(steps)
		if block < 2 {
			f0, g0 = m.Advance(next, f0, g0)
			steps = m.Pack(f0, g0, steps.Zeta)
		}
		if block > 0 {
			next = m.Times(next, matrix)
		}
		matrix = next
	}
	m.SD(steps.Zeta, zetaAt)
	u, v, q, r := matrix[0], matrix[1], matrix[2], matrix[3]
	f1 := m.ShiftSigned(m.Combine(u, v, f, g), batchSteps)
	g1 := m.ShiftSigned(m.Combine(q, r, f, g), batchSteps)
	m.StoreSigned(f1, f)
	m.StoreSigned(g1, g)
	modulus := m.LoadModulus("m")
	d1 := m.ReduceSigned(m.Combine(u, v, d, e), modulus)
	e1 := m.ReduceSigned(m.Combine(q, r, d, e), modulus)
	m.StoreSigned(d1, d)
	m.StoreSigned(e1, e)
	m.Order()
	c.LD(rest, count)
	c.ADDI(-1, count, count)
	c.SD(count, rest)
	c.BNE(count, zero, "batch")

	m = m.Next()
	m.Store(m.SettleSigned(m.LoadSigned(d), m.Word(f.Offset(32)), m.Left(m.Pointer("batches")),
		m.LoadModulus("m")), riscv64.At(m.Pointer("out"), 0))
	m.Order()
	for _, number := range []riscv64.Mem{f, g, d, e} {
		for k := range 5 {
			c.SD(zero, number.Offset(8*k))
		}
	}
	c.SD(zero, zetaAt)
	c.RET()
}
