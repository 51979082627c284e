//ct:public takes points that are in addresses or outputs

package silentpay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/internal/keys"
	"github.com/koblitz-go/koblitz/internal/point"
)

// changeLabel is the label m = 0 of the receiver's own change.
const changeLabel = 0

// A labelSet holds the labels of a receiver. It does not change after set.
type labelSet struct {
	numbers []uint32       // increasing; the first is the change label
	points  []point.Affine // point i is hash(b_scan ‖ numbers[i])·G, normalized
	index   map[[33]byte]int
}

// set sets l to labels with these numbers and points.
func (l *labelSet) set(numbers []uint32, points []point.Affine) {
	*l = labelSet{numbers, points, make(map[[33]byte]int, len(points))}
	for i := range points {
		l.index[compress(&points[i])] = i
	}
}

// addTo returns the points p + L for the point L of every label. Coordinates are (0, 0) if the sum
// is infinity.
func (l *labelSet) addTo(p *point.Affine) []point.Affine {
	var base point.Jacobian
	base.SetAffine(p)
	sums := make([]point.Jacobian, len(l.points))
	for i := range l.points {
		sums[i].AddMixedVartime(&base, &l.points[i])
	}
	affine := make([]point.Affine, len(sums))
	point.BatchToAffineVartime(affine, sums)
	return affine
}

// candidates returns the output keys of p = P_k, without a label and with each.
func (l *labelSet) candidates(p *point.Affine) []Candidate {
	all := make([]Candidate, 1, 1+len(l.points))
	p.X.PutBytes(&all[0].Key)
	for i, sum := range l.addTo(p) {
		c := Candidate{Labeled: true, Label: l.numbers[i]}
		sum.X.PutBytes(&c.Key)
		all = append(all, c)
	}
	return all
}

// Address returns the receiver's address without a label. There is an error if r is nil or a zero
// value, if the scan key is zeroized, or if the network is none of the constants.
func (r *Receiver) Address(network Network) (*Address, error) {
	if r == nil {
		return nil, koblitz.ErrZeroKey
	}
	return NewAddress(network, r.scan.PublicKey(), (*koblitz.PublicKey)(&r.spend))
}

// LabeledAddress returns the receiver's address with label m. There is an error if m is 0, which is
// the label of change, or if m is not among the labels of NewReceiver, because the receiver would
// not find a payment. There is also an error in the cases of [Receiver.Address].
func (r *Receiver) LabeledAddress(network Network, m uint32) (*Address, error) {
	if m == changeLabel {
		return nil, errors.New("silentpay: label 0 is for change: use ChangeAddress")
	}
	return r.labeledAddress(network, m)
}

// ChangeAddress returns the receiver's address with label 0, to which the receiver sends its own
// change. Never give it to another person, whose payments would look like change. There is an error
// in the cases of [Receiver.Address].
func (r *Receiver) ChangeAddress(network Network) (*Address, error) {
	return r.labeledAddress(network, changeLabel)
}

func (r *Receiver) labeledAddress(network Network, m uint32) (*Address, error) {
	if r == nil || r.spend.Affine() == nil {
		return nil, koblitz.ErrZeroKey
	}
	i, found := slices.BinarySearch(r.labels.numbers, m)
	if !found {
		return nil, fmt.Errorf("silentpay: label %d: not among the receiver's labels", m)
	}
	var sum point.Jacobian
	sum.SetAffine(r.spend.Affine())
	sum.AddMixedVartime(&sum, &r.labels.points[i])
	var a point.Affine
	if !a.SetJacobianVartime(&sum) { // about once in 2^256 times
		return nil, errInfinity
	}
	spend := new(koblitz.PublicKey)
	(*keys.Public)(spend).SetAffine(&a)
	return NewAddress(network, r.scan.PublicKey(), spend)
}
