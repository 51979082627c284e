//go:build linux && !race

package command

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// bombInputs returns a transaction with n inputs, which spend outputs that do not exist.
func bombInputs(n int) string {
	return commandtest.WireTx(commandtest.TxInputs(n, wire.OutPoint{Hash: chainhash.Hash{1}}),
		commandtest.TxOutputs(1, nil))
}

func TestMemoryOfFolders(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	var keys []byte
	for i := byte(1); len(keys) < 33; i++ {
		k, _ := btcec.PrivKeyFromBytes(bytes.Repeat([]byte{i}, 32))
		keys = append([]byte{4}, k.PubKey().SerializeCompressed()[1:]...)
	}
	for _, test := range []struct {
		name   string
		write  func(b *commandtest.BombFolder)
		status int
		words  string // words expected in the report, separated by |
	}{
		{"small blocks", func(b *commandtest.BombFolder) {
			for i := range b.Size(1 << 17) {
				if i%(1<<15) == 1<<15-1 {
					b.Pair()
				}
				b.Add("\x00")
			}
		}, cli.ExitInvalid, "malformed      "},
		{"copies", func(b *commandtest.BombFolder) {
			raw, _ := commandtest.Block(b.Tip, 1, commandtest.Coinbase(1), bombInputs(1))
			b.Blk.WriteString(strings.Repeat(b.Record(raw), b.Size(1<<17)))
		}, cli.ExitInvalid, "malformed      "},
		{"more records than a file may have", func(b *commandtest.BombFolder) {
			b.Add(commandtest.UndoOf(commandtest.RawScript(1), 1), bombInputs(1))
			for range 1<<20 + 10 {
				b.Rev.WriteString(b.Record("\x00"))
				b.Rev.WriteString(strings.Repeat("\x01", 32))
			}
		}, cli.ExitInvalid, "more than 1048576 records"},
		{"long scripts", func(b *commandtest.BombFolder) {
			undo := commandtest.UndoOf(commandtest.RawScript(600), 12000, 12000)
			for range b.Size(4) {
				b.Add(undo, bombInputs(12000), bombInputs(12000))
			}
		}, cli.ExitInvalid, "invalid "},
		{"too long a record", func(b *commandtest.BombFolder) {
			b.Add(commandtest.UndoOf(commandtest.RawScript(800), 12000, 12000), bombInputs(12000),
				bombInputs(12000))
		}, cli.ExitInvalid, "rev00000.dat: at byte 0: a record of 19"},
		{"scripts that are too long for a transaction", func(b *commandtest.BombFolder) {
			undo := commandtest.UndoOf(commandtest.RawScript(600), 24000)
			for range b.Size(4) {
				b.Add(undo, bombInputs(24000))
			}
		}, cli.ExitInvalid, "more than the 8388608 that are kept"},
		{"keys to decompress", func(b *commandtest.BombFolder) {
			undo := commandtest.UndoOf(string(keys), 24000)
			for range b.Size(4) {
				b.Add(undo, bombInputs(24000))
			}
		}, cli.ExitInvalid, "not checkable "},
		{"a key that is not on the curve", func(b *commandtest.BombFolder) {
			b.Add(commandtest.UndoOf("\x04"+strings.Repeat("\xff", 32), 1), bombInputs(1))
		}, cli.ExitInvalid, "a spent output has a key that is not on the curve"},
		{"witness items", func(b *commandtest.BombFolder) {
			txs := slices.Repeat([]string{witnessItems}, 7)
			for range b.Size(4) {
				b.Add(commandtest.UndoOf(commandtest.RawScript(1), 1, 1, 1, 1, 1, 1, 1), txs...)
			}
		}, cli.ExitInvalid, "malformed "},
		{"blocks without parents", func(b *commandtest.BombFolder) {
			for i := range 40000 {
				raw, _ := commandtest.Block(chainhash.Hash{1, byte(i), byte(i >> 8)}, 1,
					commandtest.Coinbase(1))
				b.Blk.WriteString(b.Record(raw))
			}
		}, cli.ExitInvalid, "malformed      "},
		{"claimed lengths", func(b *commandtest.BombFolder) {
			b.Add(commandtest.UndoOf(commandtest.RawScript(1), 1), bombInputs(1))
			b.Rev.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
			b.Blk.WriteString("\xfa\xbf\xb5\xda\xff\xff\xff\xff")
		}, cli.ExitInvalid, "blk00000.dat: at byte "},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := commandtest.NewBombFolder(t)
			test.write(b)
			clitest.Explode(t, nil, test.status, test.words, "check", b.Dir)
		})
	}
}
