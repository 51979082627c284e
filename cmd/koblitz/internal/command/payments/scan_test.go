package payments

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable/forgetful"
	"github.com/koblitz-go/koblitz/silentpay"
)

// scanRows runs koblitz scan and decodes its rows. It checks that the tweak of each row
// gives the private key of the output.
func scanRows(t testing.TB, args ...string) []foundRow {
	t.Helper()
	stdout, _ := expect(t, cli.ExitOK, nil, "", append([]string{"scan"}, args...)...)
	return decodeRows(t, stdout)
}

func decodeRows(t testing.TB, stdout string) (rows []foundRow) {
	t.Helper()
	spend := clitest.Must(silentpay.NewSpendKey(paymentSecret(walletSpend)))
	for line := range strings.Lines(stdout) {
		var r foundRow
		clitest.Decode(t, line, &r)
		tweak := clitest.Must(silentpay.ParsePrivateTweak(clitest.Must(hex.DecodeString(r.Tweak))))
		x := clitest.Must(spend.Tweak(tweak)).XOnlyPublicKey()
		if hex.EncodeToString(x.Bytes()) != r.Key {
			t.Errorf("the tweak of %s:%d gives the key %v, not %s", r.TxID, r.Vout, x, r.Key)
		}
		rows = append(rows, r)
	}
	return rows
}

// wantRows compares rows with the payments of the chain.
func (c *paymentChain) wantRows(t testing.TB, rows []foundRow) {
	t.Helper()
	got := slices.Clone(rows)
	for i := range got {
		if hash := c.blocks[got[i].Height].BlockHash().String(); got[i].Block != hash {
			t.Errorf("row %d: block %s, want %s", i, got[i].Block, hash)
		}
		got[i].Tweak, got[i].Block = "", ""
	}
	if !reflect.DeepEqual(got, c.want) {
		t.Errorf("rows %s\nwant %s", cli.JSONLine(got), cli.JSONLine(c.want))
	}
}

// TestScan finds payments of every kind in a folder and through a node.
func TestScan(t *testing.T) {
	c := newPaymentChain()
	c.add()
	c.empty(1, 50e8)
	c.add()
	dir, keys := c.folder(t), walletFile(t)
	file := filepath.Join(t.TempDir(), "tweaks")
	expect(t, cli.ExitOK, []string{fmt.Sprintf("blocks 0 to 4: %d tweaks, %[1]d of them new",
		c.tweaks)}, "", "tweaks", dir, "-o", file)
	c.wantRows(t, scanRows(t, "--keys", keys, file, dir))
	c.wantRows(t, scanRows(t, "--keys", keys, "--workers", "1", "--from", "2", file, dir))
	if len(c.want) < 18 {
		t.Errorf("%d payments", len(c.want))
	}

	expect(t, cli.ExitOK, []string{fmt.Sprintf("%d payments", len(c.want))}, "", "scan", "-k", keys,
		file, dir)

	// through a node
	_, url := commandtest.NewNode(t, dir, 4)
	other := filepath.Join(t.TempDir(), "tweaks")
	expect(t, cli.ExitOK, nil, "", "tweaks", "--node", url, "-o", other)
	c.wantRows(t, scanRows(t, "--keys", keys, "--node", url, file))
	c.wantRows(t, scanRows(t, "--keys", keys, other, dir))
	if readFile(t, file)[48:] != readFile(t, other)[48:] {
		t.Error("the node gives other tweaks than its folder")
	}

	// other keys, and an address in place of the spend key
	strange := write(t, "keys", fmt.Appendf(nil, "scan %x\nspend %x\n",
		paymentSecret(walletScan).Bytes(), paymentSecret(otherSpend).PublicKey().Bytes()))
	if rows := scanRows(t, "--keys", strange, file, dir); len(rows) != 0 {
		t.Errorf("payments to other keys: %v", rows)
	}
	address := clitest.Must(walletReceiver(walletScan, walletSpend).Address(silentpay.Regtest))
	c.wantRows(t, scanRows(t, "--keys", write(t, "keys", fmt.Appendf(nil,
		"address %v\nlabels 0-10\nscan %x", address, paymentSecret(walletScan).Bytes())), file, dir))
	address = clitest.Must(walletReceiver(walletScan, walletSpend).Address(silentpay.Mainnet))
	strange = write(t, "keys", fmt.Appendf(nil, "address %v\nscan %x", address,
		paymentSecret(walletScan).Bytes()))
	expect(t, cli.ExitUsage, []string{"the address is of mainnet", "tweaks of regtest"}, "", "scan",
		"--keys", strange, file, dir)
}

