package proof

import "math/big"

// This file has what instructions do with the bits of words.

// near returns a form that is congruent to f modulo 2^64 and proven to be from −2^63 to 2^63 − 1,
// or nil. It tries only two: f, and f with each coefficient replaced by the congruent one nearest
// to 0.
func (r *Run) near(f *Form) *Form {
	small := f.Residue(power(64))
	hi := new(big.Int).Sub(power(63), big.NewInt(1))
	lo := new(big.Int).Not(hi)
	if l, h := r.quick(small); l.Cmp(lo) >= 0 && h.Cmp(hi) <= 0 {
		return small
	}
	if l, h := r.quick(f); l.Cmp(lo) >= 0 && h.Cmp(hi) <= 0 {
		return f
	}
	if len(small.terms) == len(f.terms) && small.Key() == f.Key() {
		return nil
	}
	if l, h := r.Lower(small, lo), r.Upper(small, hi); l.Cmp(lo) >= 0 && h.Cmp(hi) <= 0 {
		r.Know(small, l, h)
		return small
	}
	return nil
}

// sign returns the topmost bit of f, a number of 64 bits.
func (r *Run) sign(f *Form) *Form {
	if b := r.maskOf(f); b != nil {
		return b
	}
	if small := r.near(f); small != nil {
		return r.Floor(small, 64, nil).Times(big.NewInt(-1))
	}
	return r.Floor(f, 63, nil)
}

// signed returns the signed number with the 64 bits of f.
func (r *Run) signed(f *Form) *Form {
	if small := r.near(f); small != nil {
		return small
	}
	out := f.Sub(r.sign(f).Shift(64))
	if r.isWord(f) {
		r.Know(out, r.lowest, r.highest)
	}
	return out
}

// unsigned returns the number of 64 bits that is congruent to f modulo 2^64.
func (r *Run) unsigned(f *Form) *Form { return r.low(f, 64) }

var allOnes = new(big.Int).Sub(power(64), big.NewInt(1))

// maskOf returns b if f is a mask: all ones if the bit b is 1, and 0 otherwise. In a lane, all ones
// are −1.
func (s *System) maskOf(f *Form) *Form {
	for _, ones := range []*big.Int{allOnes, big.NewInt(-1)} {
		b := &Form{}
		for _, t := range f.terms {
			q, r := new(big.Int).QuoRem(t.coefficient, ones, new(big.Int))
			if r.Sign() != 0 {
				b = nil
				break
			}
			b.terms = append(b.terms, term{t.atom, q})
		}
		if b == nil {
			continue
		}
		if s.isBit(b) {
			return b
		}
	}
	return nil
}

// and returns the bits that are set in both f and g.
func (r *Run) and(f, g *Form) *Form {
	x, ok := f.constant()
	if y, also := g.constant(); ok && also {
		return Constant(new(big.Int).And(x, y))
	} else if also {
		f, g, x, ok = g, f, y, true
	}
	if b := r.maskOf(f); b != nil {
		return r.Product(b, g)
	}
	if b := r.maskOf(g); b != nil {
		return r.Product(b, f)
	}
	if ok && x.Sign() == 0 {
		return f
	}
	if a := g.atom(); ok && x.Cmp(big.NewInt(1)) == 0 && a != nil && a.name == "xor" {
		return r.low(a.x.Add(a.y), 1)
	}
	if ok && x.Sign() > 0 {
		n := uint(x.TrailingZeroBits())
		run := new(big.Int).Add(new(big.Int).Rsh(x, n), big.NewInt(1))
		if run.TrailingZeroBits() == uint(run.BitLen()-1) { // x is a run of ones, from bit n up
			return r.low(r.Floor(g, n, nil), uint(run.BitLen()-1)).Shift(n)
		}
	}
	if f.Key() == g.Key() {
		return f
	}
	if x, y := r.bitForm(f), r.bitForm(g); x != nil && y != nil {
		return r.Product(x, y)
	}
	r.fault("AND of two numbers, %v and %v", f, g)
	return nil
}

// bitForm returns f if it is 0 or 1, or nil.
func (r *Run) bitForm(f *Form) *Form {
	if r.isBit(f) {
		return f
	}
	if r.Lower(f, new(big.Int)).Sign() >= 0 && r.Upper(f, big.NewInt(1)).Cmp(big.NewInt(1)) <= 0 {
		r.Know(f, new(big.Int), big.NewInt(1))
		return f
	}
	return nil
}

// isBit reports whether f is known to be 0 or 1.
func (s *System) isBit(f *Form) bool {
	lo, hi := s.quick(f)
	return lo.Sign() >= 0 && hi.Cmp(big.NewInt(1)) <= 0
}

// zero returns 1 if f is 0, and otherwise 0. f is not negative.
func (s *System) zero(f *Form) *Form {
	if s.isBit(f) {
		return Int(1).Sub(f)
	}
	return s.IsZero(f)
}

