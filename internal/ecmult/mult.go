package ecmult

import (
	"math/bits"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// The windows of the variable base. A half scalar is less than 2^128 in
// absolute value and the digits must reach twice that, so all windows together
// have at least 129 bits. Windows of 4 have smaller tables and save their
// making, 6 additions' worth, which is what they lose in the loop; those of 6
// lose by a tenth.
const (
	multWindow  = 5
	multWindows = (129 + multWindow - 1) / multWindow
)

// multScratch is what a multiplication of a variable base leaves behind.
type multScratch struct {
	k      scalar.Scalar
	h1, h2 scalar.Half
	b1, b2 [5]uint64
	entry  entry
	addend point.Affine
}

// wipe is not inlined, so that its stores are not found dead and dropped.
//
//go:noinline
func (s *multScratch) wipe() { *s = multScratch{} }

// ScalarMult sets r = k·p for any k, zero included, and any finite point p of
// the curve. The time does not depend on k or p. As in [ScalarBaseMult], the
// result is secret until it is affine.
func ScalarMult(r *point.Jacobian, k *scalar.Scalar, p *point.Affine) {
	//ct:leak k.IsOdd().Bool()
	var t multiples
	var s multScratch
	t.set(p, maxMultiples)
	s.recode(k, multWindow*multWindows)
	t.mult(r, &s, multWindow, multWindows, false)
	s.wipe()
}

// recode sets b1 and b2 so that with d_j = 2·b_j − (2^l − 1),
// k = d_1 + d_2·λ. l is between 129 and 192. Both b_j are less than 2^l.
//
// Odd digits make odd numbers. So k is split as (1 + λ) + 2·s with
// s = s_1 + s_2·λ, d_j = 2·s_j + 1 and b_j = s_j + 2^(l−1).
func (s *multScratch) recode(k *scalar.Scalar, l uint) {
	// 1 + λ
	s.k.SetLimbs(&[4]uint64{1 + scalar.Lambda0, scalar.Lambda1, scalar.Lambda2, scalar.Lambda3})
	s.k.Sub(k, &s.k)
	s.k.Half(&s.k)
	s.h1, s.h2 = s.k.Split()
	offset(&s.b1, &s.h1, l)
	offset(&s.b2, &s.h2, l)
}

// offset sets b = h + 2^(l−1), for l from 129 to 192.
func offset(b *[5]uint64, h *scalar.Half, l uint) {
	m := h.Neg.Mask()
	var carry uint64
	b[0], carry = bits.Add64(h.Lo^m, m&1, 0)
	b[1], carry = bits.Add64(h.Hi^m, 0, carry)
	b[2], _ = bits.Add64(1<<(l-129), m, carry)
	b[3], b[4] = 0, 0
}

// mult sets r to (d_1 + d_2·λ)·P, where P is the point of t and the d_j are
// those of s.b1 and s.b2, in windows of w bits, l = w·windows. t must hold the
// 2^(w−1) odd multiples up to 2^w − 1.
//
// A window of bits stands for the odd digit 2·bits − (2^w − 1). For each
// window from the top, the sum is multiplied by 2^w, then the digits of both
// halves are added. Write the sum as u·P + v·λP with integers u and v. With
// j windows behind it, |u| and |v| are odd and at most 2^(w·j) − 1.
//
// Let the term a·P be added, where j full windows were before. Then a is odd
// and less than 2^w in absolute value, and u is a multiple of 2^w and not zero
// (the first term of all is copied, not added). So u + a and u − a are odd, and
// they and v are less than 2^(w·(j+1)) in absolute value. The addition is an
// exception if one of (u, v), (u + a, v) and (u − a, v) is in the lattice of
// the pairs with u + v·λ ≡ 0 mod n. None of them is (0, 0), and of any other
// pair in the lattice one number is greater than 2^127: n divides
//
//	(u + v·λ)(u + v·λ²) ≡ u² − u·v + v²   (λ² + λ + 1 ≡ 0),
//
// which is positive, hence at least n, and at most 3·max(|u|, |v|)². For a term
// b·λP the same holds: u is odd then, and v, v + b and v − b are no longer than
// they were for u. With 26 windows of 5, all numbers are less than 2^125 until
// the last window begins. Its two additions are the complete ones: for the
// scalar 0 the last one makes infinity, and for −58·λ it has to double. Those are
// all exceptions there are, so the first of the two could do without; it is
// complete so that the argument need not tell them apart. Doubling has no
// exceptions of its own.
//
// In a group where that argument does not hold, complete asks for complete
// additions everywhere.
func (t *multiples) mult(r *point.Jacobian, s *multScratch, w uint, windows int, complete bool) {
	//ct:leak s.b1[0]&1 == 1
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
	// Back from the curve of the table; infinity stays infinity.
	r.Z.Mul(&r.Z, &t.z)
}

// read sets s.addend to the multiple that the window of b at pos asks for.
func (s *multScratch) read(table []entry, b *[5]uint64, pos, w uint) {
	negative, index := oddDigit(window(b, pos, w), w)
	s.entry.read(table, index)
	s.entry.put(&s.addend, negative)
}
