package lanewise

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/scalar"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// DoubleScalarMultSplit sets r[i] = a[i]·G + b[i]·P, where c[i] is a split wNAF table of P. No c[i]
// may be the zero value. It is exact for all scalars. It groups rows whose tables have the same
// size.
func (w *Lanes) DoubleScalarMultSplit(
	r []point.Jacobian, a, b []scalar.Scalar, c []*vartime.SplitTable,
) {
	done := w.done[:len(r)]
	clear(done)
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
		w.finish(out[:n], w.sumTables(x[:n], y[:n], tables[:n]),
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
	m := w.memory
	begun := w.begin(top)
	half := 0 // m.Acc is the sum divided by λ^half, as acc in schedule.sum of package vartime
	for round := top; round >= 0; round-- {
		if round < top && begun.Any() {
			m.Acc.DoubleN(&m.Acc, 1)
		}
		for n := range 2 {
			some := false
			for k := range terms {
				t := &terms[k]
				for i := range t.windows {
					if i*t.window%t.stride == round {
						some = true
						t.lookup(&m.Q, half, i)
						m.Add(lanes.All(), &begun)
					}
				}
			}
			if some && n == 0 {
				half = w.toHalf(1 - half)
			}
		}
	}
	if half == 1 {
		w.toHalf(0)
	}
	return &m.Acc
}

// toHalf multiplies the sum by λ if half is 0, and divides it by λ if half is 1. It returns half.
func (w *Lanes) toHalf(half int) int {
	factor := &w.beta
	if half == 1 {
		factor = &w.betaSquare // 1/β
	}
	w.memory.Acc.X.Mul(&w.memory.Acc.X, factor)
	return half
}
