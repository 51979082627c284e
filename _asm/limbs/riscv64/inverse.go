package riscv64

import "github.com/koblitz-go/koblitz/_asm/listing/riscv64"

// A Modulus is the registers that hold the constants of a modulus m = 2^256 − c, where c = C2·2^128
// + C1·2^64 + C0. Package divsteps defines Inverse.
type Modulus struct{ C0, C1, C2, Inverse Reg }

// LoadModulus loads the constants of a modulus from memory. The kernel's pointer parameter whose
// name is argument holds their address. LoadComplement loads all constants except Inverse.
func (m Machine) LoadModulus(argument string) Modulus {
	at := riscv64.At(m.Pointer(argument), 0)
	n := m.complement(at)
	n.Inverse = m.Word(at.Offset(24))
	return n
}

func (m Machine) LoadComplement(argument string) Modulus {
	return m.complement(riscv64.At(m.Pointer(argument), 0))
}

func (m Machine) complement(at Mem) Modulus {
	return Modulus{C0: m.Word(at), C1: m.Word(at.Offset(8)), C2: m.Word(at.Offset(16))}
}

// Value returns the limbs of the modulus whose constants are in n.
func (m Machine) Value(n Modulus) Number {
	return Number{m.sub(zero, n.C0), m.not(n.C1), m.not(n.C2), m.addi(zero, -1)}
}

// ProductDifference returns u·x − v·y, for u + v ≤ 2^63. The last limb of the result is signed. The
// carries between limbs are signed too, since each carry is a difference of two upper halves of
// products.
func (m Machine) ProductDifference(u, v Reg, x, y Number) (w Folded) {
	carry := zero
	for i := range 4 {
		a, b := m.low(u, x[i]), m.low(v, y[i])
		var k Reg
		w[i], k = m.difference(a, b)
		next := m.sub(m.sub(m.high(u, x[i]), m.high(v, y[i])), k)
		if i > 0 {
			w[i], k = m.sum(w[i], carry)
			next = m.add(next, m.add(k, m.sign(carry)))
		}
		carry = next
	}
	w[4] = carry
	return w
}

// Combine returns u·x + v·y. The factors u and v are signed, at most 2^60 in absolute value. x and
// y are numbers of five limbs in memory. Their last limb is the sign, 0 or −1.
func (m Machine) Combine(u, v Reg, x, y Mem) (w Folded) {
	carry := zero
	for i := range 4 {
		a, b := m.Word(x.Offset(8*i)), m.Word(y.Offset(8*i))
		var k Reg
		w[i], k = m.sum(m.low(u, a), m.low(v, b))
		next := m.add(m.add(m.highSigned(u, a), m.highSigned(v, b)), k)
		if i > 0 {
			w[i], k = m.sum(w[i], carry)
			next = m.add(next, m.add(k, m.sign(carry)))
		}
		carry = next
	}
	a, b := m.and(u, m.Word(x.Offset(size))), m.and(v, m.Word(y.Offset(size)))
	w[4] = m.sub(carry, m.add(a, b))
	return w
}

// ReduceSigned returns v/2^64 modulo the modulus n. Modulus.reduce of package divsteps states the
// range of the result.
func (m Machine) ReduceSigned(v Folded, n Modulus) Folded {
	k := m.low(v[0], n.Inverse)
	kc := m.times(k, n)
	negative := m.sign(k)
	top, carry := m.sum(v[4], k)
	carry = m.add(carry, m.add(m.sign(v[4]), negative))
	w, borrow := m.Borrow(Number{v[1], v[2], v[3], top}, Number{kc[0], kc[1], kc[2], zero})
	// If the factor k is negative, the product k·c, where c is 2^256 minus the modulus, computed
	// with k as an unsigned number, is 2^64·c too large, and too much was subtracted: add 2^64·c.
	w, more := m.Carry(w, m.masked(n, negative))
	return Folded{w[0], w[1], w[2], w[3], m.add(carry, m.sub(more, borrow))}
}

// ProductSum returns u·x + v·y, for unsigned u and v with u + v ≤ 2^63.
func (m Machine) ProductSum(u, v Reg, x, y Number) (w Folded) {
	carry := zero
	for i := range 4 {
		a, b := m.low(u, x[i]), m.low(v, y[i])
		var k Reg
		w[i], k = m.sum(a, b)
		next := m.add(m.add(m.high(u, x[i]), m.high(v, y[i])), k)
		if i > 0 {
			w[i], k = m.sum(w[i], carry)
			next = m.add(next, k)
		}
		carry = next
	}
	w[4] = carry
	return w
}

