package interp

import (
	"math/big"
	"slices"
)

// A Number is the integer that a lane of a vector represents. The 64 bits of the lane are that
// integer modulo 2^64. Each instruction that reads the lane decides whether it interprets the bits
// as signed or unsigned.
type Number struct {
	Range
	id      int
	align   uint    // number of low bits that are known to be 0
	upperOf *split  // the split whose upper part this number is, or nil
	lowerOf *split  // the split whose lower part this number is, or nil
	choice  *choice // the masked write that created this number, or nil
	funnel  *funnel // the funnel shift that created this number, or nil
	// equal[0] is an expression of other numbers with the same value as this number, or nil. If
	// choice is set, equal[0] holds in the lanes that the mask selects, and equal[1] in the other
	// lanes.
	equal [2]*form
	tried bool // the range cannot be narrowed further by bound

	// offset is the number by which the 64 bits of the lane exceed this integer, modulo 2^64. It is
	// 0 except in sums of the halves of products that FusedMultiplyAdd computed.
	offset uint64
	plain  *Number    // if offset is not 0: the integer that the 64 bits represent, once needed
	double *Number    // the integer that the 64 bits represent as a double-precision number, or nil
	fused  *fused     // the product of which this is an intermediate result, or nil
	left   *leftShift // the shift to the left that created this number, or nil
	sign   *signShift // the shift of which this is an intermediate result, or nil
	// If this number is a mask in a vector, −1 in the lanes that it selects and 0 in the others, mask
	// says which lanes it selects. unselected may then describe the other lanes.
	mask, unselected *maskState

	row  *row // the row with this number as one of its words, or nil
	word int
}

// A split cuts a number, the field whole, in two: whole = upper·2^shift + lower.
type split struct {
	whole, upper, lower *Number
	shift               uint
	carried             bool   // whether upper was shifted out of the number
	text                string // the instruction that did so last
}

// A place is a bit position in a number, at which a split cuts the number.
type place struct {
	id    int
	shift uint
}

// A choice is the result of a masked write. The result is the number yes in the lanes that the mask
// selects, and the number no in the other lanes.
type choice struct {
	mask    int
	yes, no *Number
	// over, if set, is a split of the number yes whose upper part is 0 in exactly the lanes that
	// the mask does not select. The number no is then at most yes.
	over *split
}

// A funnel is the number upper + 2^(64−shift)·(next modulo 2^shift), the result of the
// funnel shift VPSHRDQ for two words.
type funnel struct {
	upper, next *Number
	shift       uint
}

// A leftShift records that an instruction shifted a number to the left by a number of bits. The
// field "of" holds the number before the shift, and "text" holds the instruction.
type leftShift struct {
	of   *Number
	bits uint
	text string
}

// A signShift describes an intermediate result of a shift to the right that extends the sign of a
// number. An instruction shifts the number by split.shift without regard to the sign. The sign is
// then bit k = 63 − split.shift of the result x, and (x ^ 2^k) − 2^k extends it. flipped says that
// the intermediate result is x ^ 2^k; otherwise it is x.
type signShift struct {
	split   *split
	flipped bool
}

// A form is the expression (constant + Σ k·n)/2^shift. The sum is over the terms, with a
// coefficient k and a number n in each.
type form struct {
	terms    []term
	constant big.Int
	shift    uint
}

type term struct {
	n *Number
	k *big.Int // coefficient; read-only, because forms share it
}

// sumOf returns the form n1 + n2 + … for the numbers ns.
func sumOf(ns ...*Number) *form {
	f := &form{terms: make([]term, 0, len(ns))}
	for _, n := range ns {
		f.add(n, plusOne)
	}
	return f
}

var plusOne, minusOne = big.NewInt(1), big.NewInt(-1)

// less subtracts 2^shift·n from f, changing f itself, and returns f.
func (f *form) less(n *Number, shift uint) *form {
	f.add(n, new(big.Int).Lsh(minusOne, shift))
	return f
}

// plus adds 2^shift·n to f, changing f itself, and returns f.
func (f *form) plus(n *Number, shift uint) *form {
	f.add(n, new(big.Int).Lsh(plusOne, shift))
	return f
}

// factor returns the coefficient of n in f, or nil if n is not in f.
func (f *form) factor(n *Number) *big.Int {
	for k := range f.terms {
		if f.terms[k].n == n {
			return f.terms[k].k
		}
	}
	return nil
}

// add adds k·n to f.
func (f *form) add(n *Number, k *big.Int) {
	if n.Lo.Cmp(n.Hi) == 0 {
		f.constant.Add(&f.constant, new(big.Int).Mul(k, n.Lo))
		return
	}
	for at := range f.terms {
		if f.terms[at].n == n {
			if k = new(big.Int).Add(k, f.terms[at].k); k.Sign() == 0 {
				f.terms = slices.Delete(f.terms, at, at+1)
			} else {
				f.terms[at].k = k
			}
			return
		}
	}
	f.terms = append(f.terms, term{n, k})
}

