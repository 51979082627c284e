package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/point"
)

// maxMultiples is the maximum number of odd multiples in a table of a variable base.
const maxMultiples = 1 << (multWindow - 1)

// multiples holds P, 3P, 5P, … of a variable base P and the same multiples of λP, all with the
// denominator z: the entry (x, y) is the point (x/z², y/z³).
//
// (x, y) ↦ (x·z², y·z³) is an isomorphism from y² = x³ + b to y² = x³ + b·z⁶, and the addition
// formulas do not contain b. So the entries are affine points of the second curve, and additions of
// entries on that curve are mixed additions. A result (X, Y, Z) on the second curve is (X, Y, Z·z)
// on the first.
type multiples struct {
	p, lambdaP [maxMultiples]point.Entry
	z          field.Element
}

// set computes odd multiples of p: the first ones, as many as count says, at most maxMultiples. The
// time does not depend on p. 2·count·p and all smaller multiples of p must be finite.
func (t *multiples) set(p *point.Affine, count int) {
	var table [maxMultiples]point.Affine
	point.OddMultiples(table[:count], &t.z, p)
	t.store(table[:count])
}

// store sets the first entries of t.p to the points of table, and those of t.lambdaP to λ times
// these points. It overwrites table.
func (t *multiples) store(table []point.Affine) {
	for i := range table {
		a := &table[i]
		t.p[i].Set(a)
		a.X.MulBeta(&a.X)
		t.lambdaP[i].Set(a)
	}
}