// TestScanState checks that a scan resumes, and that a reorganization changes tweaks and payments.
func TestScanState(t *testing.T) {
	c := newPaymentChain()
	c.add()
	dir, keys := c.folder(t), walletFile(t)
	file, state := tweaksFile(t, dir, "--to", "1"), filepath.Join(t.TempDir(), "state")
	scan := func(c *paymentChain, dir string, tweaks int) {
		t.Helper()
		stdout, stderr := expect(t, cli.ExitOK, nil, "", "scan", "--keys", keys, "--state",
			state, file, dir)
		c.wantRows(t, decodeRows(t, stdout))
		if !strings.Contains(stderr, fmt.Sprintf("payments; %d tweaks scanned", tweaks)) {
			t.Errorf("%s, want %d tweaks", stderr, tweaks)
		}
	}
	scan(&paymentChain{blocks: c.blocks}, dir, 0)
	expect(t, cli.ExitOK, []string{"ends at block 1, and"}, "", "scan", "--keys", keys, file, dir)
	expect(t, cli.ExitOK, nil, "", "tweaks", dir, "-o", file)
	scan(c, dir, c.tweaks)
	scan(c, dir, 0)

	// Another branch replaces block 2. It has more blocks, and the payments of block 2 in block 3.
	fork := newPaymentChain()
	fork.empty(1, 50e8)
	fork.add()
	forked := c.folder(t, fork)
	expect(t, cli.ExitUnreadable, []string{"bring the file up to date"}, "", "scan", "--keys", keys,
		file, forked)
	expect(t, cli.ExitOK, []string{"blocks 2 to 2 are no longer in the chain, and are removed",
		"blocks 0 to 3"}, "", "tweaks", forked, "-o", file)
	scan(fork, forked, fork.tweaks)

	// A source that is behind removes nothing.
	short := &paymentChain{blocks: fork.blocks[:3], coins: fork.coins}
	expect(t, cli.ExitOK, []string{"blocks 0 to 3", "ends at block 3, and", "at block 2"}, "",
		"tweaks", short.folder(t), "-o", file)

	unlabeled := write(t, "keys", fmt.Appendf(nil, "scan %x\nspend %x\n",
		paymentSecret(walletScan).Bytes(), paymentSecret(walletSpend).PublicKey().Bytes()))
	for _, other := range [][]string{{"--from", "1", "--keys", keys}, {"--keys", unlabeled}} {
		expect(t, cli.ExitUsage, []string{"koblitz: --state " + state + ": it "}, "",
			append([]string{"scan", "--state", state, file, forked}, other...)...)
	}
	saved := readFile(t, state)
	wantLimitedState(t, saved, "scan", "--keys", keys, file, forked)
	for _, bad := range []string{"", "{}", saved[:len(saved)/2], "hello"} {
		write(t, state, []byte(bad))
		expect(t, cli.ExitUsage, []string{"not a state of koblitz scan"}, "", "scan", "--keys", keys,
			"--state", state, file, forked)
	}
	write(t, state, []byte(strings.Replace(saved, `"value":100`, `"value":900`, 1)))
	expect(t, cli.ExitUnreadable, []string{"not as it was saved"}, "", "scan", "--keys", keys,
		"--state", state, file, forked)
}

// wantLimitedState checks the limit on the size of a state: the state saved by a run with the given
// arguments is read again, and if it is one byte too long, it is not saved.
func wantLimitedState(t *testing.T, saved string, args ...string) {
	t.Helper()
	defer func(size int) { maxScanState = size }(maxScanState)
	maxScanState = len(saved)
	state := filepath.Join(t.TempDir(), "state")
	args = append(args, "--state", state)
	expect(t, cli.ExitOK, nil, "", append(args, "--to", "1")...)
	begun := readFile(t, state)
	expect(t, cli.ExitOK, nil, "", args...)
	expect(t, cli.ExitOK, []string{" 0 tweaks scanned"}, "", args...)
	write(t, state, []byte(begun))
	maxScanState--
	expect(t, cli.ExitUnreadable, []string{"the state cannot be saved: " + state + " stays as it is",
		fmt.Sprintf("it would have %d bytes, and at most %d", len(saved), len(saved)-1)}, "", args...)
	if readFile(t, state) != begun {
		t.Error("the state has changed")
	}
	write(t, state, []byte(saved))
	expect(t, cli.ExitUsage, []string{"not a state of koblitz scan"}, "", args...)
}

// TestScanDisk checks that a state is read from the disk that it was saved to.
func TestScanDisk(t *testing.T) {
	c := newPaymentChain()
	c.add()
	dir, keys, disk := c.folder(t), walletFile(t), forgetful.New(-1)
	args := []string{"scan", "--keys", keys, "--state", "folder/state", tweaksFile(t, dir), dir}
	for _, tweaks := range []int{c.tweaks, 0} {
		var errs strings.Builder
		status := program.RunOn(t.Context(), disk, args, nil, io.Discard, &errs)
		if status != cli.ExitOK || !strings.Contains(errs.String(),
			fmt.Sprintf("; %d tweaks scanned", tweaks)) {
			t.Errorf("status %d, %s", status, errs.String())
		}
	}
}

