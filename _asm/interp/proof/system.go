// Package proof proves what kernels compute, for all inputs.
//
// A [Run] follows one run of a kernel on the interpreter, and keeps a [Form] for every number: a
// sum of integers with constant coefficients, which is equal to the number for all inputs on the
// run's path. An instruction gives forms by its definition. For words of 64 bits,
//
//	ADC:  out = a + b + c − 2^64·v   with the carry v = ⌊(a + b + c)/2^64⌋
//	MULX: lo  = a·b − 2^64·v,        hi = v = ⌊a·b/2^64⌋
//	SHR:  out = v = ⌊a/2^k⌋,         AND: out = a − 2^k·v
//	CMOV: out = b + c·(a − b)        for the flag c
//
// So the only new numbers are products and floors. A claim says that a result is congruent to a
// polynomial of the inputs modulo p or n, or that it is below a bound. [System.Congruent] proves
// the first: it treats every floor as a variable, and shows that the result does not depend on it
// modulo p, or that it is constant. [System.Between] proves the second. Both use [System.Upper],
// which bounds a form by replacing floors by their definitions, and cases of single bits.
//
// The package comment of interp says what else is assumed.
package proof

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
)

// The kinds of atoms.
type kind uint8

const (
	constant  kind = iota // 1
	input                 // a number about which only the range is known
	floor                 // ⌊x/2^shift⌋: a carry, a borrow, an upper half
	product               // x·y
	indicator             // 1 if x = 0, otherwise 0; x is not negative
)

// An atom is an integer from which forms are built.
type atom struct {
	id     int
	kind   kind
	name   string
	lo, hi *big.Int // range, both included
	now    *big.Int // value in the run
	x, y   *Form
	shift  uint
	choice *Form // the bit that is a factor of this product, if it has one
	// difference says that this product is the difference that a selection makes.
	difference bool
	// inner is the carry out of the words below, if x is the sum of all words. In the sum of the
	// topmost word alone, inner stands for inner.x/2^inner.shift.
	inner *atom
}

// String names a floor, a product or an indicator by its number in the order of the run.
func (a *atom) String() string {
	switch a.kind {
	case floor:
		return fmt.Sprintf("⌊x%d⌋", a.id)
	case product:
		return fmt.Sprintf("(x%d·y%d)", a.id, a.id)
	case indicator:
		return fmt.Sprintf("[x%d=0]", a.id)
	}
	return a.name
}

// bit reports whether a is 0 or 1, or, for a borrow, 0 or −1.
func (a *atom) bit() bool {
	return new(big.Int).Sub(a.hi, a.lo).Cmp(big.NewInt(1)) == 0
}

// A System is a set of atoms with what is known about them.
type System struct {
	Most  int // number of sums that one proof may compute
	Steps int // greatest number of sums that one proof has computed

	atoms  []*atom
	byKey  map[string]*atom
	ranges map[string][2]*big.Int // by the key of a form: range that is known
	shapes map[[2]int]bool        // shapes of the forms in ranges
	rings  map[string]*ring       // by modulus
	// multiples tells, by the key of its form, which number was shifted to the left to get a word.
	multiples map[string]multiple
	given     map[*atom]*big.Int // atoms that are constant
	facts     []*Form            // forms that are at most 0
	parts     []*Form            // more such forms, of parts of the definitions of floors
	assumed   []*atom            // atoms that were assumed to have their given values
	elsewhere bool               // the run is not in the case that is assumed
	solved    map[*Form]*Form    // forms with the constants inserted
	valued    map[*atom]*Form    // atoms with the constants inserted; nil: the atom itself
	steps     int                // number of sums that the current proof has computed
	limited   bool               // a proof is going on, and may compute Most sums
}

// A multiple is a number and the power of two by which it was multiplied. Some bits may have been
// added to the product or cut off.
type multiple struct {
	of *Form
	by *big.Int
}

// NewSystem returns a system without atoms.
func NewSystem() *System {
	return &System{Most: 1_000_000, byKey: map[string]*atom{}, rings: map[string]*ring{},
		ranges: map[string][2]*big.Int{}, multiples: map[string]multiple{},
		shapes: map[[2]int]bool{},
		given:  map[*atom]*big.Int{}, solved: map[*Form]*Form{},
		valued: map[*atom]*Form{}}
}

// add returns the atom with the key of a, which is a itself if there is none yet. An atom without a
// value in the run gets the one that its definition gives.
func (s *System) add(key string, a *atom) *atom {
	if key != "" {
		if old := s.byKey[key]; old != nil {
			return old
		}
		s.byKey[key] = a
	}
	a.id = len(s.atoms) + 1
	if a.now == nil {
		a.now = new(big.Int)
		a.define(a.now, (*Form).Now)
	}
	s.atoms = append(s.atoms, a)
	return a
}

