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
func CoZAdditions(r *rand.Rand, n int) []*Call {
	var out []*Call
	for len(out) < n {
		x := coordinates(r, 4)
		x1, y1, x2, y2 := x[0], x[1], x[2], x[3]
		d, e := subP(x2, x1), subP(y2, y1)
		if d.Sign() == 0 {
			continue
		}
		v1, v2 := mulP(x1, d, d), mulP(x2, d, d)
		x3 := subP(subP(mulP(e, e), v1), v2)
		s2 := mulP(y2, subP(v2, v1))
		y3 := subP(mulP(e, subP(v2, x3)), s2)
		loose(r, x1, y1, x2, y2)
		out = append(out, &Call{
			Name: fmt.Sprintf("(%#x, %#x) + (%#x, %#x)", x1, y1, x2, y2),
			Buffers: []Buffer{
				{Param: "q", Words: 8, In: append(Limbs(x1), Limbs(y1)...)},
				{Param: "d", Words: 8, In: append(Limbs(x2), Limbs(y2)...), Out: true},
				{Param: "r", Words: 8, Out: true},
				{Param: "ratio", Words: 4, Out: true},
			},
			Check: func(out Values) error {
				return errors.Join(numbers(out, "r", x3, y3), numbers(out, "d", v2, s2),
					numbers(out, "ratio", d))
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

// Rescalings returns calls of a kernel that replaces the point a = (x, y) by (x·s², y·s³), and then
// s by s·ratio.
func Rescalings(r *rand.Rand, n int) []*Call {
	var out []*Call
	for range n {
		c := coordinates(r, 4)
		x, y, f, g := c[0], c[1], c[2], c[3]
		x3, y3, f3 := mulP(x, f, f), mulP(y, f, f, f), mulP(f, g)
		loose(r, x, y, f, g)
		out = append(out, &Call{
			Name: fmt.Sprintf("(%#x, %#x) by %#x, which is multiplied by %#x", x, y, f, g),
			Buffers: []Buffer{
				{Param: "q", Words: 8, In: append(Limbs(x), Limbs(y)...), Out: true},
				{Param: "s", Words: 4, In: Limbs(f), Out: true},
				{Param: "ratio", Words: 4, In: Limbs(g)},
			},
			Check: func(out Values) error {
				return errors.Join(numbers(out, "q", x3, y3), numbers(out, "s", f3))
			},
		})
	}
	return out
}
