package proof

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// give records that a has the value x, which has been proven. If the run itself meets all
// assumptions, a must have the value x in the run.
func (s *System) give(a *atom, x *big.Int) {
	if !s.elsewhere && a.now.Cmp(x) != 0 {
		panic(fmt.Sprintf("proof: %v is said to be %v, and is %v", a, x, a.now))
	}
	s.given[a] = x
	s.forget()
}

// forget forgets what was computed from the values of atoms.
func (s *System) forget() {
	clear(s.solved)
	clear(s.valued)
}

// assume records that a has the value x, and what follows from it.
func (s *System) assume(a *atom, x *big.Int) {
	s.elsewhere = s.elsewhere || a.now.Cmp(x) != 0
	s.give(a, x)
	s.assumed = append(s.assumed, a)
	switch a.kind {
	case floor:
		add := func(facts []*Form, f *Form) []*Form {
			low := f.Sub(Constant(new(big.Int).Lsh(x, a.shift)))
			return append(facts, low.Times(big.NewInt(-1)),
				low.Sub(Constant(new(big.Int).Sub(power(a.shift), big.NewInt(1)))))
		}
		s.facts = add(s.facts, a.x)
		for b := a.inner; b != nil; b = b.inner {
			s.parts = add(s.parts, a.x.Sub(b.x).plus(power(b.shift), b.form()))
		}
	case indicator:
		if x.Sign() == 0 {
			s.facts = append(s.facts, Int(1).Sub(a.x))
		} else {
			s.facts = append(s.facts, a.x)
		}
	}
}

// Limit records that f, a sum of inputs, does not exceed hi.
func (s *System) Limit(f *Form, hi *big.Int) { s.facts = append(s.facts, f.Sub(Constant(hi))) }

// Assume records that f, a constant or an atom times a constant plus a constant, has the value x.
func (s *System) Assume(f *Form, x *big.Int) error {
	c := f.coefficient(one)
	rest := new(big.Int).Sub(x, c)
	f = s.solve(f.Sub(Constant(c)))
	if y, ok := f.constant(); ok {
		if y.Cmp(rest) != 0 {
			return fmt.Errorf("%v is not %v", f, x)
		}
		return nil
	}
	if len(f.terms) != 1 {
		return fmt.Errorf("a condition on %v", f)
	}
	q, r := new(big.Int).QuoRem(rest, f.terms[0].coefficient, new(big.Int))
	if r.Sign() != 0 {
		return fmt.Errorf("%v is not %v", f, x)
	}
	s.assume(f.terms[0].atom, q)
	return nil
}

// solve returns f with the atoms that are constant replaced by their values.
func (s *System) solve(f *Form) *Form {
	if len(s.given) == 0 {
		return f
	}
	if g := s.solved[f]; g != nil {
		return g
	}
	rest, sum := &Form{terms: make([]term, 0, len(f.terms))}, new(big.Int)
	var others []term
	for _, t := range f.terms {
		x := s.value(t.atom)
		if x == nil {
			rest.terms = append(rest.terms, t)
		} else if c, ok := x.constant(); ok {
			sum.Add(sum, new(big.Int).Mul(t.coefficient, c))
		} else {
			others = append(others, t)
		}
	}
	g := f
	if len(rest.terms) < len(f.terms) {
		g = rest.Add(Constant(sum))
		for _, t := range others {
			g = g.plus(t.coefficient, s.value(t.atom))
		}
	}
	s.solved[f] = g
	return g
}

// value returns the form that is equal to a if the atoms that are constant have their values, or
// nil if this is a itself.
func (s *System) value(a *atom) *Form {
	if a.kind <= input && s.given[a] == nil {
		return nil
	}
	x, ok := s.valued[a]
	if !ok {
		x = s.evaluate(a)
		s.valued[a] = x
	}
	return x
}

// evaluate computes value.
func (s *System) evaluate(a *atom) *Form {
	if x := s.given[a]; x != nil {
		return Constant(x)
	}
	if a.kind == floor && len(a.x.terms) <= 4 {
		lo, hi := s.solve(a.x).interval()
		if lo.Rsh(lo, a.shift).Cmp(hi.Rsh(hi, a.shift)) == 0 {
			return Constant(lo)
		}
	}
	if a.kind != product {
		return nil
	}
	x, y := s.solve(a.x), s.solve(a.y)
	if c, ok := x.constant(); ok {
		return y.Times(c)
	}
	if c, ok := y.constant(); ok {
		return x.Times(c)
	}
	return nil
}