// define sets v to the value of a, which follows from the values of its forms. An input has no
// definition: v stays as it is.
func (a *atom) define(v *big.Int, value func(f *Form) *big.Int) {
	switch {
	case a.kind == floor:
		v.Rsh(value(a.x), a.shift)
	case a.kind == product:
		v.Set(value(a.x))
		v.Mul(v, value(a.y))
	case a.kind == indicator:
		v.SetInt64(0)
		if value(a.x).Sign() == 0 {
			v.SetInt64(1)
		}
	case a.name == "or":
		v.Set(value(a.x))
		v.Or(v, value(a.y))
	case a.name == "xor":
		v.Set(value(a.x))
		v.Xor(v, value(a.y))
	}
}

// Input returns a number from 0 to 2^bits − 1 about which nothing else is known. Its value in the
// run is now.
func (s *System) Input(name string, bits uint, now *big.Int) *Form {
	hi := power(bits)
	return s.add("", &atom{kind: input, name: name, lo: new(big.Int), hi: hi.Sub(hi, big.NewInt(1)),
		now: now}).form()
}

// Know records that f is from lo to hi. The caller must have proven it.
func (s *System) Know(f *Form, lo, hi *big.Int) {
	if j := f.twos(64); j > 0 && len(f.terms) > 0 {
		up := new(big.Int).Sub(power(j), big.NewInt(1))
		lo = new(big.Int).AndNot(up.Add(up, lo), new(big.Int).Sub(power(j), big.NewInt(1)))
		hi = new(big.Int).AndNot(hi, new(big.Int).Sub(power(j), big.NewInt(1)))
	}
	if old, ok := s.ranges[f.Key()]; ok {
		if old[0].Cmp(lo) > 0 {
			lo = old[0]
		}
		if old[1].Cmp(hi) < 0 {
			hi = old[1]
		}
	}
	s.ranges[f.Key()] = [2]*big.Int{lo, hi}
	s.shapes[f.shape()] = true
}

// shape returns the id of the newest atom of f, and the number of terms. It tells most forms apart.
func (f *Form) shape() [2]int {
	n := len(f.terms)
	if n == 0 {
		return [2]int{}
	}
	return [2]int{f.terms[n-1].atom.id, n}
}

// quick returns a range of f that is known without a proof.
func (s *System) quick(f *Form) (lo, hi *big.Int) {
	lo, hi = f.extreme(-1), s.most(f)
	if s.shapes[f.shape()] {
		if r, ok := s.ranges[f.Key()]; ok && r[0].Cmp(lo) > 0 {
			lo.Set(r[0])
		}
	}
	return lo, hi
}

// most returns the upper end of the range that quick returns.
func (s *System) most(f *Form) (hi *big.Int) {
	hi = f.extreme(1)
	if s.shapes[f.shape()] {
		if r, ok := s.ranges[f.Key()]; ok && r[1].Cmp(hi) < 0 {
			hi.Set(r[1])
		}
	}
	return hi
}

