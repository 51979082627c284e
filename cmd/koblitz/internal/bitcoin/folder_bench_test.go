package bitcoin

import (
	"context"
	"iter"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	keybatch "github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check/ratio"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// benchNode writes a node's folder with blocks that resemble those of today. Each transaction has
// two inputs and two outputs. Half of the inputs are P2WPKH, a quarter P2PKH and a quarter P2TR.
func benchNode(b *testing.B, blocks, txs int) string {
	var kinds [4]spend
	for _, sp := range spends() {
		switch sp.name {
		case "P2WPKH, compressed":
			kinds[0], kinds[1] = sp, sp
		case "P2PKH, compressed":
			kinds[2] = sp
		case "P2TR, hash type 00":
			kinds[3] = sp
		}
	}
	n := newTestNode(consensus.Regtest.Magic())
	n.add(genesis())
	fund := funding(nil, 1)
	for range blocks * txs / 2 {
		for _, k := range kinds {
			fund.AddTxOut(wire.NewTxOut(1e8, k.script))
		}
	}
	first, prev := blockOf(consensus.Regtest.Genesis(), 1700000000, fund)
	n.add(first)
	next := 1
	from := fund.TxHash()
	for h := range blocks {
		all := []*wire.MsgTx{funding(nil, int32(h+2))}
		for range txs {
			tx := &wire.MsgTx{Version: 2}
			s := &signer{tx: tx}
			for range 2 {
				tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: from, Index: uint32(next)}})
				s.out = append(s.out, fund.TxOut[next])
				next++
				tx.AddTxOut(wire.NewTxOut(1e7, pkh(compressed(next%50))))
			}
			for s.i = range 2 {
				k := kinds[(next-2+s.i-1)%4]
				tx.TxIn[s.i].SignatureScript, tx.TxIn[s.i].Witness = k.sign(s)
			}
			all = append(all, tx)
		}
		var raw []byte
		raw, prev = blockOf(prev, uint32(1700000001+h), all...)
		n.add(raw)
	}
	return n.write(b)
}

// quiet is a check.Reporter that prints nothing.
type quiet struct {
	check.Reporter
	b *testing.B
}

func (q quiet) Failure(f *check.Failure)                         { q.b.Errorf("%v", f) }
func (q quiet) Unreadable(err error)                             { q.b.Error(err) }
func (q quiet) Fault(err error)                                  { q.b.Error(err) }
func (quiet) Progress(*check.Totals, int64)                      {}
func (quiet) Reached(context.Context, *check.Totals, check.Mark) {}

// BenchmarkFolder compares the time to read and check a node's folder with the time to verify the
// same rows with package batch. Both use two workers.
func BenchmarkFolder(b *testing.B) {
	dir := benchNode(b, 8, 1500)
	d, err := OpenDirectory(dir, ample())
	if err != nil {
		b.Fatal(err)
	}
	inputs := func() iter.Seq2[rows.Reader, error] {
		return func(yield func(rows.Reader, error) bool) {
			for _, f := range d.Inputs() {
				if !yield(f.Open(0, nil), nil) {
					return
				}
			}
		}
	}
	var hashes, keys, sigs, messages, xonly, schnorr []byte
	for r := range inputs() {
		for {
			bt, err := r.Next()
			if err != nil {
				break
			}
			bt.Expand(func(u *rows.Unit) {
				s := &u.Signatures[0]
				if u.Scheme == rows.Schnorr {
					messages, xonly = append(messages, s.Digest[:]...), append(xonly, u.Keys[0]...)
					schnorr = append(schnorr, s.Sig...)
					return
				}
				sig, err := ecdsa.ParseDER(s.Sig)
				if err != nil {
					b.Fatal(err)
				}
				hashes, keys = append(hashes, s.Digest[:]...), append(keys, u.Keys[0]...)
				sigs = sig.AppendBytes(sigs)
			})
		}
		r.Close()
	}
	n := len(hashes)/32 + len(messages)/32
	alone := func() {
		v := make([]keybatch.Verdict, len(hashes)/32)
		ok, err := keybatch.ECDSARows{Hashes: keybatch.Packed(hashes, 32),
			Keys:       keybatch.EncodedKeys(keybatch.Packed(keys, 33)),
			Signatures: keybatch.Packed(sigs, 64), S: keybatch.AnyS}.Verify(b.Context(), v,
			&keybatch.Options{Workers: 2})
		if err != nil || ok != len(v) {
			b.Fatal(ok, err)
		}
		v = make([]keybatch.Verdict, len(messages)/32)
		ok, err = keybatch.SchnorrRows{Messages: keybatch.Packed(messages, 32),
			Keys:       keybatch.EncodedKeys(keybatch.Packed(xonly, 32)),
			Signatures: keybatch.Packed(schnorr, 64)}.Verify(b.Context(), v, &keybatch.Options{Workers: 2})
		if err != nil || ok != len(v) {
			b.Fatal(ok, err)
		}
	}
	ratio.Compare(b, n, alone, func() {
		t := check.Run(b.Context(), check.Config{Workers: 2, MaxFailures: -1}, inputs(), quiet{b: b})
		if t.Valid != int64(n) {
			b.Fatalf("%+v", t)
		}
	})
}
