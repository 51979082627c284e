package riscv64

import "math/bits"

// Close returns a number below 2^256 that is congruent to v modulo p, for v with a fifth limb v4 <
// 2^36. It adds c·v4 < 2^69 to the lower four limbs. If this carries, these limbs are then less
// than 2^69, so adding c for the carry (the third fold) cannot carry beyond limb 1.
func (m Machine) Close(v Folded) (w Number) {
	low, high := m.low(v[4], m.c), m.high(v[4], m.c)
	var k Reg
	w[0], k = m.sum(v[0], low)
	w[1], k = m.sum(v[1], m.add(high, k))
	if m.rarely(k, closeFar, w[0], w[1], v[2], v[3]) {
		w[2], w[3] = v[2], v[3]
		return w
	}
	w[2], k = m.sum(v[2], k)
	w[3], k = m.sum(v[3], k)
	w[0], k = m.sum(w[0], m.low(k, m.c))
	w[1] = m.add(w[1], k)
	return w
}

// Subtract returns v minus all numbers in ys, modulo p. It first adds a multiple of p, so that the
// result is not negative. The fifth limb grows by at most twice the number of subtrahends.
func (m Machine) Subtract(v Folded, ys ...Number) (w Folded) {
	shift := bits.Len(uint(len(ys)))
	borrows := m.left(m.c, shift) // 2^shift·p = 2^shift·2^256 − c·2^shift
	for i := range 4 {
		var next Reg
		w[i], next = m.difference(v[i], borrows)
		for _, y := range ys {
			var k Reg
			w[i], k = m.difference(w[i], y[i])
			next = m.add(next, k)
		}
		borrows = next
	}
	w[4] = m.sub(m.addi(v[4], 1<<shift), borrows)
	return w
}

// FoldDifference returns five limbs congruent to x − y modulo p; the fifth is at most 3c + 1. It
// adds 2p·2^256 to x first, so that the difference is not negative. The difference then has nine
// limbs, the ninth at most 2, and FoldDifference folds it like Fold.
func (m Machine) FoldDifference(x Wide, y Mem) (v Folded) {
	var borrow Reg
	for i := range x {
		limb := m.virtual()
		m.LD(y.Offset(8*i), limb)
		if i == 0 {
			x[0], borrow = m.difference(x[0], limb)
			continue
		}
		var k, k2 Reg
		x[i], k = m.difference(x[i], limb)
		x[i], k2 = m.difference(x[i], borrow)
		borrow = m.add(k, k2)
		if i == 4 {
			x[4], k = m.difference(x[4], m.left(m.c, 1))
			borrow = m.add(borrow, k)
		}
	}
	v = m.Fold(x)
	v[4] = m.add(v[4], m.low(m.sub(m.addi(zero, 2), borrow), m.c))
	return v
}

// Difference returns a number below 2^256 that is congruent to x − y modulo p. If x < y, it
// subtracts c to correct the borrow. If that borrows again, the number is at least 2^256 − c, so
// subtracting c once more cannot borrow beyond limb 0.
func (m Machine) Difference(x, y Number) (w Number) {
	borrow := zero
	for i := range x {
		var k Reg
		w[i], k = m.difference(x[i], y[i])
		if i > 0 {
			var k2 Reg
			w[i], k2 = m.difference(w[i], borrow)
			k = m.or(k, k2)
		}
		borrow = k
	}
	w[0], borrow = m.difference(w[0], m.low(borrow, m.c))
	if m.rarely(borrow, differenceFar, w[1], w[2], w[3], w[0]) {
		return w
	}
	for i := 1; i < 4; i++ {
		w[i], borrow = m.difference(w[i], borrow)
	}
	w[0] = m.sub(w[0], m.low(borrow, m.c))
	return w
}

// ThreeHalves returns 3/2·v modulo p, for v with a fifth limb v4 ≤ c + 1. The fifth limb of the
// result is at most 2c. If v is odd, ThreeHalves first adds p = 2^256 − c.
func (m Machine) ThreeHalves(v Folded) (w Folded) {
	odd := m.virtual()
	m.ANDI(1, v[0], odd)
	var borrow Reg
	v[0], borrow = m.difference(v[0], m.low(odd, m.c))
	v[4] = m.add(v[4], odd)
	if !m.rarely(borrow, threeHalvesFar, v[1], v[2], v[3], v[4]) {
		for i := 1; i < 4; i++ {
			v[i], borrow = m.difference(v[i], borrow)
		}
		v[4] = m.sub(v[4], borrow)
	}
	carry := zero
	for i := range 4 {
		half := m.or(m.right(v[i], 1), m.left(v[i+1], 63))
		var k Reg
		w[i], k = m.sum(half, v[i])
		if i > 0 {
			var k2 Reg
			w[i], k2 = m.sum(w[i], carry)
			k = m.add(k, k2)
		}
		carry = k
	}
	w[4] = m.add(m.add(v[4], m.right(v[4], 1)), carry)
	return w
}

// Product returns x·y modulo p, and SquareOf returns x² modulo p, both below 2^256.
func (m Machine) Product(x, y Number) Number { return m.Close(m.Fold(m.Multiply(x, y))) }
func (m Machine) SquareOf(x Number) Number   { return m.Close(m.Fold(m.Square(x))) }

// JumpIfZero jumps to the label away if v may be 0 modulo p, that is, if v0 is the lowest limb of
// p, which is −c. The code there then checks all limbs. A random nonzero v has such a v0 with
// probability 2^-64. v must be the result of Close applied to Subtract(f, y), where f is the result
// of Fold and y is one number. Such a v is never 0: if it is 0 modulo p, the argument of Close is
// m·p with 1 ≤ m ≤ c + 2. That is m − 1 in the fifth limb and 2^256 − m·c below it, and Close
// returns 2^256 − c.
func (m Machine) JumpIfZero(v Number, away string) {
	m.exits = true
	m.BEQ(m.add(v[0], m.c), zero, away)
}
