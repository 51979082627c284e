//go:build linux && !race

package commandtest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/btcsuite/btcd/chaincfg/v2"

	"github.com/btcsuite/btcd/wire/v2"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// A BombFolder creates a Bitcoin Core data folder, one block at a time.
type BombFolder struct {
	clitest.Feed
	t        *testing.T
	Dir      string
	n        int // number of file pairs
	Blk, Rev *bufio.Writer
	Close    func()
	Tip      chainhash.Hash
	height   int
}

// NewBombFolder returns a folder with the genesis block of regtest.
func NewBombFolder(t *testing.T) *BombFolder {
	b := &BombFolder{Feed: clitest.Feed{Short: !clitest.Deep()}, t: t, Dir: t.TempDir(),
		Close: func() {}}
	b.Pair()
	genesis := chaincfg.RegressionNetParams.GenesisBlock
	b.Tip = genesis.BlockHash()
	b.Blk.WriteString(b.Record(string(Serialize(genesis))))
	return b
}

// Pair begins the next pair of blk*.dat and rev*.dat files.
func (b *BombFolder) Pair() {
	b.Close()
	var all []*os.File
	var out [2]*bufio.Writer
	for i, kind := range []string{"blk", "rev"} {
		name := filepath.Join(b.Dir, kind+string(append([]byte("0000"), byte('0'+b.n)))+".dat")
		f, err := os.Create(name)
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, f)
		out[i] = bufio.NewWriter(f)
	}
	b.Blk, b.Rev = out[0], out[1]
	b.n++
	b.Close = func() {
		for i := range all {
			if err := out[i].Flush(); err != nil {
				b.t.Fatal(err)
			}
			all[i].Close()
		}
	}
}

// Record returns data as a record of a blk*.dat or rev*.dat file.
func (b *BombFolder) Record(data string) string {
	return "\xfa\xbf\xb5\xda" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + data
}

// Add appends a block with the transactions txs. The argument undo is the undo record of this
// block.
func (b *BombFolder) Add(undo string, txs ...string) {
	b.height++
	raw, hash := Block(b.Tip, uint32(b.height), append([]string{Coinbase(b.height)}, txs...)...)
	b.Blk.WriteString(b.Record(raw))
	b.undo(undo, b.Tip)
	b.Tip = hash
}

func (b *BombFolder) undo(undo string, prev chainhash.Hash) {
	b.Rev.WriteString(b.Record(undo))
	b.Rev.Write(chainhash.DoubleHashB(append(prev[:], undo...)))
}

// UndoOf returns the undo record of a block whose transactions have the given numbers of inputs.
// Each input spends an output with the given script, which must be in the encoding of undo records.
func UndoOf(script string, inputs ...int) string {
	var out bytes.Buffer
	wire.WriteVarInt(&out, 0, uint64(len(inputs)))
	for _, n := range inputs {
		wire.WriteVarInt(&out, 0, uint64(n))
		out.WriteString(strings.Repeat("\x00\x01"+script, n)) // height 0, 1 satoshi
	}
	return out.String()
}

// RawScript returns a script of n bytes, almost all OP_NOPs, in the encoding of undo records: the
// script's length, then its bytes.
func RawScript(n int) string {
	digits := []byte{byte((n + 6) & 0x7f)}
	for v := (n + 6) >> 7; v > 0; v >>= 7 {
		v--
		digits = append([]byte{byte(v&0x7f) | 0x80}, digits...)
	}
	return string(digits) + strings.Repeat("\x61", n-1) + "\x51"
}

// Mined appends a valid block with the transactions txs, and the block's undo record.
func (b *BombFolder) Mined(undo string, txs ...*wire.MsgTx) {
	b.height++
	m := Mine(b.Tip, RegtestTime, append([]*wire.MsgTx{CoinbaseTx(int32(b.height))}, txs...)...)
	b.Blk.WriteString(b.Record(string(Serialize(m))))
	b.undo(undo, b.Tip)
	b.Tip = m.BlockHash()
}