// put returns a copy of f in which the form g replaces one of the numbers: the number n in the term
// k·n with the given index.
func (f *form) put(index int, g *form) *form {
	h := &form{terms: make([]term, 0, len(f.terms)+len(g.terms)), shift: f.shift + g.shift}
	h.constant.Lsh(&f.constant, g.shift)
	by := f.terms[index].k
	for k, t := range f.terms {
		if k == index {
			continue
		}
		if g.shift > 0 {
			t.k = new(big.Int).Lsh(t.k, g.shift)
		}
		h.terms = append(h.terms, t)
	}
	h.constant.Add(&h.constant, new(big.Int).Mul(by, &g.constant))
	for _, t := range g.terms {
		h.add(t.n, new(big.Int).Mul(by, t.k))
	}
	return h
}

// bound returns a range that contains f. It repeatedly replaces the newest number in the expression
// f by the sum to which that number is equal. The range of each expression on the way contains f;
// bound returns the intersection of these ranges. If such a number is the result of a masked write
// (a choice), bound computes two ranges of f: one for the lanes that the mask selects, and one for
// the other lanes. It takes the union of the two. bound does not replace numbers from before the
// last jump back.
func (r *Ranges) bound(f *form, chosen map[int]bool) Range {
	best := r.evaluate(f)
	for {
		last := -1
		for k, t := range f.terms {
			if t.n.equal[0] != nil && r.fromThisRound(t.n) && (last < 0 || t.n.id > f.terms[last].n.id) {
				last = k
			}
		}
		if last < 0 {
			return best
		}
		n := f.terms[last].n
		which := 0
		if c := n.choice; c != nil {
			yes, ok := chosen[c.mask]
			if !ok {
				var both [2]Range
				for k := range both {
					chosen[c.mask] = k == 0
					both[k] = r.bound(f, chosen)
				}
				delete(chosen, c.mask)
				return intersection(best, union(both[0], both[1]))
			}
			if !yes {
				which = 1
			}
		}
		f = f.put(last, n.equal[which])
		best = intersection(best, r.evaluate(f))
	}
}

// evaluate returns a range that contains f, computed from the ranges of its numbers. It evaluates
// the two parts of one split together, which gives a tighter range.
func (r *Ranges) evaluate(f *form) Range {
	lo, hi := new(big.Int).Set(&f.constant), new(big.Int).Set(&f.constant)
	for _, t := range f.terms {
		if s := t.n.lowerOf; s != nil && r.fromThisRound(t.n) && f.factor(s.upper) != nil {
			continue // the lower part is evaluated together with the upper part
		}
		x := t.n.Range.times(t.k)
		if s := t.n.upperOf; s != nil && r.fromThisRound(s.lower) {
			if lower := f.factor(s.lower); lower != nil {
				x = s.both(t.k, lower)
			}
		}
		lo.Add(lo, x.Lo)
		hi.Add(hi, x.Hi)
	}
	// A number is an integer, so its lower bound is rounded up and its upper bound down.
	lo.Neg(lo).Rsh(lo, f.shift).Neg(lo)
	return Range{lo, hi.Rsh(hi, f.shift)}
}

// both returns the range of j·upper + k·lower for the parts upper and lower of the split s. If
// upper is neither its smallest nor its largest value, lower takes all of its values, and the
// expression is linear in upper and lower. So four values of upper suffice: the two ends and their
// neighbours.
func (s *split) both(j, k *big.Int) (out Range) {
	all := Below(s.shift)
	first, last := new(big.Int).Rsh(s.whole.Lo, s.shift), new(big.Int).Rsh(s.whole.Hi, s.shift)
	second, lastButOne := new(big.Int).Add(first, plusOne), new(big.Int).Sub(last, plusOne)
	for _, v := range []*big.Int{first, last, second, lastButOne} {
		if v.Cmp(first) < 0 || v.Cmp(last) > 0 {
			continue
		}
		base := new(big.Int).Lsh(v, s.shift)
		lower := intersection(all, Range{new(big.Int).Sub(s.whole.Lo, base),
			new(big.Int).Sub(s.whole.Hi, base)})
		x, up := lower.times(k), new(big.Int).Mul(v, j)
		x = Range{x.Lo.Add(x.Lo, up), x.Hi.Add(x.Hi, up)}
		out = union(out, x)
	}
	return out
}

// times returns the range of k·x for x in r.
func (r Range) times(k *big.Int) Range {
	x, y := new(big.Int).Mul(r.Lo, k), new(big.Int).Mul(r.Hi, k)
	if k.Sign() < 0 {
		x, y = y, x
	}
	return Range{x, y}
}

// union returns the smallest range that contains a and b. The zero Range is empty.
func union(a, b Range) Range {
	if a.Lo == nil {
		return b
	}
	if b.Lo.Cmp(a.Lo) < 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) > 0 {
		a.Hi = b.Hi
	}
	return a
}

// intersection returns the integers that are in both a and b.
func intersection(a, b Range) Range {
	if b.Lo.Cmp(a.Lo) > 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) < 0 {
		a.Hi = b.Hi
	}
	return a
}
