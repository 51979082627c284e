package kernels

import (
	"github.com/koblitz-go/koblitz/_asm/limbs/vectors"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// This file holds the kernels of package vector for AVX-IFMA, whose registers have four lanes. A
// doubling has two rounds of four products. An addition has two rounds of products in two
// registers. The products of the second round are terms of sums, with the letters of second:
//
//	X3 = C·B + F·(−D)  Y3 = A·B + T·D  Z3 = A·F + T·C
//
// So the kernel adds both registers' products to the same columns.

// blend returns the immediate operand of VPBLENDD for which the lanes in list come from the first
// operand, and the others from the second.
func blend(list ...int) operand.Op {
	var imm uint8
	for _, lane := range list {
		imm |= 3 << (2 * lane)
	}
	return operand.U8(imm)
}

// replace returns e with the given lanes of x, and releases e and x.
func (m *parallelMachine) replace(e, x vectors.Element, lanes ...int) vectors.Element {
	out := m.limbwise(func(i int, r operand.Op) {
		m.VPBLENDD(blend(lanes...), y(x[i]), y(e[i]), y(r))
	})
	m.Drop(e, x)
	return out
}

// y returns the lower half of the register o.
func y(o operand.Op) operand.Op { return o.(reg.VecPhysical).AsY() }

// four returns the address of a vector with the given constants in lanes 0 to 3.
func (m *parallelMachine) four(v [4]uint64) operand.Mem {
	return m.PerLane([8]uint64{v[0], v[1], v[2], v[3]})
}

// only clears the lanes of e that are not in the list.
func (m *parallelMachine) only(e vectors.Element, lanes ...int) vectors.Element {
	var mask [4]uint64
	for _, lane := range lanes {
		mask[lane] = ^uint64(0)
	}
	at := m.four(mask)
	for i := range e {
		m.VPANDQ(at, e[i], e[i])
	}
	return e
}

// plus adds e, shifted to the left by each of counts, to sum. Each lane has its own count, and 64
// stands for the term 0. sum may be e.
func (m *parallelMachine) plus(sum, e vectors.Element, counts ...[4]uint64) {
	var shifts []operand.Op
	for _, c := range counts {
		r := m.Register()
		m.VMOVDQU64(m.four(c), r)
		shifts = append(shifts, r)
	}
	for i := range e {
		t, u := m.Register(), m.Register()
		m.VPSLLVQ(shifts[0], e[i], t)
		for _, c := range shifts[1:] {
			m.VPSLLVQ(c, e[i], u)
			m.VPADDQ(u, t, t)
		}
		m.VPADDQ(t, sum[i], sum[i])
		m.Release(t, u)
	}
	m.Release(shifts...)
}

// less returns a multiple of p minus e, in new registers. above is as in offset.
func (m *parallelMachine) less(above [2]uint64, e vectors.Element) vectors.Element {
	o := m.offset(above)
	m.Sub(o, e)
	return o
}

// double4 does the work of double. With w = 21·Z²:
//
//	first round   X·Y  Y·Y  Z·W  Y·Z
//	second round  XY·(Y² − 3w)  (Y² + w)·(Y² − 3w)  w·Y²  YZ·Y²
//	X3 = 2·XY·(Y² − 3w)  Y3 = (Y² + w)·(Y² − 3w) + 8·w·Y²  Z3 = 8·YZ·Y²  W3 = 168·YZ·Y²
func (m *parallelMachine) double4(s vectors.Element) vectors.Element {
	a := m.permute4(s, [4]uint8{0, 1, 2, 1})
	b := m.permute4(s, [4]uint8{1, 1, 3, 2})
	a = m.product(none, a, b)

	b = m.permute4(a, [4]uint8{1, 1, 1, 1})
	w := m.permute4(a, [4]uint8{2, 2, 2, 2})
	sum := m.limbwise(func(i int, r operand.Op) { m.VPADDQ(w[i], a[i], r) })
	a = m.replace(a, sum, 1)
	three := m.limbwise(func(i int, r operand.Op) { m.VPADDQ(w[i], w[i], r) })
	m.Add(three, w)
	m.Drop(w)
	less := m.less(aboveRaw, three)
	m.Add(less, b)
	m.Drop(three)
	b = m.replace(b, less, 0, 1)
	m.Ready(a)
	m.Ready(b)
	r := m.product(none, a, b)

	p := m.permute4(r, [4]uint8{0, 1, 3, 3})
	q := m.permute4(r, [4]uint8{0, 2, 3, 3})
	m.Drop(r)
	x := m.shift(p, [4]uint64{1, 0, 3, 3})
	m.Drop(p)
	m.plus(x, q, [4]uint64{64, 3, 64, 5}, [4]uint64{64, 64, 64, 7})
	m.Drop(q)
	return x
}

// second4 returns the sum of two points, not carried, and releases v and u. The lanes of v are A,
// B, C and F, and those of u are −D, D, T and T. All are raw. The fourth lane of the sum is Z3.
func (m *parallelMachine) second4(v, u vectors.Element) vectors.Element {
	m.Ready(v)
	m.Ready(u)
	var z vectors.Columns
	b := m.permute4(v, [4]uint8{3, 3, 2, 2})
	b = m.replace(b, m.permute4(u, [4]uint8{2, 2, 2, 2}), 1)
	m.Product(&z, u, b)
	m.Drop(u, b)
	a := m.permute4(v, [4]uint8{2, 0, 0, 0})
	b = m.permute4(v, [4]uint8{1, 1, 3, 3})
	m.Drop(v)
	m.Product(&z, a, b)
	m.Drop(a, b)
	return m.Fold(&z)
}

// finish4 stores the sum s, which second4 returned, in the point p, and returns.
func (m *parallelMachine) finish4(s vectors.Element) {
	m.plus(s, s, [4]uint64{64, 64, 64, 2}, [4]uint64{64, 64, 64, 4})
	m.Reduce(s)
	m.end(s)
}

// parallelDoubleAddAffine4 writes the kernel that adds the affine point (x, y). Its first round is
//
//	Y·y + W  Y·y − W  X·y  Z·y + Y
//	X·x  Y·x  Z·x + X  –
func parallelDoubleAddAffine4(m *parallelMachine) {
	s := m.begin(false, true)
	argument(m.Context, "a", reg.RSI)
	at := vectors.Pointer(reg.RSI)
	a := m.permute4(s, [4]uint8{1, 1, 0, 2})
	init := m.permute4(s, [4]uint8{3, 3, 0, 1})
	init = m.only(m.replace(init, m.less(aboveReduced, init), 1), 0, 1, 3)
	v := m.product(init, a, m.limbwise(func(i int, r operand.Op) {
		m.VPBROADCASTQ(at.Offset(40+8*i), r)
	}))
	init = m.only(m.permute4(s, [4]uint8{0, 0, 0, 0}), 2)
	r := m.product(init, s, m.limbwise(func(i int, r operand.Op) {
		m.VPBROADCASTQ(at.Offset(8*i), r)
	}))

	c := m.permute4(r, [4]uint8{1, 1, 1, 1})
	m.Add(c, v)
	v = m.replace(v, c, 2)
	u := m.permute4(r, [4]uint8{2, 2, 0, 0})
	m.Drop(r)
	m.plus(u, u, [4]uint64{2, 2, 1, 1}, [4]uint64{4, 4, 64, 64})
	u = m.replace(u, m.less(above22Raw, u), 0)
	m.finish4(m.second4(v, u))
}

// parallelDoubleAdd4 writes the kernel that adds the point of an Addend.
func parallelDoubleAdd4(m *parallelMachine) {
	s := m.begin(false, false)
	argument(m.Context, "a", reg.RSI)
	var q [2]vectors.Element
	for half := range q {
		for i := range q[half] {
			q[half][i] = vectors.Pointer(reg.RSI).Offset(64*i + 32*half)
		}
	}
	m.finish4(m.add4(s, q, "negate"))
}

// parallelDoubleAddMultiples4 writes the kernel that adds two points of a table, at secret indices.
func parallelDoubleAddMultiples4(m *parallelMachine) {
	s := m.begin(false, false)
	argument(m.Context, "t", reg.RSI)
	s = m.add4(s, m.read4("i", 0), "negateI")
	s = m.add4(s, m.read4("j", 1), "negateJ")
	m.finish4(s)
}

// read4 copies the addend k, 0 or 1, of the pair whose index in the table at RSI is the named
// argument, and returns both halves of the copy. It loads all addends, and combines them under
// masks.
func (m *parallelMachine) read4(index string, k int) (q [2]vectors.Element) {
	argument(m.Context, index, reg.RAX)
	at, mask := m.Register(), m.Register()
	m.VPBROADCASTQ(reg.RAX, at)
	for n := range multiples {
		m.VPCMPEQQ(m.Constant(uint64(n)), y(at), y(mask))
		for half := range q {
			for i := range q[half] {
				from := vectors.Pointer(reg.RSI).Offset((2*n+k)*vectors.Size + 64*i + 32*half)
				t := m.Register()
				m.VPANDQ(from, mask, t)
				if n == 0 {
					q[half][i] = t
					continue
				}
				m.VPORQ(t, q[half][i], q[half][i])
				m.Release(t)
			}
		}
	}
	m.Release(at, mask)
	for half := range q {
		copied := m.Scratch(vectors.Size/2, nil)
		for i, r := range q[half] {
			q[half][i] = copied.Offset(32 * i)
			m.VMOVDQU64(r, q[half][i])
			m.Release(r)
		}
	}
	return q
}

// add4 returns the sum of s and the point (X2 : Y2 : Z2) of the addend q, or the opposite of that
// point if the named argument is all ones. q is in memory. Neither s nor the result is carried; see
// second4. add4 releases s. The first round of products is
//
//	Y1·Y2  w = Z1·21·Z2  X1·Y2  Z1·Y2
//	(X1 + Z1)·21·(X2 + Z2)  X1·X2  Y1·X2  Y1·Z2
func (m *parallelMachine) add4(
	s vectors.Element, q [2]vectors.Element, negate string,
) vectors.Element {
	argument(m.Context, negate, reg.RAX)
	sign := m.Register()
	m.VPBROADCASTQ(reg.RAX, sign)
	all := ^uint64(0)
	m.VPANDQ(m.four([4]uint64{all, 0, all, all}), sign, sign) // the lanes that Y2 is a factor of

	t := m.permute4(s, [4]uint8{0, 0, 0, 0})
	rest := m.permute4(s, [4]uint8{0, 1, 2, 2})
	m.Drop(s)
	m.Add(t, rest)
	t = m.replace(rest, t, 3)
	m.Ready(t)
	a := m.permute4(t, [4]uint8{1, 2, 0, 2})
	b := m.permute4(t, [4]uint8{3, 0, 1, 1})
	m.Drop(t)
	v := m.product(none, a, m.permute4(q[0], [4]uint8{0, 1, 2, 0}))
	r := m.product(none, b, m.permute4(q[1], [4]uint8{0, 1, 1, 3}))
	for i, limb := range vectors.Multiple(aboveRaw[0], aboveRaw[1]) { // −x = (x XOR −1) + 1
		m.VPXORQ(sign, v[i], v[i])
		k := m.Register()
		m.VPANDQ_BCST(m.Constant(limb+1), sign, k)
		m.VPADDQ(k, v[i], v[i])
		m.Release(k)
	}
	m.Release(sign)

	// With the fifth product t, e is w − t and t − w in lanes 0 and 1. There x is 21·X1·X2, and in
	// the other lanes 3·X1·X2.
	d := m.limbwise(func(i int, o operand.Op) { m.VPBLENDD(blend(1), y(v[i]), y(r[i]), y(o)) })
	x := m.permute4(r, [4]uint8{1, 1, 1, 1})
	m.plus(x, x, [4]uint64{2, 2, 1, 1}, [4]uint64{4, 4, 64, 64})
	e := m.swapped(d)
	o := m.offset(above22Raw)
	m.Add(e, o)
	m.Drop(o)
	m.Sub(e, d)
	m.Drop(d)
	u := m.limbwise(func(i int, o operand.Op) { m.VPADDQ(x[i], e[i], o) })
	m.Sub(e, x)
	u = m.replace(u, e, 1)
	u = m.replace(u, x, 2, 3)

	r = m.replace(r, m.swapped(v), 0, 1) // w, Y1·Y2
	v = m.replace(v, m.less(aboveRaw, v), 1)
	m.Add(v, r)
	m.Drop(r)
	return m.second4(v, u)
}

// storeAddend4 does the work of storeAddend with four lanes.
func (m *parallelMachine) storeAddend4(s vectors.Element, offset int) {
	t := m.permute4(s, [4]uint8{0, 0, 0, 0})
	z := m.permute4(s, [4]uint8{2, 2, 2, 2})
	m.Add(t, z)
	m.Drop(z)
	m.plus(t, t, [4]uint64{2, 2, 2, 2}, [4]uint64{4, 4, 4, 4})
	m.Reduce(t)
	for half, e := range []vectors.Element{
		m.permute4(s, [4]uint8{1, 3, 1, 0}),
		m.replace(m.permute4(s, [4]uint8{0, 0, 1, 2}), t, 0),
	} {
		for i := range e {
			m.VMOVDQU64(e[i], vectors.Pointer(reg.RSI).Offset(offset+64*i+32*half))
		}
		m.Drop(e)
	}
}