// TestScanMeanwhile runs another command while a scan prints its first row: another scan that saves
// a state, or 'koblitz tweaks' that replaces blocks in the file that is scanned. In both cases the
// first scan must fail and must not save its state, which would be older or name other blocks.
func TestScanMeanwhile(t *testing.T) {
	c, fork := newPaymentChain(), newPaymentChain()
	c.add()
	fork.empty(1, 50e8)
	fork.add()
	dir, forked, keys := c.folder(t), c.folder(t, fork), walletFile(t)
	for _, begun := range []bool{false, true} { // whether there is a state already
		for _, reorganized := range []bool{false, true} {
			file, state := tweaksFile(t, dir), filepath.Join(t.TempDir(), "state")
			scan := []string{"scan", "--keys", keys, "--state", state, file}
			other, want := append(slices.Clip(scan), dir), "another run has saved it"
			if reorganized {
				other, want = []string{"tweaks", forked, "-o", file}, "block 2 has changed while it was scanned"
			}
			if begun {
				expect(t, cli.ExitOK, nil, "", append(slices.Clip(scan), dir, "--to", "1")...)
			}
			ran, saved := false, []byte(nil)
			out := clitest.WriterFunc(func(b []byte) (int, error) {
				if !ran {
					expect(t, cli.ExitOK, nil, "", other...)
					saved, _ = os.ReadFile(state)
				}
				ran = true
				return len(b), nil
			})
			var errs strings.Builder
			status := program.RunTo(t.Context(), append(slices.Clip(scan), dir), nil, out, &errs)
			if now, _ := os.ReadFile(state); !ran || status != cli.ExitUnreadable ||
				!strings.Contains(errs.String(), want) || !bytes.Equal(now, saved) {
				t.Errorf("status %d, %s", status, errs.String())
			}
			if reorganized {
				stdout, _ := expect(t, cli.ExitOK, nil, "", append(scan, forked)...)
				fork.wantRows(t, decodeRows(t, stdout))
			}
		}
	}
}

// TestScanOtherChain scans with tweaks of blocks that the chain lacks. The scan must also detect
// the difference in blocks without a tweak: the chain may have payments there, or the state may
// contain payments from other blocks.
func TestScanOtherChain(t *testing.T) {
	keys := walletFile(t)
	paid, end, middle, before := newPaymentChain(), newPaymentChain(), newPaymentChain(),
		newPaymentChain()
	paid.add()
	paid.empty(2, 1)
	end.empty(1, 2)
	middle.empty(2, 2)
	before.empty(4, 3) // longer, without the payments
	behind := &paymentChain{blocks: paid.blocks[:3], coins: paid.coins}
	for name, c := range map[string]struct {
		tweaks, chain *paymentChain
		state         bool     // the tweaks were scanned before
		args          []string // more arguments
		want          string   // in the error, if there is one
	}{
		"the same":                   {paid, paid, false, nil, ""},
		"the same again":             {paid, paid, true, nil, ""},
		"an orphan at the end":       {end, paid, false, nil, "block 2 of"},
		"orphans, and more blocks":   {middle, paid, false, nil, "block 3 of"},
		"orphans after the last":     {middle, paid, false, []string{"--to", "1"}, ""},
		"one of two orphans":         {middle, paid, false, []string{"--to", "2"}, "block 2 of"},
		"orphans scanned before":     {paid, before, true, nil, "block 4 of"},
		"the chain is shorter":       {paid, behind, false, nil, "no block 4"},
		"shorter, up to its end":     {paid, behind, false, []string{"--to", "2"}, ""},
		"shorter and scanned before": {paid, behind, true, nil, "no block 4"},
	} {
		file := tweaksFile(t, c.tweaks.folder(t))
		args := append([]string{"scan", "--keys", keys, file}, c.args...)
		if c.state {
			args = append(args, "--state", filepath.Join(t.TempDir(), "state"))
			expect(t, cli.ExitOK, nil, "", append(args, c.tweaks.folder(t))...)
		}
		folder := c.chain.folder(t)
		_, url := commandtest.NewNode(t, folder, len(c.chain.blocks)-1)
		for _, from := range [][]string{{folder}, {"--node", url}} {
			status, stdout, stderr := invoke(t, "", append(args, from...)...)
			if good := c.want == ""; good != (status == cli.ExitOK) || !good &&
				(status != cli.ExitUnreadable || stdout != "" || from[0] == folder && !strings.Contains(stderr,
					c.want)) {
				t.Errorf("%s, %s: status %d, %d rows, %s", name, from[0], status,
					strings.Count(stdout, "\n"), stderr)
			}
		}
	}
}
