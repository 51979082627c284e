package proof

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// isWord reports whether f is known to be from 0 to 2^64 − 1.
func (r *Run) isWord(f *Form) bool {
	lo, hi := r.quick(f)
	return lo.Sign() >= 0 && hi.Cmp(allOnes) <= 0
}

// bitwise returns the OR or the XOR of the words f and g, as a number about which only this is
// known. It serves tests for 0 only.
func (r *Run) bitwise(name string, f, g *Form) *Form {
	if name == "xor" {
		r.Total([]*Form{f}, []*Form{g}) // records the range of f − g
	}
	return r.add(name+" "+f.Key()+g.Key(), &atom{kind: input, name: name, x: f, y: g,
		lo: new(big.Int), hi: allOnes}).form()
}

// zeros returns the forms that are all 0 if f is 0, and only then.
func zeros(f *Form) []*Form {
	if a := f.atom(); a != nil {
		switch a.name {
		case "or":
			return append(zeros(a.x), zeros(a.y)...)
		case "xor":
			return []*Form{a.x.Sub(a.y)}
		}
	}
	return []*Form{f}
}

// ZeroTests proves that bit k of f is 1 if number k of v is 0 modulo m, and 0 if not. Every bit of
// f must be the OR of two tests for 0, of five limbs each. Each limb counts 2^52 times the one
// before it. The limbs of one test must make a number from 0 to 2·m − 1 that is congruent to the
// number of v, and those of the other one the same number less m.
func (s *System) ZeroTests(f *Form, v []*Form, m *big.Int) error {
	rest := f
	for k := range v {
		var tests []*atom
		for _, t := range f.terms {
			if t.atom.kind == product && t.coefficient.Cmp(new(big.Int).Neg(power(uint(k)))) == 0 {
				for _, x := range []*Form{t.atom.x, t.atom.y} {
					if len(x.terms) == 1 && x.terms[0].atom.kind == indicator {
						tests = append(tests, x.terms[0].atom)
					}
				}
				rest = rest.plus(power(uint(k)), t.atom.form())
			}
		}
		if len(tests) != 2 {
			return fmt.Errorf("bit %d is no OR of two tests", k)
		}
		for _, a := range tests {
			rest = rest.plus(new(big.Int).Neg(power(uint(k))), a.form())
		}
		if err := s.zeroTest(tests, v[k], m); err != nil {
			return fmt.Errorf("bit %d: %w", k, err)
		}
	}
	if x, ok := rest.constant(); !ok || x.Sign() != 0 {
		return errors.New("more than the bits of the tests")
	}
	return nil
}

// zeroTest proves that one of the two tests is 1 if v is 0 modulo m, and none of them if not.
func (s *System) zeroTest(tests []*atom, v *Form, m *big.Int) error {
	r := s.modulo(m)
	var numbers []*Form
	for _, a := range tests {
		limbs := zeros(a.x)
		if len(limbs) != 5 {
			return fmt.Errorf("a test of %d limbs", len(limbs))
		}
		// A test does not tell the order of its limbs, so every order is tried.
		found := false
		permute(limbs, 0, func() bool {
			found = len(r.reduce(Join(52, limbs...).Sub(v)).terms) == 0 && s.unique(limbs)
			return found
		})
		if !found {
			return errors.New("a test of another number, or of one that is 0 in several ways")
		}
		numbers = append(numbers, Join(52, limbs...))
	}
	if x, ok := numbers[0].Sub(numbers[1]).constant(); !ok || x.CmpAbs(m) != 0 {
		return errors.New("the numbers do not differ by the modulus")
	} else if x.Sign() < 0 {
		numbers[0] = numbers[1]
	}
	return s.Between(numbers[0], new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(m, 1), big.NewInt(1)))
}

// permute calls f for every order of list[k:] until f returns true.
func permute(list []*Form, k int, f func() bool) bool {
	if k == len(list) {
		return f()
	}
	for j := k; j < len(list); j++ {
		list[k], list[j] = list[j], list[k]
		if permute(list, k+1, f) {
			return true
		}
		list[k], list[j] = list[j], list[k]
	}
	return false
}

// unique proves that all limbs are 0 if the number that they make is 0. It begins with the topmost
// limb: the limbs below leave it no other multiple of its weight than 0.
func (s *System) unique(limbs []*Form) bool {
	for k := len(limbs) - 1; k > 0; k-- {
		low, high := new(big.Int), new(big.Int) // of the number that the limbs below make
		for j, f := range limbs[:k] {
			lo, hi := s.quick(f)
			low.Add(low, lo.Lsh(lo, uint(52*j)))
			high.Add(high, hi.Lsh(hi, uint(52*j)))
		}
		// The limb is −below/weight.
		lo, hi := s.quick(limbs[k])
		weight := power(uint(52 * k))
		if hi.Sign() > 0 && low.Cmp(new(big.Int).Neg(weight)) <= 0 ||
			lo.Sign() < 0 && high.Cmp(weight) >= 0 {
			return false
		}
	}
	return true
}

// NeverZero proves that the number with the given words is not 0 modulo m on the path of the run.
// For each multiple of m that the words can make, a test for 0 that failed on the path shows that
// the lowest word is another one, or bounds show that the number is above the multiple 0.
func (r *Run) NeverZero(words []*Form, m *big.Int) error {
	for _, f := range words {
		if !r.isWord(f) {
			return errors.New("a number with limbs that are no words")
		}
	}
	defer func(old int) { r.Most = old }(r.Most)
	r.Most = 10_000 // a bound is found soon, or there is none
	most := power(64 * uint(len(words)))
	for v := new(big.Int); v.Cmp(most) < 0; v.Add(v, m) {
		if r.excluded(words[0], new(big.Int).And(v, allOnes)) {
			continue
		}
		if v.Sign() > 0 {
			return fmt.Errorf("it may be %#x", v)
		}
		if err := r.Between(r.Join(64, words...), big.NewInt(1), most); err != nil {
			return fmt.Errorf("it may be 0: %w", err)
		}
	}
	return nil
}

// excluded reports whether a test for 0 that failed on the path shows that f is not x: the tested
// word is congruent to f − x modulo 2^64.
func (r *Run) excluded(f *Form, x *big.Int) bool {
	return slices.ContainsFunc(r.assumed, func(a *atom) bool {
		return a.kind == indicator && r.given[a].Sign() == 0 && r.isWord(a.x) &&
			a.x.Sub(f).Add(Constant(x)).twos(64) == 64
	})
}
