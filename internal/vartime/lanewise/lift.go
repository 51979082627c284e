package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/ct"
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
)

// Decode sets p[i] to the point whose encoding row returns for i, and ok[i] to true. An encoding is
// a compressed point of 33 bytes, or an x coordinate of 32 bytes, which stands for the point with
// an even y coordinate. If the bytes encode no point, Decode sets p[i] to G and ok[i] to false.
func Decode(p []point.Affine, ok []bool, row func(i int) []byte) {
	odd, onCurve := make([]bool, len(p)), make([]bool, len(p))
	for i := range p {
		b := row(i)
		ok[i] = true
		if len(b) == 33 {
			head := b[0]
			ok[i], odd[i] = head&^1 == 2, head == 3
			b = b[1:]
		}
		inField := p[i].X.SetBytes((*[32]byte)(b)).Bool()
		ok[i] = ok[i] && inField
	}
	LiftX(p, odd, onCurve)
	for i := range p {
		if ok[i] = ok[i] && onCurve[i]; !ok[i] {
			p[i].SetGenerator()
		}
	}
}

// LiftX sets p[i].Y to the y coordinate for p[i].X with the parity odd[i], and ok[i] to true. If
// the curve has no point with this x coordinate, it sets ok[i] to false and leaves p[i].Y
// undefined. The x coordinates must be canonical, and so are the results. LiftX uses lanes if that
// is faster.
func LiftX(p []point.Affine, odd, ok []bool) {
	least := profile.Current().Lifts
	if lanes.Available() && least > 0 && len(p) >= least {
		(*Lanes)(nil).LiftX(p, odd, ok)
	} else {
		LiftXSingly(p, odd, ok)
	}
}

// LiftXSingly does the work of LiftX for one row after another, without lanes.
func LiftXSingly(p []point.Affine, odd, ok []bool) {
	for i := range p {
		parity := ct.Choice(0)
		if odd[i] {
			parity = 1
		}
		ok[i] = p[i].LiftXVartime(&p[i].X, parity).Bool()
		p[i].Y.Normalize()
	}
}

// LiftX does the work of the function LiftX in lanes.
func (*Lanes) LiftX(p []point.Affine, odd, ok []bool) {
	const most = 2 * lanes.Width // two square roots are computed at a time
	for len(p) > 0 {
		n := min(len(p), most)
		liftPair(p[:n], odd[:n], ok[:n])
		p, odd, ok = p[n:], odd[n:], ok[n:]
	}
}

// liftPair does the work of LiftX for at most two groups.
func liftPair(p []point.Affine, odd, ok []bool) {
	var seven lanes.Element
	seven.Broadcast(new(field.Element).SetUint64(7))
	var rows [lanes.Width][4]uint64
	var x, y [2]lanes.Element
	var wanted [2]lanes.Mask
	for g := range lanes.Groups(len(p)) {
		wanted[g] = lanes.None()
		for j := range lanes.Group(p, g) {
			l := &rows[j]
			l[0], l[1], l[2], l[3] = lanes.Group(p, g)[j].X.Words()
			if lanes.Group(odd, g)[j] {
				wanted[g].Put(j, 1)
			}
		}
		x[g].SetLimbs(&rows)
		y[g].Square(&x[g])
		y[g].Mul(&y[g], &x[g])
		y[g].Add(&y[g], &seven)
	}
	square := lanes.SqrtPair(&y, &y)
	for g := range lanes.Groups(len(p)) {
		y[g].CondNeg(y[g].IsOdd().Xor(wanted[g]), &y[g])
		y[g].Limbs(&rows)
		for j := range lanes.Group(p, g) {
			l := &rows[j]
			lanes.Group(p, g)[j].Y.SetLimbs(l[0], l[1], l[2], l[3])
			lanes.Group(ok, g)[j] = square[g].Has(j)
		}
	}
}
