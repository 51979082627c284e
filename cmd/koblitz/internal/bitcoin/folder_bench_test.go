package bitcoin

import (
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify/verifytest"
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

// BenchmarkFolder measures the time per row of package verify for a node's folder.
func BenchmarkFolder(b *testing.B) {
	d := must(OpenDirectory(benchNode(b, 8, 1500)))
	verifytest.Benchmark(b, nil, func(reading.Source) reading.Reader {
		return d.Inputs()[0].Open(0, nil)
	})
}
