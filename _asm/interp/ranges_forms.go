package interp

import (
	"math/big"
	"slices"
)

// A Number is the integer that any lane of a vector stands for. The 64 bits of the lane
// are that integer modulo 2^64: whether they mean a negative one or one of 2^63 and more
// is decided by the instructions that read them.
type Number struct {
	Range
	id      int
	align   uint    // how many of the lowest bits are 0
	upperOf *split  // the split of which it is the upper part, if any
	lowerOf *split  // the split of which it is the lower part, if any
	choice  *choice // the masked write that made it, if any
	joint   *joint  // the two words that it has been put together from, if any
	// What it is equal to, if anything is known. For a choice, the second is that
	// for lanes that the mask does not have.
	equal [2]*form
	tried bool // its range is the best that bound finds

	row  *row // whose word it is
	word int
}

// A split is a number cut in two, upper·2^shift + lower.
type split struct {
	of, upper, lower *Number
	shift            uint
	carried          bool // upper was shifted out
}

// A place is a bit of a number, from which it is cut.
type place struct {
	id    int
	shift uint
}

// A choice is what a masked write leaves: yes in the lanes of the mask.
type choice struct {
	mask    int
	yes, no *Number
	// over is a split of yes whose upper part is 0 just in the lanes that the mask
	// does not have, if no is below yes in those.
	over *split
}

// A joint is upper + 2^(64−shift)·(next modulo 2^shift), what VPSHRDQ makes of two
// words.
type joint struct {
	upper, next *Number
	shift       uint
}

// A form is (constant + Σ factor·number)/2^shift.
type form struct {
	terms    []term
	constant big.Int
	shift    uint
}

type term struct {
	n *Number
	k *big.Int // not written to
}

// sumOf returns a form of numbers.
func sumOf(ns ...*Number) *form {
	f := &form{terms: make([]term, 0, len(ns))}
	for _, n := range ns {
		f.add(n, plusOne)
	}
	return f
}

var plusOne, minusOne = big.NewInt(1), big.NewInt(-1)

// less returns f − 2^shift·n, which is f.
func (f *form) less(n *Number, shift uint) *form {
	f.add(n, new(big.Int).Lsh(minusOne, shift))
	return f
}

// plus returns f + 2^shift·n, which is f.
func (f *form) plus(n *Number, shift uint) *form {
	f.add(n, new(big.Int).Lsh(plusOne, shift))
	return f
}

// factor returns what n is multiplied by in f, nil if it is not there.
func (f *form) factor(n *Number) *big.Int {
	for k := range f.terms {
		if f.terms[k].n == n {
			return f.terms[k].k
		}
	}
	return nil
}

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

// put returns f with what its number at is equal to in the place of that.
func (f *form) put(at int, g *form) *form {
	h := &form{terms: make([]term, 0, len(f.terms)+len(g.terms)), shift: f.shift + g.shift}
	h.constant.Lsh(&f.constant, g.shift)
	by := f.terms[at].k
	for k, t := range f.terms {
		if k == at {
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

// bound returns a range that holds f. Numbers are replaced by what they are sums
// of, one after the other, the last that came about first: whatever comes out
// between is a bound, and the best of them is returned. A choice is made both ways,
// by all numbers of the same mask alike. Numbers from before the last jump back are
// left as they are.
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

// evaluate returns a range that holds f, from those of its numbers. The two parts
// of a split are taken together.
func (r *Ranges) evaluate(f *form) Range {
	lo, hi := new(big.Int).Set(&f.constant), new(big.Int).Set(&f.constant)
	for _, t := range f.terms {
		if s := t.n.lowerOf; s != nil && r.fromThisRound(t.n) && f.factor(s.upper) != nil {
			continue // taken with the upper part
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
	// Numbers are whole: the lower end up, the upper down.
	lo.Neg(lo).Rsh(lo, f.shift).Neg(lo)
	return Range{lo, hi.Rsh(hi, f.shift)}
}

// both returns the range of j·upper + k·lower. It is linear in both while upper is
// between its ends, where lower has all values.
func (s *split) both(j, k *big.Int) (out Range) {
	all := Below(s.shift)
	first, last := new(big.Int).Rsh(s.of.Lo, s.shift), new(big.Int).Rsh(s.of.Hi, s.shift)
	second, lastButOne := new(big.Int).Add(first, plusOne), new(big.Int).Sub(last, plusOne)
	for _, v := range []*big.Int{first, last, second, lastButOne} {
		if v.Cmp(first) < 0 || v.Cmp(last) > 0 {
			continue
		}
		base := new(big.Int).Lsh(v, s.shift)
		lower := intersection(all, Range{new(big.Int).Sub(s.of.Lo, base),
			new(big.Int).Sub(s.of.Hi, base)})
		x, up := lower.times(k), new(big.Int).Mul(v, j)
		x = Range{x.Lo.Add(x.Lo, up), x.Hi.Add(x.Hi, up)}
		if out.Lo == nil {
			out = x
		}
		out = union(out, x)
	}
	return out
}

func (r Range) times(k *big.Int) Range {
	x, y := new(big.Int).Mul(r.Lo, k), new(big.Int).Mul(r.Hi, k)
	if k.Sign() < 0 {
		x, y = y, x
	}
	return Range{x, y}
}

func union(a, b Range) Range {
	if b.Lo.Cmp(a.Lo) < 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) > 0 {
		a.Hi = b.Hi
	}
	return a
}

func intersection(a, b Range) Range {
	if b.Lo.Cmp(a.Lo) > 0 {
		a.Lo = b.Lo
	}
	if b.Hi.Cmp(a.Hi) < 0 {
		a.Hi = b.Hi
	}
	return a
}
