package vartime

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/point/vector"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime/wnaf"
)

// This file computes a·G + b·P by interleaved wNAF digits (Möller, "Algorithms for
// Multi-exponentiation", SAC 2001, section 3.2), with both scalars in halves.

// window is the width in bits of the wNAF digits of b, the scalar of a variable point P. The table
// of the odd multiples of P below 2^(window−1) has 8 entries; with 4 or 16 entries a multiplication
// takes longer.
const window = 5

// DoubleScalarMult sets r = a·G + b·p. It is exact for every a, b and p. The time depends on
// them.
func DoubleScalarMult(r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine) {
	g := GeneratorTable()
	if vector.Available() {
		multiplyParallel(r, a, b, p, &g)
		return
	}
	multiply(r, a, b, p, &g, window)
}

// ScalarBaseMult sets r = a·G. The time depends on a.
func ScalarBaseMult(r *point.Jacobian, a *scalar.Scalar) {
	g := GeneratorSplitTable()
	multiplySplit(r, &g, a, nil, nil, vector.Available())
}

// ScalarMult sets r = b·p. The time depends on b and p.
func ScalarMult(r *point.Jacobian, b *scalar.Scalar, p *point.Affine) {
	DoubleScalarMult(r, new(scalar.Scalar), b, p)
}

// minBaseWindow is the smallest window of a table of the base point. With this window, a scalar has
// at most maxBaseDigits nonzero digits in both halves together.
const (
	minBaseWindow = 3
	maxBaseDigits = 2 * ((wnaf.Positions + minBaseWindow - 1) / minBaseWindow)
)

// The function multiply merges four streams of digits: of both halves of b, then of both halves of
// a. ofBase is the index of the first stream of a.
const (
	ofBase  = 2
	streams = 4
)

// multiply sets r = a·B + b·p, where g is a table of B with one subtable, and w, at most window, is
// the width of the digits for p. No multiple of p up to 2^(w−1) may be the point at infinity; on
// secp256k1 none is.
//
// The CPU cannot predict branches on whether a digit is zero or negative, and a wrong prediction
// discards the work that began after the branch. So the nonzero digits are merged in the order of
// their positions, and their signs become masks.
func multiply(r *point.Jacobian, a, b *scalar.Scalar, p *point.Affine, g *SplitTable, w uint) {
	var digits merged
	var base [maxBaseDigits]point.Affine
	digits.readBase(&base, a, g)

	var tables [2][1 << (window - 2)]point.Entry // the odd multiples of p and of λ·p
	var z field.Element                          // the common denominator of both tables
	z.One()
	signs := digits.read(0, b, w) // 1: invert the signs of this half's digits
	if !b.IsZero().Bool() {
		var multiples [1 << (window - 2)]point.Affine
		entries := 1 << (w - 2)
		point.OddMultiples(multiples[:entries], &z, p)
		for i := range entries {
			m := &multiples[i]
			tables[0][i].Set(m)
			tables[1][i].Set(m.MulBeta(m))
		}
	}

	// acc is a point of the isomorphic curve on which the entries of the tables of p are affine.
	var acc point.Jacobian
	var q point.Affine
	acc.SetInfinity()
	for {
		i, d, doublings := digits.take()
		if doublings > 0 {
			acc.DoubleNVartime(doublings)
		}
		if i < 0 {
			break
		}
		if i >= ofBase {
			acc.AddScaledVartime(&acc, &base[d], &z)
		} else {
			index, negative := entryOf(d)
			q.SetEntry(&tables[i][index], negative^signs[i])
			acc.AddMixedVartime(&acc, &q)
		}
	}
	acc.Z.Mul(&acc.Z, &z)
	r.Set(&acc)
}

// A merged yields the digits of several streams, from the highest position down. A stream is the
// wNAF of a half scalar, or empty. The zero value has only empty streams.
type merged struct {
	left   [streams]int // number of digits that remain
	digits [streams][wnaf.MaxDigits + 1]wnaf.Digit
	// next has the order of each stream's next digit, and 0 for a stream without one. The order is
	// the position times the number of streams, plus 1, plus the number of the stream. So the
	// maximum over all streams selects the next digit and its stream.
	next [streams]int
	last int // position of the digit that take returned last
}

// read reads the digits, of w bits, of both halves of k into the streams first and first + 1. It
// returns 1 for a half whose digits must be negated, and otherwise 0.
func (m *merged) read(first int, k *scalar.Scalar, w uint) (signs [2]ct.Choice) {
	if k.IsZero().Bool() {
		return signs
	}
	k1, k2 := k.Split()
	for i, h := range [...]*scalar.Half{&k1, &k2} {
		// The digit of index 0 ends a stream; the lowest digit follows.
		digits := (*[wnaf.MaxDigits]wnaf.Digit)(m.digits[first+i][1:])
		m.left[first+i] = wnaf.Digits(digits, h.Hi, h.Lo, w)
		m.setNext(first + i)
		signs[i] = h.Neg
	}
	return signs
}

// setNext sets m.next[i] to the order of the next digit of stream i, or to 0.
func (m *merged) setNext(i int) {
	n := int(m.digits[i][m.left[i]].Position)*streams + i + 1
	if m.left[i] == 0 {
		n = 0
	}
	m.next[i] = n
}

// take returns the next digit d of all streams, the stream i that it belongs to, and the number of
// doublings before it is added. At the end i is −1, and doublings are those after the last digit.
func (m *merged) take() (i int, d int16, doublings int) {
	n := max(m.next[0], m.next[1], m.next[2], m.next[3]) - 1
	if n < 0 {
		return -1, 0, m.last
	}
	position, i := n/streams, n%streams
	doublings = max(m.last-position, 0) // 0 before the first digit
	m.last = position
	d = m.digits[i][m.left[i]].Value
	m.left[i]--
	m.setNext(i)
	return i, d, doublings
}

// readBase reads the digits of a into m, and the multiples of B that they select into base. It
// replaces the values of the digits by indices in base.
//
// These multiples are read before anything else. Most of them are in distant caches, and their
// loads overlap as long as no instruction waits for the first one.
func (m *merged) readBase(base *[maxBaseDigits]point.Affine, a *scalar.Scalar, g *SplitTable) {
	n := 0
	for half, sign := range m.read(ofBase, a, g.window) {
		digits := &m.digits[ofBase+half]
		for i := range m.left[ofBase+half] {
			var e point.Entry
			index, negative := entryOf(digits[i+1].Value)
			base[n].SetEntry(e.Unpack(g.table[point.PackedSize*index:]), negative^sign)
			digits[i+1].Value = int16(n)
			n++
		}
	}
	for i := m.left[ofBase]; i < n; i++ {
		base[i].MulBeta(&base[i])
	}
}

// entryOf returns the index of |digit| in a table of odd multiples, and 1 if digit is negative.
func entryOf(digit int16) (index int, negative ct.Choice) {
	sign := digit >> 15
	return int((digit^sign)-sign) >> 1, ct.Choice(sign & 1)
}
