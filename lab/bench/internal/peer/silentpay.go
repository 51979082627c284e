package peer

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// The families of operations that scan transactions for silent payments (BIP-352). A row is a
// transaction with two taproot outputs. Its tweak point, input_hash·A in the specification, is
// encoded in 33 bytes, and its outputs in 32 bytes each. In the family scanParsed, outputs are
// parsed before the measurement by the peers that can do so.
const (
	scan          = "silentpay-scan"
	scanParsed    = "silentpay-scan-parsed"
	scanPaid      = "silentpay-scan-paid"
	scanLabel     = "silentpay-scan-label"
	scanLabelPaid = "silentpay-scan-label-paid"
)

// A scanning describes a family of scans.
type scanning struct {
	family string
	label  bool // the wallet has the label for change (m = 0)
	paid   bool // one in paidRows transactions pays to the wallet
	parsed bool // outputs are parsed before the measurement, where that is possible
}

var scans = [...]scanning{
	{family: scan},
	{family: scanParsed, parsed: true},
	{family: scanPaid, paid: true},
	{family: scanLabel, label: true},
	{family: scanLabelPaid, label: true, paid: true},
}

// paidRows is the number of transactions in which one pays to the wallet.
const paidRows = 100

// A wallet scans for silent payments by the formulas of BIP-352, with operations of package group.
// The results of all peers are compared with its results. The drivers of koblitz do not use it:
// they call package silentpay.
type wallet struct {
	secret      []byte       // scan secret
	spend       []byte       // spend key, 33 bytes
	label       []byte       // change label as a point, 33 bytes
	labelTweak  []byte       // change label as a scalar
	b           group.Scalar // scan secret
	spendPoint  group.Point
	changePoint group.Point // spend key of the address for change
}

func newWallet(in *Inputs) *wallet {
	w := &wallet{secret: in.Secret[0], spend: in.Key[1]}
	must(w.b.SetBytes(w.secret))
	must(w.spendPoint.SetBytes(w.spend))
	w.labelTweak = bytes32(schnorr.TaggedHash("BIP0352/Label", w.secret, make([]byte, 4)))
	w.label = plus(new(group.Point), w.labelTweak).Bytes()
	w.changePoint = *plus(&w.spendPoint, w.labelTweak)
	return w
}

// tweaks returns a function that returns the tweak t_k of the k-th payment in a transaction.
func (w *wallet) tweaks(point []byte) func(k int) []byte {
	var p group.Point
	must(p.SetBytes(point))
	shared := p.ScalarMult(&w.b, &p).Bytes()
	return func(k int) []byte {
		index := binary.BigEndian.AppendUint32(nil, uint32(k))
		return bytes32(schnorr.TaggedHash("BIP0352/SharedSecret", shared, index))
	}
}

// plus returns spend + tweak·G.
func plus(spend *group.Point, tweak []byte) *group.Point {
	var t group.Scalar
	var p group.Point
	return p.Add(spend, p.ScalarBaseMult(must(t.SetBytes(tweak))))
}

// outputs returns the outputs of the transaction in row i, 64 bytes. If it pays to the wallet, the
// other output is of another owner. If the wallet has a label, half of the payments are change.
func (w *wallet) outputs(m *ManyRows, s scanning, i int) []byte {
	outputs := slices.Concat(m.XOnly[(i+1)%len(m.XOnly)], m.XOnly[(i+2)%len(m.XOnly)])
	if s.paid && i%paidRows == 0 {
		spend, payment := &w.spendPoint, i/paidRows
		if s.label && payment/2%2 == 0 {
			spend = &w.changePoint
		}
		copy(outputs[32*(payment%2):], plus(spend, w.tweaks(m.Key[i])(0)).Bytes()[1:])
	}
	return outputs
}

// scan returns the payments in a transaction's outputs: their number, and for each the output's 32
// bytes, 1 if it is change or else 0, and the 32 bytes of the tweak that spends it.
func (w *wallet) scan(point, outputs []byte, label bool) []byte {
	found, tweaks := []byte{0}, w.tweaks(point)
	for range len(outputs) / 32 {
		tweak := tweaks(int(found[0]))
		payment := w.find(tweak, outputs, label)
		if payment == nil {
			break
		}
		found[0]++
		found = append(found, payment...)
	}
	return found
}

