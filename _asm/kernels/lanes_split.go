package kernels

import (
	"math/big"

	"github.com/koblitz-go/koblitz/_asm/limbs"
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

func (l *laneLevel) lanesSplit() []Kernel {
	return []Kernel{
		l.arithmetic("splitOdd",
			"func(b1, b2 *[3]Vector, k *[Width]scalar.Scalar, top uint64)",
			"func(b1, b2, k *uint64, top uint64)",
			" splits k[j] into d_1 + d_2·λ, with odd d_1 and d_2 within the bounds of\n"+
				"scalar.SplitOdd, for each lane j. It sets lane j of b1 to (d_1 + 2^l − 1)/2 and\n"+
				"lane j of b2 to (d_2 + 2^l − 1)/2, three 64-bit words each. k[j] must be below\n"+
				"n, and top must be 2^(l−129).", lanesSplitOdd),
	}
}

// A short is a number of three limbs of 52 bits, and a long one of four limbs.
type (
	short [3]uint64
	long  [4]uint64
)

func limbs52(x *big.Int, l []uint64) {
	for i := range l {
		y := new(big.Int).Rsh(x, uint(52*i))
		l[i] = y.And(y, big.NewInt(1<<52-1)).Uint64()
	}
}

// lattice holds the basis v1 = (a1, −b1), v2 = (a2, a1) of the lattice of all pairs (u, v) with u +
// v·λ ≡ 0 modulo n. g1 and g2 are the quotients a1·2^312/n and b1·2^312/n, rounded. See
// docs/endomorphism.md.
type lattice struct {
	a1, b1, a2 short
	g1, g2     long
}

func newLattice() (l lattice) {
	n := limbs.N()
	a1, b1 := limbs.ShortVector()
	limbs52(a1, l.a1[:])
	limbs52(b1, l.b1[:])
	limbs52(new(big.Int).Add(a1, b1), l.a2[:])
	for x, g := range map[*big.Int]*long{a1: &l.g1, b1: &l.g2} {
		y := new(big.Int).Lsh(x, 313)
		y.Add(y, n)
		limbs52(y.Div(y, new(big.Int).Lsh(n, 1)), g[:])
	}
	return l
}

// lanesSplitOdd writes the kernel that computes scalar.SplitOdd in limbs of 52 bits. For a scalar k
// it computes the quotients k·a1/n and k·b1/n, rounded down. If such a quotient does not have the
// wanted parity, one is added to it. The kernel subtracts the lattice point with these coefficients
// from (k, 0), which gives the halves of k.
//
// Bound on the halves: of the product k·g, for a rounded quotient g = g1 or g2, columns 0 to 4
// (sums of limb products) are left out. They add up to less than 2^266 and would be divided by
// 2^312. Rounding g changes the quotient by less than 2^-57. So a quotient differs from the exact
// one by at most 1 + 2^-45, and the halves are below 1.272·2^128.
func lanesSplitOdd(c *build.Context, m *vectors.Machine) {
	l := newLattice()
	argument(c, "k", reg.RSI)
	w := m.LoadHalves(func(j int) operand.Mem { return operand.Mem{Base: reg.RSI, Disp: 32 * j} })
	k := m.Split(w[:])

	c1, c2 := topColumns(m, k, l.g1), topColumns(m, k, l.g2)
	parity(m, &c1, k[0], true)
	parity(m, &c2, k[0], false)
	m.Release(k[3], k[4])

	// From the quotients c1 and c2, compute the halves d_1 = k − c1·a1 − c2·a2 and d_2 = c1·b1 −
	// c2·a1, modulo 2^156.
	var n, x, y vectors.Columns
	lowColumns(m, &n, c1, l.a1)
	lowColumns(m, &x, c1, l.b1)
	lowColumns(m, &n, c2, l.a2)
	lowColumns(m, &y, c2, l.a1)
	m.Release(c1[:]...)
	m.Release(c2[:]...)
	top := m.Register()
	c.VPBROADCASTQ(operand.NewParamAddr("top", 24), top)
	for i := range 3 {
		m.Settle(n[i], x[i], y[i])
		m.VPSUBQ(n[i], k[i], k[i])
		m.VPSUBQ(y[i], x[i], x[i])
		m.Release(n[i], y[i])
	}
	storeOffset(c, m, "b1", [3]operand.Op{k[0], k[1], k[2]}, top)
	storeOffset(c, m, "b2", [3]operand.Op{x[0], x[1], x[2]}, top)
	m.Return()
}

// topColumns returns k·g/2^312 rounded down, or one less than that. It computes columns 5 to 8 of
// the product, and returns three limbs that are not carried.
func topColumns(m *vectors.Machine, k vectors.Element, g long) (q [3]operand.Op) {
	var z vectors.Columns
	for i := range 4 {
		m.Column(&z, i)
	}
	var x vectors.Element
	for i := range k {
		x[i] = m.Factor(k[i])
	}
	for j, v := range g {
		for i := range k {
			parts := []vectors.Part{vectors.Low(i + j - 5), vectors.High(i + j - 4)}
			switch {
			case i+j == 4:
				parts = parts[1:]
			case i+j < 4:
				continue
			}
			m.MultiplyAddConstant(&z, v, x[i], parts...)
		}
	}
	for i := range k {
		m.Forget(x[i], k[i])
	}
	m.Settle(z[:4]...)
	m.VPSRLQ(operand.U8(52), z[0], z[0])
	m.VPADDQ(z[0], z[1], z[1])
	m.Release(z[0])
	return [3]operand.Op(z[1:4])
}

// parity makes the lowest bit of q equal to the lowest bit of k, or opposite to it if other is set:
// if the bit is wrong, parity adds one to q. It then carries between the limbs of q. If the
// multiplier ignores the bits that are carried up, parity leaves them in the lower limb, too.
func parity(m *vectors.Machine, q *[3]operand.Op, k operand.Op, other bool) {
	t := m.Register()
	m.VPXORQ(q[0], k, t)
	m.VPANDQ_BCST(m.Constant(1), t, t)
	if other {
		m.VPADDQ_BCST(m.Constant(1), q[0], q[0])
		m.VPSUBQ(t, q[0], q[0])
	} else {
		m.VPADDQ(t, q[0], q[0])
	}
	for i := range 2 {
		m.VPSRLQ(operand.U8(52), q[i], t)
		m.VPADDQ(t, q[i+1], q[i+1])
		m.Trim(q[i])
	}
	m.Release(t)
}

// lowColumns adds q·x modulo 2^156 to columns 0 to 2 of z.
func lowColumns(m *vectors.Machine, z *vectors.Columns, q [3]operand.Op, x short) {
	for i := range 3 {
		m.Column(z, i)
	}
	var f [3]operand.Op
	for i := range q {
		f[i] = m.Factor(q[i])
	}
	for j, v := range x {
		for i := 0; i+j < 3; i++ {
			parts := []vectors.Part{vectors.Low(i + j), vectors.High(i + j + 1)}
			if i+j == 2 {
				parts = parts[:1]
			}
			m.MultiplyAddConstant(z, v, f[i], parts...)
		}
	}
	for i := range q {
		m.Forget(f[i], q[i])
	}
}

// storeOffset stores (d − 1)/2 + 2^(l−1) as 64-bit words in the argument with the given name; the
// register top holds 2^(l−129). d is an odd number modulo 2^156, in two's complement. Its limbs are
// not carried and may be negative.
func storeOffset(
	c *build.Context, m *vectors.Machine, name string, d [3]operand.Op, top operand.Op,
) {
	argument(c, name, reg.RDI)
	t := m.Register()
	for i := range 2 {
		m.VPSRAQ(operand.U8(52), d[i], t)
		m.VPADDQ(t, d[i+1], d[i+1])
		m.VPANDQ_BCST(m.Constant(1<<52-1), d[i], d[i])
	}
	word := func(i int, low, high operand.Op, right, left uint8) {
		m.VPSRLQ(operand.U8(right), low, low)
		m.VPSLLQ(operand.U8(left), high, t)
		m.VPORQ(t, low, low)
		m.VMOVDQU64(low, operand.Mem{Base: reg.RDI, Disp: 64 * i})
	}
	word(0, d[0], d[1], 1, 51)
	word(1, d[1], d[2], 13, 39)
	m.VPSLLQ(operand.U8(12), d[2], d[2]) // the sign is bit 51, and moves to bit 63
	m.VPSRAQ(operand.U8(37), d[2], d[2])
	m.VPADDQ(top, d[2], d[2])
	m.VMOVDQU64(d[2], operand.Mem{Base: reg.RDI, Disp: 128})
	m.Release(t, d[0], d[1], d[2])
}
