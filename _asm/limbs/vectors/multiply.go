package vectors

import (
	"math"
	"math/bits"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
	"github.com/mmcloughlin/avo/x86"
)

// Columns holds the sums of the low and high halves of limb products. Column k has the weight
// 2^(52·k). A nil column is zero. Entries 10 and 11 are second partial sums of columns 4 and 5.
type Columns [12]operand.Op

// Column returns the register of column k. If the column is nil, Column allocates and clears one.
func (m *Machine) Column(z *Columns, k int) reg.VecPhysical {
	if z[k] == nil {
		r := m.Register()
		z[k] = r
		if m.multiplier == FMA {
			m.surplus(r).begin(m, r, 0)
		} else {
			m.Zero(r)
		}
	}
	return z[k].(reg.VecPhysical)
}

// A Part names a half of a product, and the column to which MultiplyAdd adds it.
type Part struct {
	column int
	high   bool
}

// Low returns the Part for the lower half of a product, bits 0 to 51, in column k.
func Low(k int) Part { return Part{k, false} }

// High returns the Part for the upper half of a product, bits 52 to 103, in column k.
func High(k int) Part { return Part{k, true} }

// A Multiplier is a way to multiply numbers below 2^52 and to add the halves of the products.
type Multiplier int

const (
	// IFMA multiplies with VPMADD52, which ignores the bits of factors from 52 up.
	IFMA Multiplier = iota
	// FMA multiplies with fused multiply-adds of double-precision numbers; see fused.
	FMA
)

// Factor returns the number in x, a register or a vector in memory, in the form that MultiplyAdd
// takes. For IFMA, that form is the number itself, and Factor returns x. For FMA, x must be below
// 2^52, and Factor returns a new register with x as a double-precision number; Forget releases the
// register.
func (m *Machine) Factor(x operand.Op) operand.Op {
	if m.multiplier == IFMA {
		return x
	}
	r := m.Register()
	if m.doubles[x] {
		m.VMOVDQU64(x, r)
	} else {
		m.convert(x, r)
	}
	return r
}

// StoreFactor stores e, a factor in registers, in the form that MultiplyAdd takes, so that it is
// converted once for several products. After that, e and dst can only be factors.
func (m *Machine) StoreFactor(e, dst Element) {
	m.Convert(e[:]...)
	m.Store(e, dst)
	if m.multiplier == FMA {
		for _, x := range dst {
			m.doubles[x] = true
		}
	}
}

// convert sets r to x, which is below 2^52, as a double-precision number.
func (m *Machine) convert(x, r operand.Op) {
	if operand.IsMem(x) {
		m.VMOVDQU64(x, r)
		x = r
	}
	m.Settle(x)
	m.VPORQ_BCST(m.Constant(unit), x, r)
	m.VSUBPD_BCST(m.Constant(unit), r, r)
	m.converted[r.(reg.VecPhysical).PhysicalIndex()] = true
}

// Convert converts numbers in registers to the form that MultiplyAdd takes. After that, they can
// only be factors. Product and Square convert their first argument. Convert does nothing if e is
// already converted.
func (m *Machine) Convert(e ...operand.Op) {
	if m.multiplier == IFMA {
		return
	}
	for _, x := range e {
		if !m.converted[x.(reg.VecPhysical).PhysicalIndex()] {
			m.convert(x, x)
		}
	}
}

// Forget releases the register of a factor f that Factor made from x.
func (m *Machine) Forget(f, x operand.Op) {
	if f != x {
		m.Release(f)
	}
}

// MultiplyAdd adds parts of the product x·y to columns of z. x and y are factors. With the
// multiplier IFMA, x may be in memory.
func (m *Machine) MultiplyAdd(z *Columns, x, y operand.Op, parts ...Part) {
	if m.multiplier == FMA {
		m.fused(z, x, y, parts)
		return
	}
	m.addHalves(z, m.VPMADD52LUQ, m.VPMADD52HUQ, x, y, parts)
}

// MultiplyAddConstant is MultiplyAdd with the constant x below 2^52.
func (m *Machine) MultiplyAddConstant(z *Columns, x uint64, y operand.Op, parts ...Part) {
	if m.multiplier == FMA {
		f := m.Vector(math.Float64bits(float64(x)))
		m.fused(z, f, y, parts)
		m.Release(f)
		return
	}
	m.addHalves(z, m.VPMADD52LUQ_BCST, m.VPMADD52HUQ_BCST, m.Constant(x), y, parts)
}

// addHalves adds parts of the product x·y to columns of z. The functions low and high write the
// instructions that add a half of a product to a register.
func (m *Machine) addHalves(z *Columns, low, high func(ops ...operand.Op), x, y operand.Op,
	parts []Part) {
	for _, p := range parts {
		if sum := m.Column(z, p.column); p.high {
			high(x, y, sum)
		} else {
			low(x, y, sum)
		}
	}
}

// unit has the bits of the double-precision number 2^52, square those of 2^104, and both those of
// their sum. The bits of 2^52 + v are unit + v, and those of 2^104 + 2^52·v are square + v, for
// integers v from 0 to 2^52 − 1.
const (
	unit   = 0x433 << 52
	square = 0x467 << 52
	both   = square + 1
)

