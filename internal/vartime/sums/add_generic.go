package sums

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
)

// This file holds the portable versions of the kernels that add pairs. Lane j holds pair number j
// of a group.

// differencesGeneric sets differences[g] to x1 − x2 of the pairs in group g. It sets products[g] to
// acc[g%2] times the differences of all earlier groups whose number has the same parity as g. At
// the end it multiplies acc[0] by the differences of all even groups, and acc[1] by the differences
// of all odd groups.
func differencesGeneric(
	rows []point.Affine, a, b []ref,
	products, differences []lanes.Element, groups int, acc *[12]lanes.Element,
) {
	for g := range groups {
		for j := range lanes.Width {
			i := g*lanes.Width + j
			var d field.Element
			d.Sub(&rows[a[i]>>rowShift].X, &rows[b[i]>>rowShift].X)
			differences[g].SetLane(j, &d)
		}
		products[g] = acc[g%2]
		acc[g%2].Mul(&acc[g%2], &differences[g])
	}
}

// chordsGeneric writes the sums of the pairs to the rows in out. acc[0] and acc[1] must be the
// inverses of the numbers that differencesGeneric has left in them.
func chordsGeneric(
	rows []point.Affine, a, b, out []ref,
	products, differences []lanes.Element, groups int, acc *[12]lanes.Element,
) {
	for g := groups - 1; g >= 0; g-- {
		var p, q lanes.Affine
		opposite := lanes.None()
		for j := range lanes.Width {
			i := g*lanes.Width + j
			x, y := &rows[a[i]>>rowShift], &rows[b[i]>>rowShift]
			p.SetLane(j, &x.X, &x.Y)
			q.SetLane(j, &y.X, &y.Y)
			opposite.Put(j, uint64(a[i]^b[i])&1)
		}
		q.CondNeg(opposite, &q)
		var inverse lanes.Element
		inverse.Mul(&acc[g%2], &products[g])
		acc[g%2].Mul(&acc[g%2], &differences[g])
		lanes.AddAffineIncomplete(&p, &q, &p, &inverse)
		for j := range lanes.Width {
			r := &rows[out[g*lanes.Width+j]>>rowShift]
			p.Lane(j, &r.X, &r.Y)
		}
	}
}

// timesLambdaGeneric sets the second row of each of 8·groups pairs of rows to λ times the point in
// the first.
func timesLambdaGeneric(rows []point.Affine, _ *lanes.Element, groups int) {
	timesLambdaRows(rows[:groups*2*lanes.Width])
}

// timesLambdaRows does the work of timesLambdaGeneric for any number of pairs.
func timesLambdaRows(rows []point.Affine) {
	for i := 0; i < len(rows); i += 2 {
		rows[i+1].MulBeta(&rows[i])
	}
}
