package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// This file computes a·G + b·P with fixed signed windows. Digits are odd, hence never zero, and
// have the same positions in all lanes: see lanes.SplitOdd. A digit of w bits is an odd number
// below 2^w in magnitude, and a table for it has 2^(w−1) entries.

// The windows for a and for b in a·G + b·P. Those for a are as wide as the table of G allows.
const (
	laneBaseWindow  = vartime.BaseWindow - 1
	laneBaseWindows = (lanes.MinSplitBits + laneBaseWindow - 1) / laneBaseWindow
	laneWindows     = (lanes.MinSplitBits + laneWindow - 1) / laneWindow
)

// DoubleScalarMult sets r[i] = a[i]·G + b[i]·p[i]. It is exact for all scalars and all points of
// the curve. If p[i] is not on the curve, r[i] is undefined.
func (w *Lanes) DoubleScalarMult(r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine) {
	for len(r) > 0 {
		n := w.block(len(r))
		w.makeTables(p[:n])
		for g := range lanes.Groups(n) {
			w.multiply(g, group(r[:n], g), group(a[:n], g), group(b[:n], g), group(p[:n], g))
		}
		r, a, b, p = r[n:], a[n:], b[n:], p[n:]
	}
}

// multiply does the work of DoubleScalarMult for group g of a block. makeTables must have computed
// the tables of the block.
func (w *Lanes) multiply(g int, r []point.Jacobian, a, b []scalar.Scalar, p []point.Affine) {
	acc := w.sum(g, a, b)
	infinite := acc.Z.IsZero()
	vartime.SetPoints(r, acc)
	for j := range r {
		if infinite.Has(j) {
			// The sum in this lane met an equal or opposite addend, or it is infinity. Compute this
			// row again, without lanes.
			vartime.DoubleScalarMult(&r[j], &a[j], &b[j], &p[j])
		}
	}
}

// sum returns the sums of group g, which are valid until the next call. A lane has Z ≡ 0 if its sum
// met an equal or opposite addend, or is infinity.
func (w *Lanes) sum(g int, a, b []scalar.Scalar) *lanes.Jacobian {
	var base, other laneTerm
	base.set(a, laneBaseWindow, laneBaseWindows)
	other.set(b, laneWindow, laneWindows)
	base.setTables(vartime.GeneratorMultiples())
	other.table = w.table(g)
	base.prefetch(laneBaseWindows, laneBaseWindows*laneBaseWindow)

	acc := &w.memory.Acc
	at := -1 // the position of the last added digits; −1 before the first addition
	for i, k := laneBaseWindows-1, laneWindows-1; i >= 0 || k >= 0; {
		next := max(i*laneBaseWindow, k*laneWindow)
		if at > next {
			acc.DoubleN(acc, at-next)
		}
		if i*laneBaseWindow == next {
			base.add(w, acc, i, at < 0)
			at = next
			i--
		}
		if k*laneWindow == next {
			other.add(w, acc, k, at < 0)
			at = next
			k--
		}
	}
	return acc
}

// A laneTerm is a product of a scalar and a point in each lane: the digits of both halves of the
// scalars, and tables of odd multiples of the points. If table is not nil, its entry i holds
// multiple i for all lanes. Otherwise tables[j] is the packed table of lane j.
type laneTerm struct {
	window int
	digits [2][3]lanes.Vector
	table  []lanes.Packed
	tables [lanes.Width]string
}

// setTables sets the packed table of every lane to table.
func (t *laneTerm) setTables(table string) {
	for j := range t.tables {
		t.tables[j] = table
	}
}

// lookup sets q, in each lane, to the multiple for the digit in window i of the given half.
func (t *laneTerm) lookup(q *lanes.Affine, half, i int) {
	if t.table != nil {
		lookup(q, t.table, &t.digits[half], i*t.window, t.window)
	} else {
		lookupPacked(q, &t.tables, &t.digits[half], i*t.window, t.window, 0)
	}
}

// prefetch loads into the cache all entries that lookups in the packed tables will read. They are
// in distant caches, and it is faster to load them all at the same time. A packed table has a
// subtable for every stride bits of the digits.
func (t *laneTerm) prefetch(windows, stride int) {
	for half := range t.digits {
		for i := range windows {
			at := i * t.window
			prefetchPacked(&t.tables, &t.digits[half], at, t.window, at/stride<<(t.window-1))
		}
	}
}

// set sets the digits to those of the scalars k, for the given width and number of windows. Lanes
// without a scalar get the digits of zero.
func (t *laneTerm) set(k []scalar.Scalar, window, windows int) {
	var all [lanes.Width]scalar.Scalar
	copy(all[:], k)
	t.window = window
	lanes.SplitOdd(&t.digits[0], &t.digits[1], &all, uint(window*windows))
}

// add adds the multiples for the digits in window i of both halves to acc. If empty is set, acc
// holds no sum yet, and add sets it to the sum of the two multiples.
func (t *laneTerm) add(w *Lanes, acc *lanes.Jacobian, i int, empty bool) {
	q := &w.memory.Q
	t.lookup(q, 0, i)
	if empty {
		acc.SetAffine(q)
	} else {
		acc.AddMixedIncomplete(acc, q)
	}
	t.lookup(q, 1, i)
	q.X.Mul(&q.X, &w.beta)
	acc.AddMixedIncomplete(acc, q)
}
