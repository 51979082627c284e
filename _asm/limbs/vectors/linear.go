package vectors

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Top partially reduces an element modulo p = 2^256 − C. It removes the bits of limb 4 from 2^256
// up, and adds C times their value to limb 0. That value must be below 2^19, so that the low half
// of one product holds the result.
func (m *Machine) Top(e Element) {
	t := m.Register()
	m.VPSRLQ(operand.U8(48), e[4], t)
	m.VPANDQ_BCST(m.Constant(mask48), e[4], e[4])
	m.addSmall(&Columns{e[0]}, t, C, 0)
	m.Release(t)
}

// Chain carries limbs 0 to 3 of e into the limbs above: it adds the bits from 52 up of each limb to
// the next limb. If clean is set, it also clears these bits in the lower limb.
func (m *Machine) Chain(e Element, clean bool) {
	t := m.Register()
	for i := range 4 {
		m.VPSRLQ(operand.U8(52), e[i], t)
		m.VPADDQ(t, e[i+1], e[i+1])
		if clean {
			m.and52(e[i])
		}
	}
	m.Release(t)
}

// Carry is Chain for limbs that may be negative. It always clears the bits that it carried.
func (m *Machine) Carry(e Element) {
	t := m.Register()
	for i := range 4 {
		m.VPSRAQ(operand.U8(52), e[i], t)
		m.VPADDQ(t, e[i+1], e[i+1])
		m.and52(e[i])
	}
	m.Release(t)
}

func (m *Machine) and52(x operand.Op) {
	if m.mask != nil {
		m.VPANDQ(m.mask, x, x)
		return
	}
	m.VPANDQ_BCST(m.Constant(mask52), x, x)
}

// Reduce brings e into the range called reduced (see the package comment): it applies Top and
// carries between the limbs. The limbs must not be negative, and the value must be below 2^275.
func (m *Machine) Reduce(e Element) {
	m.Top(e)
	m.Chain(e, true)
}

// Ready is Reduce for an element that will be the factor of a multiplication. If the multiplier
// ignores carried bits, Ready does not clear them in the limb from which it carries them.
func (m *Machine) Ready(e Element) {
	m.Top(e)
	m.Chain(e, m.multiplier == FMA)
}

// Multiple returns k·p in five limbs, after each of limbs 0 to 3 has borrowed from the limb above
// it. slack is the number that each borrows, in units of the limb above. Consider a number whose
// limbs 0 to 3 are at most 2^52·slack − k·C and whose limb 4 is at most k·2^48 − slack. If it is
// subtracted from Multiple limb by limb, no limb becomes negative.
func Multiple(k, slack uint64) [5]uint64 {
	return [5]uint64{slack<<52 - k*C, slack<<52 - slack, slack<<52 - slack, slack<<52 - slack,
		k<<48 - slack}
}

// LoadMultiple returns registers with the limbs of Multiple(k, slack) in every lane.
func (m *Machine) LoadMultiple(k, slack uint64) Element {
	var e Element
	for i, v := range Multiple(k, slack) {
		e[i] = m.Vector(v)
	}
	return e
}

// AddMultiple adds the limbs of Multiple(k, slack), which is k·p, to e.
func (m *Machine) AddMultiple(e Element, k, slack uint64) {
	for i, v := range Multiple(k, slack) {
		m.VPADDQ_BCST(m.Constant(v), e[i], e[i])
	}
}

// Add sets e to e + b, limb by limb, without carrying.
func (m *Machine) Add(e, b Element) {
	for i := range e {
		m.VPADDQ(b[i], e[i], e[i])
	}
}

// Sub sets e to e − b, limb by limb, without carrying.
func (m *Machine) Sub(e, b Element) {
	for i := range e {
		m.VPSUBQ(b[i], e[i], e[i])
	}
}

// Shift sets e to 2^n·e, limb by limb, without carrying.
func (m *Machine) Shift(e Element, n uint8) {
	for i := range e {
		m.VPSLLQ(operand.U8(n), e[i], e[i])
	}
}

// Normalize makes a reduced element canonical, that is, below p. It first applies Reduce, which
// leaves a value below 2p, and then subtracts p once if necessary. k is a scratch mask register.
func (m *Machine) Normalize(e Element, k reg.OpmaskPhysical) {
	m.Reduce(e)
	m.subtractOnce(e, [3]uint64{C}, k)
}

// subtractOnce subtracts m = 2^256 − d from e if e ≥ m. The value of e must be below 2m, and its
// limbs must have no bits to carry. e + d has bit 256 set if and only if e ≥ m; the bits below are
// then e − m.
func (m *Machine) subtractOnce(e Element, d [3]uint64, k reg.OpmaskPhysical) {
	var t Element
	for i := range t {
		t[i] = m.Register()
	}
	s := m.Register()
	for i := range e {
		if i < 3 && d[i] != 0 {
			m.VPADDQ_BCST(m.Constant(d[i]), e[i], t[i])
			if i > 0 {
				m.VPADDQ(s, t[i], t[i])
			}
		} else {
			m.VPADDQ(s, e[i], t[i])
		}
		if i < 4 {
			m.VPSRLQ(operand.U8(52), t[i], s)
		}
	}
	m.VPSRLQ(operand.U8(48), t[4], s)
	m.VPTESTMQ(s, s, k)
	m.Clean(t)
	m.Release(s)
	for i := range e {
		m.VMOVDQA64(t[i], k, e[i])
	}
	m.VPANDQ_BCST(m.Constant(mask48), e[4], e[4])
	m.Drop(t)
}

// Negative returns −e modulo p in new registers, for a reduced e. The limbs of the result are not
// carried.
func (m *Machine) Negative(e Element) Element {
	y := m.LoadMultiple(4, 2)
	m.Sub(y, e)
	return y
}

// Clean clears the bits from 52 up in limbs 0 to 3. These bits must already have been carried into
// the limb above.
func (m *Machine) Clean(e Element) {
	for i := range 4 {
		m.and52(e[i])
	}
}