// times returns the product k·c without its lowest limb, where c is 2^256 minus the modulus.
func (m Machine) times(k Reg, n Modulus) [3]Reg {
	first, carry := m.sum(m.low(k, n.C1), m.high(k, n.C0))
	second, third := m.sum(m.high(k, n.C1), m.and(k, m.sub(zero, n.C2)))
	second, carry = m.sum(second, carry)
	return [3]Reg{first, second, m.add(third, carry)}
}

// masked returns the limbs of c = 2^256 − m for the modulus m, each ANDed with mask.
func (m Machine) masked(n Modulus, mask Reg) Number {
	return Number{m.and(n.C0, mask), m.and(n.C1, mask), m.and(n.C2, mask), zero}
}

// Reduce returns a number below 2^256 that is congruent to v/2^64 modulo the modulus m, for v below
// 2^319. With k = −v/m modulo 2^64, the lowest limb of v + k·m = v + k·2^256 − k·c is 0, and Reduce
// drops it. If the remaining quotient is 2^256 or more, its low 256 bits are below 2^255, and
// Reduce adds c for the carry.
func (m Machine) Reduce(v Folded, n Modulus) Number {
	k := m.low(v[0], n.Inverse)
	kc := m.times(k, n)
	top, carry := m.sum(v[4], k)
	w, borrow := m.Borrow(Number{v[1], v[2], v[3], top}, Number{kc[0], kc[1], kc[2], zero})
	return m.Plus(w, m.masked(n, m.sub(borrow, carry)))
}

// NegateModulo returns a number below 2^256 that is congruent to −v modulo m. It computes m − v if
// v ≤ m, and 2m − v otherwise.
func (m Machine) NegateModulo(v Number, n Modulus) Number {
	w, borrow := m.Borrow(m.Value(n), v)
	return m.Minus(w, m.masked(n, m.sub(zero, borrow)))
}

// Settle returns (±v)/2^n modulo the modulus c. The sign is minus if the register sign is all ones.
// v is nonzero and below 2^256, and 0 < n < 64. See Modulus.finish of package divsteps.
func (m Machine) Settle(v Number, sign, n Reg, c Modulus) (w Number) {
	// The modulus is m = 2^256 − c, so v − m is v + c − 2^256. Replace v by v − m if the addition
	// of c carries, because then v ≥ m.
	less, k := m.Carry(v, Number{c.C0, c.C1, c.C2, zero})
	mask := m.sub(zero, k)
	for i := range v {
		v[i] = m.xor(v[i], m.and(m.xor(v[i], less[i]), mask))
	}
	// If the sign is minus, replace v by m − v, which is ^v − (c − 1) modulo 2^256.
	for i := range v {
		v[i] = m.xor(v[i], sign)
	}
	v = m.Minus(v, m.masked(Modulus{C0: m.addi(c.C0, -1), C1: c.C1, C2: c.C2}, sign))
	return m.divide(v, n, c)
}

// divide returns (v + k·m)/2^n, where m is the modulus and k is the number below 2^n that makes the
// division exact. 0 < n < 64.
func (m Machine) divide(v Number, n Reg, c Modulus) (w Number) {
	bits := m.addi(m.shiftLeft(m.addi(zero, 1), n), -1)
	k := m.and(m.low(v[0], c.Inverse), bits)
	kc := m.times(k, c)
	v, borrow := m.Borrow(v, Number{m.low(k, c.C0), kc[0], kc[1], kc[2]})
	up := m.sub(zero, n)
	top := m.sub(k, borrow)
	for i := range w {
		next := top
		if i < 3 {
			next = v[i+1]
		}
		w[i] = m.or(m.shiftRight(v[i], n), m.shiftLeft(next, up))
	}
	return w
}

// SettleSigned returns (±v)/2^n modulo the modulus m. The sign is minus if the register sign is all
// ones. v is between −m and m, its fifth limb is the sign, and 0 < n < 64. See Modulus.finish of
// package divsteps.
func (m Machine) SettleSigned(v Folded, sign, n Reg, c Modulus) Number {
	w := Number(v[:4])
	for i := range w {
		w[i] = m.xor(w[i], sign)
	}
	carry := m.sub(zero, sign)
	for i := range w {
		w[i], carry = m.sum(w[i], carry)
	}
	negative := m.add(m.xor(v[4], sign), carry) // all ones if ±v is negative, else 0
	return m.divide(m.Minus(w, m.masked(c, negative)), n, c)
}
