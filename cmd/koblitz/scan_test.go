package main

import (
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/silentpay"
)

// scanRows runs koblitz scan --json and decodes its rows. It checks that the tweak of each row
// gives the private key of the output.
func scanRows(t testing.TB, args ...string) []foundRow {
	t.Helper()
	stdout, _ := wantCLI(t, exitOK, nil, "", append([]string{"scan", "--json"}, args...)...)
	return decodeRows(t, stdout)
}

func decodeRows(t testing.TB, stdout string) (rows []foundRow) {
	t.Helper()
	spend := value(silentpay.NewSpendKey(paymentSecret(walletSpend)))
	for line := range strings.Lines(stdout) {
		var r foundRow
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			t.Fatalf("%v: %q", err, line)
		}
		tweak := value(silentpay.ParsePrivateTweak(value(hex.DecodeString(r.Tweak))))
		if x := value(spend.Tweak(tweak)).XOnlyPublicKey(); hex.EncodeToString(x.Bytes()) != r.Key {
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
		t.Errorf("rows %s\nwant %s", jsonLine(got), jsonLine(c.want))
	}
}

// TestScan finds payments of every kind in a folder and through a node.
func TestScan(t *testing.T) {
	c := newPaymentChain()
	c.add()
	c.mine(coinbaseTx(3, wire.NewTxOut(50e8, nil)))
	c.add()
	dir, keys := c.folder(t), walletFile(t)
	file := filepath.Join(t.TempDir(), "tweaks")
	wantCLI(t, exitOK, []string{fmt.Sprintf("blocks 0 to 4: %d tweaks, %[1]d of them new",
		c.tweaks)}, "", "tweaks", dir, "-o", file)
	c.wantRows(t, scanRows(t, "--keys", keys, file, dir))
	c.wantRows(t, scanRows(t, "--keys", keys, "--workers", "1", "--from", "2", file, dir))
	if len(c.want) < 20 {
		t.Errorf("%d payments", len(c.want))
	}

	// as CSV
	stdout, stderr := wantCLI(t, exitOK, []string{fmt.Sprintf("%d payments", len(c.want))}, "", "scan",
		"-k", keys, file, dir)
	table := value(csv.NewReader(strings.NewReader(stdout)).ReadAll())
	if len(table) != 1+len(c.want) || strings.Join(table[0], " ") !=
		"height block txid vout value label key tweak" {
		t.Errorf("%s%s", stdout, stderr)
	}
	for i, r := range c.want {
		label := ""
		if r.Label != nil {
			label = fmt.Sprint(*r.Label)
		}
		got := table[1+i]
		if got[0] != fmt.Sprint(r.Height) || got[2] != r.TxID || got[3] != fmt.Sprint(r.Vout) ||
			got[4] != fmt.Sprint(r.Value) || got[5] != label || got[6] != r.Key || len(got[7]) != 64 {
			t.Errorf("%v, want %s", got, jsonLine(r))
		}
	}

	// through a node
	_, url := newNodeOf(t, dir, 4)
	other := filepath.Join(t.TempDir(), "tweaks")
	wantCLI(t, exitOK, nil, "", "tweaks", "--node", url, "-o", other)
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
	address := value(walletReceiver(walletScan, walletSpend).Address(silentpay.Regtest))
	c.wantRows(t, scanRows(t, "--keys", write(t, "keys", fmt.Appendf(nil,
		"address %v\nlabels 0-10\nscan %x", address, paymentSecret(walletScan).Bytes())), file, dir))
}

