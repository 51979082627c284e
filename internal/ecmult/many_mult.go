//ct:unrun-portable for vector lanes, which the other build has

package ecmult

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
)

// This file multiplies many points by scalars, with the windows of ScalarMult in each lane.

// manyTables is the memory for the multiplication of one group of points.
type manyTables struct {
	k      [lanes.Width]scalar.Scalar
	b1, b2 [3]lanes.Vector // digits of both halves of the scalars

	// p holds P, 3P, 5P, … of the points P, and lambdaP the same multiples of λP, all over one
	// denominator z; see the type multiples.
	p, lambdaP [maxMultiples]lanes.Affine
	z          lanes.Element
	ratios     [maxMultiples]lanes.Element
	chain      lanes.CoZ

	sum, last lanes.Jacobian
	addend    lanes.Affine
}

// multiply does the work of ScalarMult for one block of rows. It uses the sums of the groups as
// memory for the first two Jacobian coordinates, and m.values for the third.
func (m *Many) multiply(r []point.Affine, k []scalar.Scalar, p []point.Affine) {
	groups := m.groups[:lanes.Groups(len(r))]
	t := m.tables
	for g := range groups {
		if g == 0 || len(k) > 1 {
			t.split(k, g)
		}
		t.setPoints(p, g)
		t.mult()
		groups[g].sum = lanes.Affine{X: t.sum.X, Y: t.sum.Y}
		m.values[g] = t.sum.Z
	}
	// The sums are finite, because no scalar is zero.
	for g, inverse := range m.invert(len(groups)) {
		var power lanes.Element
		sum := &groups[g].sum
		power.Square(&inverse)
		sum.X.Mul(&sum.X, &power)
		power.Mul(&power, &inverse)
		sum.Y.Mul(&sum.Y, &power)
		setAffine(lanes.Group(r, g), sum)
	}
}

// split sets the digits of the scalars of group g among k.
func (t *manyTables) split(k []scalar.Scalar, g int) {
	for j := range t.k {
		t.k[j] = *lane(k, g, j)
	}
	lanes.SplitOdd(&t.b1, &t.b2, &t.k, multWindow*multWindows)
}

// setPoints computes the tables for the points of group g among p, by additions of points with the
// same denominator, as [point.OddMultiples] does. Their denominators are z_0 = 2·y, and then z_i =
// z_(i−1)·ratios[i]. The last one is z, so entry i is multiplied by the product of the ratios after
// number i. No addition is an exceptional case, because j·P and 2·P are neither equal nor opposite
// for odd j below 2·maxMultiples.
func (t *manyTables) setPoints(p []point.Affine, g int) {
	setLanes(&t.addend, p, g)
	c := &t.chain
	c.SetDouble(&t.addend)
	t.z.Add(&t.addend.Y, &t.addend.Y)
	twice := c.Sum
	c.Sum, c.Addend = c.Addend, twice
	t.p[0] = c.Sum
	for i := 1; i < maxMultiples; i++ {
		c.AddIncomplete(&c.Sum, &c.Addend)
		t.p[i], t.ratios[i] = c.Sum, c.Ratio
		t.z.Mul(&t.z, &c.Ratio)
	}
	beta, _ := lanes.Beta()
	var scale, power lanes.Element
	for i := maxMultiples - 1; i >= 0; i-- {
		e := &t.p[i]
		if i < maxMultiples-1 {
			power.Square(&scale)
			e.X.Mul(&e.X, &power)
			power.Mul(&power, &scale)
			e.Y.Mul(&e.Y, &power)
			scale.Mul(&scale, &t.ratios[i])
		} else {
			scale = t.ratios[i]
		}
		t.lambdaP[i].X.Mul(&e.X, &beta)
		t.lambdaP[i].Y = e.Y
	}
}

// mult sets t.sum to the products. No scalar may be zero.
//
// The proof at multiples.mult applies until the last window begins. Let S be the sum then, and T =
// a·P + b·λP the term of the last window. The argument there about pairs outside the lattice gives
// two facts:
//
//   - S is finite. It is 2^multWindow times a finite sum, and n is odd.
//   - T is finite, and a·P is not ±b·λP: the numbers of the pairs (a, b) and (a, −b) are odd, and
//     less than 2^multWindow in absolute value. So T is computed by an incomplete addition.
//
// S + T is finite, because no scalar is zero. So S is not −T, and the incomplete addition of S and
// T fails in one case only: if S = T it gives Z ≡ 0. The result is then 2·T.
func (t *manyTables) mult() {
	for i := multWindows - 1; i > 0; i-- {
		readDigits(&t.addend, t.p[:], &t.b1, i*multWindow, multWindow)
		if i == multWindows-1 {
			t.sum.SetAffine(&t.addend)
		} else {
			t.sum.AddMixedIncomplete(&t.sum, &t.addend)
		}
		readDigits(&t.addend, t.lambdaP[:], &t.b2, i*multWindow, multWindow)
		t.sum.AddMixedIncomplete(&t.sum, &t.addend)
		t.sum.DoubleN(&t.sum, multWindow)
	}
	readDigits(&t.addend, t.p[:], &t.b1, 0, multWindow)
	t.last.SetAffine(&t.addend)
	readDigits(&t.addend, t.lambdaP[:], &t.b2, 0, multWindow)
	t.last.AddMixedIncomplete(&t.last, &t.addend)
	t.sum.AddIncomplete(&t.sum, &t.last)
	t.last.DoubleN(&t.last, 1)
	t.sum.Select(t.sum.IsInfinity(), &t.last, &t.sum)
	t.sum.Z.Mul(&t.sum.Z, &t.z)
}
