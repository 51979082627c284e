//go:build linux && !race

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// A bombFolder creates a Bitcoin Core data folder, one block at a time.
type bombFolder struct {
	clitest.Feed
	t        *testing.T
	dir      string
	n        int // number of file pairs
	blk, rev *bufio.Writer
	close    func()
	tip      chainhash.Hash
	height   int
}

func newBombFolder(t *testing.T) *bombFolder {
	b := &bombFolder{Feed: clitest.Feed{Short: !clitest.Deep()}, t: t, dir: t.TempDir(),
		close: func() {}}
	b.file()
	genesis := chaincfg.RegressionNetParams.GenesisBlock
	b.tip = genesis.BlockHash()
	b.blk.WriteString(b.record(string(serialize(genesis))))
	return b
}

// file begins the next pair of blk*.dat and rev*.dat files.
func (b *bombFolder) file() {
	b.close()
	var all []*os.File
	var out [2]*bufio.Writer
	for i, kind := range []string{"blk", "rev"} {
		name := filepath.Join(b.dir, kind+string(append([]byte("0000"), byte('0'+b.n)))+".dat")
		f, err := os.Create(name)
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, f)
		out[i] = bufio.NewWriter(f)
	}
	b.blk, b.rev = out[0], out[1]
	b.n++
	b.close = func() {
		for i := range all {
			if err := out[i].Flush(); err != nil {
				b.t.Fatal(err)
			}
			all[i].Close()
		}
	}
}

func (b *bombFolder) record(data string) string {
	return "\xfa\xbf\xb5\xda" + string(binary.LittleEndian.AppendUint32(nil, uint32(len(data)))) + data
}

// add appends a block with the transactions txs. The argument undo is the undo record of this
// block.
func (b *bombFolder) add(undo string, txs ...string) {
	b.height++
	raw, hash := block(b.tip, uint32(b.height), append([]string{coinbase(b.height)}, txs...)...)
	b.blk.WriteString(b.record(raw))
	b.undo(undo, b.tip)
	b.tip = hash
}

func (b *bombFolder) undo(undo string, prev chainhash.Hash) {
	b.rev.WriteString(b.record(undo))
	b.rev.Write(chainhash.DoubleHashB(append(prev[:], undo...)))
}

// undoOf returns the undo record of a block whose transactions have the given numbers of inputs.
// Each input spends an output with the given script, which must be in the encoding of undo records.
func undoOf(script string, inputs ...int) string {
	var out bytes.Buffer
	wire.WriteVarInt(&out, 0, uint64(len(inputs)))
	for _, n := range inputs {
		wire.WriteVarInt(&out, 0, uint64(n))
		out.WriteString(strings.Repeat("\x00\x01"+script, n)) // height 0, 1 satoshi
	}
	return out.String()
}

// rawScript returns a script of n bytes, almost all OP_NOPs, in the encoding of undo records: the
// script's length, then its bytes.
func rawScript(n int) string {
	digits := []byte{byte((n + 6) & 0x7f)}
	for v := (n + 6) >> 7; v > 0; v >>= 7 {
		v--
		digits = append([]byte{byte(v&0x7f) | 0x80}, digits...)
	}
	return string(digits) + strings.Repeat("\x61", n-1) + "\x51"
}

// bombInputs returns a transaction with n inputs. All inputs spend outputs of a transaction that
// does not exist.
func bombInputs(n int) string {
	return wireTx(txInputs(n, wire.OutPoint{Hash: chainhash.Hash{1}}), txOutputs(1, nil))
}

func TestMemoryOfFolders(t *testing.T) {
	clitest.DeepOnly(t, "it feeds processes what takes memory")
	var keys []byte
	for i := byte(1); len(keys) < 33; i++ {
		k, _ := btcec.PrivKeyFromBytes(bytes.Repeat([]byte{i}, 32))
		keys = append([]byte{4}, k.PubKey().SerializeCompressed()[1:]...)
	}
	for _, test := range []struct {
		name   string
		write  func(b *bombFolder)
		status int
		words  string // words expected in the report, separated by |
	}{
		{"small blocks", func(b *bombFolder) {
			for i := range b.Size(1 << 17) {
				if i%(1<<15) == 1<<15-1 {
					b.file()
				}
				b.add("\x00")
			}
		}, cli.ExitInvalid, "malformed      "},
		{"copies", func(b *bombFolder) {
			raw, _ := block(b.tip, 1, coinbase(1), bombInputs(1))
			b.blk.WriteString(strings.Repeat(b.record(raw), b.Size(1<<17)))
		}, cli.ExitInvalid, "malformed      "},
		{"more records than a file may have", func(b *bombFolder) {
			b.add(undoOf(rawScript(1), 1), bombInputs(1))
			for range 1<<20 + 10 {
				b.rev.WriteString(b.record("\x00"))
				b.rev.WriteString(strings.Repeat("\x01", 32))
			}
		}, cli.ExitInvalid, "more than 1048576 records"},
		{"long scripts", func(b *bombFolder) {
			undo := undoOf(rawScript(600), 12000, 12000)
			for range b.Size(4) {
				b.add(undo, bombInputs(12000), bombInputs(12000))
			}
		}, cli.ExitInvalid, "invalid "},
		{"too long a record", func(b *bombFolder) {
			b.add(undoOf(rawScript(800), 12000, 12000), bombInputs(12000), bombInputs(12000))
		}, cli.ExitInvalid, "rev00000.dat: at byte 0: a record of 19"},
		{"scripts that are too long for a transaction", func(b *bombFolder) {
			undo := undoOf(rawScript(600), 24000)
			for range b.Size(4) {
				b.add(undo, bombInputs(24000))
			}
		}, cli.ExitInvalid, "more than the 8388608 that are kept"},
		{"keys to decompress", func(b *bombFolder) {
			undo := undoOf(string(keys), 24000)
			for range b.Size(4) {
				b.add(undo, bombInputs(24000))
			}
		}, cli.ExitInvalid, "not checkable "},
		{"a key that is not on the curve", func(b *bombFolder) {
			b.add(undoOf("\x04"+strings.Repeat("\xff", 32), 1), bombInputs(1))
		}, cli.ExitInvalid, "a spent output has a key that is not on the curve"},
		{"witness items", func(b *bombFolder) {
			tx := wireTx([]*wire.TxIn{txInput(0, 1<<19)}, nil)
			for range b.Size(4) {
				b.add(undoOf(rawScript(1), 1, 1, 1, 1, 1, 1, 1), tx, tx, tx, tx, tx, tx, tx)
			}
		}, cli.ExitInvalid, "malformed "},
		{"blocks without parents", func(b *bombFolder) {
			for i := range 40000 {
				raw, _ := block(chainhash.Hash{1, byte(i), byte(i >> 8)}, 1, coinbase(1))
				b.blk.WriteString(b.record(raw))
			}
		}, cli.ExitUnreadable, "32768 blocks before it have no parent before them"},
		{"claimed lengths", func(b *bombFolder) {
			b.add(undoOf(rawScript(1), 1), bombInputs(1))
			b.rev.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
			b.blk.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
		}, cli.ExitInvalid, "blk00000.dat: at byte "},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBombFolder(t)
			test.write(b)
			b.close()
			clitest.Explode(t, nil, test.status, test.words, "check", b.dir)
		})
	}
}
