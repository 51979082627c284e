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
		r.write(v[i].SetBytes(t.number()))
	}
	for t.more() {
		scalarStep(t, r, &v[t.below(4)], &v[t.below(4)], &v[t.below(4)])
	}
	for i := range v {
		r.write(&v[i])
	}
}

// scalarStep runs one operation: either one that sets s from a and b, or one that only examines s.
func scalarStep(t *tape, r *record, s, a, b *secp256k1.ModNScalar) {
	out := s
	steps := []func(){
		func() { out = s.Set(a) },
		func() { out = s.SetInt(t.uint32()) },
		func() { s.Zero() },
		func() { r.write(s.SetBytes(t.number())) },
		func() { r.write(s.SetByteSlice(t.slice())) },
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
		func() {
			var x [32]byte
			s.PutBytes(&x)
			r.write(x, s, s.String(), s.IsZero(), s.IsZeroBit(), s.IsOdd(), s.IsOverHalfOrder(),
				s.Equals(a), *s == *a, *s == *new(secp256k1.ModNScalar).Set(s))
		},
		func() {
			x := t.bytes(t.below(50))
			r.try(func() { s.PutBytesUnchecked(x) })
			r.write(x)
		},
	}
	steps[t.below(len(steps))]()
	r.write(out == s)
}
