package interp

import (
	"math/big"
	"math/bits"
)

// This file holds the effects of instructions on numbers. Each function takes the numbers that the
// instruction reads. It stops the run if one of them is out of range, and otherwise returns the
// result.

// Add returns a + b.
func (r *Ranges) Add(a, b *Number) *Number {
	r.signed(a)
	r.signed(b)
	if a.offset != 0 || b.offset != 0 {
		return r.addOffsets(a, b)
	}
	a, b = r.term(a), r.term(b)
	return r.result(new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi), sumOf(a, b))
}

// Sub returns a − b. It is the last step of a shift that extends the sign, if a is the step before;
// see signShift.
func (r *Ranges) Sub(a, b *Number) *Number {
	if s := a.sign; s != nil && s.flipped && r.fromThisRound(a) && b.is(1<<(63-s.split.shift)) {
		r.moved(a, s.split.upper)
		return s.split.upper
	}
	b, a = r.term(r.whole(b)), r.term(r.whole(a))
	return r.result(new(big.Int).Sub(a.Lo, b.Hi), new(big.Int).Sub(a.Hi, b.Lo), sumOf(a).less(b, 0))
}

// Mul returns a·b, which must fit in 64 bits.
func (r *Ranges) Mul(a, b *Number) *Number {
	b, a = r.term(b), r.term(a)
	if !r.within(a, notNegative) || !r.within(b, notNegative) {
		r.Fault("a factor that may be negative")
	}
	var f *form
	if v, ok := b.value(); ok {
		f = sumOf()
		f.add(a, new(big.Int).SetUint64(v))
	}
	return r.result(new(big.Int).Mul(a.Lo, b.Lo), new(big.Int).Mul(a.Hi, b.Hi), f)
}

// MulWords returns the product of the low 32 bits of two numbers. Another instruction must shift
// out the other bits.
func (r *Ranges) MulWords(i *Inst, a, b *Number) *Number {
	if !r.within(a, notNegative) || !r.within(b, notNegative) {
		r.Fault("factors in %v and %v", a.Range, b.Range)
	}
	x, y := r.low(r.term(a), 32), r.low(r.term(b), 32)
	n := r.Mul(x, y)
	switch {
	case x != a && y != b:
		r.Fault("factors in %v and %v", a.Range, b.Range)
	case x != a:
		r.dropped[n] = dropped{place{a.id, 32}, i.Text}
	case y != b:
		r.dropped[n] = dropped{place{b.id, 32}, i.Text}
	}
	return n
}

// MulFactors returns the product of the low FactorBits bits of a and b. The product must fit in 64
// bits.
func (r *Ranges) MulFactors(a, b *Number) *Number {
	_, x := r.factor(a)
	_, y := r.factor(b)
	r.Factors++
	return r.result(new(big.Int), new(big.Int).Mul(x, y), nil)
}

// MultiplyAdd cuts the product a·b in two at bit FactorBits. It returns d plus the upper part if
// upper is set, and otherwise d plus the lower part.
func (r *Ranges) MultiplyAdd(i *Inst, a, b, d *Number, upper bool) *Number {
	d = r.term(d)
	a, x := r.factor(a)
	b, y := r.factor(b)
	r.Factors++
	bits := r.arch.FactorBits
	top := new(big.Int).Mul(x, y)
	pair := [2]int{min(a.id, b.id), max(a.id, b.id)}
	halves := r.halves[pair]
	var f *form
	switch {
	case upper && top.BitLen() <= int(bits): // the upper part is 0
		top.SetUint64(0)
	case upper:
		halves[1] = i.Text
		top.Rsh(top, bits)
	case top.BitLen() > int(bits):
		halves[0] = i.Text
		top = Below(bits).Hi
	default: // the product is no longer than its low half
		if b.Lo.Cmp(b.Hi) != 0 {
			a, b = b, a
		}
		if b.Lo.Cmp(b.Hi) == 0 && a.Within(Below(bits)) {
			f = sumOf(d)
			f.add(a, b.Hi)
		}
	}
	r.halves[pair] = halves
	return r.result(d.Lo, new(big.Int).Add(d.Hi, top), f)
}

