package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// maxMultiples is the most odd multiples a table of a variable base holds.
const maxMultiples = 1 << (multWindow - 1)

// multiples holds P, 3P, 5P, … of a variable base and the same multiples of
// λP, all with the denominator z: the entry (x, y) is the point
// (x/z², y/z³).
//
// (x, y) ↦ (x·z², y·z³) maps y² = x³ + b to y² = x³ + b·z⁶ and sums to sums,
// and the formulas of addition do not contain b. So the entries are affine
// points of the second curve, additions there are mixed, and a result (X, Y, Z)
// over there is (X, Y, Z·z) here.
type multiples struct {
	p, lambdaP [maxMultiples]entry
	z          field.Element
}

// set makes t the first count multiples, at most maxMultiples, of p. The time
// does not depend on p. 2·count·P may not be the point at infinity, nor any
// multiple before it.
func (t *multiples) set(p *point.Affine, count int) {
	var table [maxMultiples]point.Affine
	point.OddMultiples(table[:count], &t.z, p)
	for i := range table[:count] {
		a := &table[i]
		t.p[i].setLimbs(&a.X, &a.Y)
		a.X.MulBeta(&a.X)
		t.lambdaP[i].setLimbs(&a.X, &a.Y)
	}
}

// setLimbs sets e to the point (x, y).
func (e *entry) setLimbs(x, y *field.Element) {
	//ct:leak x.IsOdd().Bool()
	*(*[4]uint64)(e[:4]) = x.Limbs()
	*(*[4]uint64)(e[4:]) = y.Limbs()
}
