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
	switch t.below(25) {
	case 0:
		out = s.Set(a)
	case 1:
		out = s.SetInt(t.uint32())
	case 2:
		s.Zero()
	case 3:
		r.uint32(s.SetBytes(t.number()))
	case 4:
		r.bool(s.SetByteSlice(t.slice()))
	case 5:
		out = s.Add(a)
	case 6:
		out = s.Add2(a, b)
	case 7:
		out = s.Mul(a)
	case 8:
		out = s.Mul2(a, b)
	case 9:
		out = s.Square()
	case 10:
		out = s.SquareVal(a)
	case 11:
		out = s.Negate()
	case 12:
		out = s.NegateVal(a)
	case 13:
		out = s.InverseNonConst()
	case 14:
		out = s.InverseValNonConst(a)
	case 15:
		r.bool(s.IsZero())
	case 16:
		r.uint32(s.IsZeroBit())
	case 17:
		r.bool(s.IsOdd())
	case 18:
		r.bool(s.IsOverHalfOrder())
	case 19:
		r.bool(s.Equals(a))
		r.bool(*s == *a)
	case 20:
		r.text(s.String())
	case 21:
		var x [32]byte
		s.PutBytes(&x)
		r.bytes(x[:])
	case 22:
		x := t.bytes(t.below(50))
		r.try(func() { s.PutBytesUnchecked(x) })
		r.bytes(x)
	case 23:
		x := s.Bytes()
		r.bytes(x[:])
	case 24:
		r.bool(*s == *new(secp256k1.ModNScalar).Set(s))
	}
	r.bool(out == s)
}

// scalarOnce runs every operation that has a single argument, all on the same number.
func scalarOnce(t *tape, r *record) {
	s := t.scalar()
	r.bool(s.IsOverHalfOrder())
	r.bool(s.IsZero())
	r.bool(s.IsOdd())
	var u secp256k1.ModNScalar
	r.scalar(u.InverseValNonConst(s))
	r.scalar(u.NegateVal(s))
	r.scalar(u.SquareVal(s))
	r.scalar(u.Add2(s, s))
}
