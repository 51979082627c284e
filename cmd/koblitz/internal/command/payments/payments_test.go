package payments

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/silentpay"
)

// paymentSecret returns private key number n.
func paymentSecret(n byte) *koblitz.PrivateKey {
	return clitest.Must(koblitz.ParsePrivateKey(bytes.Repeat([]byte{n}, 32)))
}

// These are the secret keys of the wallet that the tests scan for, and of another wallet.
const (
	walletScan, walletSpend = 0x51, 0x52
	otherScan, otherSpend   = 0x61, 0x62
)

// walletLabels are the labels of the wallet.
var walletLabels = []uint32{1, 7}

func walletReceiver(scan, spend byte) *silentpay.Receiver {
	return clitest.Must(silentpay.NewReceiver(clitest.Must(silentpay.NewScanKey(paymentSecret(scan))),
		paymentSecret(spend).PublicKey(), walletLabels...))
}

// walletFile writes the keys file of the wallet, and returns its name.
func walletFile(t testing.TB) string {
	return write(t, "wallet.keys", fmt.Appendf(nil, "# of a test\nscan %x\nspend %x\n\nlabels 1 7\n",
		paymentSecret(walletScan).Bytes(), paymentSecret(walletSpend).PublicKey().Bytes()))
}

// An inputKind is a kind of input with one key.
type inputKind struct {
	eligible bool // for silent payments
	taproot  bool
	script   func(key *koblitz.PublicKey) []byte // the output that it spends
	sign     func(in *wire.TxIn, key *koblitz.PublicKey)
}

// inputKinds are P2PKH, P2SH-P2WPKH, P2TR by the key path, and P2WSH, which is not eligible. Their
// signatures are no signatures: nothing here verifies them. Package bitcoin has tests of all kinds.
var inputKinds = func() []inputKind {
	noSig := bytes.Repeat([]byte{0x30}, 71)
	wpkh := func(k *koblitz.PublicKey) []byte {
		return bitcointest.Script(txscript.OP_0, address.Hash160(k.Bytes()))
	}
	return []inputKind{
		{true, false, func(k *koblitz.PublicKey) []byte {
			return bitcointest.Script(txscript.OP_DUP, txscript.OP_HASH160, address.Hash160(k.Bytes()),
				txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG)
		}, func(in *wire.TxIn, k *koblitz.PublicKey) {
			in.SignatureScript = bitcointest.Script(noSig, k.Bytes())
		}},
		{true, false, func(k *koblitz.PublicKey) []byte {
			return bitcointest.Script(txscript.OP_HASH160, address.Hash160(wpkh(k)), txscript.OP_EQUAL)
		}, func(in *wire.TxIn, k *koblitz.PublicKey) {
			in.SignatureScript = bitcointest.Script(wpkh(k))
			in.Witness = wire.TxWitness{noSig, k.Bytes()}
		}},
		{true, true, func(k *koblitz.PublicKey) []byte {
			return taprootScript([32]byte(k.XOnlyPublicKey().Bytes()))
		}, func(in *wire.TxIn, _ *koblitz.PublicKey) { in.Witness = wire.TxWitness{noSig[:64]} }},
		{false, false, func(k *koblitz.PublicKey) []byte {
			sum := sha256.Sum256(k.Bytes())
			return bitcointest.Script(txscript.OP_0, sum[:])
		}, func(in *wire.TxIn, k *koblitz.PublicKey) { in.Witness = wire.TxWitness{k.Bytes()} }},
	}
}()

func taprootScript(key [32]byte) []byte { return bitcointest.Script(txscript.OP_1, key[:]) }

// A paymentChain is a chain on regtest with silent payments.
type paymentChain struct {
	blocks []*wire.MsgBlock
	coins  map[wire.OutPoint]*wire.TxOut
	next   uint32 // number of the next unspent output of block 1
	want   []foundRow
	tweaks int // number of transactions with a tweak
}

// fundKeys is the number of outputs of block 1 for each kind of input.
const fundKeys = 40

// newPaymentChain returns a chain of a genesis block and a block that funds every kind of input.
func newPaymentChain() *paymentChain {
	c := &paymentChain{blocks: []*wire.MsgBlock{chaincfg.RegressionNetParams.GenesisBlock},
		coins: map[wire.OutPoint]*wire.TxOut{}}
	var outs []*wire.TxOut
	for n := range fundKeys {
		for _, k := range inputKinds {
			outs = append(outs, wire.NewTxOut(int64(1000+n), k.script(paymentSecret(byte(1+n)).PublicKey())))
		}
	}
	c.mine(commandtest.CoinbaseTx(1, outs...))
	return c
}

// mine appends a block of the given transactions.
func (c *paymentChain) mine(txs ...*wire.MsgTx) {
	last := c.blocks[len(c.blocks)-1]
	b := commandtest.Mine(last.BlockHash(), commandtest.RegtestTime+uint32(len(c.blocks)), txs...)
	c.blocks = append(c.blocks, b)
	for _, tx := range b.Transactions {
		for i, out := range tx.TxOut {
			c.coins[wire.OutPoint{Hash: tx.TxHash(), Index: uint32(i)}] = out
		}
	}
}

