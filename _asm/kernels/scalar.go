package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// d returns limb i of the constant 2^256 − n = d2·2^128 + d1·2^64 + d0, where d2 = 1, as an
// operand.
func d(i int) operand.Op { return operand.U64(limbs.Word(limbs.D(), i)) }

func scalar() []Kernel {
	return []Kernel{
		{
			Name: "mulADX", Package: "scalar", File: "mul_amd64",
			Signature: "func(v, a, b *Scalar)", Layout: "func(v, a, b *uint64)",
			Doc: "mulADX sets v = a·b modulo n. a and b may be any values below 2^256. v is\n" +
				"below n. v may be a or b.",
			ConstantTime: true,
			Build: func(c *build.Context) {
				m := machine(c)
				argument(c, "a", limbs.P0)
				argument(c, "b", limbs.P1)
				m.Multiply(limbs.At(limbs.Pointer(limbs.P0), 0), limbs.At(limbs.Pointer(limbs.P1), 0))
				scalarReduce(m)
			},
		},
		{
			Name: "squareADX", Package: "scalar", File: "mul_amd64",
			Signature: "func(v, a *Scalar)", Layout: "func(v, a *uint64)",
			Doc: "squareADX sets v = a² modulo n. a may be any value below 2^256. v is below\n" +
				"n. v may be a.",
			ConstantTime: true,
			Build: func(c *build.Context) {
				m := machine(c)
				argument(c, "a", limbs.P0)
				m.Square(limbs.At(limbs.Pointer(limbs.P0), 0))
				scalarReduce(m)
			},
		},
	}
}

// scalarReduce sets the argument v to the eight-limb product W = W7 … W0 modulo the group order n,
// and returns. It folds twice: it multiplies the part above 2^256 by d = 2^256 − n, and adds the
// product to the rest:
//
//	W7 … W4 = h        r = W3 … W0 + h·d < 2^256 + 2^256·d, seven limbs, r6 ≤ 1
//	r6 r5 r4 = g ≤ d   t = r3 … r0 + g·d < 3·2^256, five limbs, t4 ≤ 2
//	t4                 y = t3 … t0 + t4·d < 2^256 + 2·d < 2·n
//
// y ≥ n exactly if y + d ≥ 2^256; the low 256 bits of y + d are then y − n. So scalarReduce adds
// (t4 + 1)·d to t3 … t0. If this does not carry, y was below n, and scalarReduce subtracts d again.
func scalarReduce(m limbs.Machine) {
	w := limbs.W
	lo, hi, factor := limbs.Lo, limbs.Hi, limbs.Factor
	r4, r5, r6 := reg.RCX, reg.RSI, reg.RDI
	clear := func(r reg.GPPhysical) { m.XORL(r.As32(), r.As32()) }
	zero := operand.I8(0)

	// Add h·d0, h·d1 and h·d2 for the upper half h of W, each product one limb further up.
	m.MOVQ(d(0), factor)
	clear(r4)
	for i, to := range []reg.GPPhysical{w[0], w[1], w[2], w[3]} {
		m.MULXQ(w[4+i], lo, hi)
		m.ADCXQ(lo, to)
		m.ADOXQ(hi, []reg.GPPhysical{w[1], w[2], w[3], r4}[i])
	}
	m.ADCQ(zero, r4)
	m.MOVQ(d(1), factor)
	clear(r5)
	for i, to := range []reg.GPPhysical{w[1], w[2], w[3], r4} {
		m.MULXQ(w[4+i], lo, hi)
		m.ADCXQ(lo, to)
		m.ADOXQ(hi, []reg.GPPhysical{w[2], w[3], r4, r5}[i])
	}
	m.ADCQ(zero, r5)
	clear(r6)
	m.ADDQ(w[4], w[2])
	m.ADCQ(w[5], w[3])
	m.ADCQ(w[6], r4)
	m.ADCQ(w[7], r5)
	m.ADCQ(zero, r6)

	// Add g·d0, g·d1 and g·d2, where g is r6 r5 r4. r6 is 0 or 1, so each product with r6 is
	// computed by a mask.
	t4, g0, g1, none := w[4], w[5], w[6], w[7]
	m.MOVQ(r6, g0)
	m.NEGQ(g0)
	m.MOVQ(g0, g1)
	m.MOVQ(d(1), lo)
	m.ANDQ(lo, g1)
	m.MOVQ(d(0), factor)
	m.ANDQ(factor, g0)
	clear(none)
	clear(t4)
	m.MULXQ(r4, lo, hi)
	m.ADCXQ(lo, w[0])
	m.ADOXQ(hi, w[1])
	m.MULXQ(r5, lo, hi)
	m.ADCXQ(lo, w[1])
	m.ADOXQ(hi, w[2])
	m.ADCXQ(g0, w[2])
	m.ADOXQ(none, w[3])
	m.ADCXQ(none, w[3])
	m.ADOXQ(none, t4)
	m.ADCXQ(none, t4)
	m.MOVQ(d(1), factor)
	clear(none)
	m.MULXQ(r4, lo, hi)
	m.ADCXQ(lo, w[1])
	m.ADOXQ(hi, w[2])
	m.MULXQ(r5, lo, hi)
	m.ADCXQ(lo, w[2])
	m.ADOXQ(hi, w[3])
	m.ADCXQ(g1, w[3])
	m.ADOXQ(none, t4)
	m.ADCXQ(none, t4)
	m.ADDQ(r4, w[2])
	m.ADCQ(r5, w[3])
	m.ADCQ(r6, t4)

	// Compute (t4 + 1)·d. Each of its limbs is below 2^64.
	argument(m.Context, "v", r6)
	m.MOVQ(d(0), lo)
	m.MOVQ(lo, g0)
	m.MOVQ(factor, g1) // factor still holds d1
	m.INCQ(t4)
	m.IMULQ(t4, lo)
	m.IMULQ(t4, factor)
	m.ADDQ(lo, w[0])
	m.ADCQ(factor, w[1])
	m.ADCQ(t4, w[2])
	m.ADCQ(zero, w[3])
	m.SBBQ(none, none)
	m.NOTQ(none) // none becomes all ones if there was no carry
	m.ANDQ(none, g0)
	m.ANDQ(none, g1)
	m.ANDL(operand.U8(1), none.As32())
	m.SUBQ(g0, w[0])
	m.SBBQ(g1, w[1])
	m.SBBQ(none, w[2])
	m.SBBQ(zero, w[3])
	m.Store(limbs.At(limbs.Pointer(r6), 0))
	m.RET()
}
