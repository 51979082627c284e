package commandtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// A BombFolder creates a Bitcoin Core data folder, one block at a time.
type BombFolder struct {
	clitest.Feed
	t        *testing.T
	Dir      string
	n        int // number of file pairs
	Blk, Rev *os.File
	Tip      chainhash.Hash
	height   int
}

// NewBombFolder returns a folder with the genesis block of regtest.
func NewBombFolder(t *testing.T) *BombFolder {
	genesis := chaincfg.RegressionNetParams.GenesisBlock
	b := &BombFolder{Feed: clitest.Feed{Short: !clitest.Deep()}, t: t, Dir: t.TempDir(),
		Tip: genesis.BlockHash()}
	b.Pair()
	b.Blk.WriteString(b.Record(string(Serialize(genesis))))
	return b
}

// Pair begins the next pair of blk*.dat and rev*.dat files.
func (b *BombFolder) Pair() {
	for kind, f := range map[string]**os.File{"blk": &b.Blk, "rev": &b.Rev} {
		file := clitest.Must(os.Create(filepath.Join(b.Dir, fmt.Sprintf("%s%05d.dat", kind, b.n))))
		b.t.Cleanup(func() { file.Close() })
		*f = file
	}
	b.n++
}

// Record returns data as a record of a blk*.dat or rev*.dat file.
func (b *BombFolder) Record(data string) string {
	return string(bitcointest.Record(RegtestMagic, []byte(data)))
}

// Add appends a block with the transactions txs. The argument undo is the undo record of this
// block.
func (b *BombFolder) Add(undo string, txs ...string) {
	b.height++
	raw, hash := Block(b.Tip, uint32(b.height), append([]string{Coinbase(b.height)}, txs...)...)
	b.append(undo, raw, hash)
}

// Mined appends a valid block with the transactions txs, and the block's undo record.
func (b *BombFolder) Mined(undo string, txs ...*wire.MsgTx) {
	b.height++
	m := Mine(b.Tip, RegtestTime, append([]*wire.MsgTx{CoinbaseTx(int32(b.height))}, txs...)...)
	b.append(undo, string(Serialize(m)), m.BlockHash())
}

func (b *BombFolder) append(undo, raw string, hash chainhash.Hash) {
	b.Blk.WriteString(b.Record(raw))
	b.Rev.WriteString(b.Record(undo))
	b.Rev.Write(chainhash.DoubleHashB(append(b.Tip[:], undo...)))
	b.Tip = hash
}

// UndoOf returns the undo record of a block whose transactions have the given numbers of inputs.
// Each input spends an output with the given script, which must be in the encoding of undo records.
func UndoOf(script string, inputs ...int) string {
	out := bitcointest.Size(len(inputs))
	for _, n := range inputs {
		out = slices.Concat(out, bitcointest.Size(n),
			[]byte(strings.Repeat("\x00\x01"+script, n))) // height 0, 1 satoshi
	}
	return string(out)
}

// RawScript returns a script of n bytes, almost all OP_NOPs, in the encoding of undo records.
func RawScript(n int) string {
	return string(bitcointest.VarInt(uint64(n+6))) + strings.Repeat("\x61", n-1) + "\x51"
}