// fused is MultiplyAdd for factors that are double-precision numbers. With all roundings toward
// zero,
//
//	h = x·y + 2^104
//	l = x·y − (h − (2^104 + 2^52))
//
// are 2^104 + 2^52·H and 2^52 + L, where H and L are the upper and the lower half of the product:
// the distance of two numbers from 2^104 to 2^105 is 2^52, so that rounding to h removes exactly L;
// the difference h − (2^104 + 2^52) is a multiple of 2^52 and exact, and so is l. fused adds the
// bits of h and l to the sums, as integers, and counts the surplus, square and unit, that Settle
// removes.
func (m *Machine) fused(z *Columns, x, y operand.Op, parts []Part) {
	low := false
	for _, p := range parts {
		low = low || !p.high
	}
	h := m.Register()
	if m.high == nil {
		m.VPBROADCASTQ(m.Constant(square), h)
	} else {
		m.VMOVDQA64(m.high, h)
	}
	m.VFMADD231PD_RZ_SAE(x, y, h)
	var l reg.VecPhysical
	if low {
		l = m.Register()
		if m.low == nil {
			m.VSUBPD_BCST(m.Constant(both), h, l)
		} else {
			m.VSUBPD(m.low, h, l)
		}
		m.VFMSUB231PD_RZ_SAE(x, y, l)
	}
	for _, p := range parts {
		half, surplus := l, uint64(unit)
		if p.high {
			half, surplus = h, square
		}
		sum := m.Column(z, p.column)
		m.VPADDQ(half, sum, sum)
		m.surplus(sum).bits += surplus
	}
	m.Release(h)
	if low {
		m.Release(l)
	}
}

// A surplus describes how the sum in a register differs from the wanted sum. The product halves
// that were added exceed the wanted ones by the field bits, modulo 2^64. The field first, if not
// nil, is the instruction that loaded a constant into the register; the sum then also contains
// scale times this constant, where the wanted sum contains value.
type surplus struct {
	bits, scale, value uint64
	first              *ir.Instruction
}

// surplus returns the surplus of the register r.
func (m *Machine) surplus(r operand.Op) *surplus {
	k := r.(reg.VecPhysical).PhysicalIndex()
	if m.surpluses[k] == nil {
		m.surpluses[k] = &surplus{scale: 1}
	}
	return m.surpluses[k]
}

// begin loads a constant into r. Settle chooses the constant later, so that the sum begins with v.
func (s *surplus) begin(m *Machine, r reg.VecPhysical, v uint64) {
	i, err := x86.VPBROADCASTQ(m.Constant(unit), r) // Settle changes the constant
	if err != nil {
		panic(err)
	}
	m.Instruction(i)
	*s = surplus{scale: 1, value: v, first: i}
}

// Settle removes the surpluses of columns. If a column began with a constant, Settle changes that
// constant; otherwise it adds a correction. Only then do the columns hold the wanted sums.
func (m *Machine) Settle(columns ...operand.Op) {
	for _, r := range columns {
		if r == nil || m.multiplier != FMA || operand.IsMem(r) {
			continue
		}
		s := m.surplus(r)
		if s.first == nil {
			if s.bits != 0 {
				m.VPADDQ_BCST(m.Constant(-s.bits), r, r)
			}
		} else {
			i, err := x86.VPBROADCASTQ(m.Constant((s.value-s.bits)/s.scale), r)
			if err != nil || (s.value-s.bits)%s.scale != 0 {
				panic("vectors: " + m.name + " has a surplus that no constant removes")
			}
			*s.first = *i
		}
		*s = surplus{scale: 1}
	}
}

// double doubles the sum in r.
func (m *Machine) double(r operand.Op) {
	m.VPADDQ(r, r, r)
	s := m.surplus(r)
	s.bits, s.scale, s.value = 2*s.bits, 2*s.scale, 2*s.value
}

// addSmall adds c·t to column k of z. The constant c is a multiple of C, which is 2^256 modulo p.
// Both c and c·t must be below 2^52.
func (m *Machine) addSmall(z *Columns, t operand.Op, c uint64, k int) {
	if m.multiplier == IFMA {
		if c == R {
			m.MultiplyAdd(z, t, m.fold, Low(k))
		} else {
			m.MultiplyAddConstant(z, c, t, Low(k))
		}
		return
	}
	high := bits.TrailingZeros64(c/C) + 32
	x := m.Register()
	m.VPMULUDQ_BCST(m.Constant(c-1<<high), t, x)
	m.VPADDQ(x, z[k], z[k])
	m.VPSLLQ(operand.U8(high), t, x)
	m.VPADDQ(x, z[k], z[k])
	m.Release(x)
}

// Multiple16 returns k·a, not carried, for a reduced a in memory and a register k with a number up
// to 16 in each lane. The multiplier IFMA gives halves of the products of limbs 0 to 3; limb 4 has
// no limb above it, so its product is computed in 64 bits. With the multiplier FMA, all five
// products are computed in 64 bits.
func (m *Machine) Multiple16(a Element, k operand.Op) Element {
	var z Columns
	if m.multiplier == FMA {
		for i := range a {
			z[i] = m.Register()
			m.VPMULLQ(a[i], k, z[i])
		}
		return Element(z[:5])
	}
	for i := range 4 {
		m.MultiplyAdd(&z, a[i], k, Low(i))
	}
	z[4] = m.Register()
	m.VPMULLQ(a[4], k, z[4])
	for i := range 4 {
		m.MultiplyAdd(&z, a[i], k, High(i+1))
	}
	return Element(z[:5])
}

// Trim clears the bits from 52 up in the registers x, unless the multiplier ignores these bits.
// They must already have been carried.
func (m *Machine) Trim(x ...operand.Op) {
	for _, x := range x {
		if m.multiplier == FMA {
			m.and52(x)
		}
	}
}