// Floor returns ⌊f/2^k⌋.
//
// If f = g + ⌊x/2^m⌋ with an integer g, this is ⌊(2^m·g + x)/2^(m+k)⌋. So a carry out of a word is
// defined by the sum of all words up to this one, and not by a sum with another carry. The carries
// are those of the form carry, which is a part of f, or nil.
func (s *System) Floor(f *Form, k uint, carry *Form) *Form {
	if k == 0 {
		return f
	}
	if x, ok := f.constant(); ok {
		return Constant(new(big.Int).Rsh(x, k))
	}
	lo, hi := s.quick(f)
	if lo.Cmp(big.NewInt(-1)) == 0 && hi.Sign() == 0 {
		return f // −1 and 0 are their own floors
	}
	if q := new(big.Int).Rsh(f.coefficient(one), k); q.Sign() != 0 {
		whole := new(big.Int).Lsh(q, k)
		f = f.Sub(Constant(whole))
		s.Know(f, new(big.Int).Sub(lo, whole), new(big.Int).Sub(hi, whole))
		out := s.Floor(f, k, carry).Add(Constant(q))
		s.Know(out, lo.Rsh(lo, k), hi.Rsh(hi, k))
		return out
	}
	lo, hi = new(big.Int).Rsh(lo, k), new(big.Int).Rsh(hi, k)
	if lo.Cmp(hi) == 0 {
		return Constant(lo)
	}
	if g, ok := s.simple(f, k); ok {
		s.Know(g, lo, hi)
		return g
	}
	if carry == nil {
		if g := s.above(f, k); g != nil {
			return g
		}
	}
	// ⌊(2^k·g + r)/2^k⌋ is g + ⌊r/2^k⌋, which is better if it has few values, or if ⌊r/2^k⌋ is the
	// sign of r.
	if r := f.without(k); len(r.terms) < len(f.terms) {
		l, h := r.interval()
		n := new(big.Int).Sub(h.Rsh(h, k), l.Rsh(l, k))
		few := n.BitLen() <= 16 && n.Cmp(new(big.Int).Sub(hi, lo)) < 0
		if few || carry == nil && l.Cmp(big.NewInt(-1)) == 0 && h.Sign() == 0 {
			out := f.Sub(r).divide(k).Add(s.Floor(r, k, carry))
			s.Know(out, lo, hi)
			return out
		}
	}
	key := fmt.Sprint("floor ", k, f.Key())
	if a := s.byKey[key]; a != nil {
		return a.form()
	}
	if len(f.terms) == 1 && carry == nil {
		carry = f // the floor of a floor
	}
	sign := ""
	if lo.Cmp(big.NewInt(-1)) == 0 && hi.Sign() == 0 {
		// The floor is −1 if f is negative, and 0 if not. So it is the same for all positive multiples of
		// f, and if f is a floor ⌊x/2^m⌋, also for x.
		g := f
		for len(g.terms) == 1 && g.terms[0].atom.kind == floor && g.terms[0].coefficient.Sign() > 0 {
			g = g.terms[0].atom.x
		}
		sign = "sign " + g.primitive().Key()
		if a := s.byKey[sign]; a != nil {
			return a.form()
		}
	}
	var inner *atom
	if carry != nil {
		for _, t := range slices.Backward(carry.terms) {
			if t.atom.kind == floor && f.coefficient(t.atom).Cmp(big.NewInt(1)) == 0 {
				f = f.Sub(t.atom.form()).Shift(t.atom.shift).Add(t.atom.x)
				k += t.atom.shift
				inner = t.atom
				break
			}
		}
	}
	// ⌊(2^j·g + c)/2^k⌋ is ⌊g/2^(k−j)⌋ if 0 ≤ c < 2^j.
	c := f.coefficient(one)
	g := f.Sub(Constant(c))
	if j := g.twos(k); j > 0 {
		g = g.Add(Constant(new(big.Int).Lsh(new(big.Int).Rsh(c, j), j)))
		f, k, inner = g.divide(j), k-j, nil
		if k == 0 {
			s.Know(f, lo, hi)
			return f
		}
	}
	// If f is g + 2^k·w, and ⌊g/2^k⌋ is an atom, ⌊f/2^k⌋ is that plus w.
	like := fmt.Sprint("floor like ", k, f.without(k).Key())
	if a := s.byKey[like]; a != nil && carry == nil {
		if d := f.Sub(a.x); d.twos(k) == k {
			out := a.form().Add(d.divide(k))
			s.Know(out, lo, hi)
			return out
		}
	}
	defined := fmt.Sprint("floor ", k, f.Key())
	a := s.add(defined, &atom{kind: floor, x: f, shift: k, lo: lo, hi: hi, inner: inner})
	s.byKey[key], s.byKey[like] = a, a
	if sign != "" {
		s.byKey[sign] = a
	}
	return a.form()
}

// without returns f without the terms whose coefficients are multiples of 2^k.
func (f *Form) without(k uint) *Form {
	rest := &Form{}
	for _, t := range f.terms {
		if t.coefficient.TrailingZeroBits() < k {
			rest.terms = append(rest.terms, t)
		}
	}
	return rest
}

// primitive returns f divided by the greatest common divisor of its coefficients.
func (f *Form) primitive() *Form {
	d := new(big.Int)
	for _, t := range f.terms {
		d.GCD(nil, nil, d, new(big.Int).Abs(t.coefficient))
	}
	g := &Form{}
	for _, t := range f.terms {
		g.terms = append(g.terms, term{t.atom, new(big.Int).Quo(t.coefficient, d)})
	}
	return g
}

