package riscv64

import "math/bits"

// Close returns a number below 2^256 that is v modulo p, for v4 < 2^36. The second fold, of
// c·v4 < 2^69, can carry out once more; what is left then is less than 2^69, so that the third
// fold, c or nothing, ends in limb 1.
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

// Subtract returns v minus the sum of ys modulo p, at least 0: with a multiple of p more, so
// that there is no sign. The fifth limb is larger by at most twice the number of ys.
func (m Machine) Subtract(v Folded, ys ...Number) (w Folded) {
	shift := bits.Len(uint(len(ys)))
	borrows := m.left(m.c, shift) // 2^shift·p is less by so much than 2^shift·2^256
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

// FoldDifference returns x − y modulo p as Fold does, with the fifth limb at most 3c + 1: with
// 2p·2^256 more, a ninth limb of at most 2 is left.
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

// Difference returns a number below 2^256 that is x − y modulo p. After a second borrow at
// least 2^256 − c is left, so that its correction ends in limb 0.
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

// ThreeHalves returns 3/2·v modulo p, for v4 ≤ c + 1; then the fifth limb is at most 2c. An
// odd number gets p added first, which is 2^256 more and c less.
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

// Product returns x·y modulo p, and SquareOf x².
func (m Machine) Product(x, y Number) Number { return m.Close(m.Fold(m.Multiply(x, y))) }
func (m Machine) SquareOf(x Number) Number   { return m.Close(m.Fold(m.Square(x))) }

// JumpIfZero jumps to a label if v may be 0 modulo p: if v0 is that of p, −c. v is the Close of
// a Subtract of one number from a Fold, which is never 0 itself: it gets m·p for some m from 1 to
// c + 2, that is m − 1 in the fifth limb above 2^256 − m·c, and makes 2^256 − c of that. The caller
// finds out; another number does that with a chance of 2^-64.
func (m Machine) JumpIfZero(v Number, away string) {
	m.exits = true
	m.BEQ(m.add(v[0], m.c), zero, away)
}
