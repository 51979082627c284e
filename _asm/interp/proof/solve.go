package proof

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// give records that a has the value x, which has been proven.
func (s *System) give(a *atom, x *big.Int) {
	s.given[a] = x
	clear(s.solved)
}

// assume records that a has the value x, and what follows from it.
func (s *System) assume(a *atom, x *big.Int) {
	s.give(a, x)
	s.assumed = append(s.assumed, a)
	switch a.kind {
	case floor:
		f := a.x
		for b := a.inner; ; b = b.inner {
			low := f.Sub(Constant(new(big.Int).Lsh(x, a.shift)))
			s.facts = append(s.facts, low.Times(big.NewInt(-1)),
				low.Sub(Constant(new(big.Int).Sub(power(a.shift), big.NewInt(1)))))
			if b == nil {
				break
			}
			f = a.x.Sub(b.x).plus(power(b.shift), b.form())
		}
	case indicator:
		if x.Sign() == 0 {
			s.facts = append(s.facts, Int(1).Sub(a.x))
		} else {
			s.facts = append(s.facts, a.x)
		}
	}
}

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
	g := f
	for _, t := range f.terms {
		if x := s.value(t.atom); x != nil {
			g = g.plus(t.coefficient, x.Sub(t.atom.form()))
		}
	}
	s.solved[f] = g
	return g
}

// value returns the form that is equal to a if the atoms that are constant have their values, or
// nil if this is a itself.
func (s *System) value(a *atom) *Form {
	if x := s.given[a]; x != nil {
		return Constant(x)
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

// upper returns a number that f does not exceed. It replaces the newest floor in f by its
// definition, again and again: a floor v = ⌊x/2^k⌋ is at most x/2^k, and at least (x − 2^k + 1)/2^k.
// Each of the sums on the way gives a bound. uses limits how many facts are added to f.
func (s *System) upper(f *Form, uses int) *big.Int {
	var best *big.Int
	scale := big.NewInt(1) // the bounds are for scale·f
	better := func(x *big.Int) {
		if best == nil || x.Cmp(best) < 0 {
			best = x
		}
	}
	for g := f; ; {
		g = s.solve(g)
		_, hi := s.quick(g)
		better(new(big.Int).Div(hi, scale))
		if uses > 0 {
			for _, h := range s.with(g) {
				better(new(big.Int).Div(s.upper(h.form, uses-1), new(big.Int).Mul(h.scale, scale)))
			}
		}
		at := len(g.terms) - 1
		for at >= 0 && g.terms[at].atom.kind != floor {
			at--
		}
		if at < 0 {
			return best
		}
		a, c := g.terms[at].atom, g.terms[at].coefficient
		g = g.plus(new(big.Int).Neg(c), a.form()).Shift(a.shift).plus(c, a.x)
		if c.Sign() < 0 {
			g = g.Sub(Constant(new(big.Int).Mul(c, new(big.Int).Sub(power(a.shift), big.NewInt(1)))))
		}
		scale = new(big.Int).Lsh(scale, a.shift)
		if j := g.twos(scale.TrailingZeroBits()); j > 0 {
			g, scale = g.divide(j), new(big.Int).Rsh(scale, j)
		}
	}
}

// A scaled stands for form/scale.
type scaled struct {
	form  *Form
	scale *big.Int
}

// with returns sums of f with multiples of facts in which an atom of f cancels. None is less
// than f.
func (s *System) with(f *Form) (out []scaled) {
	for _, fact := range s.facts {
		fact = s.solve(fact)
		for _, t := range []func([]term) *term{newest, heaviest} {
			x := t(fact.terms)
			if x == nil {
				continue
			}
			c := f.coefficient(x.atom)
			if c.Sign() == 0 || c.Sign() != x.coefficient.Sign() {
				continue
			}
			scale := new(big.Int).Abs(x.coefficient)
			g := f.Times(scale).plus(new(big.Int).Neg(new(big.Int).Abs(c)), fact)
			out = append(out, scaled{g, scale})
		}
	}
	return out
}

// newest returns the term with the newest atom.
func newest(terms []term) *term {
	if len(terms) == 0 || terms[len(terms)-1].atom == one {
		return nil
	}
	return &terms[len(terms)-1]
}

// heaviest returns the term that varies most.
func heaviest(terms []term) (best *term) {
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
	return best
}

// uses is the number of facts that a bound may use.
const uses = 1

// Upper returns a number that f does not exceed.
func (s *System) Upper(f *Form) *big.Int { return s.upper(f, uses) }

// Lower returns a number that is not above f.
func (s *System) Lower(f *Form) *big.Int {
	x := s.upper(f.Times(big.NewInt(-1)), uses)
	return x.Neg(x)
}

// impossible reports whether one of the facts from the given index on is proven to be false.
func (s *System) impossible(from int) bool {
	for _, f := range s.facts[from:] {
		if s.Lower(f).Sign() > 0 {
			return true
		}
	}
	return false
}

// constants records those of the atoms as constant that are proven to have one value only, and
// reports whether there are any.
func (s *System) constants(atoms []*atom) bool {
	found := false
	for _, a := range atoms {
		if lo := s.Lower(a.form()); lo.Cmp(s.Upper(a.form())) == 0 {
			s.give(a, lo)
			found = true
		}
	}
	return found
}

// involved returns the bits in the definitions of the atoms that were assumed to have a value, the
// newest first.
func (s *System) involved() (out []*atom) {
	for _, a := range s.assumed {
		for _, t := range s.solve(a.x).terms {
			if t.atom.kind == floor || t.atom.kind == indicator {
				out = append(out, t.atom)
			}
		}
	}
	slices.SortFunc(out, func(a, b *atom) int { return b.id - a.id })
	return out
}

// errUndecided says that a proof did not succeed.
var errUndecided = errors.New("too many cases")

// cases proves a property by cases. try either proves it from what is known, or returns atoms with
// whose values it could go on, the best ones first.
func (s *System) cases(depth int, try func() ([]*atom, error)) error {
	open, err := try()
	for err != nil && s.constants(open) {
		open, err = try()
	}
	if err == nil {
		return nil
	}
	// A case that looks wrong may be impossible, which other cases can show.
	open = append(open, s.involved()...)
	at := slices.IndexFunc(open, (*atom).bit)
	if at < 0 {
		return err
	}
	if depth == 0 {
		return errors.Join(errUndecided, err)
	}
	a := open[at]
	given, facts, assumed := s.given, s.facts, s.assumed
	defer func() {
		s.given, s.facts, s.assumed = given, facts, assumed
		clear(s.solved)
	}()
	for _, x := range []*big.Int{a.lo, a.hi} {
		s.given = make(map[*atom]*big.Int, len(given)+1)
		for k, v := range given {
			s.given[k] = v
		}
		s.facts, s.assumed = slices.Clip(facts), slices.Clip(assumed)
		s.assume(a, x)
		if s.impossible(len(facts)) {
			continue
		}
		if err := s.cases(depth-1, try); err != nil {
			return fmt.Errorf("if %v = %v: %w", a, x, err)
		}
	}
	return nil
}

// depth limits the nesting of cases.
const depth = 4
