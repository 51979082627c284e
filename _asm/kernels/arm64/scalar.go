package arm64

import (
	curve "github.com/koblitz-go/koblitz/_asm/limbs"
	limbs "github.com/koblitz-go/koblitz/_asm/limbs/arm64"
	"github.com/koblitz-go/koblitz/_asm/listing/arm64"
)

// ScalarMultiply writes the kernel that sets v = a·b modulo n. ScalarSquare writes the kernel that
// sets v = a² modulo n.
func ScalarMultiply(code arm64.Code) {
	m := limbs.New(code, false)
	m.ArgumentPair("a", "b", limbs.P0, limbs.P1)
	m.Load(limbs.A, arm64.At(limbs.P0, 0))
	m.Load(limbs.B, arm64.At(limbs.P1, 0))
	m.Multiply(limbs.W, limbs.A, limbs.B)
	scalarReduce(m)
}

func ScalarSquare(code arm64.Code) {
	m := limbs.New(code, false)
	m.Argument("a", limbs.P0)
	m.Load(limbs.A, arm64.At(limbs.P0, 0))
	m.Square(limbs.W, limbs.A)
	scalarReduce(m)
}

// word writes instructions that set the register dst to the constant n.
func word(m limbs.Machine, n uint64, dst reg) {
	m.MOVZ(arm64.Imm(n&0xffff), dst)
	for s := 16; s < 64; s += 16 {
		m.MOVK(arm64.Imm(n&(0xffff<<s)), dst)
	}
}

// scalarReduce sets the argument v to the eight-limb product W = W7 … W0 modulo the group order n,
// and returns. It folds twice: it multiplies the part above 2^256 by d = 2^256 − n = d2·2^128 +
// d1·2^64 + d0, where d2 = 1, and adds the product to the rest:
//
//	W7 … W4 = h        r = W3 … W0 + h·d < 2^256 + 2^256·d, seven limbs, r6 ≤ 1
//	r6 r5 r4 = g ≤ d   t = r3 … r0 + g·d < 3·2^256, five limbs, t4 ≤ 2
//	t4                 y = t3 … t0 + t4·d < 2^256 + 2·d < 2·n
//
// y ≥ n exactly if y + d ≥ 2^256; the low 256 bits of y + d are then y − n. So scalarReduce adds
// (t4 + 1)·d to t3 … t0. If this does not carry, y was below n, and scalarReduce subtracts d again.
func scalarReduce(m limbs.Machine) {
	w := limbs.W
	d0, d1, g0, g1 := limbs.A[0], limbs.A[1], limbs.A[2], limbs.A[3]
	r4, r5, r6, t4 := limbs.B[0], limbs.B[1], limbs.B[2], limbs.B[3]
	lo, hi := limbs.D[0], limbs.D[1]
	word(m, curve.Word(curve.D(), 0), d0)
	word(m, curve.Word(curve.D(), 1), d1)

	// Add h·d0, and h·d1 one limb higher, for the upper half h of W: low halves of the products
	// first, then high halves.
	row := func(d reg, to [5]reg) {
		add := m.First()
		for k := range 4 {
			m.MUL(w[4+k], d, lo)
			add(lo, to[k], to[k])
		}
		m.ADC(zr, zr, to[4])
		add = m.First()
		for k := range 3 {
			m.UMULH(w[4+k], d, lo)
			add(lo, to[k+1], to[k+1])
		}
		m.UMULH(w[7], d, lo)
		m.ADC(lo, to[4], to[4])
	}
	row(d0, [5]reg{w[0], w[1], w[2], w[3], r4})
	row(d1, [5]reg{w[1], w[2], w[3], r4, r5})
	m.ADDS(w[4], w[2], w[2])
	m.ADCS(w[5], w[3], w[3])
	m.ADCS(w[6], r4, r4)
	m.ADCS(w[7], r5, r5)
	m.ADC(zr, zr, r6)

	// Add g·d0, g·d1 and g·d2 (which is g), where g is r6 r5 r4. r6 is 0 or 1, so each product with
	// r6 is computed by a mask.
	m.NEG(r6, g1)
	m.AND(d0, g1, g0)
	m.AND(d1, g1, g1)
	m.MUL(r4, d0, lo)
	m.ADDS(lo, w[0], w[0])
	m.MUL(r5, d0, lo)
	m.ADCS(lo, w[1], w[1])
	m.ADCS(g0, w[2], w[2])
	m.ADCS(zr, w[3], w[3])
	m.ADC(zr, r6, t4)
	m.UMULH(r4, d0, lo)
	m.ADDS(lo, w[1], w[1])
	m.UMULH(r5, d0, lo)
	m.ADCS(lo, w[2], w[2])
	m.ADCS(zr, w[3], w[3])
	m.ADC(zr, t4, t4)
	m.MUL(r4, d1, lo)
	m.ADDS(lo, w[1], w[1])
	m.MUL(r5, d1, lo)
	m.ADCS(lo, w[2], w[2])
	m.ADCS(g1, w[3], w[3])
	m.ADC(zr, t4, t4)
	m.UMULH(r4, d1, lo)
	m.ADDS(lo, w[2], w[2])
	m.UMULH(r5, d1, lo)
	m.ADCS(lo, w[3], w[3])
	m.ADC(zr, t4, t4)
	m.ADDS(r4, w[2], w[2])
	m.ADCS(r5, w[3], w[3])
	m.ADC(zr, t4, t4)

	// Compute (t4 + 1)·d. Each of its limbs is below 2^64.
	m.ADD(arm64.Imm(1), t4, t4)
	m.MUL(t4, d0, lo)
	m.MUL(t4, d1, hi)
	m.ADDS(lo, w[0], w[0])
	m.ADCS(hi, w[1], w[1])
	m.ADCS(t4, w[2], w[2])
	m.ADCS(zr, w[3], w[3])
	m.CSEL("LO", d0, zr, d0)
	m.CSEL("LO", d1, zr, d1)
	m.CSINC("HS", zr, zr, t4)
	m.SUBS(d0, w[0], w[0])
	m.SBCS(d1, w[1], w[1])
	m.SBCS(t4, w[2], w[2])
	m.SBC(zr, w[3], w[3])
	m.Argument("v", limbs.P0)
	m.Store(limbs.Low, arm64.At(limbs.P0, 0))
	m.RET()
}
