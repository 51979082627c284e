package divsteps

import "math/bits"

// The variable-time inverse does not use division steps. It is a binary form of Euclid's algorithm,
// with Lehmer's idea to compare numbers by their leading bits (T. Pornin, "Optimized Binary GCD for
// Modular Inversion", ePrint 2020/972, has both). From (a, b) = (x, m), b odd, it repeats
//
//	a even:          a = a/2
//	a odd, a ≥ b:    a = (a - b)/2
//	a odd, a < b:    (a, b) = ((b - a)/2, a)
//
// until a = 0 and b = gcd(x, m). It takes 1.4 halvings per bit (division steps take 2.1), and
// shifts out all trailing zeros of a difference at once.
//
// The low words of a and b determine the shifts, and the 64 bits at their top the comparisons. So a
// run of 63 halvings needs only two words of each number.
//
// # The matrix has no signs
//
// Each step subtracts one of two combinations of (a, b) from the other. They start as (1, 0) and
// (0, 1), and then
//
//	2^63·(a', b') = ±(u·a - v·b, r·b - q·a),   u, v, q, r ≥ 0,
//
// because the difference of rows with the signs (+ -) and (- +) has the signs of the first row, and
// its entries are sums. A row is doubled only when the other number is halved, so u+v and q+r are
// at most 2^63 after 63 halvings.
//
// # Wrong comparisons
//
// The words at the top are not exact. So a comparison of nearly equal numbers can be wrong, and a
// difference negative. This does no harm: the matrix is exact, and both numbers are made positive
// after each run. They are combinations with weights of at most 1 in total, so |a'| and |b'| ≤
// max(a, b).
//
// It is not proven that wrong comparisons cannot go on for ever. So there is a limit on the number
// of runs, and division steps are used after it. No known input needs more than nine runs; a right
// comparison always halves a·b < 2^512.
const (
	runShifts = 63
	maxRuns   = 12
)

// A uint256 is the integer l0 + l1·2^64 + l2·2^128 + l3·2^192.
type uint256 struct{ l0, l1, l2, l3 uint64 }

func (z *uint256) isZero() bool { return z.l0|z.l1|z.l2|z.l3 == 0 }

// euclidVartimeGeneric sets inverse to the inverse of x modulo m and returns true. The parameter
// runs, at most 63, limits the number of runs; if more are needed, the function returns false and
// leaves inverse unchanged. The inverse of 0 is 0.
//
// It keeps two numbers s and t below 2^256 and a sign. For the input x and the numbers a and b of
// Euclid's algorithm,
//
//	a ≡ -sign·s·x    b ≡ sign·t·x    modulo m, up to a power of two.
//
// Each run replaces s and t by u·s + v·t and q·s + r·t: sums without signs.
func euclidVartimeGeneric(inverse, x *[4]uint64, m *Modulus, runs int) (ok bool) {
	a := uint256{x[0], x[1], x[2], x[3]}
	b := m.value()
	var s, t uint256
	sign := ^uint64(0) // -1, because a = x and s = 1
	for k := 1; k <= runs; k++ {
		ah, bh := leading(&a, &b)
		u, v, q, r := run(ah, bh, a.l0, b.l0)
		a1, aSign := difference(u, v, &a, &b)
		b1, bSign := difference(r, q, &b, &a)
		a, b = a1, b1
		sign ^= bSign

		// The first run sets s and t without dividing by 2^64, because it starts from s = 1 and t = 0.
		if k == 1 {
			s, t = uint256{l0: u}, uint256{l0: q}
		} else if s1 := m.sum(q, r, &s, &t); a.isZero() {
			t = s1
		} else {
			s, t = m.sum(u, v, &s, &t), s1
		}
		if a.isZero() { // now b = 1; or x was 0, and t = 0
			m.subtractOnce(&t)
			m.finish(inverse, &int257{t.l0, t.l1, t.l2, t.l3, 0}, sign, uint(64-(64-runShifts)*k))
			return true
		}
		if aSign != bSign {
			m.negate(&s)
		}
	}
	return false
}

// leading returns 64 bits of a and the same 64 bits of b, from the top bit of the larger number
// down. If both numbers are below 2^64, these are all their bits.
func leading(a, b *uint256) (ah, bh uint64) {
	var a1, a0, b1, b0 uint64
	switch {
	case a.l3|b.l3 != 0:
		a1, a0, b1, b0 = a.l3, a.l2, b.l3, b.l2
	case a.l2|b.l2 != 0:
		a1, a0, b1, b0 = a.l2, a.l1, b.l2, b.l1
	case a.l1|b.l1 != 0:
		a1, a0, b1, b0 = a.l1, a.l0, b.l1, b.l0
	default:
		return a.l0, b.l0
	}
	n := bits.LeadingZeros64(a1 | b1)
	return a1<<(n&63) | a0>>1>>(^n&63), b1<<(n&63) | b0>>1>>(^n&63)
}