// Xor returns a ^ b. It flips the sign in a shift that extends it, if a or b is the step before;
// see signShift. It exchanges the lanes that a mask selects and the others, if a or b is −1.
func (r *Ranges) Xor(a, b *Number) *Number {
	for _, o := range [][2]*Number{{a, b}, {b, a}} {
		x, c := o[0], o[1]
		if n := r.flip(x, c); n != nil {
			return n
		}
		if x.mask != nil && c.is(1<<64-1) {
			n := r.newMask()
			if r.fromThisRound(x) && x.unselected != nil {
				n.mask, n.unselected = x.unselected, x.mask
			}
			return n
		}
	}
	return r.Or(r.whole(a), r.whole(b), true)
}

// flip returns x ^ c if x was shifted to the right and c is the place of its sign. Otherwise flip
// returns nil.
func (r *Ranges) flip(x, c *Number) *Number {
	s := x.sign
	if u := x.upperOf; s == nil && u != nil && r.within(u.whole, words) {
		s = &signShift{split: u}
	}
	if s == nil || s.flipped || !r.fromThisRound(x) || !c.is(1<<(63-s.split.shift)) {
		return nil
	}
	n := r.fresh(Below(64 - s.split.shift))
	n.sign = &signShift{s.split, true}
	r.moved(x, n)
	return n
}

// moved records that n takes the place of x, which may be a part that was shifted out.
func (r *Ranges) moved(x, n *Number) {
	if text, ok := r.pending[x]; ok {
		delete(r.pending, x)
		r.pending[n] = text
	}
}

// signed stops the run if n is an intermediate result of a shift that extends the sign. Only the
// next step of that shift may use it.
func (r *Ranges) signed(n *Number) {
	if s := n.sign; s != nil {
		r.Fault("%s has shifted %v as if it were not negative", s.split.text, s.split.whole.Range)
	}
}

// newMask returns a mask in a vector. Nothing is known about the lanes that it selects.
func (r *Ranges) newMask() *Number {
	n := r.fresh(Range{minusOne, new(big.Int)})
	n.mask = &maskState{id: n.id}
	return n
}

// ReadMask checks that operand o of the instruction i is a mask in a vector. The instruction moves
// the bits of the mask to a general register, whose range Ranges does not follow.
func (r *Ranges) ReadMask(i *Inst, o *Operand) {
	if r.Read(i, o).mask == nil {
		r.Fault("takes the signs of what is no mask")
	}
}

// Equal returns a mask of the lanes in which a and b are equal.
func (r *Ranges) Equal(a, b *Number) *Number {
	a, b = r.term(a), r.term(b)
	if b.is(0) {
		a, b = b, a
	}
	n := r.newMask()
	if a.is(0) && r.fromThisRound(b) && b.upperOf != nil {
		r.ids++
		n.unselected = &maskState{r.ids, b.upperOf}
	}
	return n
}

// Or returns a | b, or a ^ b if exclusive is set. If a and b have no bit in common, the result is
// their sum. Otherwise only the bit length of the result is known. For two masks in vectors, the
// result is such a mask.
func (r *Ranges) Or(a, b *Number, exclusive bool) *Number {
	a, b = r.term(a), r.term(b)
	if a.mask != nil && b.mask != nil {
		return r.newMask()
	}
	if !r.within(a, notNegative) || !r.within(b, notNegative) {
		r.Fault("a logical operation on a number that may be negative")
	}
	for _, o := range [][2]*Number{{a, b}, {b, a}} {
		if n := r.pair(o[0], o[1]); n != nil && !exclusive {
			return n
		}
	}
	longest := Below(uint(max(a.Hi.BitLen(), b.Hi.BitLen())))
	if !exclusive && (r.within(b, Below(r.aligned(a))) || r.within(a, Below(r.aligned(b)))) {
		s := Range{new(big.Int).Add(a.Lo, b.Lo), new(big.Int).Add(a.Hi, b.Hi)}
		n := r.sum(intersection(longest, s), sumOf(a, b))
		n.align = min(r.aligned(a), r.aligned(b))
		return n
	}
	return r.fresh(longest)
}