// fits proves that f is from 0 to 2^bits − 1.
func (r *Run) fits(f *Form, bits uint) bool {
	hi := new(big.Int).Sub(power(bits), big.NewInt(1))
	if l, h := r.quick(f); l.Sign() >= 0 && h.Cmp(hi) <= 0 {
		return true
	}
	if r.Lower(f, new(big.Int)).Sign() < 0 || r.Upper(f, hi).Cmp(hi) > 0 {
		return false
	}
	r.Know(f, new(big.Int), hi)
	return true
}

// or returns the bits that are set in f or g.
func (r *Run) or(f, g *Form) *Form {
	if x, ok := f.constant(); ok {
		f, g = g, Constant(x)
	}
	if x, ok := g.constant(); ok && x.Sign() == 0 {
		return f
	}
	for range 2 {
		if n := f.twos(64); n > 0 && r.fits(g, n) {
			sum := r.Total([]*Form{f, g}, nil)
			r.multiples[sum.Key()] = r.multiples[f.Key()]
			return sum
		}
		f, g = g, f
	}
	if x, y := r.bitForm(f), r.bitForm(g); x != nil && y != nil {
		if sum := r.bitForm(x.Add(y)); sum != nil {
			return sum
		}
		return r.either(x, y)
	}
	if x, y := r.maskOf(f), r.maskOf(g); x != nil && y != nil {
		return r.either(x, y).Times(allOnes)
	}
	if r.isWord(f) && r.isWord(g) {
		return r.bitwise("or", f, g)
	}
	r.fault("OR of numbers that may have bits in common: %v, %v", f, g)
	return nil
}

// either returns 1 if the bit x or the bit y is 1, and otherwise 0.
func (r *Run) either(x, y *Form) *Form {
	out := x.Add(y).Sub(r.Product(x, y))
	r.Know(out, new(big.Int), big.NewInt(1))
	return out
}

// xor returns the bits in which f and g differ.
func (r *Run) xor(f, g *Form) *Form {
	if f.Key() == g.Key() {
		return &Form{}
	}
	x, ok := f.constant()
	if y, also := g.constant(); ok && also {
		return Constant(new(big.Int).Xor(x, y))
	} else if also {
		f, g, x, ok = g, f, y, true
	}
	if ok && x.Sign() == 0 {
		return g
	}
	if ok && x.Sign() > 0 && x.TrailingZeroBits() == uint(x.BitLen()-1) { // x is one bit
		n := x.TrailingZeroBits()
		out := g.Add(f).Sub(r.low(r.Floor(g, n, nil), 1).Shift(n + 1))
		if lo, hi := r.quick(g); lo.Sign() >= 0 {
			bits := max(uint(hi.BitLen()), n+1)
			r.Know(out, new(big.Int), new(big.Int).Sub(power(bits), big.NewInt(1)))
		}
		return out
	}
	if ok && x.Cmp(allOnes) == 0 {
		return f.Sub(g)
	}
	for range 2 {
		if b := r.maskOf(f); b != nil {
			return r.Select(b, Constant(allOnes).Sub(g), g)
		}
		f, g = g, f
	}
	if x, y := r.bitForm(f), r.bitForm(g); x != nil && y != nil {
		return x.Add(y).plus(big.NewInt(-2), r.Product(x, y))
	}
	if r.isWord(f) && r.isWord(g) {
		return r.bitwise("xor", g, f)
	}
	r.fault("XOR of two numbers")
	return nil
}

// shift returns f shifted by n bits: to the left, to the right, or to the right with its sign.
func (r *Run) shift(kind byte, f *Form, n uint) *Form {
	switch {
	case n == 0:
		return f
	case kind == 'l':
		low := r.low(r.shifted(f, n), 64)
		r.multiples[low.Key()] = multiple{f, power(n)}
		return low
	case kind == 'r':
		return r.Floor(f, n, nil)
	}
	if b := r.maskOf(f); b != nil {
		return f
	}
	if small := r.near(f); small != nil {
		return r.unsigned(r.Floor(small, n, nil))
	}
	sign := r.sign(f)
	fill := new(big.Int).Sub(power(64), power(64-n))
	return r.Floor(f, n, nil).plus(fill, sign)
}

// shifted returns 2^n·f.
func (s *System) shifted(f *Form, n uint) *Form {
	lo, hi := s.quick(f)
	g := f.Shift(n)
	s.Know(g, new(big.Int).Lsh(lo, n), new(big.Int).Lsh(hi, n))
	return g
}

// amount returns the constant number of bits of a shift.
func (r *Run) amount(f *Form) uint {
	x, ok := f.constant()
	if !ok {
		r.fault("a shift by a number that is not constant")
	}
	return uint(x.Uint64() & 63)
}