// run makes 63 halvings of the algorithm above, and returns the entries of their matrix. The two
// numbers have the leading words ah and bh and the low words a and b, and b is odd. The only branch
// ends the loop.
func run(ah, bh, a, b uint64) (u, v, q, r uint64) {
	u, r = 1, 1
	left := runShifts
	n := bits.TrailingZeros64(a)
	for {
		left -= n
		if left <= 0 {
			break
		}
		ah >>= n & 63
		a >>= n & 63
		q <<= n & 63
		r <<= n & 63

		// a - b and b - a have the same number of trailing zeros, so either determines the shift.
		d := a - b
		n = bits.TrailingZeros64(d)
		dh, c := bits.Sub64(ah, bh, 0)
		less := -c
		b += d & less
		bh += dh & less
		a = (d ^ less) - less
		ah = (dh ^ less) - less
		x, y := (u^q)&less, (v^r)&less
		u += q
		v += r
		q ^= x
		r ^= y
	}
	n += left // the part of the last shift that remains to be done
	return u, v, q << (n & 63), r << (n & 63)
}

// times returns u·a in five limbs.
func (a *uint256) times(u uint64) (t0, t1, t2, t3, t4 uint64) {
	h0, t0 := bits.Mul64(u, a.l0)
	h1, l1 := bits.Mul64(u, a.l1)
	h2, l2 := bits.Mul64(u, a.l2)
	h3, l3 := bits.Mul64(u, a.l3)
	t1, c := bits.Add64(l1, h0, 0)
	t2, c = bits.Add64(l2, h1, c)
	t3, c = bits.Add64(l3, h2, c)
	return t0, t1, t2, t3, h3 + c
}

// difference returns |u·a - v·b|/2^63. The division must be exact, and the result below 2^256. sign
// is all ones if u·a - v·b is negative.
func difference(u, v uint64, a, b *uint256) (z uint256, sign uint64) {
	t0, t1, t2, t3, t4 := a.times(u)
	s0, s1, s2, s3, s4 := b.times(v)
	t0, c := bits.Sub64(t0, s0, 0)
	t1, c = bits.Sub64(t1, s1, c)
	t2, c = bits.Sub64(t2, s2, c)
	t3, c = bits.Sub64(t3, s3, c)
	t4, c = bits.Sub64(t4, s4, c)
	sign = -c
	t0, c = bits.Sub64(t0>>runShifts|t1<<1^sign, sign, 0)
	t1, c = bits.Sub64(t1>>runShifts|t2<<1^sign, sign, c)
	t2, c = bits.Sub64(t2>>runShifts|t3<<1^sign, sign, c)
	t3, _ = bits.Sub64(t3>>runShifts|t4<<1^sign, sign, c)
	return uint256{t0, t1, t2, t3}, sign
}

// sum returns a number congruent to (u·s + v·t)/2^64 modulo m, for u+v ≤ 2^63. This number is (u·s
// + v·t + k·m)/2^64 as in Modulus.reduce, with 0 ≤ k < 2^64, and is below 2^255 + m. If it has a
// carry out of 256 bits, it is below 2^255 without the carry, and 2^256 - m is added in place of
// the carry.
func (m *Modulus) sum(u, v uint64, s, t *uint256) uint256 {
	t0, t1, t2, t3, t4 := s.times(u)
	s0, s1, s2, s3, s4 := t.times(v)
	t0, c := bits.Add64(t0, s0, 0)
	t1, c = bits.Add64(t1, s1, c)
	t2, c = bits.Add64(t2, s2, c)
	t3, c = bits.Add64(t3, s3, c)
	t4, _ = bits.Add64(t4, s4, c)

	// Add k·m = k·2^256 - k·c to the number in t0 to t4, where c = 2^256 - m and k is such that the
	// lowest word becomes 0.
	k := t0 * m.CInv
	h0, _ := bits.Mul64(k, m.C0)
	h1, l1 := bits.Mul64(k, m.C1)
	w1, c := bits.Add64(l1, h0, 0)
	w2, w3 := bits.Add64(h1, k&-m.C2, c)
	t4, c = bits.Add64(t4, k, 0)
	t1, b := bits.Sub64(t1, w1, 0)
	t2, b = bits.Sub64(t2, w2, b)
	t3, b = bits.Sub64(t3, w3, b)
	t4, b = bits.Sub64(t4, 0, b)

	carry := -(c - b)
	t1, c = bits.Add64(t1, m.C0&carry, 0)
	t2, c = bits.Add64(t2, m.C1&carry, c)
	t3, c = bits.Add64(t3, m.C2&carry, c)
	return uint256{t1, t2, t3, t4 + c}
}

// subtractOnce subtracts m from z if z ≥ m.
//
//ct:public only functions that may leak call it
func (m *Modulus) subtractOnce(z *uint256) {
	t0, c := bits.Add64(z.l0, m.C0, 0)
	t1, c := bits.Add64(z.l1, m.C1, c)
	t2, c := bits.Add64(z.l2, m.C2, c)
	t3, c := bits.Add64(z.l3, 0, c)
	if c != 0 {
		*z = uint256{t0, t1, t2, t3}
	}
}

// negate sets z to m - z, after calling subtractOnce.
//
//ct:public only functions that may leak call it
func (m *Modulus) negate(z *uint256) {
	m.subtractOnce(z)
	t0, b := bits.Sub64(-m.C0, z.l0, 0)
	t1, b := bits.Sub64(^m.C1, z.l1, b)
	t2, b := bits.Sub64(^m.C2, z.l2, b)
	t3, _ := bits.Sub64(^uint64(0), z.l3, b)
	*z = uint256{t0, t1, t2, t3}
}