// pay returns a transaction with inputs of the given kinds, which are indices in inputKinds. It
// pays to the addresses, with another output before them. If no input is eligible, the outputs are
// those of a sender with the same keys in eligible inputs, which receivers do not find.
func (c *paymentChain) pay(kinds []int, to ...*silentpay.Address) *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	var inputs []silentpay.Input
	var outpoints []silentpay.Outpoint
	eligible := false
	for _, k := range kinds {
		eligible = eligible || inputKinds[k].eligible
	}
	for _, k := range kinds {
		key := paymentSecret(byte(1 + c.next))
		at := wire.OutPoint{Hash: c.blocks[1].Transactions[0].TxHash(),
			Index: c.next*uint32(len(inputKinds)) + uint32(k)}
		c.next++
		tx.AddTxIn(wire.NewTxIn(&at, nil, nil))
		inputKinds[k].sign(tx.TxIn[len(tx.TxIn)-1], key.PublicKey())
		if inputKinds[k].eligible || !eligible {
			inputs = append(inputs, silentpay.Input{Key: key, Taproot: inputKinds[k].taproot})
		}
		outpoints = append(outpoints, silentpay.Outpoint(binary.LittleEndian.AppendUint32(at.Hash[:],
			at.Index)))
	}
	tx.AddTxOut(wire.NewTxOut(1, []byte{txscript.OP_RETURN}))
	for i, key := range clitest.Must(silentpay.Outputs(inputs, outpoints, to)) {
		tx.AddTxOut(wire.NewTxOut(int64(100+i), taprootScript(key)))
	}
	if eligible {
		c.tweaks++
	}
	return tx
}

// expect adds the output of tx, a transaction of the next block, to the payments of the wallet.
// label is below 0 for none.
func (c *paymentChain) expect(tx *wire.MsgTx, output int, label int) {
	out := tx.TxOut[output]
	r := foundRow{Height: int32(len(c.blocks)), TxID: tx.TxHash().String(), Vout: uint32(output),
		Value: out.Value, Key: hex.EncodeToString(out.PkScript[2:])}
	if label >= 0 {
		m := uint32(label)
		r.Label = &m
	}
	c.want = append(c.want, r)
}

// add appends a block with payments of every kind.
func (c *paymentChain) add() {
	wallet, other := walletReceiver(walletScan, walletSpend), walletReceiver(otherScan, otherSpend)
	plain := clitest.Must(wallet.Address(silentpay.Regtest))
	one, seven := clitest.Must(wallet.LabeledAddress(silentpay.Regtest, 1)),
		clitest.Must(wallet.LabeledAddress(silentpay.Regtest, 7))
	change := clitest.Must(wallet.ChangeAddress(silentpay.Regtest))
	stranger := clitest.Must(other.Address(silentpay.Regtest))
	txs := []*wire.MsgTx{commandtest.CoinbaseTx(int32(len(c.blocks)), wire.NewTxOut(50e8,
		taprootScript([32]byte{1})))}
	found := func(tx *wire.MsgTx, labels ...int) {
		for i, m := range labels {
			c.expect(tx, 1+i, m)
		}
		txs = append(txs, tx)
	}
	for k := range inputKinds {
		if tx := c.pay([]int{k}, plain); inputKinds[k].eligible {
			found(tx, -1)
		} else {
			found(tx)
		}
	}
	found(c.pay([]int{3, 0, 2, 3, 1}, plain, one, plain, seven, change), -1, 1, -1, 7, 0)
	found(c.pay([]int{1, 1}, stranger))
	mixed := c.pay([]int{2}, stranger, seven)
	c.expect(mixed, 2, 7)
	found(mixed)
	c.mine(txs...)
}

// folder writes the chain as a node's folder, with the blocks of others, and returns its name.
func (c *paymentChain) folder(t testing.TB, others ...*paymentChain) string {
	t.Helper()
	key := [8]byte{1, 2, 3, 0xff, 5, 6, 7, 8}
	var blk, rev []byte
	seen := map[chainhash.Hash]bool{}
	for _, chain := range append([]*paymentChain{c}, others...) {
		for _, b := range chain.blocks {
			if seen[b.BlockHash()] {
				continue
			}
			seen[b.BlockHash()] = true
			blk = append(blk, bitcointest.Record(commandtest.RegtestMagic, commandtest.Serialize(b))...)
			if b.Header.PrevBlock == (chainhash.Hash{}) {
				continue // a node writes no undo record for the genesis block
			}
			undo := chain.undo(b)
			rev = append(rev, bitcointest.Record(commandtest.RegtestMagic, undo)...)
			rev = append(rev, chainhash.DoubleHashB(append(b.Header.PrevBlock[:], undo...))...)
		}
	}
	dir := filepath.Join(t.TempDir(), "blocks")
	clitest.Must(0, os.Mkdir(dir, 0o700))
	for name, file := range map[string][]byte{"blk00000.dat": blk, "rev00000.dat": rev} {
		for i := range file {
			file[i] ^= key[i%8]
		}
		write(t, filepath.Join(dir, name), file)
	}
	write(t, filepath.Join(dir, "xor.dat"), key[:])
	return dir
}

// undo returns the undo record of block b.
func (c *paymentChain) undo(b *wire.MsgBlock) []byte {
	buf := bitcointest.Size(len(b.Transactions) - 1)
	for _, tx := range b.Transactions[1:] {
		buf = append(buf, bitcointest.Size(len(tx.TxIn))...)
		for _, in := range tx.TxIn {
			buf = append(buf, bitcointest.Coin(c.coins[in.PreviousOutPoint], 1, true)...)
		}
	}
	return buf
}

// empty appends n blocks without payments. amount tells them from those of other chains.
func (c *paymentChain) empty(n int, amount int64) {
	for range n {
		c.mine(commandtest.CoinbaseTx(int32(len(c.blocks)), wire.NewTxOut(amount, nil)))
	}
}

// tweaksFile returns the name of a new file with the tweaks of a folder.
func tweaksFile(t testing.TB, dir string, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tweaks")
	expect(t, cli.ExitOK, nil, "", append([]string{"tweaks", dir, "-o", file}, args...)...)
	return file
}
