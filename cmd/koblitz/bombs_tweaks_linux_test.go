//go:build linux && !race

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// mined appends a valid block with the transactions txs, and the block's undo record.
func (b *bombFolder) mined(undo string, txs ...*wire.MsgTx) {
	b.height++
	m := mine(b.tip, regtestTime, append([]*wire.MsgTx{coinbaseTx(int32(b.height))}, txs...)...)
	b.blk.WriteString(b.record(string(serialize(m))))
	b.undo(undo, b.tip)
	b.tip = m.BlockHash()
}

// TestMemoryOfTweaks checks that the commands tweaks and scan stay within the memory limit of check
// on folders with large blocks and with many blocks.
func TestMemoryOfTweaks(t *testing.T) {
	clitest.DeepOnly(t, "it feeds processes what takes memory")
	keys := walletFile(t)
	taproot := txOutputs(1, taprootScript([32]byte{1}))
	for _, test := range []struct {
		name   string
		write  func(b *bombFolder)
		status int
		words  string
	}{
		{"spent scripts", func(b *bombFolder) {
			for range 8 {
				tx := &wire.MsgTx{Version: 2, TxIn: txInputs(24000, wire.OutPoint{Index: 1}), TxOut: taproot}
				b.mined(undoOf(rawScript(340), 24000), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 0 tweaks"},
		{"more spent scripts", func(b *bombFolder) {
			tx := &wire.MsgTx{Version: 2, TxIn: txInputs(12000, wire.OutPoint{Index: 1}), TxOut: taproot}
			b.mined(undoOf(rawScript(1000), 12000), tx)
		}, cli.ExitUnreadable, "it spends an unknown output"},
		{"witness items", func(b *bombFolder) {
			for range 8 {
				tx := &wire.MsgTx{Version: 2, TxIn: []*wire.TxIn{txInput(0, 1<<19)}, TxOut: taproot}
				b.mined(undoOf(rawScript(1), 1), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 0 tweaks"},
		{"outputs", func(b *bombFolder) {
			for range 8 {
				key := txInput(0, 2)
				key.Witness[1] = paymentSecret(1).PublicKey().Bytes()
				tx := &wire.MsgTx{Version: 2, TxIn: []*wire.TxIn{key},
					TxOut: txOutputs(23000, taprootScript([32]byte{1}))}
				b.mined(undoOf("\x1c\x00\x14"+strings.Repeat("\x01", 20), 1), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 8 tweaks"},
		{"many blocks", func(b *bombFolder) {
			for range b.Size(1 << 17) {
				b.mined("\x00")
			}
		}, cli.ExitOK, " 0 tweaks"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			b := newBombFolder(t)
			test.write(b)
			b.close()
			out := filepath.Join(t.TempDir(), "tweaks")
			status, stdout, stderr := clitest.Limited(t, nil, "tweaks", b.dir, "-o", out,
				"--workers", "4")
			report := stdout.String() + stderr.String()
			if status != test.status || !strings.Contains(report, test.words) {
				t.Errorf("status %d, want %d, and %q\n%.3000s", status, test.status, test.words, report)
			}
			status, stdout, stderr = clitest.Limited(t, nil, "scan", "--keys", keys, out, b.dir,
				"--workers", "4")
			if report := stdout.String() + stderr.String(); status != cli.ExitOK ||
				!strings.Contains(report, " 0 payments") {
				t.Errorf("scan: status %d\n%.3000s", status, report)
			}
		})
	}
}