// A bound stands for the fact that a form is at most sum/scale. The form is a multiple of unit plus
// the number rest.
type bound struct {
	sum               *Form
	scale, unit, rest *big.Int
}

// bounded returns the bound sum/scale of f.
func (f *Form) bounded(sum *Form, scale *big.Int) bound {
	return bound{sum, scale, power(f.grain()), f.coefficient(one)}
}

// at returns the greatest number that the bounded form can be if the sum is at most x.
func (b bound) at(x *big.Int) *big.Int {
	y := new(big.Int).Div(x, b.scale)
	y.Sub(y, b.rest).Div(y, b.unit)
	return y.Mul(y, b.unit).Add(y, b.rest)
}

// replace returns the bound of f by the form in which the floor a = ⌊x/2^k⌋ is replaced by its
// definition: a is at most x/2^k, and at least (x − 2^k + 1)/2^k.
func (f *Form) replace(a *atom) bound {
	c := f.coefficient(a)
	j := min(a.shift, c.TrailingZeroBits())
	d := new(big.Int).Rsh(c, j)
	g := f.combine(a, a.shift-j, d, a.x)
	if d.Sign() < 0 {
		g = g.Sub(Constant(d.Mul(d, new(big.Int).Sub(power(a.shift), big.NewInt(1)))))
	}
	return f.bounded(g, power(a.shift-j))
}

// drop returns the bound of f by the form in which the atom a, whose coefficient is negative, is
// replaced by its least value.
func (f *Form) drop(a *atom) bound {
	return f.bounded(f.plus(f.coefficient(a), Constant(a.lo).Sub(a.form())), big.NewInt(1))
}

// The method upper treats a bit with a negative coefficient in one of two ways: if plain is set, it
// replaces the bit by its least value, and otherwise by its definition.
var ways = []bool{false, true}

// upper returns a number that f does not exceed. It repeatedly replaces the newest floor by its
// definition. Each of the sums that result gives a bound. One of the facts may be added.
func (s *System) upper(f *Form, facts [][]*Form, plain bool) *big.Int {
	return s.better(f, facts, plain, nil, 0)
}

// patience is the number of successive sums that may give no better bound. After the next one upper
// returns.
const patience = 4

// better does the work of upper for a sum that has replaced another one. mark is the bound that was
// found for the other one, in units of this sum. The last idle sums gave no better bound.
func (s *System) better(
	f *Form, facts [][]*Form, plain bool, mark *big.Int, idle int,
) *big.Int {
	s.steps++
	f = s.solve(f)
	best := s.most(f)
	idle++
	if mark == nil || best.Cmp(mark) < 0 {
		mark, idle = best, 0
	}
	for _, some := range facts {
		for _, b := range s.with(f, some) {
			best = least(best, b.at(s.upper(b.sum, nil, plain)))
		}
	}
	a := f.next()
	if a == nil || idle > patience || s.tired() {
		return best
	}
	b := f.replace(a)
	if plain && f.negative(a) {
		b = f.drop(a)
	}
	mark = new(big.Int).Mul(mark, b.scale)
	return least(best, b.at(s.better(b.sum, facts, plain, mark, idle)))
}

// ahead returns a number that f does not exceed, as upper does. For each bit with a negative
// coefficient it tries both ways, and goes on with the one that then gives the better bound.
func (s *System) ahead(f *Form, plain bool) *big.Int {
	f = s.solve(f)
	a := f.next()
	if a == nil || s.tired() {
		return s.most(f)
	}
	b := f.replace(a)
	best := b.at(s.upper(b.sum, nil, plain))
	if f.negative(a) {
		d := f.drop(a)
		x := least(best, b.at(s.upper(b.sum, nil, !plain)))
		y := least(d.at(s.upper(d.sum, nil, plain)), d.at(s.upper(d.sum, nil, !plain)))
		if best = least(x, y); y.Cmp(x) < 0 {
			b = d
		}
	}
	return least(best, b.at(s.ahead(b.sum, plain)))
}

// next returns the newest floor in f, or nil.
func (f *Form) next() *atom {
	for _, t := range slices.Backward(f.terms) {
		if t.atom.kind == floor {
			return t.atom
		}
	}
	return nil
}

