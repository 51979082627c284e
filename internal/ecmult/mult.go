package ecmult

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// The windows for a variable base. A half scalar is less than 2^128 in absolute value, and the
// digits must represent twice as much, so all windows together have at least 129 bits. Windows of 4
// bits save 6 additions in building the table and lose as much time in the loop. Windows of 6 bits
// are slower by a tenth.
const (
	multWindow  = 5
	multWindows = (129 + multWindow - 1) / multWindow
)

// A recoding holds a scalar, its halves and their digits; see the method recode.
type recoding struct {
	k      scalar.Scalar
	h1, h2 scalar.Half
	b1, b2 [5]uint64
}

// multScratch holds the secret intermediate values of a multiplication of a variable point.
type multScratch struct {
	recoding
	entry  point.Entry
	addend point.Affine
}

// wipe is not inlined, because the compiler would then remove the stores as dead.
//
//go:noinline
func (s *multScratch) wipe() { *s = multScratch{} }

// ScalarMult sets r = k·p for any k, including zero, and any finite point p of the curve. The time
// does not depend on k or p. As in [ScalarBaseMult], treat r as secret until it is affine.
func ScalarMult(r *point.Jacobian, k *scalar.Scalar, p *point.Affine) {
	if vector.Available() { //ct:unrun-portable for AVX-512, which the other build has
		scalarMultParallel(r, k, p)
	} else {
		ScalarMultIsomorphic(r, k, p)
	}
}

// ScalarMultIsomorphic does the work of ScalarMult with package point, whose formulas do not use
// the constant 7 of the curve's equation. So p may also be a point of another curve y² = x³ + b
// that is isomorphic to secp256k1, and r is then a point of that curve.
func ScalarMultIsomorphic(r *point.Jacobian, k *scalar.Scalar, p *point.Affine) {
	//ct:secret k.IsOdd().Bool()
	var t multiples
	var s multScratch
	t.set(p, maxMultiples)
	s.recode(k, multWindow*multWindows)
	t.mult(r, &s, multWindow, multWindows, false)
	s.wipe()
}

// recode sets b1 and b2 so that k = d_1 + d_2·λ with d_j = 2·b_j − (2^l − 1). l must be between 129
// and 192. Both b_j are less than 2^l.
//
// The odd digits represent odd numbers d_j. So k is split as (1 + λ) + 2·s with s = s_1 + s_2·λ,
// d_j = 2·s_j + 1 and b_j = s_j + 2^(l−1).
func (s *recoding) recode(k *scalar.Scalar, l uint) {
	// s.k = 1 + λ
	s.k.SetLimbs(&[4]uint64{1 + scalar.Lambda0, scalar.Lambda1, scalar.Lambda2, scalar.Lambda3})
	s.k.Sub(k, &s.k)
	s.k.Half(&s.k)
	s.h1, s.h2 = s.k.Split()
	offset(&s.b1, &s.h1, l)
	offset(&s.b2, &s.h2, l)
}

// offset sets b = h + 2^(l−1), for l from 129 to 192. A negative h is written as its two's
// complement of three limbs, the third being m.
func offset(b *[5]uint64, h *scalar.Half, l uint) {
	m := h.Neg.Mask()
	var carry uint64
	b[0], carry = bits.Add64(h.Lo^m, m&1, 0)
	b[1], carry = bits.Add64(h.Hi^m, 0, carry)
	b[2], _ = bits.Add64(1<<(l-129), m, carry)
	b[3], b[4] = 0, 0
}

// mult sets r to (d_1 + d_2·λ)·P. P is the point of t, and s.b1 and s.b2 hold d_1 and d_2 in
// windows of w bits, as the method recode sets them for l = w·windows. t must hold the 2^(w−1) odd
// multiples up to 2^w − 1.
//
// A window of bits is the odd digit 2·bits − (2^w − 1). For each window, from the top, the sum is
// multiplied by 2^w, and the digits of both halves are added. Write the sum as u·P + v·λP with
// integers u and v. After j windows, u and v are odd, and |u| and |v| are at most 2^(w·j) − 1.
//
// Consider adding the term a·P after j full windows. Then a is odd and less than 2^w in absolute
// value, and u is a nonzero multiple of 2^w (the very first term is copied, not added). So u + a
// and u − a are odd, and u + a, u − a and v are less than 2^(w·(j+1)) in absolute value. The
// addition is an exceptional case if one of (u, v), (u + a, v) and (u − a, v) is in the lattice of
// the pairs with u + v·λ ≡ 0 mod n. None of them is (0, 0), and every other pair in the lattice has
// a number greater than 2^127: n divides
//
//	(u + v·λ)(u + v·λ²) ≡ u² − u·v + v²   (λ² + λ + 1 ≡ 0),
//
// which is positive, hence at least n, and at most 3·max(|u|, |v|)². The same holds for adding a
// term b·λP: u is odd then, and v, v + b and v − b have the bounds that u, u + a and u − a had.
// With 26 windows of 5 bits, all numbers are less than 2^125 until the last window begins. Its two
// additions are complete: for the scalar 0 the last one gives infinity, and for −58·λ it must
// double. There are no other exceptional cases. So the first of the two could be incomplete; it is
// complete so that the proof need not treat it separately. Doubling has no exceptional case.
//
// For a group in which this proof does not hold, the caller sets complete, and all additions are
// complete.
func (t *multiples) mult(r *point.Jacobian, s *multScratch, w uint, windows int, complete bool) {
	//ct:secret s.b1[0]&1 == 1
	count := 1 << (w - 1)
	for i := windows - 1; i >= 0; i-- {
		if i < windows-1 {
			r.DoubleN(r, int(w))
		}

		s.read(t.p[:count], &s.b1, uint(i)*w, w)
		switch {
		case i == windows-1:
			r.SetAffine(&s.addend)
		case i == 0 || complete:
			r.AddMixed(r, &s.addend)
		default:
			r.AddMixedIncomplete(r, &s.addend)
		}

		s.read(t.lambdaP[:count], &s.b2, uint(i)*w, w)
		if i == 0 || complete {
			r.AddMixed(r, &s.addend)
		} else {
			r.AddMixedIncomplete(r, &s.addend)
		}
	}
	// Map r back from the isomorphic curve of the table. Infinity stays infinity.
	r.Z.Mul(&r.Z, &t.z)
}

// read sets s.addend to the entry of table for the digit in bits pos to pos + w − 1 of b, or to its
// opposite if the digit is negative.
func (s *multScratch) read(table []point.Entry, b *[5]uint64, pos, w uint) {
	negative, index := oddDigit(window(b, pos, w), w)
	read(&s.entry, table, index)
	s.addend.SetEntry(&s.entry, negative)
}
