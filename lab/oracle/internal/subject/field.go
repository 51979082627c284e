package subject

import "github.com/decred/dcrd/dcrec/secp256k1/v4"

// A value is a field value with an upper bound of its magnitude, dcrec's measure of how far a value
// may exceed a normalized one. The real module requires its users to keep track of magnitudes. In
// this package a normalized value has the magnitude 0.
type value struct {
	secp256k1.FieldVal
	magnitude uint32
}

// normal normalizes v, for functions that require a normalized argument.
func (v *value) normal() *secp256k1.FieldVal {
	if v.magnitude != 0 {
		v.Normalize()
		v.magnitude = 0
	}
	return &v.FieldVal
}

// most normalizes v if its magnitude is more than limit, and returns v's field value.
func (v *value) most(limit uint32) *secp256k1.FieldVal {
	if v.magnitude > limit {
		v.normal()
	}
	return &v.FieldVal
}

// size returns the magnitude of v as a term of a sum, where a normalized value counts as 1.
func (v *value) size() uint32 { return max(v.magnitude, 1) }

// fieldSequence runs operations on four field values. The operands of an operation may be the same
// value.
func fieldSequence(t *tape, r *record) {
	var v [4]value
	for i := range v {
		if v[i].SetBytes(t.number()) != 0 {
			v[i].magnitude = 1
		}
	}
	for t.more() {
		fieldStep(t, r, &v[t.below(4)], &v[t.below(4)], &v[t.below(4)])
	}
	for i := range v {
		r.field(&v[i].FieldVal)
	}
}

// fieldStep runs one operation: either one that sets f, mostly from a and b, or one that only
// examines values.
func fieldStep(t *tape, r *record, f, a, b *value) {
	var out *secp256k1.FieldVal
	magnitude := uint32(1)
	switch t.below(31) {
	case 0:
		out = f.Set(&a.FieldVal)
		magnitude = a.magnitude
	case 1:
		ui := t.uint16()
		out = f.SetInt(ui)
		magnitude = 0
	case 2:
		f.Zero()
		magnitude = 0
		out = &f.FieldVal
	case 3:
		overflow := f.SetBytes(t.number())
		r.uint32(overflow)
		magnitude = overflow
		out = &f.FieldVal
	case 4:
		overflow := f.SetByteSlice(t.slice())
		r.bool(overflow)
		if !overflow {
			magnitude = 0
		}
		out = &f.FieldVal
	case 5:
		out = f.Normalize()
		magnitude = 0
	case 6:
		m := a.most(31)
		size := a.size()
		out = f.NegateVal(m, size)
		magnitude = size + 1
	case 7:
		size := f.size()
		if size > 31 {
			f.normal()
			size = 1
		}
		out = f.Negate(size)
		magnitude = size + 1
	case 8:
		size := f.size()
		if size > 31 {
			f.normal()
			size = 1
		}
		out = f.AddInt(t.uint16() & 0x7fff)
		magnitude = size + 1
	case 9:
		if f.size()+a.size() > 32 {
			f.normal()
			a.normal()
		}
		magnitude = f.size() + a.size()
		out = f.Add(&a.FieldVal)
	case 10:
		if a.size()+b.size() > 32 {
			a.normal()
			b.normal()
		}
		magnitude = a.size() + b.size()
		out = f.Add2(&a.FieldVal, &b.FieldVal)
	case 11:
		f.normal()
		k := uint8(t.below(33))
		out = f.MulInt(k)
		magnitude = max(uint32(k), 1)
	case 12:
		f.most(8)
		out = f.Mul(a.most(8))
	case 13:
		out = f.Mul2(a.most(8), b.most(8))
	case 14:
		f.most(8)
		out = f.Square()
	case 15:
		out = f.SquareVal(a.most(8))
	case 16:
		if f == a {
			return // the output reads the argument, which the result would overwrite
		}
		r.bool(f.SquareRootVal(a.most(8)))
		r.canonical(&a.FieldVal)
		out = &f.FieldVal
	case 17:
		f.most(8)
		out = f.Inverse()
	case 18:
		f.normal()
		magnitude = []uint32{2, 3, 4, 8}[t.below(4)]
		out = mulBy(&f.FieldVal, magnitude)
	default:
		fieldQuestion(t, r, f, a)
		return
	}
	f.magnitude = magnitude
	if magnitude == 0 {
		r.canonical(&f.FieldVal)
	}
	r.bool(out == &f.FieldVal)
}