// simple returns ⌊f/2^k⌋ if, apart from multiples of 2^k, f is in a range of 2^k or has only one
// atom, which is a bit.
func (s *System) simple(f *Form, k uint) (*Form, bool) {
	rest := f.without(k)
	whole := f.Sub(rest).divide(k)
	lo, hi := s.quick(rest)
	if lo.Cmp(big.NewInt(-1)) == 0 && hi.Sign() == 0 {
		return whole.Add(rest), true // −1 and 0 are their own floors
	}
	lo, hi = new(big.Int).Rsh(lo, k), new(big.Int).Rsh(hi, k)
	if lo.Cmp(hi) == 0 {
		return whole.Add(Constant(lo)), true
	}
	c := rest.coefficient(one)
	if rest = rest.Sub(Constant(c)); len(rest.terms) != 1 || !rest.terms[0].atom.bit() {
		return nil, false
	}
	a, d := rest.terms[0].atom, rest.terms[0].coefficient
	at := func(x *big.Int) *big.Int {
		y := new(big.Int).Mul(d, x)
		return y.Rsh(y.Add(y, c), k)
	}
	// The floor is linear in the bit.
	x, y := at(a.lo), at(a.hi)
	slope := new(big.Int).Sub(y, x)
	return whole.Add(Constant(x)).plus(slope, a.form().Sub(Constant(a.lo))), true
}

// above returns ⌊f/2^k⌋ if f is 2^k·w + 2^j·g + c, where c is not constant, 0 ≤ c < 2^j and j < k.
// This is w + ⌊g/2^(k−j)⌋. Otherwise, or if f is no sum of a few words, above returns nil.
func (s *System) above(f *Form, k uint) *Form {
	if len(f.terms) > 4 {
		return nil
	}
	for j := k - 1; j > 0; j-- {
		w, g, c := &Form{}, &Form{}, &Form{}
		at := false // j is the exponent of a coefficient
		for _, t := range f.terms {
			switch n := t.coefficient.TrailingZeroBits(); {
			case n >= k:
				w.terms = append(w.terms, t)
			case n >= j:
				g.terms = append(g.terms, t)
				at = at || n == j
			default:
				c.terms = append(c.terms, t)
			}
		}
		if _, constant := c.constant(); constant || !at {
			continue
		}
		if lo, hi := s.quick(c); lo.Sign() >= 0 && hi.Cmp(power(j)) < 0 {
			return w.divide(k).Add(s.Floor(g.divide(j), k-j, nil))
		}
	}
	return nil
}

// Total returns the sum of plus less the sum of minus, and records what the ranges of these imply.
func (s *System) Total(plus, minus []*Form) *Form {
	f, lo, hi := &Form{}, new(big.Int), new(big.Int)
	for _, g := range plus {
		l, h := s.quick(g)
		f, lo, hi = f.Add(g), lo.Add(lo, l), hi.Add(hi, h)
	}
	for _, g := range minus {
		l, h := s.quick(g)
		f, lo, hi = f.Sub(g), lo.Sub(lo, h), hi.Sub(hi, l)
	}
	s.Know(f, lo, hi)
	return f
}

// Join returns the number whose limbs are words, with bits bits each, and records the range that
// follows from theirs.
func (s *System) Join(bits uint, words ...*Form) *Form {
	limbs := make([]*Form, len(words))
	for k, w := range words {
		limbs[k] = s.shifted(w, uint(k)*bits)
	}
	return s.Total(limbs, nil)
}

// divide returns f/2^k, for a form whose coefficients are multiples of 2^k.
func (f *Form) divide(k uint) *Form {
	out := make([]term, len(f.terms))
	for at, t := range f.terms {
		out[at] = term{t.atom, new(big.Int).Rsh(t.coefficient, k)}
	}
	return &Form{terms: out}
}

// Cut returns ⌊f/2^k⌋ and f mod 2^k.
func (s *System) Cut(f *Form, k uint, carry *Form) (high, low *Form) {
	high = s.Floor(f, k, carry)
	low = f.plus(new(big.Int).Neg(power(k)), high)
	hi := power(k)
	s.Know(low, new(big.Int), hi.Sub(hi, big.NewInt(1)))
	return high, low
}

