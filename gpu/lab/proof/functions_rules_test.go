package proof

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/koblitz-go/koblitz/_asm/interp/proof"
)

// This file has the rules for instructions that occur in compiled functions and not in blocks. The
// form of a 64-bit register is congruent to the register's value modulo 2^64.

var word, long = power(32), power(64)

func power(k uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), k) }

func below(x *big.Int) *big.Int { return new(big.Int).Sub(x, big.NewInt(1)) }

// An equation says that a form has a value.
type equation struct {
	form  *proof.Form
	value int64
}

// A logic says when a word that AND, OR, NOT or XOR with a constant has made is 0, and when it is
// all ones: if and only if all equations of the list hold. Nothing is known if a list is nil.
type logic struct{ zero, ones []equation }

// A test is a predicate that is 1 if all equations hold, and otherwise 0.
type test struct {
	equations []equation
	value     int64 // in this case
}

// errAbsurd says that no input belongs to this case.
var errAbsurd = errors.New("an impossible case")

// within returns an error if g is not proven to be from lo to hi.
func (f *follower) within(g *proof.Form, lo, hi *big.Int) error {
	if f.Lower(g, lo).Cmp(lo) < 0 || f.Upper(g, hi).Cmp(hi) > 0 {
		return fmt.Errorf("not proven to be from %#x to %#x", lo, hi)
	}
	return nil
}

// low returns the lowest word of g.
func (f *follower) low(g *proof.Form) *proof.Form {
	_, out := f.Cut(g, 32, f.added[g.Key()])
	return out
}

// high returns ⌊g/2^k⌋, which is a carry.
func (f *follower) high(g *proof.Form, k uint) *proof.Form {
	out := f.Floor(g, k, f.added[g.Key()])
	f.added[out.Key()] = out
	return out
}

// total returns the sum of plus less the sum of minus. If a carry was added, the carry out of the
// sum is that out of the sum of more words.
func (f *follower) total(plus, minus []*proof.Form) *proof.Form {
	out := f.Total(plus, minus)
	for _, g := range plus {
		if carry := f.added[g.Key()]; carry != nil {
			f.added[out.Key()] = carry
		}
	}
	return out
}

// sign returns −1 if g, which is from −2^63 to 2^63 − 1, is below 0, and otherwise 0. It is a carry
// out of a word if g is from −2^32 to 2^32 − 1.
func (f *follower) sign(g *proof.Form) (*proof.Form, error) {
	if f.within(g, new(big.Int).Neg(word), below(word)) == nil {
		return f.high(g, 32), nil
	}
	return f.high(g, 63), f.within(g, new(big.Int).Neg(power(63)), below(power(63)))
}

// negative returns 1 if g, which is from −2^63 to 2^63 − 1, is below 0, and otherwise 0.
func (f *follower) negative(g *proof.Form) (*proof.Form, error) {
	out, err := f.sign(g)
	return out.Times(big.NewInt(-1)), err
}

// number returns the constant that the text of an argument is.
func number(name string) (int64, bool) {
	x, err := strconv.ParseInt(name, 0, 64)
	return x, err == nil
}

// logicOf returns the logic of g. Any word is 0 if it is 0.
func (f *follower) logicOf(g *proof.Form) logic {
	if l, ok := f.logic[g.Key()]; ok {
		return l
	}
	return logic{[]equation{{g, 0}}, []equation{{g, 1<<32 - 1}}}
}

// bitwise returns a word about which only the logic is known. Its value in the run is now.
func (f *follower) bitwise(now *big.Int, l logic) *proof.Form {
	out := f.Input("logic", 32, now)
	f.logic[out.Key()] = l
	return out
}

// join returns all equations of two lists, or nil if one list says nothing.
func join(x, y []equation) []equation {
	if x == nil || y == nil {
		return nil
	}
	return slices.Concat(x, y)
}

