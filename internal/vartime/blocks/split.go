package blocks

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// DoubleScalarMultSplit sets r[i] = a[i]·G + b[i]·P, where c[i] is a split wNAF table of P. No c[i]
// may be the zero value. It is exact for all scalars. It groups rows of a block whose tables have
// the same size, so rows with tables of one size should be near each other.
func (w *Lanes) DoubleScalarMultSplit(
	r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable,
) {
	for len(r) > 0 {
		n := min(len(r), LaneRows)
		w.splitBlock(r[:n], a[:n], b[:n], c[:n])
		r, a, b, c = r[n:], a[n:], b[n:], c[n:]
	}
}

// splitBlock does the work of DoubleScalarMultSplit for one block.
func (w *Lanes) splitBlock(r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable) {
	var done [LaneRows]bool
	for first := range r {
		if done[first] {
			continue
		}
		// A group takes the first row that remains, and further rows whose tables have the same
		// window and stride.
		var g splitGroup
		for i := first; i < len(r) && g.n < lanes.Width; i++ {
			if !done[i] && sameShape(c[i], c[first]) {
				done[i] = true
				g.rows[g.n], g.a[g.n], g.b[g.n], g.c[g.n] = i, a[i], b[i], c[i]
				g.n++
			}
		}
		g.multiply(w, r)
	}
}

// sameShape reports whether both tables have the same window and stride.
func sameShape(a, b *vartime.SplitTable) bool {
	window, stride := a.Shape()
	w, s := b.Shape()
	return window == w && stride == s
}

// A splitGroup is up to eight rows with split wNAF tables (vartime.SplitTable) of the same window
// and stride.
type splitGroup struct {
	n    int
	rows [lanes.Width]int
	a, b [lanes.Width]scalar.Scalar
	c    [lanes.Width]*vartime.SplitTable
}

// multiply computes the rows of the group.
func (g *splitGroup) multiply(w *Lanes, r []point.Jacobian) {
	var out [lanes.Width]point.Jacobian
	w.finish(out[:g.n],
		func() *lanes.Jacobian { return g.sum(w) },
		func(j int) { g.c[j].DoubleScalarMult(&out[j], &g.a[j], &g.b[j]) })
	for j, i := range g.rows[:g.n] {
		r[i] = out[j]
	}
}

// sum returns the sums of the group for the method finish.
func (g *splitGroup) sum(w *Lanes) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [2]laneSplit
	terms[0].set(&base, g.a[:])
	terms[1].set(g.c[0], g.b[:])
	terms[0].setTables(base.Table())
	for j := range lanes.Width {
		terms[1].tables[j] = g.c[min(j, g.n-1)].Table()
	}

	return w.sumSplit(terms[:])
}

// sumSplit returns the sum of the terms in each lane for the method finish. A lane has Z ≡ 0 if its
// sum met an equal or opposite addend, or is infinity.
func (w *Lanes) sumSplit(terms []laneSplit) *lanes.Jacobian {
	for k := range terms {
		terms[k].prefetch(terms[k].windows, terms[k].stride)
	}

	// acc is the sum divided by λ^half, as in vartime's multiplySplit.
	acc, empty, half := &w.memory.Acc, true, 0
	for round := vartime.MaxStride - 1; round >= 0; round-- {
		if !empty {
			acc.DoubleN(acc, 1)
		}
		if !anyHas(terms, round) {
			continue
		}
		if empty && w.guarded > 0 {
			w.setAddend(&w.guard[round])
			acc.SetAffine(&w.memory.Q)
			empty = false
		}
		for k := range terms {
			empty = terms[k].add(w, round, half, empty)
		}
		half = w.turn(acc, half)
		for k := range terms {
			terms[k].add(w, round, half, false)
		}
	}
	if half == 1 {
		w.turn(acc, half)
	}
	return acc
}

// anyHas reports whether some term has digits whose multiples must be doubled n times.
func anyHas(terms []laneSplit, n int) bool {
	for k := range terms {
		if terms[k].has(n) {
			return true
		}
	}
	return false
}

// turn multiplies acc by λ if half is 1, and divides it by λ if half is 0. It returns 1 − half.
func (w *Lanes) turn(acc *lanes.Jacobian, half int) int {
	if half == 1 {
		acc.X.Mul(&acc.X, &w.beta)
	} else {
		acc.X.Mul(&acc.X, &w.square)
	}
	return 1 - half
}

// A laneSplit is a product of a scalar and a point in each lane. The split wNAF tables of all lanes
// have the same window and stride.
type laneSplit struct {
	laneTerm
	stride, windows int
}

// set sets the digits to those of the scalars k, for split wNAF tables with the window and stride
// of c.
func (t *laneSplit) set(c *vartime.SplitTable, k []scalar.Scalar) {
	window, stride := c.Shape()
	t.stride = int(stride)
	width := int(window) - 1 // odd digits are never zero, so they need one bit less
	t.windows = (lanes.MinSplitBits + width - 1) / width
	t.laneTerm.set(k, width, t.windows)
}

// has reports whether the term has digits whose multiples must be doubled n times.
func (t *laneSplit) has(n int) bool {
	for i := range t.windows {
		if i*t.window%t.stride == n {
			return true
		}
	}
	return false
}

// add adds multiples of the points to the sum in w: those for the digits of the given half whose
// multiples must be doubled n times. If empty is set, the sum has no addend yet, and add sets it to
// the first multiple. It returns whether the sum still has no addend.
func (t *laneSplit) add(w *Lanes, n, half int, empty bool) bool {
	acc, q := &w.memory.Acc, &w.memory.Q
	for i := range t.windows {
		at := i * t.window
		if at%t.stride != n {
			continue
		}
		lookupPacked(q, &t.tables, &t.digits[half], at, t.window, at/t.stride<<(t.window-1))
		if empty {
			acc.SetAffine(q)
			empty = false
			continue
		}
		acc.AddMixedIncomplete(acc, q)
	}
	return empty
}