// Product returns f·g.
func (s *System) Product(f, g *Form) *Form {
	for range 2 {
		if x, ok := f.constant(); ok {
			lo, hi := s.quick(g)
			lo, hi = new(big.Int).Mul(x, lo), new(big.Int).Mul(x, hi)
			if x.Sign() < 0 {
				lo, hi = hi, lo
			}
			out := g.Times(x)
			s.Know(out, lo, hi)
			return out
		}
		f, g = g, f
	}
	if f.Key() > g.Key() {
		f, g = g, f
	}
	key := "product " + f.Key() + g.Key()
	if a := s.byKey[key]; a != nil {
		return a.form()
	}
	a, b := s.quick(f)
	c, d := s.quick(g)
	lo := new(big.Int).Mul(a, c)
	hi := new(big.Int).Set(lo)
	for _, x := range [][2]*big.Int{{a, d}, {b, c}, {b, d}} {
		z := new(big.Int).Mul(x[0], x[1])
		if z.Cmp(lo) < 0 {
			lo = z
		}
		if z.Cmp(hi) > 0 {
			hi = z
		}
	}
	p := &atom{kind: product, x: f, y: g, lo: lo, hi: hi}
	if a.Sign() >= 0 && b.Cmp(big.NewInt(1)) <= 0 {
		p.choice = f
	} else if c.Sign() >= 0 && d.Cmp(big.NewInt(1)) <= 0 {
		p.choice = g
	}
	return s.add(key, p).form()
}

// IsZero returns 1 if f is 0, and otherwise 0. f is not negative.
func (s *System) IsZero(f *Form) *Form {
	if x, ok := f.constant(); ok {
		return Int(1 - int64(x.Sign()))
	}
	return s.add("zero "+f.Key(),
		&atom{kind: indicator, x: f, lo: new(big.Int), hi: big.NewInt(1)}).form()
}

// Select returns f if b is 1, and g if b is 0.
func (s *System) Select(b, f, g *Form) *Form {
	p := s.Product(b, f.Sub(g))
	if len(p.terms) == 1 {
		p.terms[0].atom.difference = true
	}
	return g.Add(p)
}

// assumptions describes the atoms that were assumed to have a value.
func (s *System) assumptions() (out string) {
	for _, a := range s.assumed {
		out += fmt.Sprintf("\n%v = %v in [%v, %v] >> %d", a, s.given[a], a.lo, a.hi, a.shift)
	}
	return out
}

// Size returns the number of bits of the greatest value that f can have. f must not be negative.
func (s *System) Size(f *Form) (bits uint, ok bool) {
	lo, hi := s.quick(f)
	if hi.BitLen() > 49 {
		hi = s.Upper(f, new(big.Int).Sub(power(49), big.NewInt(1)))
	}
	return uint(hi.BitLen()), lo.Sign() >= 0 || s.Lower(f, new(big.Int)).Sign() >= 0
}

// Text describes the forms and what is known, with the definitions of all atoms but inputs that
// nothing refers to. If two systems give the same text, what is proven of the forms in one holds in
// the other.
func (s *System) Text(forms []*Form) string {
	number := map[*atom]int{} // the atoms that something refers to, numbered from 1 below
	refer := func(forms ...*Form) {
		for _, f := range forms {
			if f != nil {
				for _, t := range f.terms {
					number[t.atom] = 0
				}
			}
		}
	}
	for _, a := range s.atoms {
		refer(a.x, a.y)
	}
	for a := range s.given {
		number[a] = 0
	}
	forms = slices.Concat(s.facts, s.parts, forms)
	refer(forms...)
	moduli := slices.Sorted(maps.Keys(s.rings))
	for _, m := range moduli {
		for a, f := range s.rings[m].rewrites {
			number[a] = 0
			refer(f)
		}
	}
	text := func(f *Form) string {
		if f == nil {
			return ""
		}
		var b []byte
		for _, t := range f.terms {
			b = fmt.Append(b, "+", number[t.atom], ":")
			b = t.coefficient.Append(b, 62)
		}
		return string(append(b, ' '))
	}
	var b []byte
	n := 0
	for _, a := range s.atoms {
		if _, ok := number[a]; ok || a.kind != input {
			n++
			number[a] = n
			b = fmt.Append(b, a.kind, " ", a.lo, " ", a.hi, " ", a.shift, " ")
			if a.x != nil {
				b = append(b, a.name...)
			}
			x, y := text(a.x), text(a.y)
			if a.kind == product { // the factors are in the order of their keys
				x, y = min(x, y), max(x, y)
			}
			b = append(append(b, x...), y...)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(s.given), older) {
		b = fmt.Append(b, number[a], "=", s.given[a], " ")
	}
	for _, m := range moduli {
		b = fmt.Append(b, "modulo ", m, " ")
		rewrites := s.rings[m].rewrites
		for _, a := range slices.SortedFunc(maps.Keys(rewrites), older) {
			b = fmt.Append(b, number[a], "=", text(rewrites[a]))
		}
	}
	b = fmt.Append(b, len(s.facts), " ", len(s.parts), " facts ")
	for _, f := range forms {
		b = append(b, text(f)...)
	}
	return string(b)
}
