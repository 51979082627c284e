// Package commandtest makes inputs for tests of several subcommands: blocks, nodes, rows and
// tables.
package commandtest

//ci:untested The tests of subcommands use it.

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// RegtestTime is the time of a block on regtest.
const RegtestTime = 1700000000

// RegtestMagic precedes each block of regtest in a blk*.dat file.
var RegtestMagic = [4]byte{0xfa, 0xbf, 0xb5, 0xda}

// CoinbaseTx returns a coinbase transaction that contains the height (BIP 34).
func CoinbaseTx(height int32, outs ...*wire.TxOut) *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	script := clitest.Must(txscript.NewScriptBuilder().AddInt64(int64(height)).AddOp(0).Script())
	tx.AddTxIn(wire.NewTxIn(&wire.OutPoint{Index: 1<<32 - 1}, script, nil))
	tx.TxOut = outs
	return tx
}

// Mine returns a block of txs. The block has a witness commitment (BIP 141) if a transaction has a
// witness, and a nonce that meets regtest's target.
func Mine(prev chainhash.Hash, when uint32, txs ...*wire.MsgTx) *wire.MsgBlock {
	if slices.ContainsFunc(txs, (*wire.MsgTx).HasWitness) {
		txs[0].TxIn[0].Witness = wire.TxWitness{make([]byte, 32)}
		wids := []chainhash.Hash{{}}
		for _, tx := range txs[1:] {
			wids = append(wids, tx.WitnessHash())
		}
		root, _ := consensus.MerkleRoot(wids)
		sum := chainhash.DoubleHashB(append(root[:], make([]byte, 32)...))
		txs[0].AddTxOut(wire.NewTxOut(0, append([]byte("\x6a\x24\xaa\x21\xa9\xed"), sum...)))
	}
	var ids []chainhash.Hash
	for _, tx := range txs {
		ids = append(ids, tx.TxHash())
	}
	root, _ := consensus.MerkleRoot(ids)
	b := &wire.MsgBlock{Header: wire.BlockHeader{Version: 1 << 29, PrevBlock: prev, Bits: 0x207fffff,
		MerkleRoot: root, Timestamp: time.Unix(int64(when), 0)}, Transactions: txs}
	work(b)
	return b
}

// work sets a nonce that meets regtest's target, as half of all nonces do.
func work(b *wire.MsgBlock) {
	for h := b.BlockHash(); h[31] >= 0x7f; h = b.BlockHash() {
		b.Header.Nonce++
	}
}

// Serialize returns an encoded block.
func Serialize(b *wire.MsgBlock) []byte {
	var buf bytes.Buffer // writing to it cannot fail
	b.Serialize(&buf)
	return buf.Bytes()
}

// WireTx returns an encoded Bitcoin transaction.
func WireTx(ins []*wire.TxIn, outs []*wire.TxOut) string {
	var b strings.Builder // writing to it cannot fail
	(&wire.MsgTx{Version: 2, TxIn: ins, TxOut: outs}).Serialize(&b)
	return b.String()
}

// TxInput returns a Bitcoin transaction input with a witness of n empty items.
func TxInput(index uint32, n int) *wire.TxIn {
	return &wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{1}, Index: index},
		Witness: make(wire.TxWitness, n)}
}

// TxInputs returns n Bitcoin transaction inputs that spend the same output.
func TxInputs(n int, from wire.OutPoint) (ins []*wire.TxIn) {
	for range n {
		ins = append(ins, &wire.TxIn{PreviousOutPoint: from})
	}
	return ins
}

// TxOutputs returns n Bitcoin transaction outputs with the given script.
func TxOutputs(n int, script []byte) (outs []*wire.TxOut) {
	for range n {
		outs = append(outs, &wire.TxOut{PkScript: script})
	}
	return outs
}

// Coinbase returns an encoded Coinbase transaction whose script contains the height.
func Coinbase(height int, outs ...*wire.TxOut) string {
	return WireTx(CoinbaseTx(int32(height)).TxIn, append(outs, &wire.TxOut{}))
}

// Block returns a regtest block on top of the block prev. Its header does not commit to the
// transactions, so check reports the block as malformed, but only after it has checked all of its
// signatures.
func Block(prev chainhash.Hash, nonce uint32, txs ...string) (b string, hash chainhash.Hash) {
	m := wire.MsgBlock{Header: wire.BlockHeader{Version: 4, PrevBlock: prev, Bits: 0x207fffff,
		Nonce: nonce << 8, Timestamp: time.Unix(RegtestTime, 0)}}
	work(&m)
	header := Serialize(&m)[:80]
	return string(header) + string(bitcointest.Size(len(txs))) + strings.Join(txs, ""), m.BlockHash()
}
