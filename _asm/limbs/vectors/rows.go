package vectors

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// LoadRows transposes eight rows of 64 bytes: register k of the result has word k of all rows. It
// transposes words 0 to 3 of the rows, and then words 4 to 7 in the same way. First it loads these
// four words of row j and of row j + 2 into one register. Then it interleaves two such registers
// word by word. Last, it selects every second block of 128 bits of two registers. The diagram shows
// registers after each step; 2w0 is word 0 of row 2.
//
//	row 0 | row 2      0w0 1w0  0w2 1w2  2w0 3w0  2w2 3w2      0w0 1w0 2w0 3w0 4w0 …
//	row 1 | row 3  →                                        →
//	row 4 | row 6      4w0 5w0  4w2 5w2  6w0 7w0  6w2 7w2      0w2 1w2 2w2 3w2 4w2 …
//	row 5 | row 7
func (m *Machine) LoadRows(row [8]operand.Mem) [8]operand.Op {
	var w [8]operand.Op
	for half := range 2 {
		part := m.LoadHalves(func(j int) operand.Mem { return row[j].Offset(32 * half) })
		copy(w[4*half:], part[:])
	}
	return w
}

// LoadHalves is LoadRows for rows of 32 bytes, with four words each. It calls row(j) once for the
// address of each row j, and uses the address before the next call.
func (m *Machine) LoadHalves(row func(j int) operand.Mem) [4]operand.Op {
	if m.narrow != nil {
		return m.loadFour(row)
	}
	var w [4]operand.Op
	var x [4]reg.VecPhysical
	for k, first := range []int{0, 1, 4, 5} {
		x[k] = m.Register()
		m.VMOVDQU64(row(first), x[k].AsY())
		m.VINSERTI64X4(operand.U8(1), row(first+2), x[k], x[k])
	}
	for odd := range 2 {
		var u [2]reg.VecPhysical
		for k := range u {
			u[k] = m.Register()
			if odd == 0 {
				m.VPUNPCKLQDQ(x[2*k+1], x[2*k], u[k])
			} else {
				m.VPUNPCKHQDQ(x[2*k+1], x[2*k], u[k])
			}
		}
		lo, hi := m.Register(), m.Register()
		m.VSHUFI64X2(operand.U8(0x88), u[1], u[0], lo)
		m.VSHUFI64X2(operand.U8(0xdd), u[1], u[0], hi)
		w[odd], w[odd+2] = lo, hi
		m.Release(u[0], u[1])
	}
	for _, r := range x {
		m.Release(r)
	}
	return w
}

// StoreRows is the inverse of LoadRows: register k of w has word k of all rows. It releases the
// registers.
func (m *Machine) StoreRows(w [8]operand.Op, row [8]operand.Mem) {
	m.StoreRowsAt(w, func(j int) operand.Mem { return row[j] })
}

// StoreRowsAt is StoreRows with a function for the rows' addresses. It calls row(j) once for each
// row j, and uses the address before the next call.
func (m *Machine) StoreRowsAt(w [8]operand.Op, row func(j int) operand.Mem) {
	if m.narrow != nil {
		for half := range 2 {
			m.storeFour(w[4*half:], func(j int) operand.Mem { return row(j).Offset(32 * half) })
		}
		m.Release(w[:]...)
		return
	}
	for odd := range 2 {
		var pair [4]reg.VecPhysical // words 0 and 1, 2 and 3, … of rows odd, odd+2, odd+4 and odd+6
		for k := range pair {
			pair[k] = m.Register()
			if odd == 0 {
				m.VPUNPCKLQDQ(w[2*k+1], w[2*k], pair[k])
			} else {
				m.VPUNPCKHQDQ(w[2*k+1], w[2*k], pair[k])
			}
		}
		x, y, r := m.Register(), m.Register(), m.Register()
		for half, blocks := range []operand.U8{0x44, 0xee} { // rows 0 to 3, then rows 4 to 7
			m.VSHUFI64X2(blocks, pair[1], pair[0], x)
			m.VSHUFI64X2(blocks, pair[3], pair[2], y)
			for k, of := range []operand.U8{0x88, 0xdd} {
				m.VSHUFI64X2(of, y, x, r)
				m.VMOVDQU64(r, row(odd+2*k+4*half))
			}
		}
		m.Release(x, y, r, pair[0], pair[1], pair[2], pair[3])
	}
	m.Release(w[:]...)
}

