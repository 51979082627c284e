package silentpay

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/batch"
)

// TestInfinity scans for receivers whose spend key was made for the transaction's tweak, so that
// the point P_k is infinity for one k, or its sum with the point of a label. Infinity matches no
// output, not even one of 32 zeros, and one such receiver is no error for others.
func TestInfinity(t *testing.T) {
	p := curve.ScalarMult(big.NewInt(7), curve.G)
	tweak := number(t, 7).PublicKey()
	other := wallet{scan: big.NewInt(8), spend: big.NewInt(9)}
	for _, test := range []struct {
		name  string
		k     uint32
		label int64
		found int
	}{
		{"P_0", 0, -1, 0},
		{"P_0 with a label", 0, 1, 0},
		{"P_1", 1, -1, 1},
		{"P_1 with a label", 1, 1, 1},
	} {
		for _, labels := range [][]uint32{{1}, manyLabels()} {
			w := wallet{scan: big.NewInt(5), labels: labels}
			w.spend = w.privateTweak(p, test.k, test.label)
			w.spend.Sub(curve.Order, w.spend)
			outputs := [][32]byte{{}, other.output(p, 0, -1)}
			if test.found > 0 {
				outputs = append(outputs, w.output(p, 0, -1))
			}
			r := w.receiver(t)
			matches, err := r.Scan(tweak, outputs)
			if len(matches) != test.found || err != nil {
				t.Errorf("%s, %d labels: Receiver: %d matches, error %v", test.name, len(labels),
					len(matches), err)
			}
			s, err := NewScanner(r, other.receiver(t))
			if err != nil {
				t.Fatal(err)
			}
			verdicts := make([]batch.Verdict, 1)
			found, err := s.Scan(context.Background(), Transactions{Tweaks: tweak.Bytes(),
				Outputs: slices.Concat(sliced(outputs)...), Ends: []int{len(outputs)}}, verdicts, nil)
			if len(found) != test.found+1 || err != nil || verdicts[0] != batch.Valid {
				t.Errorf("%s, %d labels: Scanner: %d payments, %v, error %v", test.name, len(labels),
					len(found), verdicts[0], err)
			}
		}
	}
}

// manyLabels returns so many labels that outputs are compared by subtraction.
func manyLabels() (labels []uint32) {
	for m := range uint32(40) {
		labels = append(labels, m)
	}
	return labels
}

func sliced(keys [][32]byte) (all [][]byte) {
	for i := range keys {
		all = append(all, keys[i][:])
	}
	return all
}

// TestTransactionsOverflow checks that a number of transactions whose tweaks have 2^32 + 29 bytes
// does not fit 29 bytes where an int has 32 bits.
func TestTransactionsOverflow(t *testing.T) {
	x := Transactions{Tweaks: make([]byte, 29)}
	err := x.check((1<<32 + 29) / tweakSize)
	if err == nil || !strings.Contains(err.Error(), "Tweaks: 29 bytes") {
		t.Errorf("error %v", err)
	}
}

// TestScanManyOutputs scans one transaction with many outputs for a receiver with many labels. Its
// last two outputs pay the receiver.
func TestScanManyOutputs(t *testing.T) {
	w := wallet{scan: big.NewInt(5), spend: big.NewInt(6)}
	for m := range uint32(1000) {
		w.labels = append(w.labels, m)
	}
	p := curve.ScalarMult(big.NewInt(7), curve.G)
	outputs := make([][32]byte, 1000)
	for i := range outputs {
		outputs[i] = [32]byte(bytes32(big.NewInt(int64(i))))
	}
	outputs = append(outputs, w.output(p, 1, -1), w.output(p, 0, 999))
	s, err := NewScanner(w.receiver(t))
	if err != nil {
		t.Fatal(err)
	}
	tweak := number(t, 7).PublicKey()
	verdicts := make([]batch.Verdict, 1)
	found, err := s.Scan(context.Background(), Transactions{Tweaks: tweak.Bytes(),
		Outputs: slices.Concat(sliced(outputs)...), Ends: []int{len(outputs)}}, verdicts, nil)
	if err != nil || len(found) != 2 || found[0].Label != 999 || found[1].Output != 1000 {
		t.Errorf("%d payments, error %v", len(found), err)
	}
}
