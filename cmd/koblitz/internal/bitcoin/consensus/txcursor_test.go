package consensus

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// sameAsAlone checks that a TxCursor returns the same transactions and errors for block b as a
// Cursor does for one transaction after another, with btcd's ids, and keeps no reference to them.
func sameAsAlone(t *testing.T, name string, b []byte) {
	t.Helper()
	var want Body
	txs, ids := ReadBlock(b), ReadBlock(b)
	ids.IDsOnly = true
	alone := wireform.Cursor{Data: b, At: wireform.HeaderSize}
	for i, n := 0, alone.Transactions(); i < n; i++ {
		tx, at := alone.Transaction()
		ahead := txs.parsed
		read, ok := txs.Next()
		if alone.Err != nil || !ok {
			break
		}
		want = append(want, NewBodyTx(tx, tx.TxHash(), tx.WitnessHash(), i == 0))
		if read.ID != tx.TxHash() || read.WID != tx.WitnessHash() || read.At != at ||
			len(read.Tx.TxIn) != len(tx.TxIn) || len(ahead) > 0 && ahead[0].Tx != nil {
			t.Errorf("%s: transaction %d is %v, %v at %v", name, i, read.ID, read.WID, read.At)
		}
		if short, _ := ids.Next(); short.ID != read.ID || short.WID != read.ID {
			t.Errorf("%s: transaction %d is %v, %v by ids only", name, i, short.ID, short.WID)
		}
	}
	if alone.Err == nil && alone.At < len(b) {
		alone.Fail("%d bytes after the block's last transaction", len(b)-alone.At)
	}
	_, more := txs.Next()
	if more || txs.At != alone.At || !reflect.DeepEqual(txs.Err, alone.Err) {
		t.Errorf("%s: %t, %v at %d, want %v at %d", name, more, txs.Err, txs.At, alone.Err, alone.At)
	}
	if alone.Err == nil && !reflect.DeepEqual(txs.Body, want) {
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

// block80 returns the given transactions as a block with a header of 80 zero bytes.
func block80(t *testing.T, txs []*wire.MsgTx) []byte {
	b := append(make([]byte, wireform.HeaderSize), bitcointest.Size(len(txs))...)
	for _, tx := range txs {
		b = append(b, bitcointest.Serialized(t, tx)...)
	}
	return b
}
