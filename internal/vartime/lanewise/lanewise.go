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
// for one row: if the formulas of the lanes meet an exceptional case in a row, that row is computed
// again. Every function takes any number of rows and cuts them into blocks.
//
// Only one goroutine at a time may use a Lanes. Calls do not depend on earlier calls, except that
// the fields memory, guarded and guard keep their values.
type Lanes struct {
	groups   []laneGroup
	values   []lanes.Element // elements to be inverted
	products []lanes.Element // running products of values, longer by 2
	tables   []lanes.Packed  // tables of the points of a block
	divide   []lanes.Scalar  // scratch memory of divisions, allocated by Divide
	memory   *vartime.LaneSum
	scratch  *lanes.Affine                                // for eisenstein.SetEntry
	digits   [eisenstein.MaxDigits]eisenstein.DigitVector // digits of a group

	divisions int // minimum number of rows for divisions in lanes

	guarded int    // number of groups that will still be guarded: see finish
	guard   *guard // allocated by finish

	// Constants that are the same in every lane: 7, and the powers of β.
	seven lanes.Element
	beta  [3]lanes.Element
}

// LaneRows is the maximum number of rows of a block, which share inversions. With 128 rows the
// inversions would take 0.5 % of a row's time instead of 1 %, but the tables would not fit in the
// second-level cache.
const LaneRows = 64

// NewLanes returns memory for blocks of at most the given number of rows, and never more than
// LaneRows. It takes about 3 KB per row.
func NewLanes(rows int) *Lanes {
	groups := lanes.Groups(min(max(rows, 1), LaneRows))
	w := &Lanes{
		divisions: profile.Current().Divisions,
		groups:    make([]laneGroup, groups),
		values:    make([]lanes.Element, groups*groupInverses),
		products:  make([]lanes.Element, groups*groupInverses+2),
		tables:    make([]lanes.Packed, groups*tableParts),
		memory:    new(vartime.LaneSum),
		scratch:   new(lanes.Affine),
	}
	var x field.Element
	w.seven.Broadcast(x.SetUint64(7))
	w.beta[0].One()
	w.beta[1], w.beta[2] = lanes.Beta()
	return w
}

// block returns the number of rows in the next block if the given number of rows remain.
func (w *Lanes) block(rows int) int { return min(rows, len(w.groups)*lanes.Width) }

// ToAffine sets p[i] = r[i] with canonical coordinates, and finite[i] to true. If r[i] is infinity,
// it sets p[i] to (0, 0) and finite[i] to false.
func (w *Lanes) ToAffine(p []point.Affine, finite []bool, r []point.Jacobian) {
	for len(r) > 0 {
		n := w.block(len(r))
		w.toAffine(p[:n], finite[:n], r[:n])
		p, finite, r = p[n:], finite[n:], r[n:]
	}
}

// toAffine does the work of ToAffine for at most one block.
func (w *Lanes) toAffine(p []point.Affine, finite []bool, r []point.Jacobian) {
	var limbs [lanes.Width][4]uint64 // lanes without a row repeat a row of an earlier group, or are 1
	for j := range limbs {
		limbs[j][0] = 1
	}
	z := w.values[:lanes.Groups(len(r))]
	for g := range z {
		for j := range lanes.Group(r, g) {
			l := &limbs[j]
			l[0], l[1], l[2], l[3] = lanes.Group(r, g)[j].Z.Words()
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
		infinite := inverse.IsZero()
		scale(&q, &q.X, &q.Y, &inverse)
		q.Pack(&points)
		for j := range here {
			l, to := &points[j], &lanes.Group(p, g)[j]
			to.X.SetLimbs(l[0], l[1], l[2], l[3])
			to.Y.SetLimbs(l[4], l[5], l[6], l[7])
			lanes.Group(finite, g)[j] = !infinite.Has(j)
		}
	}
}

// scale sets q to the point with the Jacobian coordinates x, y and 1/inverse, or to (0, 0) in the
// lanes where inverse is 0. x and y may be the coordinates of q.
func scale(q *lanes.Affine, x, y, inverse *lanes.Element) {
	var power lanes.Element
	power.Square(inverse)
	q.X.Mul(x, &power)
	power.Mul(&power, inverse)
	q.Y.Mul(y, &power)
}

// divideRows is the maximum number of rows that share an inversion modulo n.
const divideRows = 256

// Divide replaces a[i] by a[i]/s[i] and b[i] by b[i]/s[i], or both by 0 if s[i] is 0. It overwrites
// s and scratch. scratch must be as long as s.
func (w *Lanes) Divide(a, b, s, scratch []scalar.Scalar) {
	for len(s) > 0 {
		n := min(len(s), divideRows)
		if n < w.divisions {
			Divide(a[:n], b[:n], s[:n], scratch[:n])
		} else {
			if size := lanes.DivideScratch(n); len(w.divide) < size {
				w.divide = make([]lanes.Scalar, size)
			}
			lanes.DivideScalars(a[:n], b[:n], s[:n], w.divide)
		}
		a, b, s, scratch = a[n:], b[n:], s[n:], scratch[n:]
	}
}

// Divide does the work of [Lanes.Divide] one row after another, without vector lanes.
func Divide(a, b, s, scratch []scalar.Scalar) {
	scalar.BatchInvertVartime(s, scratch)
	for i := range s {
		a[i].Mul(&a[i], &s[i])
		b[i].Mul(&b[i], &s[i])
	}
}

// invert returns the inverse of every lane of every v[i]; the inverse of zero is zero. The result
// is valid until the next call. len(v) must be at most len(w.values). If a lane is zero, invert
// changes v. It takes one inversion, and three multiplications per element (Montgomery's trick).
func (w *Lanes) invert(v []lanes.Element) []lanes.Element {
	products := w.products[:len(v)+2]
	var product lanes.Element
	lanes.Running(products, v, &product)
	var zero [LaneRows / lanes.Width * groupInverses]lanes.Mask
	some := product.IsZero().Any()
	if some {
		// A zero makes all products of its lane zero, so ones replace zeros.
		var one lanes.Element
		one.One()
		for i := range v {
			zero[i] = v[i].IsZero()
			v[i].Select(zero[i], &one, &v[i])
		}
		lanes.Running(products, v, &product)
	}
	vartime.InvertLanes(&product)
	inverses := lanes.Inverses(products, v, &product)
	if some {
		for i := range inverses {
			inverses[i].Select(zero[i], &lanes.Element{}, &inverses[i])
		}
	}
	return inverses
}
