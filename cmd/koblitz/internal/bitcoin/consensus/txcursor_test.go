package consensus

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// sameAsAlone checks that a TxCursor returns the same transactions and errors for block b as
// wireform.ParseTx does for one transaction after another, and that the ids are btcd's.
func sameAsAlone(t *testing.T, name string, b []byte) {
	t.Helper()
	var got, want Body
	txs := ReadBlock(b, &got)
	alone := wireform.Cursor{Data: b, At: wireform.HeaderSize}
	for i, n := 0, alone.Transactions(); i < n; i++ {
		at := alone.At
		tx, id := wireform.ParseTx(&alone)
		read := txs.Next()
		if alone.Err != nil {
			if read != nil || txs.Err == nil || *txs.Err != *alone.Err {
				t.Errorf("%s: transaction %d: %v, want %v", name, i, txs.Err, alone.Err)
			}
			return
		}
		if read == nil {
			t.Fatalf("%s: no transaction %d: %v", name, i, txs.Err)
		}
		want.add(tx, id, tx.WitnessHash())
		if read.ID != tx.TxHash() || id != read.ID || read.WID != tx.WitnessHash() ||
			read.At.Begin != at || read.At.End != alone.At || len(read.Tx.TxIn) != len(tx.TxIn) {
			t.Errorf("%s: transaction %d is %v, %v at %d … %d", name, i, read.ID, read.WID,
				read.At.Begin, read.At.End)
		}
	}
	if alone.Err != nil {
		if txs.Err == nil || *txs.Err != *alone.Err {
			t.Errorf("%s: %v, want %v", name, txs.Err, alone.Err)
		}
		return
	}
	if read := txs.Next(); read != nil || txs.Err != nil || txs.At != alone.At {
		t.Errorf("%s: %v and %v behind the end, at %d of %d", name, read, txs.Err, txs.At, alone.At)
	}
	if !slices.Equal(got.ids, want.ids) || !slices.Equal(got.wids, want.wids) ||
		got.witness != want.witness || got.later != want.later {
		t.Errorf("%s: the bodies differ", name)
	}
}

// TestTxCursor checks that TxCursor reads the same transactions and errors as the parser of single
// transactions. It reads blocks of mainnet and of tests, whole and truncated, with transactions of
// every size.
func TestTxCursor(t *testing.T) {
	block := bitcointest.Unpack(t, sample.Block)
	sameAsAlone(t, "sample", block)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n := wireform.HeaderSize + r.IntN(len(block)-wireform.HeaderSize)
		sameAsAlone(t, "cut off", block[:n])
		changed := bytes.Clone(block)
		changed[n] ^= 1 << r.IntN(8)
		sameAsAlone(t, "changed", changed)
	}
	for _, n := range []int{1, maxParsed - 1, maxParsed, maxParsed + 1, 3 * maxParsed} {
		txs := make([]*wire.MsgTx, n)
		for i := range txs {
			txs[i] = bitcointest.Sized(1+r.IntN(20), 1+r.IntN(20), r.IntN(2)*r.IntN(100))
		}
		sameAsAlone(t, "many", block80(t, txs))
		txs[n/2] = bitcointest.Sized(1+maxParsedBytes/41, 1, 1)
		sameAsAlone(t, "a long one with a witness", block80(t, txs))
		txs[n/2] = bitcointest.Sized(1+maxParsedBytes/41, 1, 0)
		sameAsAlone(t, "a long one without", block80(t, txs))
		txs[n-1] = bitcointest.Sized(1, 1, wireform.MaxWitnessItems)
		sameAsAlone(t, "a long witness", block80(t, txs))
		sameAsAlone(t, "the last one has no outputs", append(block80(t, txs[:n-1]), 1, 0, 0, 0, 0))
	}
	sameAsAlone(t, "no transaction", block80(t, nil))
}

// TestTxCursorLetsGo checks that a TxCursor drops its reference to each transaction that it has
// returned, except the last, even if it parsed many ahead. The test has long transactions at
// various positions, because the cursor stops parsing ahead after a long transaction.
func TestTxCursorLetsGo(t *testing.T) {
	var txs []*wire.MsgTx
	for _, short := range []int{maxParsed - 1, 20, 5, 0, 1} {
		for range short {
			txs = append(txs, bitcointest.Sized(1, 1, 0))
		}
		txs = append(txs, bitcointest.Sized(1+maxParsedBytes/41, 1, 1))
	}
	c := ReadBlock(block80(t, txs), new(Body))
	for n := 1; c.Next() != nil; n++ {
		held := 0
		for i := range c.room {
			if c.room[i].Tx != nil {
				held++
			}
		}
		if want := len(c.Body.ids) - n + 1; held != want {
			t.Fatalf("%d of %d are given out, and %d are held, want %d", n, len(txs), held, want)
		}
	}
	if c.Err != nil || len(c.Body.ids) != len(txs) || c.given != nil {
		t.Errorf("%v after %d of %d", c.Err, len(c.Body.ids), len(txs))
	}
}

// block80 returns the given transactions as a block with a header of 80 zero bytes.
func block80(t *testing.T, txs []*wire.MsgTx) []byte {
	b := wireform.AppendCompactSize(make([]byte, wireform.HeaderSize), uint64(len(txs)))
	for _, tx := range txs {
		b = append(b, bitcointest.Serialized(t, tx)...)
	}
	return b
}
