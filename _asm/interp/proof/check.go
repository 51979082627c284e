package proof

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// A ring is the integers modulo a prime m, with what has been proven modulo m.
type ring struct {
	system *System
	m      *big.Int
	// rewrites maps an atom to a form of older atoms that is congruent to it.
	rewrites map[*atom]*Form
}

// modulo returns the ring of the integers modulo m.
func (s *System) modulo(m *big.Int) *ring {
	key := m.String()
	if s.rings[key] == nil {
		s.rings[key] = &ring{s, m, map[*atom]*Form{}}
	}
	return s.rings[key]
}

// reduce returns a form that is congruent to f modulo r.m. It replaces atoms by their rewrites
// until the form contains no atom with a rewrite.
func (r *ring) reduce(f *Form) *Form {
	for {
		g := &Form{}
		for _, t := range f.terms {
			if c := new(big.Int).Mod(t.coefficient, r.m); c.Sign() != 0 {
				g.terms = append(g.terms, term{t.atom, c})
			}
		}
		at := -1
		for k := len(g.terms) - 1; k >= 0 && at < 0; k-- {
			if r.rewrites[g.terms[k].atom] != nil {
				at = k
			}
		}
		if at < 0 {
			return g
		}
		a, c := g.terms[at].atom, g.terms[at].coefficient
		f = g.plus(c, r.system.solve(r.rewrites[a]).Sub(a.form()))
	}
}

// Relate records that f, a sum of inputs, is congruent to 0 modulo the prime m.
func (s *System) Relate(f *Form, m *big.Int) {
	t := newest(f.terms)
	c := new(big.Int).ModInverse(t.coefficient, m)
	r := s.modulo(m)
	r.rewrites[t.atom] = r.reduce(t.atom.form().plus(c.Neg(c), f))
}

// switches returns the atoms by whose values a proof distinguishes cases, for the given loose
// atoms: the bits that choose, for a product of a bit and a form, or otherwise the atom itself.
func (s *System) switches(atoms []*atom) (out []*atom) {
	add := func(a *atom) {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	for _, a := range atoms {
		if a.choice != nil {
			for _, b := range bits(s.solve(a.choice)) {
				add(b)
			}
		}
	}
	for _, a := range atoms {
		if a.choice == nil {
			add(a)
		}
	}
	return out
}

// element proves that f modulo m does not depend on those of its atoms that are loose, and adds a
// rule that rewrites the newest one by the others.
//
// In every case, the loose atoms that are not known must have coefficients that are 0 modulo m, and
// what remains must be the same in all cases. It is compared at one random point. If two forms that
// differ are equal at a random point, which happens with probability 1/m, the proof is wrong.
func (r *ring) element(f *Form, result *gradient) error {
	s := r.system
	loose := r.point().gradient(f)
	maps.DeleteFunc(loose.loose, func(a *atom, _ bool) bool { return !result.loose[a] })
	all := r.reduce(s.solve(f))
	if len(loose.in(all)) == 0 {
		return nil
	}
	var first *Form
	p := r.point()
	if err := s.cases(nesting, func() ([]*atom, error) {
		g := r.reduce(s.solve(f))
		if some := s.switches(loose.in(g)); len(some) > 0 {
			return some, fmt.Errorf("depends on %v and %d others", some[0], len(some)-1)
		}
		if first == nil {
			first = g
		}
		// Both forms are evaluated with the values of atoms that are known in this case.
		if q := p.again(); q.value(g).Cmp(q.Value(first)) != 0 {
			return nil, errors.New("differs from case to case" + s.assumptions())
		}
		return nil, nil
	}); err != nil {
		return err
	}
	all = r.reduce(s.solve(f)) // some atoms may be known now
	if some := loose.in(all); len(some) > 0 {
		a := some[0]
		c := new(big.Int).ModInverse(all.coefficient(a), r.m)
		g := r.reduce(a.form().plus(c, first.Sub(all)))
		if g.coefficient(a).Sign() != 0 {
			return fmt.Errorf("depends on %v", a)
		}
		r.rewrites[a] = g
	}
	return nil
}

// A Point assigns an element of 𝔽_m to every atom: random elements to inputs, floors and
// indicators, and to a product the product of its factors.
type Point struct {
	ring   *ring
	values map[*atom]*big.Int // of all atoms but products
	memo   map[*atom]*big.Int // of products
}

func (r *ring) point() *Point {
	return &Point{r, map[*atom]*big.Int{one: big.NewInt(1)}, map[*atom]*big.Int{}}
}

// again returns the same point, where products may have other values, because other atoms are
// known.
func (p *Point) again() *Point { return &Point{p.ring, p.values, map[*atom]*big.Int{}} }

func (p *Point) random() *big.Int {
	x, err := rand.Int(rand.Reader, p.ring.m)
	if err != nil {
		panic(err)
	}
	return x
}

func (p *Point) atom(a *atom) *big.Int {
	if a.kind == product {
		if p.memo[a] == nil {
			p.memo[a] = p.mul(p.Value(a.x), p.Value(a.y))
		}
		return p.memo[a]
	}
	if p.values[a] == nil {
		p.values[a] = p.random()
	}
	return p.values[a]
}

func (p *Point) mul(x, y *big.Int) *big.Int {
	z := new(big.Int).Mul(x, y)
	return z.Mod(z, p.ring.m)
}

func (p *Point) value(f *Form) *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for _, t := range f.terms {
		sum.Add(sum, x.Mul(t.coefficient, p.atom(t.atom)))
	}
	return sum.Mod(sum, p.ring.m)
}

