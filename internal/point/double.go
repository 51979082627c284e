package point

import "github.com/koblitz-go/koblitz/internal/field"

// Double sets p = 2·q, and returns p. It is exact for every q: the double of infinity is infinity
// (Z stays 0), and no finite point has a double at infinity, because none has order two.
func (p *Jacobian) Double(q *Jacobian) *Jacobian {
	doubleN(p, q, 1)
	return p
}

// DoubleN sets p = 2^n·q, and returns p. n must be at least 1. It is exact for
// every q, and its time depends on n alone.
func (p *Jacobian) DoubleN(q *Jacobian, n int) *Jacobian {
	//ct:secret q.X.IsOdd().Bool()
	doubleN(p, q, n)
	return p
}

// DoubleNVartime sets p = 2^n·p, and returns p. n must be at least 1. It is exact
// for every p, and its time may depend on p as well.
func (p *Jacobian) DoubleNVartime(n int) *Jacobian {
	// A variable-time kernel stops early, before a doubling with a carry that passes the limbs that
	// the kernel handles. This occurs once in some 2^28 operations on random numbers.
	for n > 0 {
		if n = doubleNVartime(p, n); n > 0 {
			doubleN(p, p, 1)
			n--
		}
	}
	return p
}

// doubleNVartimeGeneric sets p = 2^n·p. It never stops early, so the result remaining, the number
// of doublings still to do, is 0.
func doubleNVartimeGeneric(p *Jacobian, n int) (remaining int) {
	doubleNGeneric(p, p, n)
	return 0
}

// doubleNGeneric applies doubleGeneric n times.
func doubleNGeneric(p, q *Jacobian, n int) {
	doubleGeneric(p, q)
	for ; n > 1; n-- {
		doubleGeneric(p, p)
	}
}

// doubleGeneric sets p = 2·q.
//
// With the slope of the tangent λ = (3/2)·X²/(Y·Z) and Z3 = Y·Z,
//
//	S = Y²  L = (3/2)·X²  T = X·S
//	X3 = L² − 2·T
//	Y3 = L·(T − X3) − S²
//	Z3 = Y·Z
//
// This takes 3M + 4S. Halving 3·X² once replaces the doublings of other intermediate values in the
// formulas of the literature.
func doubleGeneric(p, q *Jacobian) {
	var s, l, t field.Element
	s.Square(&q.Y)
	p.Z.Mul(&q.Y, &q.Z)
	l.Square(&q.X)
	t.Mul(&q.X, &s)
	l.ThreeHalves(&l)
	s.Square(&s)
	p.X.Square(&l)
	p.X.SubTwice(&p.X, &t)
	t.Sub(&t, &p.X)
	t.Mul(&t, &l)
	p.Y.Sub(&t, &s)
}
