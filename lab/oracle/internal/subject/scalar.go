package subject

import "github.com/decred/dcrd/dcrec/secp256k1/v4"

// scalar returns a number modulo n.
func (t *tape) scalar() *secp256k1.ModNScalar {
	s := new(secp256k1.ModNScalar)
	s.SetBytes(t.number())
	return s
}

// scalarSequence runs operations on four scalars. The operands of an operation may be the same
// scalar.
func scalarSequence(t *tape, r *record) {
	var v [4]secp256k1.ModNScalar
	for i := range v {
		r.uint32(v[i].SetBytes(t.number()))
	}
	for t.more() {
		scalarStep(t, r, &v[t.below(4)], &v[t.below(4)], &v[t.below(4)])
	}
	for i := range v {
		r.scalar(&v[i])
	}
}

// scalarStep runs one operation: either one that sets s from a and b, or one that only examines s.
func scalarStep(t *tape, r *record, s, a, b *secp256k1.ModNScalar) {
	out := s
	steps := []func(){
		func() { out = s.Set(a) },
		func() { out = s.SetInt(t.uint32()) },
		func() { s.Zero() },
		func() { r.uint32(s.SetBytes(t.number())) },
		func() { r.bool(s.SetByteSlice(t.slice())) },
		func() { out = s.Add(a) },
		func() { out = s.Add2(a, b) },
		func() { out = s.Mul(a) },
		func() { out = s.Mul2(a, b) },
		func() { out = s.Square() },
		func() { out = s.SquareVal(a) },
		func() { out = s.Negate() },
		func() { out = s.NegateVal(a) },
		func() { out = s.InverseNonConst() },
		func() { out = s.InverseValNonConst(a) },
		func() { r.bool(s.IsZero()) },
		func() { r.uint32(s.IsZeroBit()) },
		func() { r.bool(s.IsOdd()) },
		func() { r.bool(s.IsOverHalfOrder()) },
		func() { r.results(s.Equals(a), *s == *a) },
		func() { r.text(s.String()) },
		func() { r.results(s.Bytes()) },
		func() { r.bool(*s == *new(secp256k1.ModNScalar).Set(s)) },
		func() {
			var x [32]byte
			s.PutBytes(&x)
			r.bytes(x[:])
		},
		func() {
			x := t.bytes(t.below(50))
			r.try(func() { s.PutBytesUnchecked(x) })
			r.bytes(x)
		},
	}
	steps[t.below(len(steps))]()
	r.bool(out == s)
}

// scalarOnce runs every operation that has a single argument, all on the same number.
func scalarOnce(t *tape, r *record) {
	s := t.scalar()
	r.results(s.IsOverHalfOrder(), s.IsZero(), s.IsOdd())
	var u secp256k1.ModNScalar
	r.scalar(u.InverseValNonConst(s))
	r.scalar(u.NegateVal(s))
	r.scalar(u.SquareVal(s))
	r.scalar(u.Add2(s, s))
}