// aligned returns the number of low bits of n that are known to be 0.
func (r *Ranges) aligned(n *Number) uint {
	if v, ok := n.value(); ok {
		return uint(bits.TrailingZeros64(v))
	}
	if !r.fromThisRound(n) {
		return 0
	}
	return n.align
}

// pair returns the result of [Ranges.ShiftPair] if a was shifted to the right and b to the left, by
// counts with the sum 64. Otherwise it returns nil.
func (r *Ranges) pair(a, b *Number) *Number {
	s, l := a.upperOf, b.left
	if s == nil || l == nil || s.shift+l.bits != 64 || !r.fromThisRound(a) ||
		!r.fromThisRound(b) {
		return nil
	}
	delete(r.dropped, b)
	n := r.join(l.text, &funnel{a, l.of, s.shift}, s.shift)
	n.funnel = &funnel{a, l.of, s.shift}
	return n
}

// ShiftLeft returns a·2^bits. If that may exceed the signed 64 bits, a must not be negative, and
// the result is taken modulo 2^64. Another instruction must then shift out the bits that this
// drops.
func (r *Ranges) ShiftLeft(i *Inst, a *Number, bits uint) *Number {
	a = r.term(a)
	whole := Range{new(big.Int).Rsh(words.Lo, bits), Below(64 - bits).Hi}
	part := a
	if !r.within(a, whole) {
		if !r.within(a, notNegative) {
			r.Fault("%v is shifted beyond 64 bits", a.Range)
		}
		part = r.low(a, 64-bits)
	}
	n := r.sum(Range{new(big.Int).Lsh(part.Lo, bits), new(big.Int).Lsh(part.Hi, bits)},
		sumOf().plus(part, bits))
	n.align = bits + r.aligned(part)
	n.left = &leftShift{a, bits, i.Text}
	if part != a {
		r.dropped[n] = dropped{place{a.id, 64 - bits}, i.Text}
	}
	return n
}

// ShiftRight returns the bits of a from bit shift up, and records them as carried; see Ranges. If
// signed is set, the shift extends the sign. If it is not, and a may be negative, then the next
// steps must do so; see signShift.
func (r *Ranges) ShiftRight(i *Inst, a *Number, shift uint, signed bool) *Number {
	a = r.term(a)
	negative := !signed && !r.within(a, notNegative)
	if (signed || negative) && !r.within(a, words) {
		r.Fault("%v is shifted as if it had a sign", a.Range)
	}
	s := r.split(a, shift)
	s.carried, s.text = true, i.Text
	if negative {
		n := r.fresh(Below(64 - shift))
		n.sign = &signShift{split: s}
		r.pending[n] = i.Text
		return n
	}
	r.pending[s.upper] = i.Text
	return s.upper
}

// ShiftPair returns the 64-bit word that starts at bit shift of the 128-bit number low + 2^64·high.
// The result does not contain the top bits of high; another instruction must shift them out.
func (r *Ranges) ShiftPair(i *Inst, low, high *Number, shift uint) *Number {
	if !r.within(low, Below(64)) || !r.within(high, Below(64)) {
		r.Fault("%v and %v are not words", low.Range, high.Range)
	}
	s := r.split(low, shift)
	s.carried = true
	n := r.join(i.Text, &funnel{s.upper, high, shift}, shift)
	n.funnel = &funnel{s.upper, high, shift}
	return n
}

// Count returns the shift count of the instruction i. The count is its first operand, which must be
// an immediate.
func (r *Ranges) Count(i *Inst) uint {
	if i.Op[0].Kind != Immediate || i.Op[0].Imm == 0 || i.Op[0].Imm > 63 {
		r.Fault("a shift by a number that is not known")
	}
	return uint(i.Op[0].Imm)
}

// TestNotZero gives a new id to the mask that the instruction i writes. The mask selects the lanes
// in which a is not 0.
func (r *Ranges) TestNotZero(i *Inst, a *Number) {
	a = r.term(a)
	r.NewMask(i)
	if i.Selection == 0 && r.fromThisRound(a) {
		r.mask[i.Op[len(i.Op)-1].Index].over = a.upperOf
	}
}

