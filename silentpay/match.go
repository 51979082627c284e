//ct:public takes points that are in addresses or outputs

package silentpay

import "github.com/koblitz-go/koblitz/internal/point"

// A finder finds the output that matches P_k, among the outputs of one transaction that did not
// match before (BIP-352, "Scanning"). All data are public.
type finder struct {
	labels  *labelSet
	outputs [][32]byte
	taken   []bool           // outputs that have matched
	left    int              // number of outputs that have not
	first   map[[32]byte]int // index of the first output with this key that is not taken
	next    []int            // index of the next output with the same key, or -1
	lifted  []lifted         // points of the outputs, or nil before they are needed
}

// A lifted is the point of an x-only key with an even y, if there is one.
type lifted struct {
	point point.Affine
	ok    bool
}

// newFinder returns a finder for all outputs.
func newFinder(labels *labelSet, outputs [][32]byte) *finder {
	n := len(outputs)
	f := &finder{
		labels: labels, outputs: outputs, taken: make([]bool, n), left: n,
		first: make(map[[32]byte]int, n), next: make([]int, n),
	}
	for i := n - 1; i >= 0; i-- {
		f.next[i] = f.lookup(&outputs[i])
		f.first[outputs[i]] = i
	}
	return f
}

// lookup returns the index of the first output with this key that is not taken, or -1.
func (f *finder) lookup(key *[32]byte) int {
	if i, ok := f.first[*key]; ok {
		return i
	}
	return -1
}

// find returns the index of the first output that is p = P_k or P_k + L for the point L of a label,
// and takes it. It returns -1 if there is none. label is the label's index, or -1.
func (f *finder) find(p *point.Affine) (output, label int) {
	var key [32]byte
	p.X.PutBytes(&key)
	output, label = f.lookup(&key), -1
	// Add each label to P_k, or subtract P_k from each output, whichever takes less work.
	var o, l int
	if len(f.labels.points) <= 2*f.left {
		o, l = f.addLabels(p)
	} else {
		o, l = f.subtract(p)
	}
	if o >= 0 && (output < 0 || o < output) {
		output, label = o, l
	}
	if output >= 0 {
		f.take(output)
	}
	return output, label
}

// take removes the output with index i, the first with its key.
func (f *finder) take(i int) {
	f.taken[i] = true
	f.left--
	if f.next[i] < 0 {
		delete(f.first, f.outputs[i])
	} else {
		f.first[f.outputs[i]] = f.next[i]
	}
}

// addLabels looks up p + L among the outputs, for the point L of every label.
func (f *finder) addLabels(p *point.Affine) (output, label int) {
	output, label = -1, -1
	for l, sum := range f.labels.addTo(p) {
		var key [32]byte
		sum.X.PutBytes(&key)
		if o := f.lookup(&key); o >= 0 && (output < 0 || o < output) {
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
		if f.taken[i] || !f.lifted[i].ok {
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
