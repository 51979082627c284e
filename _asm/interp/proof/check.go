package proof

import (
	"crypto/rand"
	"fmt"
	"math/big"
	"slices"
)

// A Point assigns an element of 𝔽_m to every atom: random elements to inputs, floors and
// indicators, and to a product the product of its factors.
type Point struct {
	Modulus *big.Int
	system  *System
	values  map[*atom]*big.Int
}

// Point returns a random point. The prime is at least 2^200.
func (s *System) Point(prime *big.Int) *Point {
	return &Point{prime, s, map[*atom]*big.Int{one: big.NewInt(1)}}
}

func (p *Point) random() *big.Int {
	x, err := rand.Int(rand.Reader, p.Modulus)
	if err != nil {
		panic(err)
	}
	return x
}

func (p *Point) atom(a *atom) *big.Int {
	x := p.values[a]
	if x != nil {
		return x
	}
	if y := p.system.given[a]; y != nil {
		x = new(big.Int).Mod(y, p.Modulus)
	} else if a.kind == product {
		x = p.mul(p.Value(a.x), p.Value(a.y))
	} else {
		x = p.random()
	}
	p.values[a] = x
	return x
}

func (p *Point) mul(x, y *big.Int) *big.Int {
	z := new(big.Int).Mul(x, y)
	return z.Mod(z, p.Modulus)
}

// Value returns f at the point.
func (p *Point) Value(f *Form) *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for _, t := range f.terms {
		sum.Add(sum, x.Mul(t.coefficient, p.atom(t.atom)))
	}
	return sum.Mod(sum, p.Modulus)
}

// Set moves the point so that f, a form of inputs, has the value x. One of the inputs must have the
// coefficient 1 and not have been used yet.
func (p *Point) Set(f *Form, x *big.Int) {
	free := slices.IndexFunc(f.terms, func(t term) bool {
		return t.coefficient.Cmp(big.NewInt(1)) == 0 && p.values[t.atom] == nil && t.atom.kind == input
	})
	a := f.terms[free].atom
	p.values[a] = new(big.Int)
	y := new(big.Int).Sub(x, p.Value(f))
	p.values[a] = y.Mod(y, p.Modulus)
}

// gradient returns the floors and indicators on which f depends at the point, the newest first.
func (p *Point) gradient(f *Form) (out []*atom) {
	slope := map[*atom]*big.Int{}
	queue := []*atom{} // a heap would do; the newest atom is the next
	push := func(f *Form, c *big.Int) {
		for _, t := range f.terms {
			if t.atom == one {
				continue
			}
			d := slope[t.atom]
			if d == nil {
				d = new(big.Int)
				slope[t.atom] = d
				at, _ := slices.BinarySearchFunc(queue, t.atom.id, func(a *atom, id int) int { return a.id - id })
				queue = slices.Insert(queue, at, t.atom)
			}
			d.Mod(d.Add(d, new(big.Int).Mul(c, t.coefficient)), p.Modulus)
		}
	}
	push(f, big.NewInt(1))
	for len(queue) > 0 {
		a := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		d := slope[a]
		switch {
		case d.Sign() == 0:
		case a.kind == product:
			push(a.x, p.mul(d, p.Value(a.y)))
			push(a.y, p.mul(d, p.Value(a.x)))
		case a.kind != input && p.system.given[a] == nil:
			out = append(out, a)
		}
	}
	return out
}

// Congruent proves that f is congruent to a polynomial of the inputs modulo the prime m. want
// returns the value of the polynomial at a point; it may first Set inputs.
//
// All floors and indicators, which are the carries, the borrows and the upper halves, are variables
// on which f must not depend: those on which it depends must be constant, or the proof goes on by
// cases. Then f and the polynomial are compared at a random point. If they were different, their
// difference would be a polynomial of a degree d that is much less than m, with at most a part d/m
// of all points as zeros (Schwartz, 1980; Zippel, 1979).
func (s *System) Congruent(f *Form, m *big.Int, want func(p *Point) *big.Int) error {
	return s.cases(nesting, func() ([]*atom, error) {
		p := s.Point(m)
		w := want(p)
		if open := p.gradient(f); len(open) > 0 {
			return open, fmt.Errorf("depends on %v and %d others", open[0], len(open)-1)
		}
		if p.Value(f).Cmp(w) != 0 {
			return nil, fmt.Errorf("a wrong result %s", s.Debug())
		}
		return nil, nil
	})
}

// Between proves that f is from lo to hi.
func (s *System) Between(f *Form, lo, hi *big.Int) error {
	return s.cases(nesting, func() ([]*atom, error) {
		l, h := s.Lower(f, lo), s.Upper(f, hi)
		if l.Cmp(lo) >= 0 && h.Cmp(hi) <= 0 {
			return nil, nil
		}
		var open []*atom
		var collect func(f *Form)
		collect = func(f *Form) {
			for _, t := range f.terms {
				switch {
				case t.atom.kind == product:
					collect(t.atom.x)
					collect(t.atom.y)
				case (t.atom.kind == floor || t.atom.kind == indicator) && !slices.Contains(open, t.atom):
					open = append(open, t.atom)
				}
			}
		}
		collect(s.solve(f))
		slices.SortFunc(open, func(a, b *atom) int { return b.id - a.id })
		return open[:min(len(open), 3)], fmt.Errorf("from %#x to %#x, want %#x to %#x", l, h, lo, hi)
	})
}
