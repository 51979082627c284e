package bitcoin

import (
	"context"
	"iter"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// benchNode writes a node's folder with blocks that resemble those of today. Each transaction has
// two inputs and two outputs. Half of the inputs are P2WPKH, a quarter P2PKH and a quarter P2TR.
func benchNode(b *testing.B, blocks, txs int) string {
	kinds := spendsOf("P2WPKH, compressed", "P2WPKH, compressed", "P2PKH, compressed",
		"P2TR, hash type 00")
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

// quiet is a verify.Reporter that prints nothing.
type quiet struct {
	verify.Reporter
	b *testing.B
}

func (q quiet) List(r *verify.Row)                                 { q.b.Errorf("%v", r) }
func (q quiet) Unreadable(err error)                               { q.b.Error(err) }
func (q quiet) Fault(err error)                                    { q.b.Error(err) }
func (quiet) Progress(*verify.Counts, int64)                       {}
func (quiet) Reached(context.Context, *verify.Counts, verify.Mark) {}

// BenchmarkFolder measures the time per row of package verify for a node's folder, with two
// workers.
func BenchmarkFolder(b *testing.B) {
	dir := benchNode(b, 8, 1500)
	d, err := OpenDirectory(dir)
	if err != nil {
		b.Fatal(err)
	}
	inputs := func() iter.Seq2[reading.Reader, error] {
		return func(yield func(reading.Reader, error) bool) {
			for _, f := range d.Inputs() {
				if !yield(f.Open(0, nil), nil) {
					return
				}
			}
		}
	}
	n := int64(0)
	for b.Loop() {
		t := verify.Run(b.Context(), verify.Config{Workers: 2}, inputs(), quiet{b: b})
		if n += t.Valid; t.Valid == 0 || t.Valid != t.Rows() {
			b.Fatalf("%+v", t)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/row")
}
