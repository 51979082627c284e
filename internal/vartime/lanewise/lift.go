package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Decode sets p[i] to the point with the encoding row(i), and ok[i] to true. An encoding is a
// compressed point of 33 bytes, or an x coordinate of 32 bytes, which stands for the point with an
// even y coordinate. If the bytes encode no point, Decode sets p[i] to G and ok[i] to false.
func Decode(p []point.Affine, ok []bool, row func(i int) []byte) {
	odd := make([]bool, len(p))
	for i := range p {
		b, known := row(i), true
		if len(b) == 33 {
			head := b[0] // read once: the caller's memory may change
			known, odd[i] = head&^1 == 2, head == 3
			b = b[1:]
		}
		if inField := p[i].X.SetBytes((*[32]byte)(b)).Bool(); !inField || !known {
			p[i].X.Zero() // no point of the curve has this x coordinate
		}
	}
	LiftX(p, odd, ok)
	for i := range p {
		if !ok[i] {
			p[i].SetGenerator()
		}
	}
}

// LiftX sets p[i].Y to the y coordinate for p[i].X with the parity odd[i], and ok[i] to true. If
// the curve has no point with this x coordinate, it sets ok[i] to false and leaves p[i].Y
// undefined. The x coordinates must be canonical, and so are the results. LiftX uses lanes if that
// is faster.
func LiftX(p []point.Affine, odd, ok []bool) {
	n := InLanes(len(p), liftWidth, profile.Current().Lifts)
	if n > 0 {
		lift(p[:n], odd[:n], ok[:n])
	}
	liftSingly(p[n:], odd[n:], ok[n:])
}

// liftWidth is the number of square roots that lift computes at a time.
const liftWidth = 2 * lanes.Width

// liftSingly does the work of LiftX for one row after another, without lanes.
func liftSingly(p []point.Affine, odd, ok []bool) {
	for i := range p {
		parity := ct.Choice(0)
		if odd[i] {
			parity = 1
		}
		ok[i] = p[i].LiftXVartime(&p[i].X, parity).Bool()
		p[i].Y.Normalize()
	}
}

// lift does the work of LiftX in lanes. It computes the square roots of two groups at a time.
func lift(p []point.Affine, odd, ok []bool) {
	var seven lanes.Element
	seven.Broadcast(new(field.Element).SetUint64(7))
	var rows [lanes.Width][4]uint64
	var x, y [2]lanes.Element
	var wanted [2]lanes.Mask
	for first := 0; first < lanes.Groups(len(p)); first += 2 {
		groups := min(2, lanes.Groups(len(p))-first)
		for g := range groups {
			here, odd := lanes.Group(p, first+g), lanes.Group(odd, first+g)
			wanted[g] = lanes.None()
			for j := range here {
				l := &rows[j]
				l[0], l[1], l[2], l[3] = here[j].X.Words()
				if odd[j] {
					wanted[g].Put(j, 1)
				}
			}
			x[g].SetLimbs(&rows)
			y[g].Square(&x[g])
			y[g].Mul(&y[g], &x[g])
			y[g].Add(&y[g], &seven)
		}
		square := lanes.SqrtPair(&y, &y)
		for g := range groups {
			here, ok := lanes.Group(p, first+g), lanes.Group(ok, first+g)
			y[g].CondNeg(y[g].IsOdd().Xor(wanted[g]), &y[g])
			y[g].Limbs(&rows)
			for j := range here {
				l := &rows[j]
				here[j].Y.SetLimbs(l[0], l[1], l[2], l[3])
				ok[j] = square[g].Has(j)
			}
		}
	}
}
