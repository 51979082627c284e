package proof

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A Form is a sum of integers, each an atom times a constant. It is equal, as an integer, to the
// number that it stands for. Forms do not change.
type Form struct {
	terms     []term // sorted by the ids of the atoms; no coefficient is 0
	key       string // set by Key
	heaviest  *term  // set by heaviest
	tightened *Form  // set by tight
}

type term struct {
	atom        *atom
	coefficient *big.Int
}

// one is the atom of constants.
var one = &atom{lo: big.NewInt(1), hi: big.NewInt(1), now: big.NewInt(1), kind: constant}

// Constant returns x as a form.
func Constant(x *big.Int) *Form {
	if x.Sign() == 0 {
		return &Form{}
	}
	return &Form{terms: []term{{one, x}}}
}

// Int returns x as a form.
func Int(x int64) *Form { return Constant(big.NewInt(x)) }

// form returns a as a form.
func (a *atom) form() *Form { return &Form{terms: []term{{a, big.NewInt(1)}}} }

// atom returns the atom that f is, or nil.
func (f *Form) atom() *atom {
	if len(f.terms) != 1 || f.terms[0].coefficient.Cmp(big.NewInt(1)) != 0 {
		return nil
	}
	return f.terms[0].atom
}

// power returns 2^k.
func power(k uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), k) }

// plus returns f + c·g.
func (f *Form) plus(c *big.Int, g *Form) *Form {
	if c.Sign() == 0 || len(g.terms) == 0 {
		return f
	}
	return f.combine(nil, 0, c, g)
}

// combine returns 2^k·f + c·g, without the term of f with the atom but, if that is not nil. c is
// not 0. Proofs spend most of their time here, so all coefficients share one array of words.
func (f *Form) combine(but *atom, k uint, c *big.Int, g *Form) *Form {
	out := make([]term, 0, len(f.terms)+len(g.terms))
	size := func(x *big.Int) int { return len(x.Bits()) + int(k/64) + 2 }
	count, total := len(g.terms), 0
	for _, t := range g.terms {
		total += len(t.coefficient.Bits()) + len(c.Bits()) + 2
	}
	if k > 0 { // otherwise f's coefficients stay as they are where g has none
		count += len(f.terms)
		for _, t := range f.terms {
			total += size(t.coefficient)
		}
	}
	ints, words := make([]big.Int, count), make([]big.Word, total)
	next := func(size int) (z *big.Int) {
		z, ints = &ints[0], ints[1:]
		if size <= len(words) {
			z.SetBits(words[:0:size])
			words = words[size:]
		}
		return z
	}
	plain := c.IsInt64() && c.Int64() == 1
	x, y := f.terms, g.terms
	for len(x) > 0 || len(y) > 0 {
		switch {
		case len(x) > 0 && x[0].atom == but:
			x = x[1:]
		case len(y) == 0 || len(x) > 0 && x[0].atom.id < y[0].atom.id:
			z := x[0].coefficient
			if k > 0 {
				z = next(size(z)).Lsh(z, k)
			}
			out, x = append(out, term{x[0].atom, z}), x[1:]
		case len(x) == 0 || y[0].atom.id < x[0].atom.id:
			z := y[0].coefficient
			if !plain {
				z = next(len(z.Bits())+len(c.Bits())).Mul(c, z)
			}
			out, y = append(out, term{y[0].atom, z}), y[1:]
		default:
			a, b := x[0].coefficient, y[0].coefficient
			z := next(max(size(a), len(b.Bits())+len(c.Bits())+1))
			switch {
			case k > 0:
				z.Mul(c, b)
				z.Add(z, new(big.Int).Lsh(a, k))
			case plain:
				z.Add(a, b)
			default:
				z.Mul(c, b)
				z.Add(z, a)
			}
			if z.Sign() != 0 {
				out = append(out, term{x[0].atom, z})
			}
			x, y = x[1:], y[1:]
		}
	}
	return &Form{terms: out}
}

// Add returns f + g.
func (f *Form) Add(g *Form) *Form { return f.plus(big.NewInt(1), g) }

