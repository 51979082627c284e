package bitcoin

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// sameAsAlone compares what a txCursor reads of a block's transactions, the errors too, with what
// parseTx does one by one, and the ids with the library's.
func sameAsAlone(t *testing.T, name string, b []byte) {
	t.Helper()
	var got, want body
	txs := txCursor{cursor: cursor{b: b, i: headerSize}, body: &got}
	alone := cursor{b: b, i: headerSize}
	txs.left = txs.transactions()
	for i, n := 0, alone.transactions(); i < n; i++ {
		at := alone.i
		tx, id := parseTx(&alone)
		read := txs.next()
		if alone.err != nil {
			if read != nil || txs.err == nil || *txs.err != *alone.err {
				t.Errorf("%s: transaction %d: %v, want %v", name, i, txs.err, alone.err)
			}
			return
		}
		if read == nil {
			t.Fatalf("%s: no transaction %d: %v", name, i, txs.err)
		}
		want.add(tx, id, tx.WitnessHash())
		if read.id != tx.TxHash() || id != read.id || read.wid != tx.WitnessHash() ||
			read.at.begin != at || read.at.end != alone.i || len(read.tx.TxIn) != len(tx.TxIn) {
			t.Errorf("%s: transaction %d is %v, %v at %d … %d", name, i, read.id, read.wid,
				read.at.begin, read.at.end)
		}
	}
	if alone.err != nil {
		if txs.err == nil || *txs.err != *alone.err {
			t.Errorf("%s: %v, want %v", name, txs.err, alone.err)
		}
		return
	}
	if read := txs.next(); read != nil || txs.err != nil || txs.i != alone.i {
		t.Errorf("%s: %v and %v behind the end, at %d of %d", name, read, txs.err, txs.i, alone.i)
	}
	if !slices.Equal(got.ids, want.ids) || !slices.Equal(got.wids, want.wids) ||
		got.witness != want.witness || got.later != want.later {
		t.Errorf("%s: the bodies differ", name)
	}
}

// TestTxCursor: blocks of mainnet and of tests, whole and cut off, with transactions of every size.
func TestTxCursor(t *testing.T) {
	block := unpack(t, sample.Block)
	sameAsAlone(t, "sample", block)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		n := headerSize + r.IntN(len(block)-headerSize)
		sameAsAlone(t, "cut off", block[:n])
		changed := bytes.Clone(block)
		changed[n] ^= 1 << r.IntN(8)
		sameAsAlone(t, "changed", changed)
	}
	for file := firstBlocks(t); len(file) > frameSize; {
		n := int(binary.LittleEndian.Uint32(file[4:]))
		if n == 0 {
			break // zeros fill the rest of the file
		}
		sameAsAlone(t, "first blocks", file[frameSize:][:n])
		file = file[frameSize+n:]
	}
	for _, n := range []int{1, maxParsed - 1, maxParsed, maxParsed + 1, 3 * maxParsed} {
		txs := make([]*wire.MsgTx, n)
		for i := range txs {
			txs[i] = sized(1+r.IntN(20), 1+r.IntN(20), r.IntN(2)*r.IntN(100))
		}
		sameAsAlone(t, "many", block80(t, txs))
		txs[n/2] = sized(1+maxParsedBytes/41, 1, 1)
		sameAsAlone(t, "a long one with a witness", block80(t, txs))
		txs[n/2] = sized(1+maxParsedBytes/41, 1, 0)
		sameAsAlone(t, "a long one without", block80(t, txs))
		txs[n-1] = sized(1, 1, maxWitnessItems)
		sameAsAlone(t, "a long witness", block80(t, txs))
		sameAsAlone(t, "the last one has no outputs", append(block80(t, txs[:n-1]), 1, 0, 0, 0, 0))
	}
	sameAsAlone(t, "no transaction", block80(t, nil))
}

// TestTxCursorLetsGo: a txCursor holds none of the transactions that it has given out but the last
// one, however many it has parsed at a time: a long one ends a window anywhere.
func TestTxCursorLetsGo(t *testing.T) {
	var txs []*wire.MsgTx
	for _, short := range []int{maxParsed - 1, 20, 5, 0, 1} {
		for range short {
			txs = append(txs, sized(1, 1, 0))
		}
		txs = append(txs, sized(1+maxParsedBytes/41, 1, 1))
	}
	c := txCursor{cursor: cursor{b: block80(t, txs), i: headerSize}, body: new(body)}
	c.left = c.transactions()
	for n := 1; c.next() != nil; n++ {
		held := 0
		for i := range c.room {
			if c.room[i].tx != nil {
				held++
			}
		}
		if want := len(c.body.ids) - n + 1; held != want {
			t.Fatalf("%d of %d are given out, and %d are held, want %d", n, len(txs), held, want)
		}
	}
	if c.err != nil || len(c.body.ids) != len(txs) || c.given != nil {
		t.Errorf("%v after %d of %d", c.err, len(c.body.ids), len(txs))
	}
}

// block80 is a block without a header that has transactions.
func block80(t *testing.T, txs []*wire.MsgTx) []byte {
	b := appendCompactSize(make([]byte, headerSize), uint64(len(txs)))
	for _, tx := range txs {
		b = append(b, serialized(t, tx)...)
	}
	return b
}
