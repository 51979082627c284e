package divsteps

import "math/bits"

// The Jacobi symbol (x/m) is 1 or -1 for x prime to m, and 0 for others. If m is prime, it says
// whether x is a square modulo m. It comes from the algorithm of the variable-time inverse, which
// repeats, for b odd and (a, b) = (x, m) at first,
//
//	a even:          a = a/2
//	a odd, a ≥ b:    a = (a - b)/2
//	a odd, a < b:    (a, b) = ((b - a)/2, a)
//
// and from three rules:
//
//	(2a/b) = -(a/b) if b ≡ 3 or 5 modulo 8, and (a/b) otherwise
//	(a/b) = -(b/a) if a ≡ b ≡ 3 modulo 4, and (b/a) otherwise
//	(-a/b) = -(a/b) if b ≡ 3 modulo 4, and (a/b) otherwise
//
// At the end a = 0 and b = 1, and the symbol is 1, or -1 if the sign has changed an odd number of
// times.
//
// # Wrong comparisons
//
// A wrong comparison makes a negative. If a and b have opposite signs, a - b has the sign of a, and
// b - a that of b. So a and b are never both negative. Read (a/b) as (a/|b|). Then the first rule
// holds for every b, and the second one for all a and b that are not both negative. The third rule
// replaces a by |a| after each run.
const (
	// jacobiShifts is the number of halvings in a run. After 60 of them the low words still hold
	// four bits, and the rules need three.
	jacobiShifts = 61

	// jacobiScale shifts the matrix of a run, so that difference, which divides by 2^runShifts,
	// divides by 2^jacobiShifts.
	jacobiScale = runShifts - jacobiShifts
)

// JacobiVartime returns the Jacobi symbol (x/m): 1 if x is a square other than 0 modulo the prime
// m, 0 if x is 0, and -1 if x is not a square. x is little-endian and must be below m. If the
// algorithm gives up, ok is false; no input is known for which it does. The time depends on x.
func (m *Modulus) JacobiVartime(x *[4]uint64) (symbol int, ok bool) {
	return m.jacobi(x, maxRuns)
}

// jacobi does the work of JacobiVartime. It gives up after the given number of runs.
//
//ct:public only functions that may leak call it
func (m *Modulus) jacobi(x *[4]uint64, runs int) (symbol int, ok bool) {
	s := jacobiState{a: uint256{x[0], x[1], x[2], x[3]}, b: m.value()}
	if s.a.isZero() {
		return 0, true
	}
	for range runs {
		if jacobiRunVartime(&s); s.a.isZero() {
			return 1 - int(s.changes&1<<1), true
		}
	}
	return 0, false
}

// value returns m.
//
//ct:public returns a constant
func (m *Modulus) value() uint256 { return uint256{-m.C0, ^m.C1, ^m.C2, ^uint64(0)} }

// A jacobiState holds the numbers of the algorithm. The kernels know its layout.
type jacobiState struct {
	a, b     uint256
	changes  uint64 // bit 0 is 1 if the sign of the symbol has changed an odd number of times
	negative uint64 // all ones if the last run has made a negative; undefined if a is 0
}

// jacobiRunVartimeGeneric makes jacobiShifts halvings, in two parts, and replaces a and b by their
// absolute values.
func jacobiRunVartimeGeneric(s *jacobiState) {
	const half = 1<<32 - 1
	w := jacobiWords{a: s.a.l0, b: s.b.l0, changes: s.changes}
	w.ah, w.bh = leading(&s.a, &s.b)
	uv, qr := w.halve(maxHalvings)
	u1, v1, q1, r1 := uv&half, uv>>32, qr&half, qr>>32
	uv, qr = w.halve(jacobiShifts - maxHalvings)
	u2, v2, q2, r2 := uv&half, uv>>32, qr&half, qr>>32

	// The matrices have the signs (+ -, - +), and the entries of their product are sums.
	u, v := u2*u1+v2*q1, u2*v1+v2*r1
	q, r := r2*q1+q2*u1, r2*r1+q2*v1
	a, aSign := difference(u<<jacobiScale, v<<jacobiScale, &s.a, &s.b)
	b, bSign := difference(r<<jacobiScale, q<<jacobiScale, &s.b, &s.a)

	// The signs differ if one of the numbers is negative. They are those of the numbers, or
	// opposite to them after an odd number of swaps.
	s.negative = (aSign ^ bSign) & (aSign ^ w.swaps)
	s.a, s.b, s.changes = a, b, w.changes^s.negative&(b.l0>>1)
}

// jacobiWords are the leading words and the low words of a and b in a run. swaps is all ones if
// the run has swapped a and b an odd number of times.
type jacobiWords struct{ ah, bh, a, b, changes, swaps uint64 }

// maxHalvings is the largest number of halvings whose matrix fits in two words.
const maxHalvings = 31

// halve makes up to maxHalvings halvings and returns their matrix, as run does: u and v in the low
// and the high half of uv, and q and r in those of qr.
//
//ct:public only functions that may leak call it
func (w *jacobiWords) halve(left uint64) (uv, qr uint64) {
	ah, bh, a, b, changes, swaps := w.ah, w.bh, w.a, w.b, w.changes, w.swaps
	uv, qr = 1, 1<<32
	n := uint64(bits.TrailingZeros64(a))
	for n < left {
		left -= n
		changes ^= n & (b>>1 ^ b>>2) // the first rule
		ah >>= n & 63
		a >>= n & 63
		qr <<= n & 63

		// a - b and b - a have the same number of trailing zeros, so either determines the shift.
		d := a - b
		n = uint64(bits.TrailingZeros64(d))
		dh, c := bits.Sub64(ah, bh, 0)
		less := -c
		swaps ^= less
		changes ^= a & b & less >> 1 // the second rule
		b += d & less
		bh += dh & less
		a = (d ^ less) - less
		ah = (dh ^ less) - less
		x := (uv ^ qr) & less
		uv += qr
		qr ^= x
	}
	changes ^= left & (b>>1 ^ b>>2) // the part of the last shift that remains to be done
	w.ah, w.bh, w.a, w.b, w.changes, w.swaps = ah>>(left&63), bh, a>>(left&63), b, changes, swaps
	return uv, qr << (left & 63)
}
