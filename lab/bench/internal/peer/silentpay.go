package peer

import (
	"encoding/binary"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A scanning describes a family of operations that scan transactions for silent payments (BIP-352).
// A row is a transaction with two taproot outputs. Its tweak point, input_hash·A in the
// specification, is encoded in 33 bytes, and its outputs in 32 bytes each.
type scanning struct {
	family string
	label  bool   // the wallet has the label for change (m = 0)
	paid   bool   // one in paidRows transactions pays to the wallet
	parsed bool   // outputs are parsed before the measurement by the peers that can do so
	note   string // the note in the report on scans by koblitz
}

var scans = [...]scanning{
	{family: "silentpay-scan", note: "looks for change too"},
	{family: "silentpay-scan-parsed", parsed: true, note: "looks for change too"},
	{family: "silentpay-scan-paid", paid: true, note: "looks for change too"},
	{family: "silentpay-scan-label", label: true},
	{family: "silentpay-scan-label-paid", label: true, paid: true},
}

// paidRows is the number of transactions in which one pays to the wallet.
const paidRows = 100

// A wallet has the keys for which the transactions are scanned, and makes the payments to them by
// the formulas of BIP-352.
type wallet struct {
	secret     []byte       // scan secret
	spend      []byte       // spend key, 33 bytes
	label      []byte       // change label as a point, 33 bytes
	labelTweak []byte       // change label as a scalar
	b          group.Scalar // scan secret
}

func newWallet(in *Inputs) *wallet {
	w := &wallet{secret: in.rows[0].Secret, spend: in.rows[1].Key, b: in.rows[0].scalar}
	w.labelTweak = bytes32(schnorr.TaggedHash("BIP0352/Label", w.secret, make([]byte, 4)))
	w.label = private(w.labelTweak).PublicKey().Bytes()
	return w
}

// payment returns the x coordinate of the first payment in a transaction with the given tweak
// point, to the address for change or to the other address.
func (w *wallet) payment(point []byte, change bool) []byte {
	var p group.Point
	must(p.SetBytes(point))
	shared := binary.BigEndian.AppendUint32(p.ScalarMult(&w.b, &p).Bytes(), 0)
	tweak := schnorr.TaggedHash("BIP0352/SharedSecret", shared)
	key := must(public(w.spend).TweakAdd(tweak[:]))
	if change {
		key = must(key.TweakAdd(w.labelTweak))
	}
	return key.XOnlyPublicKey().Bytes()
}

// outputs returns the outputs of the transactions in rows, 64 bytes each. If a transaction pays to
// the wallet, the other output is of another owner. If the wallet has a label, half of the payments
// are change.
func (w *wallet) outputs(rows []*Row, c scanning) [][]byte {
	return each(rows, func(r *Row) []byte {
		outputs := slices.Concat(r.Next.XOnly, r.Next.Next.XOnly)
		if payment := r.Index / paidRows; c.paid && r.Index%paidRows == 0 {
			copy(outputs[32*(payment%2):], w.payment(r.Key, c.label && payment/2%2 == 0))
		}
		return outputs
	})
}

// receiver returns koblitz's receiver with the keys of w. It always looks for change.
func (w *wallet) receiver() *silentpay.Receiver {
	key := must(silentpay.NewScanKey(private(w.secret)))
	return must(silentpay.NewReceiver(key, public(w.spend)))
}

// found returns the payments in the outputs of a transaction: their number, and for each the
// output's 32 bytes, 1 if it is change or else 0, and the 32 bytes of the tweak that spends it.
func found(matches []silentpay.Match, outputs []byte) []byte {
	b := []byte{byte(len(matches))}
	for _, m := range matches {
		b = append(b, outputs[32*m.Output:][:32]...)
		change := byte(0)
		if m.Labeled {
			change = 1
		}
		b = append(append(b, change), m.Tweak.Bytes()...)
	}
	return b
}

// scanOne returns the operation that scans one transaction with koblitz.
func (w *wallet) scanOne(c scanning) op[*Row] {
	receiver := w.receiver()
	return func(rows []*Row) Driver {
		all := w.outputs(rows, c)
		outputs := each(all, func(b []byte) [][32]byte {
			return [][32]byte{[32]byte(b), [32]byte(b[32:])}
		})
		scan := func(i int) []silentpay.Match {
			return must(receiver.Scan(public(rows[i].Key), outputs[i]))
		}
		return Driver{Timing: Constant, Note: c.note, Do: func(i int) { scan(i) },
			Out: func(i int) []byte { return found(scan(i), all[i]) }}
	}
}

// scanTogether adds to d the drivers that scan many transactions in one call of koblitz.
func (in *Inputs) scanTogether(d map[string]Driver, c scanning) {
	scanner := must(silentpay.NewScanner(in.wallet.receiver()))
	o := &batch.SecretOptions{Workers: 1}
	in.addBatches(d, c.family, Constant, func(rows []*Row) together {
		outputs := in.wallet.outputs(rows, c)
		t := silentpay.Transactions{Outputs: slices.Concat(outputs...)}
		for i, r := range rows {
			t.Tweaks, t.Ends = append(t.Tweaks, r.Key...), append(t.Ends, 2*(i+1))
		}
		var payments []silentpay.Found
		verdicts := make([]batch.Verdict, len(rows))
		return together{note: c.note, call: func() (int, error) {
			var err error
			payments, err = scanner.Scan(ctx, t, verdicts, o)
			return len(rows), err
		}, results: func() (results [][]byte) {
			matches := make([][]silentpay.Match, len(rows))
			for _, f := range payments {
				matches[f.Transaction] = append(matches[f.Transaction], f.Match)
			}
			for i, v := range verdicts {
				accept((v == batch.Valid) == (len(matches[i]) > 0) && v != batch.Malformed)
				results = append(results, found(matches[i], outputs[i]))
			}
			return results
		}}
	})
}