// Split converts numbers of four 64-bit words to numbers of five limbs. It releases the registers
// of the words.
func (m *Machine) Split(w []operand.Op) Element {
	var e Element
	for i := range e {
		e[i] = m.Register()
	}
	m.VMOVDQA64(w[0], e[0])
	for i := 1; i < 4; i++ { // limb i begins at bit 64 − 12·i of word i − 1
		if m.multiplier == FMA || m.narrow != nil { // no funnel shift
			t := m.Register()
			m.VPSRLQ(operand.U8(64-12*i), w[i-1], e[i])
			m.VPSLLQ(operand.U8(12*i), w[i], t)
			m.VPORQ(t, e[i], e[i])
			m.Release(t)
			continue
		}
		m.VMOVDQA64(w[i-1], e[i])
		m.VPSHRDQ(operand.U8(64-12*i), w[i], e[i], e[i])
	}
	m.VPSRLQ(operand.U8(16), w[3], e[4])
	m.Clean(e)
	m.Release(w...)
	return e
}

// Join converts canonical numbers of five limbs to four 64-bit words. It is the inverse of Split.
func (m *Machine) Join(e Element) []operand.Op {
	w := make([]operand.Op, 4)
	t := m.Register()
	for i := range w {
		w[i] = m.Register()
		m.VPSLLQ(operand.U8(52-12*i), e[i+1], t)
		if i == 0 {
			m.VPORQ(t, e[0], w[0])
			continue
		}
		m.VPSRLQ(operand.U8(12*i), e[i], w[i])
		m.VPORQ(t, w[i], w[i])
	}
	m.Release(t)
	m.Drop(e)
	return w
}

// NegateLanes sets e to p − e in the lanes that the mask k selects, for a canonical e.
func (m *Machine) NegateLanes(e Element, k reg.OpmaskPhysical) {
	t := m.Register()
	for i, v := range P {
		if i < 2 || i == 4 {
			m.VPBROADCASTQ(m.Constant(v), t)
		}
		m.VPSUBQ(e[i], t, k, e[i])
	}
	m.Release(t)
	m.Carry(e)
}

// loadFour is LoadHalves for four lanes. It interleaves words of two rows, and then blocks of 128
// bits.
func (m *Machine) loadFour(row func(j int) operand.Mem) (w [4]operand.Op) {
	var x [4]reg.VecPhysical
	for j := range x {
		x[j] = m.Register()
		m.VMOVDQU64(row(j), x[j].AsY())
	}
	for odd := range 2 {
		a, b := m.unpack(odd, x[0], x[1]), m.unpack(odd, x[2], x[3])
		w[odd], w[odd+2] = m.pairBlocks(a, b)
		m.Release(a, b)
	}
	for _, r := range x {
		m.Release(r)
	}
	return w
}

// storeFour is the inverse of loadFour. It does not release the registers of w.
func (m *Machine) storeFour(w []operand.Op, row func(j int) operand.Mem) {
	for odd := range 2 {
		a, b := m.unpack(odd, w[0], w[1]), m.unpack(odd, w[2], w[3])
		lower, upper := m.pairBlocks(a, b)
		m.VMOVDQU64(lower.(reg.VecPhysical).AsY(), row(odd))
		m.VMOVDQU64(upper.(reg.VecPhysical).AsY(), row(odd+2))
		m.Release(a, b, lower, upper)
	}
}

// unpack returns the words of a and b at even positions, or those at odd ones, in turns.
func (m *Machine) unpack(odd int, a, b operand.Op) operand.Op {
	r := m.Register()
	x, y := a.(reg.VecPhysical).AsY(), b.(reg.VecPhysical).AsY()
	if odd == 0 {
		m.VPUNPCKLQDQ(y, x, r.AsY())
	} else {
		m.VPUNPCKHQDQ(y, x, r.AsY())
	}
	return r
}

// pairBlocks returns the lower halves of a and b, and the upper halves.
func (m *Machine) pairBlocks(a, b operand.Op) (lower, upper operand.Op) {
	l, u := m.Register(), m.Register()
	x, y := a.(reg.VecPhysical).AsY(), b.(reg.VecPhysical).AsY()
	m.VPERM2I128(operand.U8(0x20), y, x, l.AsY())
	m.VPERM2I128(operand.U8(0x31), y, x, u.AsY())
	return l, u
}
