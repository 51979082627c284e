package subject

import "github.com/decred/dcrd/dcrec/secp256k1/v4"

// A value is a field value with an upper bound of its magnitude, dcrec's measure of how far a value
// may exceed a normalized one. The real module requires its users to keep track of magnitudes. In
// this package a normalized value has the magnitude 0.
type value struct {
	secp256k1.FieldVal
	magnitude uint32
}

// normal normalizes v if its magnitude is more than limit, and returns v's magnitude as a term of a
// sum, where a normalized value counts as 1.
func (v *value) normal(limit uint32) uint32 {
	if v.magnitude > limit {
		v.Normalize()
		v.magnitude = 0
	}
	return max(v.magnitude, 1)
}

// fieldSequence runs operations on four field values. The operands of an operation may be the same
// value.
func fieldSequence(t *tape, r *record) {
	var v [4]value
	for i := range v {
		v[i].magnitude = v[i].SetBytes(t.number())
	}
	for t.more() {
		fieldStep(t, r, &v[t.below(4)], &v[t.below(4)], &v[t.below(4)])
	}
	for i := range v {
		r.write(v[i].FieldVal)
	}
}

// fieldStep runs one operation: either one that sets v, mostly from x and y, or one that only
// examines v. Their magnitudes are at most 8, which every operation allows.
func fieldStep(t *tape, r *record, v, x, y *value) {
	n, nx, ny := v.normal(8), x.normal(8), y.normal(8)
	f, a, b := &v.FieldVal, &x.FieldVal, &y.FieldVal
	out, magnitude := f, uint32(1) // the result, and its magnitude
	steps := []func(){
		func() { out, magnitude = f.Set(a), x.magnitude },
		func() { out, magnitude = f.SetInt(t.uint16()), 0 },
		func() { f.Zero(); magnitude = 0 },
		func() { magnitude = f.SetBytes(t.number()); r.write(magnitude) },
		func() { r.write(f.SetByteSlice(t.slice())) },
		func() { out, magnitude = f.Normalize(), 0 },
		func() { out, magnitude = f.NegateVal(a, nx), nx+1 },
		func() { out, magnitude = f.Negate(n), n+1 },
		func() { out, magnitude = f.AddInt(t.uint16()&0x7fff), n+1 },
		func() { out, magnitude = f.Add(a), n+nx },
		func() { out, magnitude = f.Add2(a, b), nx+ny },
		func() {
			k := t.below(int(32/n) + 1)
			out, magnitude = f.MulInt(uint8(k)), uint32(max(k, 1))*n
		},
		func() {
			k := []uint32{2, 3, 4}[t.below(3)]
			out, magnitude = mulBy(f, k), k*n
		},
		func() {
			magnitude = 8 * v.normal(0)
			out = mulBy(f, 8)
		},
		func() { out = f.Mul(a) },
		func() { out = f.Mul2(a, b) },
		func() { out = f.Square() },
		func() { out = f.SquareVal(a) },
		func() { out = f.Inverse() },
		func() {
			if f == a {
				a = new(secp256k1.FieldVal) // see rootInPlace
			}
			r.write(f.SquareRootVal(a), a)
		},
		func() { magnitude = 0; v.normal(0); x.normal(0); examine(t, r, f, a) },
	}
	steps[t.below(len(steps))]()
	v.magnitude = magnitude
	if magnitude == 0 {
		r.write(f)
	}
	r.write(out == f)
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

// examine runs the operations that only examine a field value. They read values as they are,
// without normalizing them, except String.
func examine(t *tape, r *record, f, g *secp256k1.FieldVal) {
	var b [32]byte
	f.PutBytes(&b)
	bytes := f.Bytes()
	r.write(b, *bytes, bytes == f.Bytes(), f.String(), f.Equals(g), *f == *g,
		f.IsZero(), f.IsZeroBit(), f.IsOne(), f.IsOneBit(), f.IsOdd(), f.IsOddBit(),
		f.IsGtOrEqPrimeMinusOrder())
	part := t.bytes(t.below(50))
	r.try(func() { f.PutBytesUnchecked(part) })
	r.write(part)
}

// fieldOnce runs operations on a number that may not be normalized.
func fieldOnce(t *tape, r *record) {
	var f, h secp256k1.FieldVal
	r.write(f.SetBytes(t.number()))
	examine(t, r, &f, &f)
	if t.bool() {
		f.Normalize()
	}
	// SquareRootVal, DecompressY and ToAffine normalize their arguments.
	odd, g := t.bool(), f
	r.write(h.SquareRootVal(&g), &g)
	r.write(h)
	r.write(*h.Set(&f).Inverse())
	r.write(*h.Set(&f).Square())
	g = f
	r.write(secp256k1.DecompressY(&g, odd, &h), g)
	r.write(h)
	if secp256k1.DecompressY(&g, odd, &g) {
		r.write(&g)
	}
	p := secp256k1.JacobianPoint{X: f, Y: f, Z: f}
	p.ToAffine()
	r.write(&p)
}

// rootInPlace writes whether SquareRootVal finds the root of a square if the result overwrites the
// argument.
func rootInPlace(t *tape, r *record) {
	f := t.field()
	f.Square().Normalize()
	square := *f
	r.write(f.SquareRootVal(f), f.Square().Normalize().Equals(&square))
}
