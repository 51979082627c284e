package peer

import (
	"encoding/binary"
	"slices"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/group"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// The operations of the family silentpay-scan scan transactions for silent payments (BIP-352). A
// row is a transaction with two taproot outputs. Its tweak point, input_hash·A in the
// specification, is encoded in 33 bytes, and its outputs in 32 bytes each. One transaction in
// paidRows pays to the wallet, which owns the secret of the first row and the spend key of the
// second.
const paidRows = 512

// lookedFor is the note in the report on scans by koblitz.
const lookedFor = "looks for change too"

// outputs returns the outputs of the transaction in a row, 64 bytes.
func (in *Inputs) outputs(r *Row) []byte {
	outputs := slices.Concat(r.Next.XOnly, r.Next.Next.XOnly)
	if r.Index%paidRows == 0 { // the first output for k = 0, by the formulas of BIP-352
		var p group.Point
		must(p.SetBytes(r.Key))
		secret := groupScalar(in.rows[0].Secret)
		shared := binary.BigEndian.AppendUint32(p.ScalarMult(&secret, &p).Bytes(), 0)
		tweak := schnorr.TaggedHash("BIP0352/SharedSecret", shared)
		copy(outputs, must(in.rows[1].public.TweakAdd(tweak[:])).XOnlyPublicKey().Bytes())
	}
	return outputs
}

func (in *Inputs) receiver() *silentpay.Receiver {
	key := must(silentpay.NewScanKey(in.rows[0].private))
	return must(silentpay.NewReceiver(key, in.rows[1].public))
}

// found returns the payments in the outputs of a transaction: their number, and for each the
// output's 32 bytes and the 32 bytes of the tweak that spends it.
func found(matches []silentpay.Match, outputs []byte) []byte {
	b := []byte{byte(len(matches))}
	for _, m := range matches {
		b = append(append(b, outputs[32*m.Output:][:32]...), m.Tweak.Bytes()...)
	}
	return b
}

// scanOne returns the operation that scans one transaction with koblitz.
func (in *Inputs) scanOne() op[*Row] {
	receiver := in.receiver()
	return func(rows []*Row) Driver {
		all := each(rows, in.outputs)
		outputs := each(all, func(b []byte) [][32]byte {
			return [][32]byte{[32]byte(b), [32]byte(b[32:])}
		})
		scan := func(i int) []silentpay.Match {
			return must(receiver.Scan(public(rows[i].Key), outputs[i]))
		}
		return Driver{Note: lookedFor, Do: func(i int) { scan(i) },
			Out: func(i int) []byte { return found(scan(i), all[i]) }}
	}
}

// scanTogether returns the call of koblitz that scans many transactions.
func (in *Inputs) scanTogether(workers int) preparation {
	scanner := must(silentpay.NewScanner(in.receiver()))
	o := &batch.SecretOptions{Workers: workers}
	return preparation{"silentpay-scan", func(rows []*Row) together {
		outputs := each(rows, in.outputs)
		t := silentpay.Transactions{Outputs: slices.Concat(outputs...)}
		for i, r := range rows {
			t.Tweaks, t.Ends = append(t.Tweaks, r.Key...), append(t.Ends, 2*(i+1))
		}
		var payments []silentpay.Found
		verdicts := make([]batch.Verdict, len(rows))
		return together{note: lookedFor, call: func() (int, error) {
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
	}}
}