// TestScanState checks that a scan resumes, and that a reorganization changes tweaks and payments.
func TestScanState(t *testing.T) {
	c := newPaymentChain()
	c.add()
	dir, keys := c.folder(t), walletFile(t)
	temp := t.TempDir()
	file, state := filepath.Join(temp, "tweaks"), filepath.Join(temp, "state")
	wantCLI(t, exitOK, []string{"blocks 0 to 1: 0 tweaks"}, "", "tweaks", dir, "-o", file, "--to", "1")
	scan := func(c *paymentChain, dir string) (tweaks string) {
		t.Helper()
		stdout, stderr := wantCLI(t, exitOK, nil, "", "scan", "--json", "--keys", keys, "--state", state,
			file, dir)
		c.wantRows(t, decodeRows(t, stdout))
		_, tweaks, _ = strings.Cut(stderr, "payments; ")
		tweaks, _, _ = strings.Cut(tweaks, " ")
		return tweaks
	}
	empty := &paymentChain{blocks: c.blocks}
	if n := scan(empty, dir); n != "0" {
		t.Errorf("%s tweaks scanned", n)
	}
	wantCLI(t, exitOK, nil, "", "tweaks", dir, "-o", file)
	if n := scan(c, dir); n != fmt.Sprint(c.tweaks) {
		t.Errorf("%s tweaks scanned, want %d", n, c.tweaks)
	}
	if n := scan(c, dir); n != "0" {
		t.Errorf("%s tweaks scanned again", n)
	}

	// Another branch replaces block 2. It has more blocks, and the payments of block 2 in block 3.
	fork := newPaymentChain()
	fork.mine(coinbaseTx(2, wire.NewTxOut(50e8, nil)))
	fork.add()
	forked := c.folder(t, fork)
	wantCLI(t, exitUnreadable, []string{"bring the file up to date"}, "", "scan", "--keys", keys, file,
		forked)
	wantCLI(t, exitOK, []string{"blocks 2 to 2 are no longer in the chain, and are removed",
		"blocks 0 to 3"}, "", "tweaks", forked, "-o", file)
	if n := scan(fork, forked); n != fmt.Sprint(fork.tweaks) {
		t.Errorf("%s tweaks scanned after the reorganization, want %d", n, fork.tweaks)
	}

	// A source that is behind removes nothing.
	short := &paymentChain{blocks: fork.blocks[:3], coins: fork.coins}
	wantCLI(t, exitOK, []string{"blocks 0 to 3", "ends at block 3, and", "at block 2"}, "", "tweaks",
		short.folder(t), "-o", file)

	unlabeled := write(t, "keys", fmt.Appendf(nil, "scan %x\nspend %x\n",
		paymentSecret(walletScan).Bytes(), paymentSecret(walletSpend).PublicKey().Bytes()))
	for _, other := range [][]string{{"--from", "1", "--keys", keys}, {"--keys", unlabeled}} {
		wantCLI(t, exitUsage, []string{"koblitz: --state " + state + ": it "}, "", append([]string{"scan",
			"--state", state, file, forked}, other...)...)
	}
	saved := readFile(t, state)
	for _, bad := range []string{"", "{}", saved[:len(saved)/2], "hello"} {
		write(t, state, []byte(bad))
		wantCLI(t, exitUsage, []string{"not a state of koblitz scan"}, "", "scan", "--keys", keys,
			"--state", state, file, forked)
	}
	write(t, state, []byte(strings.Replace(saved, `"value":100`, `"value":900`, 1)))
	wantCLI(t, exitUnreadable, []string{"not as it was saved"}, "", "scan", "--keys", keys, "--state",
		state, file, forked)
}

// A writerFunc is an io.Writer.
type writerFunc func(b []byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// TestScanChangedTweaks replaces blocks of the tweaks file while a scan runs: a reorganization, and
// 'koblitz tweaks' at the same time. The state must not say that the new blocks were scanned.
func TestScanChangedTweaks(t *testing.T) {
	c, fork := newPaymentChain(), newPaymentChain()
	c.add()
	fork.mine(coinbaseTx(2, wire.NewTxOut(50e8, nil)))
	fork.add()
	dir, forked, keys := c.folder(t), c.folder(t, fork), walletFile(t)
	for _, first := range []string{"", "1"} { // the state begins with the last block, or before it
		temp := t.TempDir()
		file, state := filepath.Join(temp, "tweaks"), filepath.Join(temp, "state")
		args := []string{"scan", "--json", "--keys", keys, "--state", state, file}
		wantCLI(t, exitOK, nil, "", "tweaks", dir, "-o", file)
		if first != "" {
			wantCLI(t, exitOK, nil, "", append(args, dir, "--to", first)...)
		}
		replaced := false
		out := writerFunc(func(b []byte) (int, error) {
			if !replaced { // the first row, of block 2
				wantCLI(t, exitOK, []string{"blocks 2 to 2 are no longer"}, "", "tweaks", forked, "-o", file)
			}
			replaced = true
			return len(b), nil
		})
		var errs strings.Builder
		status := run(t.Context(), append(args, dir), strings.NewReader(""), out, &errs)
		if !replaced || status != exitUnreadable ||
			!strings.Contains(errs.String(), "block 2 has changed while it was scanned") {
			t.Errorf("status %d, %s", status, errs.String())
		}
		stdout, _ := wantCLI(t, exitOK, nil, "", append(args, forked)...)
		fork.wantRows(t, decodeRows(t, stdout))
	}
}