// mulBy multiplies f by k, which is 2, 3, 4 or 8. It calls the method for this factor, or MulInt if
// the module has no such method.
func mulBy(f *secp256k1.FieldVal, k uint32) *secp256k1.FieldVal {
	v, ok := any(f).(interface {
		MulBy2() *secp256k1.FieldVal
		MulBy3() *secp256k1.FieldVal
		MulBy4() *secp256k1.FieldVal
		MulBy8() *secp256k1.FieldVal
	})
	if !ok {
		return f.MulInt(uint8(k))
	}
	switch k {
	case 2:
		return v.MulBy2()
	case 3:
		return v.MulBy3()
	case 4:
		return v.MulBy4()
	}
	return v.MulBy8()
}

// fieldQuestion normalizes its operands, and then runs one operation that only examines them.
func fieldQuestion(t *tape, r *record, f, a *value) {
	x := f.normal()
	questions := []func(){
		func() { r.bool(x.IsZero()) },
		func() { r.uint32(x.IsZeroBit()) },
		func() { r.bool(x.IsOne()) },
		func() { r.uint32(x.IsOneBit()) },
		func() { r.bool(x.IsOdd()) },
		func() { r.uint32(x.IsOddBit()) },
		func() { r.results(x.Equals(a.normal()), *x == *a.normal()) },
		func() { r.text(x.String()) },
		func() { r.bool(x.IsGtOrEqPrimeMinusOrder()) },
		func() {
			b := x.Bytes()
			r.results(*b, b == x.Bytes())
		},
		func() {
			var b [32]byte
			x.PutBytes(&b)
			r.bytes(b[:])
		},
		func() {
			b := t.bytes(t.below(50))
			r.try(func() { x.PutBytesUnchecked(b) })
			r.bytes(b)
		},
		func() {
			// String reduces a value that is not normalized.
			y := *x
			y.Add(a.most(8))
			r.text(y.String())
		},
	}
	questions[t.below(len(questions))]()
}

// fieldOnce runs every operation that has a single argument, on a number that may not be
// normalized.
func fieldOnce(t *tape, r *record) {
	var f secp256k1.FieldVal
	r.uint32(f.SetBytes(t.number()))
	r.text(f.String())
	// These methods read the value as it is, without normalizing it.
	r.results(*f.Bytes(), f.IsZero(), f.IsOne(), f.IsOdd(), f.IsGtOrEqPrimeMinusOrder())
	if t.bool() {
		f.Normalize()
	}
	g := f
	r.bool(g.Equals(&f))
	g.Normalize()
	r.results(g.IsGtOrEqPrimeMinusOrder(), g.IsZero(), g.IsOne())
	var h secp256k1.FieldVal
	r.bool(h.SquareRootVal(&g))
	r.field(&h)
	r.field(h.Set(&f).Inverse())
	r.field(h.Set(&f).Square())
	r.field(h.NegateVal(&f, 1))
	odd := t.bool()
	r.bool(secp256k1.DecompressY(&f, odd, &h))
	r.field(&h)
	h = f
	if secp256k1.DecompressY(&h, odd, &h) {
		r.canonical(&h)
	}
	// These functions normalize their argument.
	g = f
	r.bool(h.SquareRootVal(&g))
	r.canonical(&g)
	p := secp256k1.JacobianPoint{X: f, Y: f, Z: f}
	p.ToAffine()
	r.coordinates(&p)
}