// choose returns the value of a predicate in the case that is followed. A predicate that depends on
// inputs is 0 or 1 from here on, as the case says.
func (f *follower) choose(name string) (*proof.Form, error) {
	g := f.reg[name]
	if g == nil {
		return nil, fmt.Errorf("%s is not defined", name)
	}
	if g.Key() == proof.Int(0).Key() || g.Key() == proof.Int(1).Key() {
		return g, nil
	}
	x := int64(f.choices >> f.taken & 1)
	f.taken++
	f.astray = f.astray || g.Now().Int64() != x
	at, ok := f.tests[g.Key()]
	if !ok {
		if err := f.Assume(g, big.NewInt(x)); err != nil {
			return nil, err
		}
	} else if f.settled = append(f.settled, test{at, x}); x == 1 {
		for _, e := range at {
			v := big.NewInt(e.value)
			if f.Upper(e.form, v).Cmp(v) < 0 || f.Lower(e.form, v).Cmp(v) > 0 {
				return nil, errAbsurd
			} else if err := f.Assume(e.form, v); err != nil {
				return nil, err
			}
		}
	} else if operand, ok := f.operand(at); ok {
		if err := f.Assume(f.IsZero(operand), new(big.Int)); err != nil {
			return nil, err
		}
	}
	f.reg[name] = proof.Int(x)
	if f.Impossible() {
		return nil, errAbsurd
	}
	return f.reg[name], nil
}

// operand returns the first operand, and whether the equations say that its eight limbs are 0.
func (f *follower) operand(at []equation) (*proof.Form, bool) {
	for k := range 8 {
		limb := equation{f.reg[fmt.Sprintf("%%%d", 8+k)], 0}
		if !slices.Contains(at, limb) {
			return nil, false
		}
	}
	return f.number(8, 8), len(at) == 8
}

