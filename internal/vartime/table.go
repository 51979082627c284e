package vartime

import "github.com/koblitz-go/koblitz/internal/point"

// window is the width of the digits of b. The table of the odd multiples of P
// below 2^(window−1) has 8 entries: with 4 or 16 the whole takes longer.
const window = 5

// pick sets q to the multiple of a digit: digit·P for a table of odd multiples
// of P, and its opposite if negate is set.
func pick(q *point.Affine, table []point.Affine, digit int16, negate bool) {
	if digit < 0 {
		digit, negate = -digit, !negate
	}
	e := &table[digit>>1]
	if negate {
		q.Neg(e)
		return
	}
	*q = *e
}
