//ct:public takes points that are in addresses or outputs

package silentpay

import (
	"slices"

	"github.com/koblitz-go/koblitz/internal/point"
)

// A finder finds the output that matches P_k, among the outputs of one transaction (BIP-352,
// "Scanning"). All data are public.
//
// The BIP removes an output that has matched. A finder keeps it, because it cannot match again: the
// points P_k with different k, and with labels, are the same with negligible probability.
type finder struct {
	labels  *labelSet
	outputs [][32]byte
	first   map[[32]byte]int // index of the first output with this key
	lifted  []lifted         // points of the outputs, or nil before they are needed
}

// A lifted is the point of an x-only key with an even y, if there is one.
type lifted struct {
	point point.Affine
	ok    bool
}

// newFinder returns a finder for a copy of the outputs of a transaction.
func newFinder(labels *labelSet, outputs [][32]byte) *finder {
	outputs = slices.Clone(outputs)
	f := &finder{labels: labels, outputs: outputs, first: make(map[[32]byte]int, len(outputs))}
	for i := len(outputs) - 1; i >= 0; i-- {
		f.first[outputs[i]] = i
	}
	delete(f.first, [32]byte{}) // no point has x = 0, and a sum that is infinity has these coordinates
	return f
}

// lookup returns the index of the first output with the x coordinate of p, or -1.
func (f *finder) lookup(p *point.Affine) int {
	var key [32]byte
	p.X.PutBytes(&key)
	if i, ok := f.first[key]; ok {
		return i
	}
	return -1
}

// find returns the index of the first output that is p = P_k or P_k + L for the point L of a label,
// or -1. label is the label's index, or -1 for P_k.
func (f *finder) find(p *point.Affine) (output, label int) {
	output, label = f.lookup(p), -1
	// Add each label to P_k, or subtract P_k from each output, whichever takes less work.
	var o, l int
	if len(f.labels.points) <= 2*len(f.outputs) {
		o, l = f.addLabels(p)
	} else {
		o, l = f.subtract(p)
	}
	if o >= 0 && (output < 0 || o < output) {
		return o, l
	}
	return output, label
}

// addLabels looks up p + L among the outputs, for the point L of every label.
func (f *finder) addLabels(p *point.Affine) (output, label int) {
	output, label = -1, -1
	for l, sum := range f.labels.addTo(p) {
		if o := f.lookup(&sum); o >= 0 && (output < 0 || o < output) {
			output, label = o, l
		}
	}
	return output, label
}

// subtract looks up Q - p and -Q - p among the labels, for the point Q of every output. Both are
// necessary, because an x-only key does not tell the sign of Q.
func (f *finder) subtract(p *point.Affine) (output, label int) {
	f.lift()
	var minus point.Jacobian
	minus.SetAffine(new(point.Affine).Neg(p))
	var indices []int
	var sums []point.Jacobian
	for i := range f.lifted {
		if !f.lifted[i].ok {
			continue
		}
		q := f.lifted[i].point
		for range 2 {
			var sum point.Jacobian
			sum.AddMixedVartime(&minus, &q)
			indices, sums = append(indices, i), append(sums, sum)
			q.Neg(&q)
		}
	}
	differences := make([]point.Affine, len(sums))
	point.BatchToAffineVartime(differences, sums)
	for i := range differences {
		if l, ok := f.labels.index[compress(&differences[i])]; ok {
			return indices[i], l
		}
	}
	return -1, -1
}

// lift computes the points of the outputs, unless this was done before.
func (f *finder) lift() {
	if f.lifted != nil {
		return
	}
	f.lifted = make([]lifted, len(f.outputs))
	for i := range f.outputs {
		inField, onCurve := f.lifted[i].point.LiftXBytesVartime(&f.outputs[i], 0)
		f.lifted[i].ok = inField && onCurve
	}
}
