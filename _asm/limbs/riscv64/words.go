package riscv64

import "github.com/koblitz-go/koblitz/_asm/listing/riscv64"

// Word loads a word from memory. Small returns a register with the value n, below 2^11. Sub returns
// a − b. Any returns a register that is zero if and only if all limbs of v are zero.
func (m Machine) Word(at Mem) Reg  { r := m.virtual(); m.LD(at, r); return r }
func (m Machine) Small(n int) Reg  { return m.addi(zero, n) }
func (m Machine) Sub(a, b Reg) Reg { return m.sub(a, b) }
func (m Machine) Any(v Number) Reg { return m.or(m.or(v[0], v[1]), m.or(v[2], v[3])) }

// LoadSigned copies a number of five limbs from memory to registers, and StoreSigned copies one
// back.
func (m Machine) LoadSigned(src Mem) Folded {
	v := m.Load(src)
	return Folded{v[0], v[1], v[2], v[3], m.Word(src.Offset(size))}
}

func (m Machine) StoreSigned(v Folded, dst Mem) {
	m.Store(Number(v[:4]), dst)
	m.SD(v[4], dst.Offset(size))
}

// ShiftSigned returns v/2^n rounded down, for 0 < n < 64. The last limb of the result is the sign,
// 0 or −1.
func (m Machine) ShiftSigned(v Folded, n int) Folded {
	w := m.ShiftRight(v, n)
	return Folded{w[0], w[1], w[2], w[3], m.sign(v[4])}
}

// ShiftRight returns the low 256 bits of v/2^n, for 0 < n < 64.
func (m Machine) ShiftRight(v Folded, n int) (w Number) {
	for i := range w {
		w[i] = m.or(m.right(v[i], n), m.left(v[i+1], 64-n))
	}
	return w
}

// Negate returns 2^256 − v, or 0 if v is 0.
func (m Machine) Negate(v Number) Number { return m.Minus(Number{zero, zero, zero, zero}, v) }

// Minus returns x − y modulo 2^256, and Borrow also returns the borrow. Limbs 1 to 3 of y may be
// the register zero, but limb 0 may not.
func (m Machine) Minus(x, y Number) Number {
	w, borrow := m.minus(x[:3], y[:3])
	return Number{w[0], w[1], w[2], m.sub(m.without(x[3], y[3]), borrow)}
}

func (m Machine) Borrow(x, y Number) (Number, Reg) {
	w, borrow := m.minus(x[:], y[:])
	return Number(w), borrow
}

func (m Machine) minus(x, y []Reg) (w []Reg, borrow Reg) {
	borrow = zero
	for i := range x {
		switch {
		case borrow == zero:
			w = append(w, m.sub(x[i], y[i]))
			borrow = m.less(x[i], y[i])
		case y[i] == zero:
			w = append(w, m.sub(x[i], borrow))
			borrow = m.less(x[i], borrow)
		default:
			d, k := m.difference(x[i], y[i])
			d, borrow = m.difference(d, borrow)
			w, borrow = append(w, d), m.or(k, borrow)
		}
	}
	return w, borrow
}

// without returns a − b. It writes no instruction if b is the register zero.
func (m Machine) without(a, b Reg) Reg {
	if b == zero {
		return a
	}
	return m.sub(a, b)
}

// Plus returns x + y modulo 2^256, and Carry also returns the carry. The last limb of y must be the
// register zero.
func (m Machine) Plus(x, y Number) Number {
	w, carry := m.plus(x, y)
	return Number{w[0], w[1], w[2], m.add(x[3], carry)}
}

func (m Machine) Carry(x, y Number) (Number, Reg) {
	w, carry := m.plus(x, y)
	last, carry := m.sum(x[3], carry)
	return Number{w[0], w[1], w[2], last}, carry
}

// plus adds the lowest three limbs of x and y, and returns their sum and the carry.
func (m Machine) plus(x, y Number) (w [3]Reg, carry Reg) {
	w[0], carry = m.sum(x[0], y[0])
	for i := 1; i < 3; i++ {
		w[i], carry = m.sumWith(x[i], y[i], carry)
	}
	return w, carry
}

func (m Machine) highSigned(a, b Reg) Reg { r := m.virtual(); m.MULHSU(b, a, r); return r }
func (m Machine) and(a, b Reg) Reg        { r := m.virtual(); m.AND(b, a, r); return r }
func (m Machine) xor(a, b Reg) Reg        { r := m.virtual(); m.XOR(b, a, r); return r }
func (m Machine) not(a Reg) Reg           { r := m.virtual(); m.XORI(-1, a, r); return r }
func (m Machine) sign(a Reg) Reg          { return m.arithmetic(a, 63) }
func (m Machine) shiftLeft(a, n Reg) Reg  { r := m.virtual(); m.SLL(n, a, r); return r }
func (m Machine) shiftRight(a, n Reg) Reg { r := m.virtual(); m.SRL(n, a, r); return r }

func (m Machine) arithmetic(a Reg, n int) Reg {
	r := m.virtual()
	m.SRAI(riscv64.Imm(n), a, r)
	return r
}
