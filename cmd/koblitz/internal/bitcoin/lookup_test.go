package bitcoin

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// paying returns a transaction with the given number of outputs, all with the same script. n makes
// the transaction's id unique.
func paying(n int, script []byte, outputs int) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 2, LockTime: uint32(n)}
	tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{9}}})
	for i := range outputs {
		tx.AddTxOut(wire.NewTxOut(int64(1000*n+i), script))
	}
	return tx
}

// spending returns an unsigned transaction that spends outs.
func spending(outs ...wire.OutPoint) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 2}
	for _, o := range outs {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: o})
	}
	tx.AddTxOut(wire.NewTxOut(5, []byte{0x51}))
	return tx
}

// TestSpentBy checks that SpentBy finds all outputs that a block spends: one or two outputs of each
// of 40 earlier transactions, and one output of the block itself.
func TestSpentBy(t *testing.T) {
	before := map[chainhash.Hash][]byte{}
	var outs []wire.OutPoint
	var want []prevouts.Output
	for n := range 40 {
		tx := paying(n, []byte{0x51, byte(n)}, 3)
		before[tx.TxHash()] = bitcointest.Serialized(t, tx)
		for _, k := range []uint32{2, 0}[:1+n%2] {
			outs = append(outs, wire.OutPoint{Hash: tx.TxHash(), Index: k})
			want = append(want, prevouts.Output{Amount: int64(1000*n + int(k)), Script: []byte{0x51,
				byte(n)}})
		}
	}
	first := spending(outs...)
	second := spending(wire.OutPoint{Hash: first.TxHash()})
	want = append(want, prevouts.Output{Amount: 5, Script: []byte{0x51}})
	block, hash := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 9), first, second)
	calls, asked := 0, map[chainhash.Hash]int{}
	ask := func(ids []chainhash.Hash) (txs [][]byte, err error) {
		if calls++; len(ids) > prevouts.LookupAtOnce {
			t.Errorf("%d at once", len(ids))
		}
		for _, id := range ids {
			asked[id]++
			txs = append(txs, before[id])
		}
		return txs, nil
	}
	s, err := prevouts.SpentBy("node", block, 9, consensus.Regtest, ask)
	if err != nil {
		t.Fatal(err)
	}
	same := slices.EqualFunc(s.Outputs, want, func(a, b prevouts.Output) bool {
		return a.Amount == b.Amount && bytes.Equal(a.Script, b.Script)
	})
	if !same || s.Block != hash || s.Height != 9 || s.Name != "node" || len(asked) != 40 ||
		calls != 3 {
		t.Errorf("%+v after %d calls for %d; want %+v", s, calls, len(asked), want)
	}
	for id, n := range asked {
		if n != 1 {
			t.Errorf("%v is asked for %d times", id, n)
		}
	}

	// If the lookup fails, or returns another transaction than the requested one, SpentBy must
	// return an error.
	id := outs[0].Hash
	good, other := before[id], before[outs[1].Hash]
	for _, c := range []struct {
		tx   []byte
		text string
	}{
		{other, "node: transaction " + id.String() + ": the answer hashes to " +
			outs[1].Hash.String()},
		{append(bytes.Clone(good), 0), "1 bytes after its end"},
		{good[:len(good)-1], "byte 80: ends in the middle of a transaction's lock time"},
		{nil, "byte 0: ends in the middle"},
	} {
		before[id] = c.tx
		if _, err := prevouts.SpentBy("node", block, 9, consensus.Regtest, ask); err == nil ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%v; want %s", err, c.text)
		}
	}
	failed := errors.New("failed")
	if _, err := prevouts.SpentBy("node", block, 9, consensus.Regtest,
		func([]chainhash.Hash) ([][]byte, error) {
			return nil, failed
		}); err != failed {
		t.Error(err)
	}
}

// TestSpentByRefused checks that SpentBy returns an error for a block that cannot be parsed or does
// not fit its network or height, without looking up any transaction. It also checks that SpentBy
// returns an error for a block that spends a missing or unspendable output, or too many long
// scripts.
func TestSpentByRefused(t *testing.T) {
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 9),
		spending(wire.OutPoint{Hash: chainhash.Hash{7}}))
	changed := bytes.Clone(block)
	changed[len(changed)-1] ^= 1 // changes the lock time of the last transaction
	mainnet := bytes.Clone(block)
	for _, c := range []struct {
		n      consensus.Network
		block  []byte
		height int32
		text   string
	}{
		{consensus.Regtest, block[:79], 9, "ends in the middle of the header"},
		{consensus.Regtest, block[:81], 9, "byte 81: transaction 0 of 2: ends in the middle"},
		{consensus.Regtest, block[:80], 9, "ends in the middle of the number of transactions"},
		{consensus.Regtest, append(bytes.Clone(block), 0), 9, "1 bytes after its last transaction"},
		{consensus.Regtest, changed, 9, "do not hash to its header's Merkle root"},
		{consensus.Regtest, block, 8, "its height is 8, and its coinbase says 9"},
		{consensus.Mainnet, mainnet, 9, "is not one of mainnet"},
	} {
		_, err := prevouts.SpentBy("node", c.block, c.height, c.n, func([]chainhash.Hash) ([][]byte,
			error) {
			t.Errorf("%s: a transaction is asked for", c.text)
			return nil, errors.New("asked")
		})
		if err == nil || !strings.Contains(err.Error(), "node: the serialized block: ") ||
			!strings.Contains(err.Error(), c.text) {
			t.Errorf("%v; want %s", err, c.text)
		}
	}

	long := bytes.Repeat([]byte{0x51}, txscript.MaxScriptSize)
	negative := paying(0, long, 1)
	negative.TxOut[0].Value = -1
	for _, c := range []struct {
		tx    *wire.MsgTx
		index uint32
		times int
		text  string
	}{
		{paying(0, long, 1), 1, 1, "it has no output 1, which the block spends"},
		{paying(0, long, 1), 1<<32 - 1, 1, "it has no output 4294967295"},
		{paying(0, append(long, 0), 1), 0, 1, "script of 10001 bytes can never be spent"},
		{negative, 0, 1, "an output of -1 satoshi"},
		{paying(0, long, 1), 0, wireform.MaxSpentScripts/txscript.MaxScriptSize + 1,
			"more than 8388608 bytes"},
		{paying(0, long, 1), 0, wireform.MaxSpentScripts / txscript.MaxScriptSize, ""},
	} {
		outs := slices.Repeat([]wire.OutPoint{{Hash: c.tx.TxHash(), Index: c.index}}, c.times)
		block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 9), spending(outs...))
		s, err := prevouts.SpentBy("node", block, 9, consensus.Regtest, func([]chainhash.Hash) ([][]byte,
			error) {
			return [][]byte{bitcointest.Serialized(t, c.tx)}, nil
		})
		switch {
		case c.text == "" && (err != nil || len(s.Outputs) != c.times):
			t.Errorf("%v", err)
		case c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)):
			t.Errorf("%v; want %s", err, c.text)
		}
	}
}
