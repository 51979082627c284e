//go:build linux && !race

package payments

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// TestMemoryOfTweaks checks that the commands tweaks and scan stay within the memory limit of check
// on folders with large blocks and with many blocks.
func TestMemoryOfTweaks(t *testing.T) {
	clitest.DeepOnly(t, "it feeds processes what takes memory")
	keys := walletFile(t)
	taproot := commandtest.TxOutputs(1, taprootScript([32]byte{1}))
	for _, test := range []struct {
		name   string
		write  func(b *commandtest.BombFolder)
		status int
		words  string
	}{
		{"spent scripts", func(b *commandtest.BombFolder) {
			for range 8 {
				tx := &wire.MsgTx{Version: 2, TxIn: commandtest.TxInputs(24000, wire.OutPoint{Index: 1}),
					TxOut: taproot}
				b.Mined(commandtest.UndoOf(commandtest.RawScript(340), 24000), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 0 tweaks"},
		{"more spent scripts", func(b *commandtest.BombFolder) {
			tx := &wire.MsgTx{Version: 2, TxIn: commandtest.TxInputs(12000, wire.OutPoint{Index: 1}),
				TxOut: taproot}
			b.Mined(commandtest.UndoOf(commandtest.RawScript(1000), 12000), tx)
		}, cli.ExitUnreadable, "it spends an unknown output"},
		{"witness items", func(b *commandtest.BombFolder) {
			for range 8 {
				tx := &wire.MsgTx{Version: 2, TxIn: []*wire.TxIn{commandtest.TxInput(0, 1<<19)}, TxOut: taproot}
				b.Mined(commandtest.UndoOf(commandtest.RawScript(1), 1), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 0 tweaks"},
		{"outputs", func(b *commandtest.BombFolder) {
			for range 8 {
				key := commandtest.TxInput(0, 2)
				key.Witness[1] = paymentSecret(1).PublicKey().Bytes()
				tx := &wire.MsgTx{Version: 2, TxIn: []*wire.TxIn{key},
					TxOut: commandtest.TxOutputs(23000, taprootScript([32]byte{1}))}
				b.Mined(commandtest.UndoOf("\x1c\x00\x14"+strings.Repeat("\x01", 20), 1), tx)
			}
		}, cli.ExitOK, "blocks 0 to 8: 8 tweaks"},
		{"many blocks", func(b *commandtest.BombFolder) {
			for range b.Size(1 << 17) {
				b.Mined("\x00")
			}
		}, cli.ExitOK, " 0 tweaks"},
	} {
		t.Run(strings.ReplaceAll(test.name, " ", "-"), func(t *testing.T) {
			b := commandtest.NewBombFolder(t)
			test.write(b)
			out := filepath.Join(t.TempDir(), "tweaks")
			clitest.Explode(t, nil, test.status, test.words, "tweaks", b.Dir, "-o", out)
			clitest.Explode(t, nil, cli.ExitOK, " 0 payments", "scan", "--keys", keys, out, b.Dir)
		})
	}
}
