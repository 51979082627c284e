package contract

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
)

// CoZAdditions returns calls of a kernel that adds two points with the same Z (co-Z addition). The
// kernel sets sum = a + b, converts b to the Z coordinate of the sum, and sets ratio to the new Z
// divided by the old one. The check compares coordinates, not points, because the entries of a
// table must share one Z.
func CoZAdditions(sum, a, b, ratio string, r *rand.Rand, n int) []*Call {
	var out []*Call
	for len(out) < n {
		x1, y1, x2, y2, ok := tryCoZ(r)
		if !ok {
			continue
		}
		d, e := subP(x2, x1), subP(y2, y1)
		v1, v2 := mulP(x1, d, d), mulP(x2, d, d)
		x3 := subP(subP(mulP(e, e), v1), v2)
		s2 := mulP(y2, subP(v2, v1))
		y3 := subP(mulP(e, subP(v2, x3)), s2)
		loose(r, x1, y1, x2, y2)
		out = append(out, &Call{
			Name: fmt.Sprintf("(%#x, %#x) + (%#x, %#x)", x1, y1, x2, y2),
			Buffers: []Buffer{
				{Param: a, Words: 8, In: append(Limbs(x1), Limbs(y1)...)},
				{Param: b, Words: 8, In: append(Limbs(x2), Limbs(y2)...), Out: true},
				{Param: sum, Words: 8, Out: true},
				{Param: ratio, Words: 4, Out: true},
			},
			Check: func(out Values) error {
				return errors.Join(numbers(out, sum, x3, y3), numbers(out, b, v2, s2), numbers(out, ratio, d))
			},
		})
	}
	return out
}

// numbers returns an error unless the output named by param holds numbers that are congruent modulo
// p to those in want, in the same order.
func numbers(out Values, param string, want ...*big.Int) error {
	for i, x := range want {
		if err := Field().check(param, x)(Values{param: out[param][4*i : 4*i+4]}); err != nil {
			return fmt.Errorf("%s, number %d: %w", param, i, err)
		}
	}
	return nil
}

