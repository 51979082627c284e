package lanewise

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
		var rows [lanes.Width]int
		var x, y [lanes.Width]scalar.Scalar
		var tables [lanes.Width]*vartime.SplitTable
		n := 0
		for i := first; i < len(r) && n < lanes.Width; i++ {
			if !done[i] && sameShape(c[i], c[first]) {
				done[i] = true
				rows[n], x[n], y[n], tables[n] = i, a[i], b[i], c[i]
				n++
			}
		}
		var out [lanes.Width]point.Jacobian
		w.finish(out[:n],
			func() *lanes.Jacobian { return w.sumTables(x[:n], y[:n], tables[:n]) },
			func(j int) { tables[j].DoubleScalarMult(&out[j], &x[j], &y[j]) })
		for j, i := range rows[:n] {
			r[i] = out[j]
		}
	}
}

// sameShape reports whether both tables have the same window and stride.
func sameShape(a, b *vartime.SplitTable) bool {
	window, stride := a.Shape()
	w, s := b.Shape()
	return window == w && stride == s
}

// sumTables returns a[j]·G + b[j]·P in lane j for the method finish, where c[j] is a table of P.
// All tables have the same window and stride.
func (w *Lanes) sumTables(a, b []scalar.Scalar, c []*vartime.SplitTable) *lanes.Jacobian {
	base := vartime.GeneratorSplitTable()
	var terms [2]laneTerm
	terms[0].set(a, &base)
	terms[1].set(b, c...)
	return w.sumSplit(terms[:])
}

// sumSplit returns the sum of the terms in each lane for the method finish. A lane has Z ≡ 0 if its
// sum met an equal or opposite addend, or is infinity.
func (w *Lanes) sumSplit(terms []laneTerm) *lanes.Jacobian {
	top := 0
	for k := range terms {
		terms[k].prefetch()
		top = max(top, terms[k].stride-1)
	}
	acc, q := &w.memory.Acc, &w.memory.Q
	empty := true // acc has no addend yet
	if w.guarded > 0 {
		w.setAddend(&w.guard[top])
		acc.SetAffine(q)
		empty = false
	}
	half := 0 // acc is the sum divided by λ^half, as in vartime's multiplySplit
	for round := top; round >= 0; round-- {
		if round < top && !empty {
			acc.DoubleN(acc, 1)
		}
		for n := range 2 {
			some := false
			for k := range terms {
				t := &terms[k]
				for i := range t.windows {
					if i*t.window%t.stride != round {
						continue
					}
					some = true
					if t.lookup(q, half, i); empty {
						acc.SetAffine(q)
						empty = false
					} else {
						acc.AddMixedIncomplete(acc, q)
					}
				}
			}
			if some && n == 0 {
				half = w.turn(acc, half)
			}
		}
	}
	if half == 1 {
		w.turn(acc, half)
	}
	return acc
}

// turn multiplies acc by λ if half is 1, and divides it by λ if half is 0. It returns 1 − half.
func (w *Lanes) turn(acc *lanes.Jacobian, half int) int {
	acc.X.Mul(&acc.X, &w.beta[2-half]) // β² = 1/β
	return 1 - half
}