// TestOther gives a new id to the mask that the instruction i writes. The mask selects lanes by
// some test of the numbers ns that is not the comparison of a single number with 0.
func (r *Ranges) TestOther(i *Inst, ns ...*Number) {
	for _, n := range ns {
		r.term(n)
	}
	r.NewMask(i)
}

// NewMask gives a new id to the mask that the instruction i writes. Nothing is known about the
// lanes that it selects.
func (r *Ranges) NewMask(i *Inst) {
	r.ids++
	r.mask[i.Op[len(i.Op)-1].Index] = maskState{id: r.ids}
}

// And returns the lowest bits of a number, as a & mask does. a or mask must be a constant 2^k − 1.
// Exception: if one of them is a mask in a vector, And returns the other one in the lanes that this
// mask selects, and 0 in the other lanes.
func (r *Ranges) And(a, mask *Number) *Number {
	if a.mask != nil {
		a, mask = mask, a
	}
	if mask.mask != nil {
		return r.Choose(mask, r.term(a), r.Zero())
	}
	if mask.Lo.Cmp(mask.Hi) != 0 {
		a, mask = mask, a
	}
	width := uint(mask.Hi.BitLen())
	if mask.Lo.Cmp(mask.Hi) != 0 || mask.Hi.Cmp(Below(width).Hi) != 0 {
		r.Fault("no mask of low bits")
	}
	r.use(mask)
	carried := r.carried(a, width)
	if a.Within(Below(width)) || !carried && a.funnel == nil && r.within(a, Below(width)) {
		return a
	}
	if c := a.choice; c != nil && c.over != nil && c.over.shift == width && carried {
		// Each lane holds either the number yes or the number no. The bits that the mask clears are a
		// number: at least 1 in the lanes with yes, and 0 in the lanes with no.
		top := r.fresh(intersection(c.over.upper.Range, Range{big.NewInt(1), c.over.upper.Hi}))
		n := r.fresh(Below(width))
		n.choice = &choice{mask: c.mask}
		n.equal = [2]*form{
			sumOf(c.yes).less(top, width),
			sumOf(c.over.lower, c.no).less(c.yes, 0),
		}
		return n
	}
	if f := a.funnel; f != nil && width > 64-f.shift && r.fromThisRound(a) {
		text := r.dropped[a].text
		delete(r.dropped, a)
		return r.join(text, f, width-64+f.shift)
	}
	if !carried {
		r.Fault("bits of %v from %d up are lost", a.Range, width)
	}
	n := r.split(a, width).lower
	r.moved(a, n)
	return n
}

// join returns f.upper plus the given number of low bits of f.next, shifted to the place above
// f.upper.
func (r *Ranges) join(text string, f *funnel, bits uint) *Number {
	part := r.low(f.next, bits)
	n := r.sum(Range{f.upper.Lo, new(big.Int).Add(f.upper.Hi, new(big.Int).Lsh(part.Hi, 64-f.shift))},
		sumOf(f.upper).plus(part, 64-f.shift))
	if part != f.next {
		r.dropped[n] = dropped{place{f.next.id, bits}, text}
	}
	return n
}

// term returns n, an operand of an instruction other than a multiplication. It stops the run if
// bits that were carried out of n are still present.
func (r *Ranges) term(n *Number) *Number {
	for _, shift := range r.arch.Carries {
		if r.carried(n, shift) && !r.within(n, Below(shift)) {
			r.Fault("%v has been carried from bit %d up", n.Range, shift)
		}
	}
	r.use(n)
	return n
}

// use records that n, a part which was shifted out, has been used.
func (r *Ranges) use(n *Number) { delete(r.pending, n) }

// factor returns n, an operand of a multiplication, and the largest value that the multiplier may
// read from it. It stops the run if n is not a valid factor.
func (r *Ranges) factor(n *Number) (*Number, *big.Int) {
	r.use(n)
	bits := r.arch.FactorBits
	if !r.carried(n, bits) && r.within(n, Below(bits)) || n.Within(Below(bits)) {
		return n, n.Hi
	}
	if !r.carried(n, bits) || !r.within(n, notNegative) {
		r.Fault("the factor is in %v", n.Range)
	}
	return n, Below(bits).Hi
}