// Value returns f at the point.
func (p *Point) Value(f *Form) *big.Int { return p.value(p.ring.reduce(p.ring.system.solve(f))) }

// A gradient has the derivatives of a form at a point.
type gradient struct {
	slopes  map[string]*big.Int // by each form that is a factor of a product, by its key
	factors map[string]*Form
	loose   map[*atom]bool // floors and indicators on which the form depends
}

// older compares the ages of atoms.
func older(a, b *atom) int { return a.id - b.id }

// gradient returns the derivatives of f at the point.
func (p *Point) gradient(f *Form) *gradient {
	out := &gradient{map[string]*big.Int{}, map[string]*Form{}, map[*atom]bool{}}
	r := p.ring
	of := map[*atom]*big.Int{}
	var queue []*atom
	push := func(f *Form, c *big.Int) {
		for _, t := range r.reduce(r.system.solve(f)).terms {
			if t.atom.kind <= input {
				continue
			}
			d := of[t.atom]
			if d == nil {
				d = new(big.Int)
				of[t.atom] = d
				at, _ := slices.BinarySearchFunc(queue, t.atom, older)
				queue = slices.Insert(queue, at, t.atom)
			}
			d.Mod(d.Add(d, new(big.Int).Mul(c, t.coefficient)), r.m)
		}
	}
	push(f, big.NewInt(1))
	for len(queue) > 0 {
		a := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		d := of[a]
		switch {
		case d.Sign() == 0:
			continue
		case a.kind != product:
			out.loose[a] = true
			continue
		}
		for k, x := range []*Form{a.x, a.y} {
			c := p.mul(d, p.Value([]*Form{a.y, a.x}[k]))
			push(x, c)
			if a.choice == x || a.difference {
				continue
			}
			if m := r.system.multiples[x.Key()]; m.of != nil {
				x, c = m.of, new(big.Int).Mul(c, m.by)
			}
			key := x.Key()
			if out.slopes[key] == nil {
				out.slopes[key], out.factors[key] = new(big.Int), x
			}
			out.slopes[key].Mod(c.Add(c, out.slopes[key]), r.m)
		}
	}
	return out
}

