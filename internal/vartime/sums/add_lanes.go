package sums

import (
	"github.com/koblitz-go/koblitz/internal/lanes"
	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime"
)

// addLanes does the work of add in eight lanes. It multiplies the differences of x without checking
// them for zero. If one difference is zero, the product is zero; addLanes then starts again without
// the pairs with equal x, and adds those pairs by addSingle.
func (w *worker) addLanes() (infinite bool) {
	if w.acc == nil {
		// A separate allocation begins at a cache line: see vartime.LaneSum.
		w.acc = new([12]lanes.Element)
	}
	equal := 0 // number of pairs with equal x, once they are known
	for !w.multiplyDifferences(equal) {
		equal = w.equalFirst()
	}
	l := &w.pairs
	chords(w.rows, l.a[equal:], l.b[equal:], l.out[equal:], w.laneProducts, w.differences,
		len(w.laneProducts), w.acc)
	return equal > 0 && w.addSingle(equal)
}

// multiplyDifferences calculates what chords needs for the pairs from number first on: the
// differences of x, their running products, and the inverses of the final products. It returns
// false if a difference is zero. It fills up the lists with unused pairs.
func (w *worker) multiplyDifferences(first int) bool {
	l := &w.pairs
	groups := max(1, (l.n-first+padTo-1)/padTo) * 2
	_, _, _ = l.a[:l.n+padLength], l.b[:l.n+padLength], l.out[:l.n+padLength]
	// The kernels need memory for two groups of lanes more than the pairs fill.
	for i := l.n; i < first+(groups+2)*lanes.Width; i++ {
		l.a[i], l.b[i], l.out[i] = 0, padRef, padOut
	}
	w.laneProducts = resize(w.laneProducts, groups)
	w.differences = resize(w.differences, groups+2)
	w.acc[0].One()
	w.acc[1].One()
	differences(w.rows, l.a[first:], l.b[first:], w.laneProducts, w.differences, groups, w.acc)
	return w.invert()
}

// invert replaces acc[0] and acc[1] by their inverses, lane by lane. It returns false if the value
// in a lane is zero.
func (w *worker) invert() bool {
	var both lanes.Element
	both.Mul(&w.acc[0], &w.acc[1])
	if both.IsZero().Any() {
		return false
	}
	vartime.InvertLanes(&both)
	w.acc[0], w.acc[1] = w.acc[1], w.acc[0]
	w.acc[0].Mul(&w.acc[0], &both)
	w.acc[1].Mul(&w.acc[1], &both)
	return true
}

// equalFirst moves the pairs with equal x to the front of the list, and returns their number. It
// compares the x of every pair of a group that has such pairs, because only the kernels know which
// lane a pair is in.
func (w *worker) equalFirst() (equal int) {
	l := &w.pairs
	for g := range w.laneProducts {
		left := w.differences[g].IsZero().Count()
		for i := g * lanes.Width; left > 0 && i < (g+1)*lanes.Width; i++ {
			if !w.rows[l.a[i]>>rowShift].X.Equal(&w.rows[l.b[i]>>rowShift].X).Bool() {
				continue
			}
			left--
			l.a[i], l.a[equal] = l.a[equal], l.a[i]
			l.b[i], l.b[equal] = l.b[equal], l.b[i]
			l.bucket[i], l.bucket[equal] = l.bucket[equal], l.bucket[i]
			equal++
		}
	}
	return equal
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
