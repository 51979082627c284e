package vectors

import (
	"math/big"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// d is 2^256 − n, 129 bits, where n is the order of the group. It is only read.
var d = func() *big.Int {
	n, _ := new(big.Int).SetString("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141",
		16)
	return n.Sub(new(big.Int).Lsh(big.NewInt(1), 256), n)
}()

// limbs3 returns x < 2^156 in three limbs.
func limbs3(x *big.Int) (l [3]uint64) {
	for i := range l {
		l[i] = new(big.Int).And(new(big.Int).Rsh(x, uint(52*i)), big.NewInt(mask52)).Uint64()
	}
	return l
}

// times adds x times a number of three limbs to z, from column k on. If last is
// not set, the highest half of the product is 0.
func (m *Machine) times(z *Columns, k int, x operand.Op, y [3]uint64, last bool) {
	for i, v := range y {
		m.VPMADD52LUQ_BCST(m.Constant(v), x, m.column(z, k+i))
		if i < 2 || last {
			m.VPMADD52HUQ_BCST(m.Constant(v), x, m.column(z, k+i+1))
		}
	}
}

// FoldScalar brings the columns of a product of scalars below n down to a number
// below 2n modulo n, in five clean limbs, limb 4 at most 2^48.
//
// 2^260 is worth D = 16·d, of 133 bits. The columns 5 … 9 are less than 2^252, so
// that D times them is less than 2^385 and leaves three columns to fold again.
// D times those is less than 2^259: column 7 is below 2^22 and limb 2 of D below
// 2^29. What is then above 2^256, with what the columns 0 … 4 have not carried, is
// below 2^10 and worth d. That leaves less than 2^256 + 2^139.
func (m *Machine) FoldScalar(z *Columns) Element {
	low := limbs3(d)
	high := limbs3(new(big.Int).Lsh(d, 4))
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
	m.VPSRLQ(operand.U8(48), x[4], t)
	m.VPANDQ_BCST(m.Constant(mask48), x[4], x[4])
	m.times(&x, 0, t, low, false)
	m.Release(t)
	e := Element{x[0], x[1], x[2], x[3], x[4]}
	m.chain(e, true)
	return e
}

// NormalizeScalar makes clean limbs of a number below 2n canonical, as Normalize
// does modulo p.
func (m *Machine) NormalizeScalar(e Element, k reg.OpmaskPhysical) {
	m.subtractOnce(e, limbs3(d), k)
}