// elements returns the sums of factors on which f depends, the oldest first, if they depend on
// loose atoms on which f depends. If the derivatives of f by some factors have the same ratios at
// two random points, then f depends only on the sum of these factors times the ratios. So the limbs
// of a number are found to form that number.
func (r *ring) elements(f *Form, g *gradient) (out []*Form) {
	one, two := g.slopes, r.point().gradient(f).slopes
	keys := slices.SortedFunc(maps.Keys(one), func(a, b string) int {
		return cmp.Or(g.factors[a].shape()[0]-g.factors[b].shape()[0], cmp.Compare(a, b))
	})
	used := map[string]bool{}
	for k, key := range keys {
		if used[key] || one[key].Sign() == 0 || two[key] == nil {
			continue
		}
		sum := &Form{}
		inverse := new(big.Int).ModInverse(one[key], r.m)
		for _, other := range keys[k:] {
			if used[other] || two[other] == nil {
				continue
			}
			a, b := new(big.Int).Mul(one[other], two[key]), new(big.Int).Mul(one[key], two[other])
			if a.Sub(a, b).Mod(a, r.m).Sign() == 0 {
				used[other] = true
				ratio := new(big.Int).Mul(one[other], inverse)
				sum = sum.plus(ratio.Mod(ratio, r.m), g.factors[other])
			}
		}
		if len(g.in(r.reduce(r.system.solve(sum)))) > 0 {
			out = append(out, sum)
		}
	}
	slices.SortStableFunc(out, func(a, b *Form) int { return a.shape()[0] - b.shape()[0] })
	return append(out, f)
}

// in returns the loose atoms of f, the newest first: floors and indicators, and products of a bit
// and a form if the bit is loose or the form has loose atoms.
func (g *gradient) in(f *Form) (out []*atom) {
	for _, t := range slices.Backward(f.terms) {
		if g.loose[t.atom] || t.atom.choice != nil && len(g.in(t.atom.x))+len(g.in(t.atom.y)) > 0 {
			out = append(out, t.atom)
		}
	}
	return out
}

// Congruent proves that f is congruent to a polynomial of the inputs modulo the prime m. want
// returns the value of the polynomial at a point.
//
// Floors and indicators, which are the carries, the borrows and the upper halves, are variables
// like the inputs. Congruent proves that f does not depend on them, and nor does any number that is
// a factor in f. Then f and the polynomial are compared at a random point. If they were different,
// their difference would be a polynomial of a degree d that is much less than m, with at most a
// part d/m of all points as zeros (Schwartz, 1980; Zippel, 1979).
func (s *System) Congruent(f *Form, m *big.Int, want func(p *Point) *big.Int) error {
	r := s.modulo(m)
	g := r.point().gradient(f)
	elements := r.elements(f, g)
	for k, e := range elements {
		if err := r.element(e, g); err != nil {
			return fmt.Errorf("element %d of %d: %w", k, len(elements), err)
		}
	}
	p := r.point()
	w := want(p)
	if p.Value(f).Cmp(w) != 0 {
		return errors.New("a wrong result")
	}
	for a := range p.gradient(f).loose {
		return fmt.Errorf("depends on %v", a)
	}
	return nil
}

// Between proves that f is from lo to hi.
func (s *System) Between(f *Form, lo, hi *big.Int) error {
	return s.cases(nesting, func() ([]*atom, error) {
		l, h := s.Lower(f, lo), s.Upper(f, hi)
		if l.Cmp(lo) >= 0 && h.Cmp(hi) <= 0 {
			return nil, nil
		}
		// Distinguish the values of at most three bits: first of bits that select a number, then of
		// the newest carries.
		var loose []*atom
		for _, t := range slices.Backward(s.solve(f).terms) {
			if t.atom.choice != nil || t.atom.kind == floor || t.atom.kind == indicator {
				loose = append(loose, t.atom)
			}
		}
		open := s.switches(loose)
		return open[:min(len(open), 3)], fmt.Errorf("from %#x to %#x, want %#x to %#x", l, h, lo, hi)
	})
}