// tryCoZ returns the coordinates of two points with the same Z. They are random, or chosen so that
// one product or difference in the following formulas is hard to reduce modulo p:
//
//	D = X2 - X1  E = Y2 - Y1  C = D²  V1 = X1·C  V2 = X2·C  A = Y2·D³
//	X3 = E² - V1 - V2  Y3 = E·(V2 - X3) - A
//
// ok is false if no such points exist.
func tryCoZ(r *rand.Rand) (x1, y1, x2, y2 *big.Int, ok bool) {
	x1, y1 = Unit(p, r), Unit(p, r)
	d, e := Unit(p, r), Unit(p, r)
	ok = true
	root := func(x *big.Int) (y *big.Int) {
		y, ok = square(x)
		return y
	}
	cube := func(x *big.Int) (y *big.Int) {
		y, ok = cubeRoot(x)
		return y
	}
	// With the names of tryCoZ's formulas, fromSum sets x1 so that V1 + V2, which is (2·X1 + D)·C,
	// has the value v. fromV2 sets x1 so that V2 has the value v.
	fromSum := func(v *big.Int) { x1 = divP(subP(divP(v, mulP(d, d)), d), big.NewInt(2)) }
	fromV2 := func(v *big.Int) { x1 = subP(divP(v, mulP(d, d)), d) }
	switch r.IntN(20) {
	case 0: // C is hard to reduce
		d = HardRoot(p, r)
	case 1, 2: // V1 is hard to reduce
		var c *big.Int
		x1, c = Hard(p, r)
		d = root(c)
	case 3, 4: // V2 is hard to reduce
		var c *big.Int
		x2, c = Hard(p, r)
		d = root(c)
		x1 = subP(x2, d)
	case 5, 6: // A is hard to reduce
		var c *big.Int
		y2, c = Hard(p, r)
		d = cube(c)
		y1 = subP(y2, e)
	case 7: // E² is hard to reduce
		e = HardRoot(p, r)
	case 8: // X3 is hard to reduce
		fromSum(subP(mulP(e, e), Target(p, r)))
	case 9: // X3 is just below zero, with a small E²
		e = random(r, 1+r.IntN(128))
		fromSum(addP(mulP(e, e), small(r)))
	case 10: // the product E² is as large as possible, and X3 is just above 2^64
		e = TopRoot(p, r)
		fromSum(subP(mulP(e, e), above64(r)))
	case 11, 12: // E·(V2 - X3) is hard to reduce; V2 - X3 = 3·V2 - C·D - E²
		var w *big.Int
		e, w = Hard(p, r)
		fromV2(divP(addP(w, addP(mulP(e, e), mulP(d, d, d))), big.NewInt(3)))
	case 13: // Y3 is hard to reduce
		v2 := mulP(addP(x1, d), d, d)
		w := subP(timesP(3, v2), addP(mulP(e, e), mulP(d, d, d)))
		t := Target(p, r)
		if r.IntN(2) == 0 {
			t.Neg(small(r))
		}
		y1 = subP(divP(subP(mulP(e, w), t), mulP(d, d, d)), e)
	case 14: // the product in Y3 is as large as possible, and Y3 is just above 2^64
		var w *big.Int
		e, w = TopFactors(p, r)
		fromV2(divP(addP(w, addP(mulP(e, e), mulP(d, d, d))), big.NewInt(3)))
		y1 = subP(divP(subP(mulP(e, w), above64(r)), mulP(d, d, d)), e)
	case 15: // D and E are differences of numbers near opposite ends of the range
		x1, y1 = End(p, r), End(p, r)
		d, e = subP(End(p, r), x1), subP(End(p, r), y1)
	case 16: // V2 - V1 and V2 - X3 are small numbers, represented above p
		x1, y1, d, e = small(r), small(r), big.NewInt(1+r.Int64N(4)), small(r)
		if r.IntN(2) == 0 {
			d.Neg(d)
		}
	case 17: // X3 is larger than V2, and both are small
		x1, d = random(r, 1+r.IntN(16)), big.NewInt(1+r.Int64N(4))
		v2 := mulP(addP(x1, d), d, d)
		e = root(addP(subP(timesP(3, v2), mulP(d, d, d)), small(r)))
	case 18: // V1 is larger than V2, and both are small
		x1 = random(r, 9+r.IntN(16))
		d = big.NewInt(-1 - r.Int64N(200))
		mod(d)
	}
	if mod(d).Sign() == 0 {
		return nil, nil, nil, nil, false
	}
	return x1, y1, addP(x1, d), addP(y1, e), ok
}

// Rescalings returns calls of a kernel that replaces the point a = (x, y) by (x·s², y·s³), and then
// s by s·ratio.
func Rescalings(a, s, ratio string, r *rand.Rand, n int) []*Call {
	var out []*Call
	for k := range n {
		x, y, f, g := Unit(p, r), Unit(p, r), Unit(p, r), Unit(p, r)
		ok := true
		switch k % 6 {
		case 0:
			f = HardRoot(p, r)
		case 1: // x·s² is hard to reduce
			var ff *big.Int
			x, ff = Hard(p, r)
			f, ok = square(ff)
		case 2: // y·s³ is hard to reduce
			var fff *big.Int
			y, fff = Hard(p, r)
			f, ok = cubeRoot(fff)
		case 3: // s·s² is hard to reduce
			f = CubeRoot(r)
		case 4: // s·ratio is hard to reduce
			f, g = Hard(p, r)
		}
		if !ok {
			f = Unit(p, r)
		}
		x3, y3, f3 := mulP(x, f, f), mulP(y, f, f, f), mulP(f, g)
		loose(r, x, y, f, g)
		out = append(out, &Call{
			Name: fmt.Sprintf("(%#x, %#x) by %#x, which is multiplied by %#x", x, y, f, g),
			Buffers: []Buffer{
				{Param: a, Words: 8, In: append(Limbs(x), Limbs(y)...), Out: true},
				{Param: s, Words: 4, In: Limbs(f), Out: true},
				{Param: ratio, Words: 4, In: Limbs(g)},
			},
			Check: func(out Values) error {
				return errors.Join(numbers(out, a, x3, y3), numbers(out, s, f3))
			},
		})
	}
	return out
}
