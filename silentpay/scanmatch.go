//ct:public takes tweaks, and points that are in addresses or outputs

package silentpay

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/koblitz-go/koblitz/internal/point"
	"github.com/koblitz-go/koblitz/internal/vartime/lanewise"
)

// This file holds the data of Scanner.Scan that are public, and the steps on them.

// tweakSize is the size of a public tweak, a compressed point, in bytes.
const tweakSize = 33

var (
	errNoReceivers = errors.New("silentpay: a scanner without receivers")
	errUnchecked   = errors.New("silentpay: Unchecked: a scanner signs nothing")
)

// Transactions holds the transactions that a [Scanner] scans.
type Transactions struct {
	// Tweaks holds the public tweak of each transaction, 33 bytes, one after the other, as
	// PublicTweak returns it.
	Tweaks []byte

	// Outputs holds the x-only keys of the transactions' taproot outputs, 32 bytes each: those of
	// the first transaction, then those of the second, and so on. Ends[i] is the number of outputs
	// of transactions 0 to i.
	Outputs []byte
	Ends    []int
}

// check returns an error if the fields do not describe the given number of transactions.
func (t *Transactions) check(rows int) error {
	switch {
	case len(t.Tweaks)%tweakSize != 0 || len(t.Tweaks)/tweakSize != rows:
		return fmt.Errorf("silentpay: Tweaks: %d bytes, want %d times %d, the number of verdicts",
			len(t.Tweaks), tweakSize, rows)
	case len(t.Ends) != rows:
		return fmt.Errorf("silentpay: Ends: %d numbers, want %d, the number of verdicts",
			len(t.Ends), rows)
	}
	last := 0
	for i, end := range t.Ends {
		if end < last {
			return fmt.Errorf("silentpay: Ends: number %d is %d, less than the number before it", i, end)
		}
		last = end
	}
	if len(t.Outputs)%32 != 0 || len(t.Outputs)/32 != last {
		return fmt.Errorf("silentpay: Outputs: %d bytes, want 32 times %d, the last of Ends",
			len(t.Outputs), last)
	}
	return nil
}

// outputs returns the output keys of transaction i.
func (t *Transactions) outputs(i int) []byte {
	begin := 0
	if i > 0 {
		begin = t.Ends[i-1]
	}
	return t.Outputs[32*begin : 32*t.Ends[i]]
}

// decode sets w.tweaks to the tweaks in packed, and w.ok to whether each is a point. G stands for a
// tweak that is not.
func (w *scanWorker) decode(packed []byte) {
	n := len(packed) / tweakSize
	lanewise.Decode(w.tweaks[:n], w.ok, func(i int) []byte { return packed[tweakSize*i:][:tweakSize] })
}

// match sets w.hit for the transactions from lo to hi with an output P_0, or P_0 + L for the point
// L of a label.
func (c *scan) match(w *scanWorker, labels *labelSet, lo, hi int) {
	n := hi - lo
	w.compare(c, w.p[:n], lo)
	outputs := c.t.Ends[hi-1]
	if lo > 0 {
		outputs -= c.t.Ends[lo-1]
	}
	if subtracts(len(labels.points), n, outputs) {
		w.subtract(c, labels, lo, hi)
		return
	}
	for i := range labels.points {
		w.many.Add(w.sum[:n], w.p[:n], labels.points[i:i+1])
		w.compare(c, w.sum[:n], lo)
	}
}

// subtracts reports whether it takes less work to subtract each P_0 from the outputs of its
// transaction than to add each label to each P_0 and compare. An addition takes about as long as 64
// comparisons.
func subtracts(labels, transactions, outputs int) bool {
	return int64(labels)*int64(transactions+outputs/64) > 2*int64(outputs) // may overflow 32 bits
}

// compare sets w.hit for the transactions from number lo that have the x coordinate of their point
// among their outputs.
func (w *scanWorker) compare(c *scan, p []point.Affine, lo int) {
	for i := range p {
		var key [32]byte
		p[i].X.PutBytes(&key)
		for outputs := c.t.outputs(lo + i); len(outputs) > 0; outputs = outputs[32:] {
			if bytes.Equal(outputs[:32], key[:]) {
				w.hit[i] = true
			}
		}
	}
}

// subtract sets w.hit for the transactions from lo to hi with an output Q such that Q − P_0 or −Q −
// P_0 is the point of a label. It takes at most as many outputs at a time as w has rows.
func (w *scanWorker) subtract(c *scan, labels *labelSet, lo, hi int) {
	var row []int // the transaction of each point, counted from lo
	var q []point.Affine
	for i := range hi - lo {
		for packed := c.t.outputs(lo + i); len(packed) > 0; packed = packed[32:] {
			var x point.Affine
			if !x.X.SetBytes((*[32]byte)(packed)).Bool() {
				continue
			}
			row, q = append(row, i), append(q, x)
			if len(q) == len(w.sum) {
				w.subtractFrom(q, row, labels)
				row, q = row[:0], q[:0]
			}
		}
	}
	w.subtractFrom(q, row, labels)
}

// subtractFrom does the work of subtract for outputs with the x coordinates of q, which it
// overwrites. row has the transaction of each.
func (w *scanWorker) subtractFrom(q []point.Affine, row []int, labels *labelSet) {
	n := len(q)
	minus, sum := make([]point.Affine, n), w.sum[:n]
	onCurve := make([]bool, n)
	lanewise.LiftX(q, make([]bool, n), onCurve)
	for i := range q {
		if !onCurve[i] {
			q[i].SetGenerator()
		}
		minus[i].Neg(&w.p[row[i]])
	}
	for range 2 {
		w.many.Add(sum, q, minus)
		for i := range sum {
			if _, ok := labels.index[compress(&sum[i])]; ok && onCurve[i] {
				w.hit[row[i]] = true
			}
			q[i].Neg(&q[i])
		}
	}
}
