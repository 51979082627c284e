package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/field"
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/profile"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
	"github.com/koblitz-go/koblitz/internal/vartime/eisenstein"
)

// Lanes is the working memory of functions on many rows, which compute eight rows at a time in the
// lanes of vector registers (package lanes). Their results are the same as those of the functions
// for one row: a row for which the formulas of the lanes meet an exceptional case is computed
// again, alone.
//
// Only one goroutine at a time may use a Lanes. Calls do not depend on earlier calls, except that
// the fields memory, guarded and guard keep their values.
type Lanes struct {
	groups   []laneGroup
	values   []lanes.Element // elements to be inverted
	products []lanes.Element // running products of values, longer by 2
	tables   []lanes.Packed  // tables of the points of all rows
	divide   []lanes.Scalar  // scratch memory of divisions, allocated by Divide
	done     []bool          // rows that DoubleScalarMultSplit has put into a group
	memory   *vartime.LaneSum
	scratch  *lanes.Affine                                // for eisenstein.SetEntry
	digits   [eisenstein.MaxDigits]eisenstein.DigitVector // digits of a group

	guarded int    // number of groups that will still be guarded: see finish
	guard   *guard // allocated by finish

	// Constants that are the same in every lane: 7, and the powers of β.
	seven, beta, betaSquare lanes.Element
}

// InLanes returns how many of n rows are computed in lanes, where the lanes hold width rows: the
// rows that fill all lanes, and also the rest if it has at least the given number of rows. Fewer
// rows take less time one after another. If least is 0, no row is computed in lanes.
func InLanes(n, width, least int) int {
	rest := n % width
	switch {
	case least == 0:
		return 0
	case rest < least:
		return n - rest
	}
	return n
}

// NewLanes returns memory for calls with at most the given number of rows. It takes about 3 KB per
// row. Divide needs none of it, and takes any number of rows.
func NewLanes(rows int) *Lanes {
	groups := lanes.Groups(rows)
	w := &Lanes{
		groups:   make([]laneGroup, groups),
		values:   make([]lanes.Element, groups*groupInverses),
		products: make([]lanes.Element, groups*groupInverses+2),
		tables:   make([]lanes.Packed, groups*tableParts),
		done:     make([]bool, rows),
		memory:   new(vartime.LaneSum),
		scratch:  new(lanes.Affine),
	}
	w.seven.Broadcast(new(field.Element).SetUint64(7))
	w.beta, w.betaSquare = lanes.Beta()
	return w
}

// ToAffine sets p[i] = r[i] with canonical coordinates, and finite[i] to true. If r[i] is infinity,
// it sets p[i] to (0, 0) and finite[i] to false.
func (w *Lanes) ToAffine(p []point.Affine, finite []bool, r []point.Jacobian) {
	var limbs [lanes.Width][4]uint64 // lanes without a row repeat a row of an earlier group, or are 1
	for j := range limbs {
		limbs[j][0] = 1
	}
	z := w.values[:lanes.Groups(len(r))]
	for g := range z {
		here, finite := lanes.Group(r, g), lanes.Group(finite, g)
		for j := range here {
			l := &limbs[j]
			l[0], l[1], l[2], l[3] = here[j].Z.Words()
			finite[j] = !here[j].IsInfinity().Bool()
		}
		z[g].SetLimbs(&limbs)
	}
	var points lanes.Packed
	var q lanes.Affine
	for g, inverse := range w.invert(z) {
		here := lanes.Group(r, g)
		for j := range here {
			lanes.SetPoint(&points[j], &here[j].X, &here[j].Y)
		}
		q.Unpack(&points)
		scale(&q, &q.X, &q.Y, &inverse)
		q.Pack(&points)
		for j := range here {
			l, to := &points[j], &lanes.Group(p, g)[j]
			to.X.SetLimbs(l[0], l[1], l[2], l[3])
			to.Y.SetLimbs(l[4], l[5], l[6], l[7])
			if !lanes.Group(finite, g)[j] {
				*to = point.Affine{}
			}
		}
	}
}

// scale sets q to the point with the Jacobian coordinates x, y and 1/inverse. x and y may be the
// coordinates of q.
func scale(q *lanes.Affine, x, y, inverse *lanes.Element) {
	var power lanes.Element
	power.Square(inverse)
	q.X.Mul(x, &power)
	power.Mul(&power, inverse)
	q.Y.Mul(y, &power)
}

// Divide replaces a[i] by a[i]/s[i] and b[i] by b[i]/s[i], or both by 0 if s[i] is 0. It overwrites
// s and scratch. scratch must be as long as s. It uses lanes if that is faster.
func (w *Lanes) Divide(a, b, s, scratch []scalar.Scalar) {
	if len(s) < profile.Current().Divisions {
		Divide(a, b, s, scratch)
		return
	}
	if size := lanes.DivideScratch(len(s)); len(w.divide) < size {
		w.divide = make([]lanes.Scalar, size)
	}
	lanes.DivideScalars(a, b, s, w.divide)
}

// Divide does the work of [Lanes.Divide] one row after another, without vector lanes.
func Divide(a, b, s, scratch []scalar.Scalar) {
	scalar.BatchInvertVartime(s, scratch)
	for i := range s {
		a[i].Mul(&a[i], &s[i])
		b[i].Mul(&b[i], &s[i])
	}
}

// invert returns the inverse of every lane of every v[i]. It changes zeros to ones, because a zero
// would make all products of its lane zero. The result is valid until the next call. len(v) must be
// at most len(w.values). invert takes one inversion, and three multiplications per element
// (Montgomery's trick).
func (w *Lanes) invert(v []lanes.Element) []lanes.Element {
	products := w.products[:len(v)+2]
	var product lanes.Element
	lanes.Running(products, v, &product)
	if product.IsZero().Any() {
		var one lanes.Element
		one.One()
		for i := range v {
			v[i].Select(v[i].IsZero(), &one, &v[i])
		}
		lanes.Running(products, v, &product)
	}
	vartime.InvertLanes(&product)
	return lanes.Inverses(products, v, &product)
}
