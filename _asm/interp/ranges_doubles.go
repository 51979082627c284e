package interp

import (
	"math"
	"math/big"
)

// This file follows products of 52-bit integers that are computed as double-precision numbers. With
// every sum rounded toward zero,
//
//	h = x·y + 2^104                   has the bits of 2^104, plus the upper half of x·y
//	l = x·y − (h − (2^104 + 2^52))    has the bits of 2^52, plus the lower half of x·y
//
// for integers x and y from 0 to 2^52 − 1. Kernels add the bits of h and l as 64-bit integers, and
// remove the bits of 2^104 and 2^52 from the sum by a constant. In between, Ranges keeps the sum of
// the halves as a Number, and the rest in Number.offset. A constant that is added to such a sum
// counts as offset.

// These are the bits of 2^52, 2^104 and 2^104 + 2^52.
const (
	bits52   = 0x433 << 52
	bits104  = 0x467 << 52
	bitsBoth = bits104 + 1
)

// A fused describes a number whose bits are those of h, in the comment at the top of this file, or
// of h − (2^104 + 2^52) if rest is set.
type fused struct {
	x, y *Number
	h    int // id of the number h
	rest bool
}

// value returns the 64 bits of n if n is a constant and its Number.offset is 0.
func (n *Number) value() (v uint64, ok bool) {
	return modWord(n.Lo), n.Lo.Cmp(n.Hi) == 0 && n.offset == 0
}

// is reports whether n is the constant v.
func (n *Number) is(v uint64) bool {
	x, ok := n.value()
	return ok && x == v
}

// SubtractDoubles returns a − b for double-precision numbers. It can follow two cases: the
// conversion of an integer below 2^52, with the bits of 2^52 above it, and the difference h −
// (2^104 + 2^52).
func (r *Ranges) SubtractDoubles(a, b *Number) *Number {
	switch {
	case b.is(bits52):
		if n := r.belowUnit(a); n != nil {
			d := r.fresh(words) // the bits of 0 are those of −0 if MXCSR rounds toward −∞
			d.double = n
			return d
		}
	case b.is(bitsBoth) && a.fused != nil && !a.fused.rest && r.fromThisRound(a):
		d := r.fresh(words)
		d.fused = &fused{a.fused.x, a.fused.y, a.id, true}
		return d
	}
	r.Fault("a difference of double-precision numbers that may be rounded")
	return nil
}

// belowUnit returns the number x below 2^52 for which n is the sum of x and bits52. It returns nil
// if no such x is known.
func (r *Ranges) belowUnit(n *Number) *Number {
	f := n.equal[0]
	if n.choice != nil || n.offset != 0 || !r.fromThisRound(n) || f == nil || f.shift != 0 ||
		f.constant.Cmp(UpTo(bits52).Hi) != 0 {
		return nil
	}
	if len(f.terms) == 0 {
		return r.fresh(UpTo(0))
	}
	x := f.terms[0]
	if len(f.terms) == 1 && x.k.Cmp(plusOne) == 0 && r.within(x.n, Below(52)) {
		return x.n
	}
	return nil
}

// integer returns the integer from 0 to 2^52 − 1 whose double-precision form is the number n.
func (r *Ranges) integer(n *Number) *Number {
	if n.double != nil {
		return n.double
	}
	v, ok := n.value()
	x := math.Float64frombits(v)
	if !ok || x != math.Trunc(x) || x < 0 || x >= 1<<52 {
		r.Fault("a factor that is not known to be an integer below 2^52")
	}
	return r.fresh(Range{UpTo(uint64(x)).Hi, UpTo(uint64(x)).Hi})
}

// FusedMultiplyAdd returns a·b + d, or a·b − d if subtract is set, for double-precision numbers;
// see h and l at the top of this file. The sum is rounded toward zero.
func (r *Ranges) FusedMultiplyAdd(i *Inst, a, b, d *Number, subtract bool) *Number {
	x, y := r.integer(a), r.integer(b)
	top := new(big.Int).Mul(x.Hi, y.Hi)
	var n *Number
	switch f := d.fused; {
	case !subtract && d.is(bits104):
		r.Factors++
		n = r.fresh(Range{new(big.Int), top.Rsh(top, 52)})
		n.fused, n.offset = &fused{x, y, n.id, false}, bits104
		if n.Hi.Sign() != 0 {
			r.halves[[2]int{n.id, n.id}] = [2]string{1: i.Text}
		}
	case subtract && f != nil && f.rest && f.of(x, y) && r.fromThisRound(d):
		n = r.fresh(intersection(Below(52), Range{new(big.Int), top}))
		n.offset = bits52
		delete(r.halves, [2]int{f.h, f.h})
	default:
		r.Fault("a sum of double-precision numbers that is no half of a product")
	}
	if n.Hi.Sign() != 0 {
		r.pending[n] = i.Text
	}
	return n
}

// of reports whether f is about the product of a and b.
func (f *fused) of(a, b *Number) bool {
	return f.x.sameAs(a) && f.y.sameAs(b) || f.x.sameAs(b) && f.y.sameAs(a)
}

// sameAs reports whether n is m, or the same constant.
func (n *Number) sameAs(m *Number) bool {
	v, ok := m.value()
	return n == m || ok && n.is(v)
}

// whole returns the integer that the 64 bits of n represent, as a number whose Number.offset is 0.
func (r *Ranges) whole(n *Number) *Number {
	r.signed(n)
	if n.offset == 0 {
		return n
	}
	if n.plain == nil {
		r.use(n)
		o := big.NewInt(int64(n.offset))
		f := sumOf(n)
		f.constant.Set(o)
		n.plain = r.result(new(big.Int).Add(n.Lo, o), new(big.Int).Add(n.Hi, o), f)
	}
	return n.plain
}

// addOffsets does the work of the method Add if Number.offset is not 0 in a, in b or in both.
func (r *Ranges) addOffsets(a, b *Number) *Number {
	for _, n := range []*Number{a, b} {
		r.use(n)
		if n.offset == 0 {
			r.term(n)
		} else if n.plain != nil {
			r.term(n.plain) // the bits above may have been carried out of n.plain
		}
	}
	var n *Number
	av, aConstant := a.value()
	bv, bConstant := b.value()
	switch {
	case bConstant && b.offset == 0:
		n = r.sum(a.Range, sumOf(a))
		n.offset = a.offset + bv
	case aConstant && a.offset == 0:
		n = r.sum(b.Range, sumOf(b))
		n.offset = b.offset + av
	default:
		n = r.result(new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi), sumOf(a, b))
		n.offset = a.offset + b.offset
	}
	return n
}