// negative reports whether a is a bit with a negative coefficient in f.
func (f *Form) negative(a *atom) bool { return a.bit() && f.coefficient(a).Sign() < 0 }

// least returns the lesser of x and y. Either may be nil.
func least(x, y *big.Int) *big.Int {
	if x == nil || y != nil && y.Cmp(x) < 0 {
		return y
	}
	return x
}

// with returns sums of f and multiples of the facts in which an atom of f cancels: the newest atom
// of the fact, or the one that varies most. None of the sums is less than f.
func (s *System) with(f *Form, facts []*Form) (out []bound) {
	for _, fact := range facts {
		fact = s.solve(fact).tight()
		young, heavy := newest(fact.terms), heaviest(fact)
		for k, x := range []*term{young, heavy} {
			if x == nil || k == 1 && heavy == young {
				continue
			}
			c := f.coefficient(x.atom)
			if c.Sign() != 0 && c.Sign() == x.coefficient.Sign() {
				scale := new(big.Int).Abs(x.coefficient)
				sum := f.Times(scale).plus(new(big.Int).Neg(new(big.Int).Abs(c)), fact)
				out = append(out, f.bounded(sum, scale))
			}
		}
	}
	return out
}

// tight returns the least form that is at most 0 if f is, and differs from f by a constant: if the
// other coefficients of f are multiples of 2^j, the constant is rounded up to such a multiple.
func (f *Form) tight() *Form {
	if f.tightened == nil {
		f.tightened = f
		if c := f.coefficient(one); c.Sign() != 0 && len(f.terms) > 1 {
			low := new(big.Int).Neg(c)
			low.And(low, new(big.Int).Sub(power(f.grain()), big.NewInt(1)))
			f.tightened = f.Add(Constant(low))
		}
	}
	return f.tightened
}

// newest returns the term with the newest atom.
func newest(terms []term) *term {
	if len(terms) == 0 || terms[len(terms)-1].atom == one {
		return nil
	}
	return &terms[len(terms)-1]
}

// heaviest returns the term that varies most.
func heaviest(f *Form) (best *term) {
	if f.heaviest != nil {
		return f.heaviest
	}
	terms := f.terms
	var most *big.Int
	for k, t := range terms {
		if t.atom == one {
			continue
		}
		w := new(big.Int).Sub(t.atom.hi, t.atom.lo)
		if w.Mul(w, new(big.Int).Abs(t.coefficient)); most == nil || w.Cmp(most) > 0 {
			best, most = &terms[k], w
		}
	}
	f.heaviest = best
	return best
}

// tired reports whether the current proof has computed as many sums as it may.
func (s *System) tired() bool { return s.limited && s.steps > s.Most }

// Upper returns a number that f does not exceed. It tries harder if that number is above goal.
func (s *System) Upper(f *Form, goal *big.Int) (best *big.Int) {
	if !s.limited { // a rule needs the bound
		s.steps, s.limited = 0, true
		defer func() { s.limited = false }()
	}
	try := func(f func(plain bool) *big.Int) bool {
		return slices.ContainsFunc(ways, func(plain bool) bool {
			best = least(best, f(plain))
			return best.Cmp(goal) <= 0
		})
	}
	_ = try(func(plain bool) *big.Int { return s.upper(f, nil, plain) }) ||
		try(func(plain bool) *big.Int { return s.ahead(f, plain) }) ||
		len(s.facts) > 0 && try(func(plain bool) *big.Int {
			return s.upper(f, [][]*Form{s.facts, s.parts}, plain)
		})
	if now := f.Now(); !s.elsewhere && now.Cmp(best) > 0 {
		panic(fmt.Sprintf("proof: %v is said to be at most %#x, and is %#x", f, best, now))
	}
	return best
}

// Lower returns a number that is not above f. It tries harder if that number is below goal.
func (s *System) Lower(f *Form, goal *big.Int) *big.Int {
	if lo, _ := s.quick(f); lo.Cmp(goal) >= 0 {
		return lo
	}
	x := s.Upper(f.Times(big.NewInt(-1)), new(big.Int).Neg(goal))
	return x.Neg(x)
}

// Impossible reports whether one of the facts is proven to be false: then no input belongs to this
// case.
func (s *System) Impossible() bool {
	facts := [][]*Form{s.facts, s.parts}
	return slices.ContainsFunc(s.facts, func(f *Form) bool {
		b := f.Times(big.NewInt(-1))
		for _, plain := range ways {
			if s.upper(b, nil, plain).Sign() < 0 {
				return true
			}
		}
		return s.upper(b, facts, false).Sign() < 0
	})
}

