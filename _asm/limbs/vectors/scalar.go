package vectors

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// limbs3 returns the three 52-bit limbs of x, which must be below 2^156.
func limbs3(x *big.Int) (l [3]uint64) {
	for i := range l {
		l[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(52*i)), big.NewInt(mask52)).Uint64()
	}
	return l
}

// times adds x·y to z, for a number x of one limb and a number y of three limbs. The lowest half of
// the products is added to column k. If last is not set, the high half of x times the highest limb
// is 0, and times skips it. With the multiplier FMA, times converts x; see Convert.
func (m *Machine) times(z *Columns, k int, x operand.Op, y [3]uint64, last bool) {
	m.Convert(x)
	for i, v := range y {
		parts := []Part{Low(k + i), High(k + i + 1)}
		if i == 2 && !last {
			parts = parts[:1]
		}
		m.MultiplyAddConstant(z, v, x, parts...)
	}
}

// FoldScalar reduces a product of two scalars below the group order n, given as columns. The result
// is congruent modulo n, below 2^256 + 2^212 and so below 2n, and in five clean limbs, with limb 4
// below 2^48 + 2^4.
//
// Let d = 2^256 − n and D = 16·d, which has 133 bits; then 2^260 ≡ D modulo n. Columns 5 to 9 are
// together below 2^252. D times them is below 2^385, and leaves three columns to fold again, which
// are together below 2^125. So column 7 is below 2^21, limb 2 of D is below 2^29, and their product
// has no high half.
//
// Columns 0 to 4 are not carried until the end. Columns 0 to 3 are sums of at most 15 halves of
// products and a few numbers below 2^33. Column 4 is a sum of 14 halves and numbers below 2^51. So
// all are below 2^56. The part of column 4 from bit 48 up is below 2^8. Folded with d, it adds a
// low half to each of columns 0 and 1, and less than 2^34 to column 2. At the end, column 3 carries
// less than 2^4 into the lower 48 bits of column 4.
func (m *Machine) FoldScalar(z *Columns) Element {
	low := limbs3(limbs.D())
	high := limbs3(new(big.Int).Lsh(limbs.D(), 4))
	m.merge(z, 4)
	m.merge(z, 5)
	for k := 5; k < 9; k++ {
		m.carryTo(z, k)
	}
	var y Columns
	copy(y[:5], z[:5])
	for k := range 5 {
		m.times(&y, k, z[5+k], high, true)
		m.Release(z[5+k])
	}
	m.carryTo(&y, 5)
	m.carryTo(&y, 6)
	var x Columns
	copy(x[:5], y[:5])
	for k := range 3 {
		m.times(&x, k, y[5+k], high, k < 2)
		m.Release(y[5+k])
	}
	t := m.Register()
	m.Settle(x[4])
	m.VPSRLQ(operand.U8(48), x[4], t)
	m.VPANDQ_BCST(m.Constant(mask48), x[4], x[4])
	m.times(&x, 0, t, low, false)
	m.Release(t)
	m.Settle(x[:5]...)
	e := Element(x[:5])
	m.Chain(e, true)
	return e
}

// NormalizeScalar makes a number below 2n canonical modulo the group order n. On entry the limbs of
// e are below 2^52. k is a scratch mask register.
func (m *Machine) NormalizeScalar(e Element, k reg.OpmaskPhysical) {
	m.subtractOnce(e, limbs3(limbs.D()), k)
}
