package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// A laneAdder holds the working memory of addLanes.
type laneAdder struct {
	products, differences []lanes.Element
	acc                   *[12]lanes.Element // acc[0], acc[1]: products; then scratch
	exceptions            []int32
	a, b, out             []ref // a, b and out of the exceptional pairs
}

// addLanes does the work of add in eight lanes. It multiplies the differences of x without checking
// them for zero. If one difference is zero, the product is zero; addLanes then starts again without
// the pairs with equal x, and adds those pairs by addSingle.
func (w *adder) addLanes(rows []point.Affine, a, b, out []ref) (infinite bool) {
	l := &w.lanes
	n := len(a)
	groups := (n + padTo - 1) / padTo * 2
	// The kernels need memory for two groups of lanes more than the pairs fill.
	full := (groups + 2) * lanes.Width
	_, _ = a[:n+padLength], b[:n+padLength]
	a, b, out = a[:full], b[:full], out[:full]
	for i := n; i < full; i++ {
		a[i], b[i], out[i] = 0, padRef, padOut
	}
	l.products, l.differences = resize(l.products, groups), resize(l.differences, groups+2)
	if l.acc == nil {
		// A separate allocation begins at a cache line: see vartime.LaneSum.
		l.acc = new([12]lanes.Element)
	}
	l.exceptions = l.exceptions[:0]
	for {
		l.acc[0].One()
		l.acc[1].One()
		differences(rows, a, b, l.products, l.differences, groups, l.acc)
		if l.invert() {
			break
		}
		l.except(rows, a, b, out)
	}
	chords(rows, a, b, out, l.products, l.differences, groups, l.acc)
	if len(l.exceptions) == 0 {
		return false
	}
	infinite = w.addSingle(rows, l.a, l.b, l.out)
	for k, i := range l.exceptions {
		a[i], b[i], out[i] = l.a[k], l.b[k], l.out[k]
	}
	return infinite
}

// invert replaces acc[0] and acc[1] by their inverses, lane by lane. It returns false if the value
// in a lane is zero.
func (l *laneAdder) invert() bool {
	var both lanes.Element
	both.Mul(&l.acc[0], &l.acc[1])
	if both.IsZero().Any() {
		return false
	}
	vartime.InvertLanes(&both)
	l.acc[0], l.acc[1] = l.acc[1], l.acc[0]
	l.acc[0].Mul(&l.acc[0], &both)
	l.acc[1].Mul(&l.acc[1], &both)
	return true
}

// except moves the pairs with equal x from the lists to the list of exceptions, and puts in their
// places the pair that unused lanes add. It compares the x of every pair of a group that has such
// pairs, because only the kernels know which lane a pair is in.
func (l *laneAdder) except(rows []point.Affine, a, b, out []ref) {
	l.a, l.b, l.out = l.a[:0], l.b[:0], l.out[:0]
	for g := range l.products {
		left := l.differences[g].IsZero().Count()
		for i := g * lanes.Width; left > 0 && i < (g+1)*lanes.Width; i++ {
			if !rows[a[i]>>rowShift].X.Equal(&rows[b[i]>>rowShift].X).Bool() {
				continue
			}
			left--
			l.exceptions = append(l.exceptions, int32(i))
			l.a, l.b, l.out = append(l.a, a[i]), append(l.b, b[i]), append(l.out, out[i])
			a[i], b[i], out[i] = 0, padRef, padOut
		}
	}
}

// timesLambdaAll sets the second row of each pair of rows to λ times the point in the first.
func timesLambdaAll(rows []point.Affine) {
	groups := len(rows) / (2 * lanes.Width)
	whole, rest := rows[:groups*2*lanes.Width], rows[groups*2*lanes.Width:]
	if groups > 0 {
		beta, _ := lanes.Beta()
		timesLambda(whole, &beta, groups)
	}
	timesLambdaRows(rest)
}
