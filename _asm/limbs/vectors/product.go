package vectors

import (
	"math/big"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Product adds a·b to z: 25 low halves of a_i·b_j in column i+j, and 25 high halves in column
// i+j+1.
//
//	 9    8    7    6    5    4    3    2    1    0
//	                          l04  l03  l02  l01  l00
//	                    l14  l13  l12  l11  l10
//	               l24  l23  l22  l21  l20
//	          l34  l33  l32  l31  l30
//	     l44  l43  l42  l41  l40
//	                    h04  h03  h02  h01  h00
//	               h14  h13  h12  h11  h10
//	          h24  h23  h22  h21  h20
//	     h34  h33  h32  h31  h30
//	h44  h43  h42  h41  h40
//
// The products are in the order in which a carry chain completes the limbs, limb 4 last. Columns 4
// and 5 have the most terms, so each is summed in two parts, which shortens the dependency chain. a
// is in registers. b may be in memory; each of its limbs is then loaded once if enough registers
// are free, and twice otherwise. With the multiplier FMA, Product converts a; see Convert.
func (m *Machine) Product(z *Columns, a, b Element) {
	if m.multiplier == FMA {
		m.fusedProduct(z, a, b)
		return
	}
	if m.lean {
		m.leanProduct(z, a, b)
		return
	}
	multiply := func(i, j int, x operand.Op) {
		k := i + j + 1
		if k == 4 || k == 5 {
			k += 6
		}
		m.MultiplyAdd(z, x, a[i], Low(i+j), High(k))
	}
	if operand.IsMem(b[0]) && len(m.free) <= 18 {
		for _, limbs := range [][]int{{0, 1, 2, 3}, {4}} {
			for j := range b {
				y := m.Register()
				m.VMOVDQU64(b[j], y)
				for _, i := range limbs {
					multiply(i, j, y)
				}
				m.Release(y)
			}
		}
		return
	}
	var loaded Element
	if operand.IsMem(b[0]) {
		loaded = m.Load(b)
		b = loaded
	}
	for last := range 5 {
		for k := last; k > 0; k-- {
			multiply(last-k, last, b[last])
			multiply(last, last-k, b[last-k])
		}
		multiply(last, last, b[last])
	}
	m.Drop(loaded)
}

// fusedProduct is Product for the multiplier FMA. a or b, or both, may be in memory.
func (m *Machine) fusedProduct(z *Columns, a, b Element) {
	var loaded Element
	if operand.IsMem(a[0]) {
		a, b = b, a
	}
	if operand.IsMem(a[0]) {
		loaded = m.Load(a)
		a = loaded
	}
	m.Convert(a[:]...)
	for j := range b {
		y := m.Factor(b[j])
		for i := range a {
			m.MultiplyAdd(z, a[i], y, Low(i+j), High(i+j+1))
		}
		m.Release(y)
	}
	m.Drop(loaded)
}

// fusedSquare returns the columns of a², for the multiplier FMA. Columns that are doubled, from the
// column with number first on, begin with those of z.
func (m *Machine) fusedSquare(a Element, z Columns, first int) Columns {
	m.Convert(a[:]...)
	for j := range 5 {
		for i := range j {
			m.MultiplyAdd(&z, a[i], a[j], Low(i+j), High(i+j+1))
		}
	}
	for k := first; k < 9; k++ {
		m.double(z[k])
	}
	for j := range 5 {
		m.MultiplyAdd(&z, a[j], a[j], Low(2*j), High(2*j+1))
	}
	return z
}

// leanProduct is Product with fewer registers: one for each column, and one for a limb of b if b is
// in memory. a may be in memory too. With 512-bit vectors, leanProduct exchanges a and b if only a
// is in memory, so that each limb is loaded once. The last limb is loaded twice, because column 9
// needs its register.
func (m *Machine) leanProduct(z *Columns, a, b Element) {
	if operand.IsMem(a[0]) && !operand.IsMem(b[0]) && m.narrow == nil {
		a, b = b, a
	}
	for j := range b {
		y := b[j]
		if operand.IsMem(y) {
			r := m.Register()
			m.VMOVDQU64(y, r)
			y = r
		}
		for i := range a {
			m.MultiplyAdd(z, a[i], y, Low(i+j))
		}
		for i := range a {
			if i+j == 8 && operand.IsMem(b[j]) && m.narrow == nil {
				m.Release(y)
				m.MultiplyAdd(z, b[j], a[i], High(9))
				break
			}
			m.MultiplyAdd(z, a[i], y, High(i+j+1))
		}
		if operand.IsMem(b[j]) && (j < 4 || m.narrow != nil) {
			m.Release(y)
		}
	}
}

// merge adds the second partial sum of column k, which is 4 or 5, to the first one, and releases
// the register of the second.
func (m *Machine) merge(z *Columns, k int) {
	if z[k+6] != nil {
		m.VPADDQ(z[k+6], z[k], z[k])
		m.Release(z[k+6])
		z[k+6] = nil
	}
}

// second returns the index of the second partial sum of column k, or k if the column has only one.
func second(z *Columns, k int) int {
	if z[k+6] != nil {
		return k + 6
	}
	return k
}

// Square returns a² as columns for Fold. a is in registers, and its limb 4 is below 2^51, because
// Square doubles it. With the multiplier FMA, Square converts a instead. If init is not nil, Square
// adds *init to the result and releases its registers. The order of products is as in Product.
func (m *Machine) Square(a Element, init *Element) Columns {
	if m.lean && m.multiplier == IFMA {
		z := m.leanSquare(a, Columns{}, 1)
		m.add(&z, init)
		return z
	}
	z := m.square(a)
	m.fold9(&z)
	m.add(&z, init)
	return z
}

// SquareAdd returns a² + 2·half as columns for Fold, and releases the registers of half. The
// columns begin with half, which is doubled together with the products of different limbs. a is as
// in Square.
func (m *Machine) SquareAdd(a, half Element) Columns {
	switch {
	case m.multiplier == FMA:
		z := m.fusedSquare(a, From(half), 0)
		m.fold9(&z)
		return z
	case m.lean:
		return m.leanSquare(a, From(half), 0)
	}
	m.Add(half, half)
	return m.Square(a, &half)
}

func (m *Machine) add(z *Columns, init *Element) {
	for k := 0; init != nil && k < 5; k++ {
		m.VPADDQ(init[k], z[k], z[k])
		m.Release(init[k])
	}
}

// SquareColumns returns all ten columns of a², for a in registers.
func (m *Machine) SquareColumns(a Element) Columns { return m.square(a) }

// square returns the columns of a². It adds the squares of the limbs, and twice the products of
// different limbs. For products with limb 4 it doubles that limb instead of the product.
func (m *Machine) square(a Element) Columns {
	if m.multiplier == FMA {
		return m.fusedSquare(a, Columns{}, 1)
	}
	var z, cross Columns
	for j := range 4 {
		for i := range j {
			m.MultiplyAdd(&cross, a[i], a[j], Low(i+j), High(i+j+1))
		}
		m.MultiplyAdd(&z, a[j], a[j], Low(2*j), High(2*j+1))
	}
	for _, k := range []int{4, 5, 6, 3, 2, 1} {
		m.VPADDQ(cross[k], cross[k], cross[k])
		if k == 4 || k == 5 {
			z[k+6] = cross[k]
			continue
		}
		m.VPADDQ(cross[k], z[k], z[k])
		m.Release(cross[k])
	}
	m.MultiplyAdd(&z, a[4], a[4], High(9), Low(8))
	m.VPADDQ(a[4], a[4], a[4])
	for i := range 4 {
		m.MultiplyAdd(&z, a[i], a[4], Low(i+4))
		m.MultiplyAdd(&z, a[3-i], a[4], High(8-i))
	}
	return z
}

// leanSquare is square with only one register for each column. Columns that are doubled, from the
// column with number first on, begin with those of z.
func (m *Machine) leanSquare(a Element, z Columns, first int) Columns {
	for i := range 4 {
		for j := i + 1; j < 4; j++ {
			m.MultiplyAdd(&z, a[i], a[j], Low(i+j), High(i+j+1))
		}
	}
	m.MultiplyAdd(&z, a[4], a[4], High(9), Low(8))
	m.VPADDQ(a[4], a[4], a[4])
	for k := first; k < 7; k++ {
		m.VPADDQ(z[k], z[k], z[k])
	}
	for i := 3; i >= 0; i-- {
		m.MultiplyAdd(&z, a[i], a[4], Low(i+4), High(i+5))
	}
	for i := 3; i >= 0; i-- {
		m.MultiplyAdd(&z, a[i], a[i], High(2*i+1), Low(2*i))
	}
	return z
}

// carryTo adds the bits from 52 up of column k to column k+1. It clears them in column k only if
// the multiplier requires it.
func (m *Machine) carryTo(z *Columns, k int) {
	t := m.Register()
	m.Settle(z[k])
	m.VPSRLQ(operand.U8(52), z[k], t)
	m.VPADDQ(t, z[k+1], z[k+1])
	m.Trim(z[k])
	m.Release(t)
}

// fold9 adds R times column 9 to columns 4 and 5, because 2^260 is R modulo p. Column 9 is a sum of
// high halves, below 2^52, so it needs no carry first.
func (m *Machine) fold9(z *Columns) {
	m.Convert(z[9])
	m.MultiplyAdd(z, z[9], m.fold, High(second(z, 5)), Low(second(z, 4)))
	m.Release(z[9])
	z[9] = nil
}

// Fold folds columns 5 to 9 into columns 0 to 4: column k + 5 counts R times as much as column k,
// modulo p. Column 9 is folded first. Carrying from each column to the next would take four
// dependent steps. Instead, the multiplier reads the lower 52 bits of a column, and the few bits
// above them are shifted out and folded separately, one column further up. Column 4 of the result
// also holds all bits above its 52. A lean machine and the multiplier FMA do carry; see leanFold.
func (m *Machine) Fold(z *Columns) Element {
	if z[9] != nil {
		m.fold9(z)
	}
	if m.lean || m.multiplier == FMA {
		return m.leanFold(z)
	}
	m.merge(z, 5)
	t := m.Register()
	for k := 8; k >= 5; k-- {
		m.VPSRLQ(operand.U8(52), z[k], t)
		m.MultiplyAdd(z, z[k], m.fold, High(k-4), Low(k-5))
		m.MultiplyAdd(z, t, m.fold, Low(k-4))
		m.Release(z[k])
	}
	m.Release(t)
	m.merge(z, 4)
	return Element(z[:5])
}

// leanFold does the work of Fold with four dependent carry steps. It needs three multiply-adds
// fewer.
func (m *Machine) leanFold(z *Columns) Element {
	for k := 5; k < 8; k++ {
		m.carryTo(z, k)
	}
	t := m.Register()
	m.Settle(z[8])
	m.VPSRLQ(operand.U8(52), z[8], t)
	m.addSmall(z, t, R, 4)
	m.Trim(z[8])
	m.Release(t)
	for k := 8; k >= 5; k-- {
		m.Convert(z[k])
		m.MultiplyAdd(z, z[k], m.fold, High(k-4), Low(k-5))
		m.Release(z[k])
	}
	m.Settle(z[:5]...)
	return Element(z[:5])
}

// SquareInPlace sets a to a², reduced as by Ready. a is in registers.
func (m *Machine) SquareInPlace(a Element) {
	z := m.Square(a, nil)
	e := m.Fold(&z)
	m.Top(e)
	for _, x := range a {
		m.converted[x.(reg.VecPhysical).PhysicalIndex()] = false
	}
	m.VMOVDQA64(e[0], a[0])
	t := m.Register()
	for i := range 4 {
		m.VPSRLQ(operand.U8(52), a[i], t)
		m.VPADDQ(t, e[i+1], a[i+1])
		m.Trim(a[i])
	}
	m.Release(t)
	m.Drop(e)
}

// wide returns a multiple of p in ten columns: 2^60 in columns 1 to 8 and 2^48 in column 9, minus a
// correction of up to 2^52 in each of the lowest five. It serves to subtract one product from
// another. If every subtracted column is below 2^60 − 2^52, and the subtracted column 9 is below
// 2^48, adding wide to the difference makes all columns positive. (Column 9 must stay below 2^52,
// because it is a factor in fold9.)
func wide() (w [10]uint64) {
	x, p := new(big.Int), new(big.Int)
	for k := 9; k >= 0; k-- {
		w[k] = 1 << 60
		if k == 9 {
			w[k] = 1 << 48
		}
		x.Lsh(x, 52).Add(x, new(big.Int).SetUint64(w[k]))
	}
	p.Lsh(big.NewInt(1), 256).Sub(p, big.NewInt(C))
	x.Mod(x, p)
	for k := range 5 {
		w[k] -= new(big.Int).And(x, big.NewInt(mask52)).Uint64()
		x.Rsh(x, 52)
	}
	return w
}

// Wide returns columns in registers, with the numbers that wide returns in every lane.
func (m *Machine) Wide() (z Columns) {
	for k, v := range wide() {
		if m.multiplier == FMA {
			r := m.Register()
			z[k] = r
			m.surplus(r).begin(m, r, v)
			continue
		}
		z[k] = m.Vector(v)
	}
	return z
}

// SubtractShifted subtracts 2^n·y from z, column by column, and releases the registers of y.
func (m *Machine) SubtractShifted(z, y *Columns, n uint8) {
	m.merge(z, 4)
	m.merge(z, 5)
	m.merge(y, 4)
	m.merge(y, 5)
	for k := range 10 {
		m.Settle(y[k], z[k])
		m.VPSLLQ(operand.U8(n), y[k], y[k])
		m.VPSUBQ(y[k], z[k], z[k])
		m.Release(y[k])
	}
}

// From returns columns 0 to 4 with the limbs of e; the other columns are zero.
func From(e Element) (z Columns) {
	copy(z[:], e[:])
	return z
}