// find returns the first payment with the given tweak, encoded as in the result of scan, or nil.
func (w *wallet) find(tweak, outputs []byte, label bool) []byte {
	p := plus(&w.spendPoint, tweak)
	for x := range slices.Chunk(outputs, 32) {
		if bytes.Equal(p.Bytes()[1:], x) {
			return slices.Concat(x, []byte{0}, tweak)
		}
		for _, sign := range []byte{2, 3} {
			var o group.Point
			must(o.SetBytes(slices.Concat([]byte{sign}, x)))
			if label && bytes.Equal(o.Sub(&o, p).Bytes(), w.label) {
				var sum, l group.Scalar
				must(sum.SetBytes(tweak))
				must(l.SetBytes(w.labelTweak))
				return slices.Concat(x, []byte{1}, sum.Add(&sum, &l).Bytes())
			}
		}
	}
	return nil
}

// receiver returns koblitz's receiver with the keys of w. It always looks for change.
func (w *wallet) receiver() *silentpay.Receiver {
	key := must(silentpay.NewScanKey(must(koblitz.ParsePrivateKey(w.secret))))
	return must(silentpay.NewReceiver(key, must(koblitz.ParsePublicKey(w.spend))))
}

// always is the note in the report on scans by koblitz for a wallet without a label.
const always = "looks for change too"

func (s scanning) note(note string) string {
	if s.label {
		return note
	}
	return strings.TrimPrefix(note+", "+always, ", ")
}

// found returns koblitz's matches in the outputs of a transaction, encoded as in the result of
// [wallet.scan].
func found(matches []silentpay.Match, outputs []byte) []byte {
	b := []byte{byte(len(matches))}
	for _, m := range matches {
		b = append(b, outputs[32*m.Output:][:32]...)
		b = append(b, verdict(m.Labeled)...)
		b = append(b, m.Tweak.Bytes()...)
	}
	return b
}

// scan returns a function that makes the driver for scans of n transactions in one call.
func (b *batches) scan(in *Inputs, s scanning) func(n int) Driver {
	all := in.wallet.allOutputs(in, s)
	scanner := must(silentpay.NewScanner(in.wallet.receiver()))
	return func(n int) Driver {
		t := silentpay.Transactions{Tweaks: b.key[:33*n], Outputs: slices.Concat(all[:n]...)}
		for i := range n {
			t.Ends = append(t.Ends, 2*(i+1))
		}
		var last []silentpay.Found
		return stores(Constant, func(int) {
			last = must(scanner.Scan(context.Background(), t, b.verdicts[:n], secretsOnOneThread))
		}, func() (result []byte) {
			for i, v := range b.verdicts[:n] {
				var matches []silentpay.Match
				for _, f := range last {
					if f.Transaction == i {
						matches = append(matches, f.Match)
					}
				}
				accept(v == batch.Valid && len(matches) > 0 || v == batch.Invalid && len(matches) == 0)
				result = append(result, found(matches, all[i])...)
			}
			return result
		}).noted(s.note(""))
	}
}

// scanRows adds to d the drivers that scan one transaction after another with koblitz's function
// for one transaction.
func scanRows(in *Inputs, d map[string]Driver) {
	receiver := in.wallet.receiver()
	for _, s := range scans {
		all := in.wallet.allOutputs(in, s)
		var outputs [][][32]byte
		for _, o := range all {
			outputs = append(outputs, [][32]byte{[32]byte(o), [32]byte(o[32:])})
		}
		var matches []silentpay.Match
		var row int
		constantRows(in, d, s.family, s.note("one by one"), func(i int) {
			row = i
			matches = must(receiver.Scan(must(koblitz.ParsePublicKey(in.Many.Key[i])), outputs[i]))
		}, func() []byte { return found(matches, all[row]) })
	}
}

// allOutputs returns the outputs of all rows.
func (w *wallet) allOutputs(in *Inputs, s scanning) [][]byte {
	all := make([][]byte, min(len(in.Many.Key), largest(s.family)))
	for i := range all {
		all[i] = w.outputs(&in.Many, s, i)
	}
	return all
}