// constants records those of the atoms as constant that are proven to have one value only, and
// reports whether there are any.
func (s *System) constants(atoms []*atom) bool {
	found := false
	for _, a := range atoms {
		switch f := a.form(); {
		case !a.bit():
			hi := s.Upper(f, a.lo)
			if lo := s.Lower(f, hi); lo.Cmp(hi) == 0 {
				s.give(a, lo)
				found = true
			}
		case s.Upper(f, a.lo).Cmp(a.lo) == 0:
			s.give(a, a.lo)
			found = true
		case s.Lower(f, a.hi).Cmp(a.hi) == 0:
			s.give(a, a.hi)
			found = true
		}
	}
	return found
}

// errUndecided says that a proof did not succeed.
var errUndecided = errors.New("too many cases")

// suppose calls f while a is assumed to have the value x.
func (s *System) suppose(a *atom, x *big.Int, f func()) {
	given, facts, parts, assumed, elsewhere := s.given, s.facts, s.parts, s.assumed, s.elsewhere
	s.given = maps.Clone(given)
	s.facts, s.parts, s.assumed = slices.Clip(facts), slices.Clip(parts), slices.Clip(assumed)
	s.assume(a, x)
	f()
	s.given, s.facts, s.parts, s.assumed, s.elsewhere = given, facts, parts, assumed, elsewhere
	s.forget()
}

// bits returns the bits in f, the newest first.
func bits(f *Form) (out []*atom) {
	for _, t := range slices.Backward(f.terms) {
		if (t.atom.kind == floor || t.atom.kind == indicator) && t.atom.bit() {
			out = append(out, t.atom)
		}
	}
	return out
}

// refuted reports whether it is proven that a does not have the value x. At a depth above 0 it
// tries both values of the newest bit in the definition of a. A proof seldom succeeds without
// these two cases.
func (s *System) refuted(a *atom, x *big.Int, depth int) (yes bool) {
	s.suppose(a, x, func() {
		if some := bits(s.solve(a.x)); depth > 0 && len(some) > 0 {
			b := some[0]
			yes = s.refuted(b, b.lo, depth-1) && s.refuted(b, b.hi, depth-1)
		} else {
			yes = s.Impossible()
		}
	})
	return yes
}

// settle gives one of the bits among the atoms its value, if the other one is refuted.
func (s *System) settle(atoms []*atom) bool {
	for _, a := range atoms {
		switch {
		case !a.bit():
		case s.refuted(a, a.hi, 1):
			s.give(a, a.lo)
			return true
		case s.refuted(a, a.lo, 1):
			s.give(a, a.hi)
			return true
		}
	}
	return false
}

// cases proves a property by cases. try either proves it from what is known, or returns atoms with
// whose values it could go on, the best ones first.
func (s *System) cases(depth int, try func() ([]*atom, error)) error {
	if depth == nesting {
		s.steps, s.limited = 0, true
		defer func() { s.Steps, s.limited = max(s.Steps, s.steps), false }()
	}
	open, err := try()
	for err != nil && s.steps <= s.Most && (s.constants(open) || s.settle(first(open))) {
		open, err = try()
	}
	if err == nil {
		return nil
	}
	open = first(open)
	at := slices.IndexFunc(open, (*atom).bit)
	if at < 0 {
		return err
	}
	if depth == 0 || s.steps > s.Most {
		return errors.Join(errUndecided, err)
	}
	a := open[at]
	for _, x := range []*big.Int{a.lo, a.hi} {
		var err error
		// If the case were impossible, settle would have refuted it.
		s.suppose(a, x, func() { err = s.cases(depth-1, try) })
		if err != nil {
			return fmt.Errorf("if %v = %v: %w", a, x, err)
		}
	}
	return nil
}

// nesting limits the nesting of cases.
const nesting = 6

// first returns the atoms, or, if there are many, the oldest bit: it may decide the others.
func first(atoms []*atom) []*atom {
	if len(atoms) <= 3 {
		return atoms
	}
	var oldest []*atom
	for _, a := range atoms {
		if a.bit() && (len(oldest) == 0 || a.id < oldest[0].id) {
			oldest = []*atom{a}
		}
	}
	return oldest
}