// compiled returns what an instruction outside inline assembly writes. It returns nil for an
// instruction that blocks contain too, whose rule is in follow.
func (f *follower) compiled(op string, names []string, a []*proof.Form) (*proof.Form, error) {
	base, kind, _ := strings.Cut(op, ".")
	var last int64 // the last argument, if it is a constant
	constant := false
	if len(names) > 1 {
		last, constant = number(names[len(names)-1])
	}
	switch {
	case (base == "shl" || base == "shr") && !constant:
		return nil, errors.New("a shift by a register")
	case op == "mov.u64" || op == "cvt.u64.u32":
		return a[0], nil
	case op == "cvt.u32.u64":
		out := f.low(a[0])
		if f.within(a[0], big.NewInt(-1), new(big.Int)) == nil {
			f.masks[out.Key()] = a[0].Times(big.NewInt(-1))
		}
		if carry := f.added[a[0].Key()]; carry == a[0] {
			f.added[out.Key()] = out
		}
		return out, nil
	case op == "add.s32":
		// All ones count as −1.
		for k, g := range a {
			if bit := f.masks[g.Key()]; bit != nil {
				a[k] = bit.Times(big.NewInt(-1))
				f.added[a[k].Key()] = a[k]
			}
		}
		return f.low(f.total(a, nil)), nil
	case kind == "pred":
		x, err := f.choose(names[0])
		if err != nil {
			return nil, err
		}
		y, err := f.choose(names[1])
		if err != nil {
			return nil, err
		}
		if base == "and" {
			return f.Product(x, y), nil
		}
		return x.Add(y).Sub(f.Product(x, y)), nil
	case op == "add.s64":
		return f.total(a, nil), nil
	case op == "sub.s64":
		return f.total(a[:1], a[1:]), nil
	case op == "mul.wide.u32", op == "mul.lo.s64" && constant && last >= 0:
		out := f.Product(a[0], a[1])
		return out, f.within(out, new(big.Int), below(long))
	case op == "shr.u64" && last == 63:
		return f.negative(a[0])
	case op == "shr.u64" && last < 32:
		high, low := f.Cut(a[0], 32, f.added[a[0].Key()])
		out := f.Floor(low, uint(last), nil).Add(high.Shift(32 - uint(last)))
		most := f.Upper(a[0], new(big.Int))
		f.Know(out, new(big.Int), most.Rsh(most, uint(last)))
		return out, f.within(a[0], new(big.Int), below(long))
	case op == "shr.u64" && last == 32:
		return f.high(a[0], 32), f.within(a[0], new(big.Int), below(long))
	case op == "shr.s64" && last == 63:
		return f.sign(a[0])
	case op == "shr.u32":
		return f.Floor(a[0], uint(last), nil), nil
	case op == "shl.b32":
		out := a[0].Shift(uint(last))
		f.Know(out, new(big.Int), new(big.Int).Lsh(below(word), uint(last)))
		out = f.low(out)
		f.zeros[out.Key()] = uint(last)
		return out, nil
	case op == "shl.b64":
		out := a[0].Shift(uint(last))
		f.zeros[out.Key()] = uint(last)
		return out, f.within(out, new(big.Int), below(long))
	case op == "neg.s32":
		// The bits 0 and 1 become 0 and all ones.
		out := a[0].Times(below(word))
		f.masks[out.Key()] = a[0]
		f.Know(out, new(big.Int), below(word))
		return out, f.within(a[0], new(big.Int), big.NewInt(1))
	case op == "not.b32":
		l, ok := f.logic[a[0].Key()]
		if !ok {
			return proof.Constant(below(word)).Sub(a[0]), nil
		}
		return f.bitwise(new(big.Int).Sub(below(word), a[0].Now()), logic{l.ones, l.zero}), nil
	case op == "xor.b64" && last == 1<<32-1:
		return proof.Constant(below(word)).Sub(a[0]), f.within(a[0], new(big.Int), below(word))
	case op == "xor.b32" && constant:
		x := int64(uint32(last))
		return f.bitwise(new(big.Int).Xor(a[0].Now(), a[1].Now()),
			logic{[]equation{{a[0], x}}, []equation{{a[0], 1<<32 - 1 - x}}}), nil
	case op == "and.b64" && last == 1<<32-1:
		return f.low(a[0]), nil
	case op == "and.b32" && f.masks[a[0].Key()] != nil && constant:
		out := f.masks[a[0].Key()].Times(a[1].Now())
		f.Know(out, new(big.Int), a[1].Now())
		return out, nil
	case op == "and.b32" && last == 1 && names[0][0] == 'c':
		_, out := f.Cut(a[0], 1, nil)
		return out, nil
	case op == "and.b32" && last == -1<<31:
		out := f.Floor(a[0], 31, nil).Shift(31)
		f.zeros[out.Key()] = 31
		return out, nil
	case op == "and.b32" && names[0][0] == 'c' && !constant:
		x, y := f.logicOf(a[0]), f.logicOf(a[1])
		return f.bitwise(new(big.Int).And(a[0].Now(), a[1].Now()), logic{nil, join(x.ones, y.ones)}), nil
	case base == "or" && f.zeros[a[0].Key()] > 0: // of two words without common bits
		return f.Total(a, nil), f.within(a[1], new(big.Int), below(power(f.zeros[a[0].Key()])))
	case op == "or.b32":
		x, y := f.logicOf(a[0]), f.logicOf(a[1])
		return f.bitwise(new(big.Int).Or(a[0].Now(), a[1].Now()), logic{join(x.zero, y.zero), nil}), nil
	case op == "setp.lt.s64" && constant && last == 0:
		return f.negative(a[0])
	case op == "setp.lt.u64" && constant && last >= 0:
		if err := f.within(a[0], new(big.Int), below(power(63))); err != nil {
			return nil, err
		}
		return f.negative(a[0].Sub(a[1]))
	case op == "setp.gt.u32":
		return f.negative(a[1].Sub(a[0]))
	case op == "setp.eq.s32" && constant && last == 0:
		if f.within(a[0], new(big.Int), big.NewInt(1)) == nil {
			return proof.Int(1).Sub(a[0]), nil
		}
		zero := f.logicOf(a[0]).zero
		if zero == nil {
			return nil, errors.New("a test of another word")
		}
		out := f.IsZero(a[0])
		f.tests[out.Key()] = zero
		return out, nil
	case base == "selp":
		if _, test := f.tests[a[2].Key()]; !test && names[0] == "-1" && names[1] == "0" {
			return a[2].Times(big.NewInt(-1)), nil
		}
		x, err := f.choose(names[2])
		if err != nil {
			return nil, err
		}
		if x.Key() == proof.Int(0).Key() {
			return a[1], nil
		}
		return a[0], nil
	}
	return nil, nil
}