// Sub returns f − g.
func (f *Form) Sub(g *Form) *Form { return f.plus(big.NewInt(-1), g) }

// Times returns c·f.
func (f *Form) Times(c *big.Int) *Form { return new(Form).plus(c, f) }

// Shift returns 2^k·f.
func (f *Form) Shift(k uint) *Form {
	if k == 0 {
		return f
	}
	out := make([]term, len(f.terms))
	for at, t := range f.terms {
		out[at] = term{t.atom, new(big.Int).Lsh(t.coefficient, k)}
	}
	return &Form{terms: out}
}

// Residue returns the form that is congruent to f modulo m and has the coefficients nearest to 0.
func (f *Form) Residue(m *big.Int) *Form {
	out := &Form{}
	for _, t := range f.terms {
		c := new(big.Int).Mod(t.coefficient, m)
		if new(big.Int).Lsh(c, 1).Cmp(m) >= 0 {
			c.Sub(c, m)
		}
		if c.Sign() != 0 {
			out.terms = append(out.terms, term{t.atom, c})
		}
	}
	return out
}

// Join returns the number whose limbs are words, with bits bits each.
func Join(bits uint, words ...*Form) *Form {
	f := &Form{}
	for k, w := range words {
		f = f.plus(power(uint(k)*bits), w)
	}
	return f
}

// coefficient returns the coefficient of a in f.
func (f *Form) coefficient(a *atom) *big.Int {
	at, ok := slices.BinarySearchFunc(f.terms, a,
		func(t term, a *atom) int { return older(t.atom, a) })
	if !ok {
		return new(big.Int)
	}
	return f.terms[at].coefficient
}

// constant returns the constant that f is equal to.
func (f *Form) constant() (*big.Int, bool) {
	switch {
	case len(f.terms) == 0:
		return new(big.Int), true
	case len(f.terms) == 1 && f.terms[0].atom == one:
		return f.terms[0].coefficient, true
	}
	return nil, false
}

// Now returns the value that f has in the run.
func (f *Form) Now() *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for _, t := range f.terms {
		sum.Add(sum, x.Mul(t.coefficient, t.atom.now))
	}
	return sum
}

// twos returns the exponent of the largest power of two that divides all coefficients of f.
// least is the exponent for 0.
func (f *Form) twos(least uint) uint {
	for _, t := range f.terms {
		least = min(least, t.coefficient.TrailingZeroBits())
	}
	return least
}

// grain returns the exponent of the largest power of two that divides all coefficients of f but
// that of the constant. It is at most 1024.
func (f *Form) grain() uint {
	least := uint(1 << 10)
	for _, t := range f.terms {
		if t.atom != one {
			least = min(least, t.coefficient.TrailingZeroBits())
		}
	}
	return least
}

// interval returns the range of f if its atoms take any values in their ranges.
func (f *Form) interval() (lo, hi *big.Int) { return f.extreme(-1), f.extreme(1) }

// extreme returns the greatest number in the interval of f if sign is 1, and the least if it is −1.
func (f *Form) extreme(sign int) *big.Int {
	sum, x := new(big.Int), new(big.Int)
	for _, t := range f.terms {
		a := t.atom.lo
		if t.coefficient.Sign() == sign {
			a = t.atom.hi
		}
		if a.Sign() != 0 {
			sum.Add(sum, x.Mul(t.coefficient, a))
		}
	}
	return sum
}

// Key returns a text that two forms share only if they are equal.
func (f *Form) Key() string {
	if f.key == "" {
		b := []byte{'+'}
		for _, t := range f.terms {
			b = fmt.Appendf(b, "%d:", t.atom.id)
			b = t.coefficient.Append(b, 62)
			b = append(b, ' ')
		}
		f.key = string(b)
	}
	return f.key
}

func (f *Form) String() string {
	var b strings.Builder
	for k, t := range f.terms {
		if k > 0 {
			b.WriteString(" + ")
		}
		if t.atom == one {
			fmt.Fprintf(&b, "%#x", t.coefficient)
		} else {
			fmt.Fprintf(&b, "%#x·%v", t.coefficient, t.atom)
		}
	}
	return b.String()
}
