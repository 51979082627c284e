package payments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
)

// longPaymentChain returns a chain of 13 blocks, with payments in the blocks 2 and 11.
func longPaymentChain() *paymentChain {
	c := newPaymentChain()
	c.add()
	c.empty(11-len(c.blocks), 50e8)
	c.add()
	c.empty(1, 50e8)
	return c
}

// tweaksOf returns the tweaks in a file, and the number of the block after its last.
func tweaksOf(t testing.TB, name string) (tweaks string, blocks int32) {
	t.Helper()
	f := clitest.Must(tweakfile.Open(name))
	defer f.Close()
	for h := f.First(); h < f.Next(); h++ {
		b := clitest.Must(f.Block(h))
		tweaks += fmt.Sprintf("%d %v %x %v\n", h, b.Hash, b.Tweaks, b.Positions)
	}
	return tweaks, f.Next()
}

// TestTweaksKilled kills the commands tweaks and scan while they wait for a block. The next runs
// must complete their work.
func TestTweaksKilled(t *testing.T) {
	c := longPaymentChain()
	dir, keys, temp := c.folder(t), walletFile(t), t.TempDir()
	whole := tweaksFile(t, dir)
	file, state := filepath.Join(temp, "tweaks"), filepath.Join(temp, "state")

	n, _ := commandtest.NewNode(t, dir, 12)
	asked, hang := make(chan bool, 100), make(chan bool)
	n.Block = func(_ http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height == 11 {
			asked <- true
			<-hang
			return true
		}
		return false
	}
	server := httptest.NewServer(n) // started after n was changed, for the race detector
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(hang) })
	kill := func(args ...string) {
		t.Helper()
		cmd := clitest.Command(append(args, "--node", server.URL, "--workers", "1")...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		clitest.Must(0, cmd.Start())
		<-asked
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Errorf("koblitz %v was not killed: %s", args, &stderr)
		}
	}
	kill("tweaks", "-o", file)
	if _, blocks := tweaksOf(t, file); blocks < 3 || blocks > 11 {
		t.Errorf("%d blocks were saved before the kill", blocks)
	}
	expect(t, cli.ExitOK, []string{"blocks 0 to 12: "}, "", "tweaks", dir, "-o", file)
	got, _ := tweaksOf(t, file)
	if want, _ := tweaksOf(t, whole); got != want {
		t.Errorf("tweaks\n%s\nwant\n%s", got, want)
	}
	kill("scan", "--keys", keys, "--state", state, file)
	rows := scanRows(t, "--keys", keys, "--state", state, file, dir)
	c.wantRows(t, rows)
}

// TestTweaksInterrupted checks that an interrupt ends the commands with the status for interrupts.
func TestTweaksInterrupted(t *testing.T) {
	c := longPaymentChain()
	dir, keys, temp := c.folder(t), walletFile(t), t.TempDir()
	whole, file := tweaksFile(t, dir), filepath.Join(temp, "tweaks")
	n, url := commandtest.NewNode(t, dir, 12)
	hang := make(chan bool)
	t.Cleanup(func() { close(hang) })
	var cancel context.CancelFunc
	n.Block = func(_ http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height != 11 {
			return false
		}
		cancel()
		<-hang
		return true
	}
	state := filepath.Join(temp, "state")
	for _, args := range [][]string{{"tweaks", "-o", file}, {"scan", "--keys", keys, whole},
		{"scan", "--keys", keys, "--state", state, whole}} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		status, stdout, stderr := program.RunContext(ctx, strings.NewReader(""), append(args, "--node",
			url)...)
		cancel()
		if status != cli.ExitInterrupted || stderr != "koblitz: interrupted\n" {
			t.Errorf("koblitz %v: status %d\n%s%s", args, status, stdout, stderr)
		}
	}
	if _, blocks := tweaksOf(t, file); blocks < 3 {
		t.Errorf("%d blocks were saved", blocks)
	}
	c.wantRows(t, scanRows(t, "--keys", keys, "--state", state, whole, dir))
}

// TestTweaksReorganized changes the chain of a node while the command reads it.
func TestTweaksReorganized(t *testing.T) {
	c := longPaymentChain()
	fork := newPaymentChain()
	fork.add()
	fork.empty(11, 49e8) // from block 3 on, the blocks differ in their amounts
	temp := t.TempDir()
	n, url := commandtest.NewNode(t, c.folder(t), 12)
	other, _ := commandtest.NewNode(t, fork.folder(t), 13)
	n.Block = func(_ http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height == 7 && n.Hashes[7] != other.Hashes[7] {
			n.Hashes = slices.Concat(n.Hashes[:8], other.Hashes[8:])
			n.Blocks, n.Raw = slices.Concat(n.Blocks[:8], other.Blocks[8:]),
				slices.Concat(n.Raw[:8], other.Raw[8:])
		}
		return false
	}
	file := filepath.Join(temp, "tweaks")
	// The node now returns block 7 of the old chain and block 8 of another one.
	expect(t, cli.ExitUnreadable, []string{"block 8, ", "the block before it is another one"}, "",
		"tweaks", "--node", url, "-o", file, "--workers", "1")
	n.Block = nil
	n.Hashes, n.Blocks, n.Raw = other.Hashes, other.Blocks, other.Raw
	expect(t, cli.ExitOK, []string{"blocks 3 to 7 are no longer in the chain", "blocks 0 to 13"}, "",
		"tweaks", "--node", url, "-o", file)
	whole := tweaksFile(t, fork.folder(t))
	got, _ := tweaksOf(t, file)
	if want, _ := tweaksOf(t, whole); got != want {
		t.Errorf("tweaks\n%s\nwant\n%s", got, want)
	}

	// The node switches to another chain while it sends block 7, so that this block belongs to the
	// old chain. The command must notice this and read the new chain.
	n, url = commandtest.NewNode(t, c.folder(t), 12)
	n.Block = func(w http.ResponseWriter, height int, id json.RawMessage) bool {
		if height != 7 {
			return false
		}
		fmt.Fprintf(w, `{"result":%s,"error":null,"id":%s}`, n.Blocks[7], id)
		n.Hashes, n.Blocks, n.Raw = other.Hashes[:13], other.Blocks[:13], other.Raw[:13]
		return true
	}
	file = filepath.Join(temp, "again")
	expect(t, cli.ExitOK, []string{"are no longer in the chain", "blocks 0 to 12"}, "", "tweaks",
		"--node", url, "-o", file, "--workers", "1")
	expect(t, cli.ExitOK, []string{"blocks 0 to 13"}, "", "tweaks", fork.folder(t), "-o", file)
	if again, _ := tweaksOf(t, file); again != got {
		t.Errorf("tweaks\n%s\nwant\n%s", again, got)
	}
}

// A laggingChain ends at block 1, in another block than the file of a test.
type laggingChain struct{ Chain }

func (laggingChain) Name() string { return "a node" }
func (laggingChain) Tip() int32   { return 1 }
func (laggingChain) Hash(height int32) (chainhash.Hash, error) {
	return chainhash.Hash{byte(height)}, nil
}

// TestTweaksRewindLimit checks that a chain which is shorter than the file, and differs from it in
// its last block, makes a run remove no more than maxRewind blocks.
func TestTweaksRewindLimit(t *testing.T) {
	for blocks, refused := range map[int32]bool{maxRewind + 1: false, maxRewind + 2: true} {
		file, _, err := tweakfile.OpenWriter(durable.OS{}, filepath.Join(t.TempDir(), "t"),
			consensus.Regtest, 0)
		clitest.Must(0, err)
		defer file.Close()
		for h := range blocks {
			clitest.Must(0, file.Append(&tweakfile.Block{Hash: chainhash.Hash{byte(2 * h)}}))
		}
		u := &tweaksUpdate{chain: laggingChain{}, file: file, rewound: func(_, _ int32) {}}
		removed, err := u.rewind(t.Context())
		if (err != nil) != refused || removed == refused || refused && file.Next() != blocks {
			t.Errorf("%d of %d blocks are left: %v, %v", file.Next(), blocks, removed, err)
		}
	}
}

// TestTweaksDamaged checks that a damaged undo record, a block whose outputs are unknown and a
// damaged file of tweaks give clear errors, and that what was read is kept.
func TestTweaksDamaged(t *testing.T) {
	c := longPaymentChain()
	dir, keys := c.folder(t), walletFile(t)
	file := filepath.Join(t.TempDir(), "tweaks")
	rev := filepath.Join(dir, "rev00000.dat")
	good := readFile(t, rev)
	bad := []byte(good)
	bad[len(bad)-400] ^= 1 // in the record of block 11
	write(t, rev, bad)
	expect(t, cli.ExitUnreadable, []string{"rev00000.dat", "checksum"}, "", "tweaks", dir, "-o", file)
	if _, blocks := tweaksOf(t, file); blocks != 11 {
		t.Errorf("%d blocks before the damaged one", blocks)
	}
	write(t, rev, []byte(good))
	expect(t, cli.ExitOK, []string{"blocks 0 to 12"}, "", "tweaks", dir, "-o", file)
	c.wantRows(t, scanRows(t, "--keys", keys, file, dir))

	data := readFile(t, file)
	write(t, file, []byte(data[:100]+"x"+data[101:]))
	expect(t, cli.ExitUnreadable, []string{"the checksum of block 2 is wrong"}, "", "scan", "--keys",
		keys, file, dir)
	write(t, file, []byte(data[:len(data)-1]))
	expect(t, cli.ExitOK, []string{"the last 2 blocks of " + file + " were incomplete",
		"blocks 0 to 12"}, "", "tweaks", dir, "-o", file)
	if readFile(t, file) != data {
		t.Error("the file was not completed as it was")
	}
	clitest.Must(0, os.Remove(file+tweakfile.IndexSuffix))
	expect(t, cli.ExitUsage, []string{"tweaks.index is missing"}, "", "tweaks", dir, "-o", file)
	expect(t, cli.ExitUnreadable, []string{"no such file"}, "", "scan", "--keys", keys, file, dir)
}

// TestTweaksProgress checks the last line of --progress json.
func TestTweaksProgress(t *testing.T) {
	c := longPaymentChain()
	dir := c.folder(t)
	expect(t, cli.ExitOK, []string{fmt.Sprintf(`{"rows":%d,"rate":`, c.tweaks),
		`,"bytes":13,"total":13,"left":0,"file":"block 12","done":true}` + "\n"}, "", "tweaks", dir, "-o",
		filepath.Join(t.TempDir(), "t"), "--progress", "json")
	if _, stderr := expect(t, cli.ExitOK, nil, "", "tweaks", dir, "-o",
		filepath.Join(t.TempDir(), "u")); stderr != "" {
		t.Errorf("%q", stderr)
	}
}

func TestPaymentsUsage(t *testing.T) {
	c := newPaymentChain()
	dir, keys, temp := c.folder(t), walletFile(t), t.TempDir()
	file := filepath.Join(temp, "t")
	expect(t, cli.ExitOK, nil, "", "tweaks", dir, "-o", file, "--from", "1")
	for _, test := range []struct {
		args   string
		status int
		want   string
	}{
		{"tweaks DIR", cli.ExitUsage, `required flag(s) "out"`},
		{"tweaks -o X", cli.ExitUsage, "which blocks?"},
		{"tweaks -o X DIR --node http://127.0.0.1:1", cli.ExitUsage, "--node needs no folder"},
		{"tweaks -o X --node ftp://x", cli.ExitUsage, "--node: "},
		{"tweaks -o X DIR --rpc-auth y", cli.ExitUsage, "--rpc-auth goes with --node"},
		{"tweaks -o X DIR --workers 0", cli.ExitUsage, "at least one"},
		{"tweaks -o X DIR --from 3 --to 2", cli.ExitUsage, "--from 3 is behind --to 2"},
		{"tweaks -o X DIR --from -1", cli.ExitUsage, "is not the height of a block"},
		{"tweaks -o X DIR --to 0x10", cli.ExitUsage, "is not the height of a block"},
		{"scan --keys KEYS TWEAKS DIR --to 2147483648", cli.ExitUsage, "is not the height of a block"},
		{"scan --keys KEYS TWEAKS DIR --to blk00001.dat", cli.ExitUsage, "is not the height of a block"},
		{"scan --keys KEYS TWEAKS DIR --to 01", cli.ExitOK, "blocks 1 to 1"},
		{"tweaks -o X DIR --progress bar", cli.ExitUsage, "known are auto, json, none"},
		{"tweaks -o X DIR other", cli.ExitUsage, "at most 1"},
		{"tweaks -o DIR/blk00000.dat DIR", cli.ExitUsage, "it stays as it is"},
		{"tweaks -o DIR DIR", cli.ExitUnreadable, "not a file"},
		{"tweaks -o KEYS DIR", cli.ExitUsage, "it stays as it is"},
		{"tweaks -o DIR/blk00001.dat DIR", cli.ExitUsage, "has the name of a node's file"},
		{"tweaks -o DIR/rev00001.dat DIR", cli.ExitUsage, "has the name of a node's file"},
		{"tweaks -o DIR/xor.dat DIR", cli.ExitUsage, "has the name of a node's file"},
		{"tweaks -o TWEAKS DIR --from 0", cli.ExitUsage, "begins at block 1, and not at 0"},
		{"tweaks -o X /", cli.ExitUnreadable, "no folder with blk*.dat files"},
		{"tweaks -o X DIR --to 9", cli.ExitUnreadable, "the last block is 1, and --to asks for 9"},
		{"tweaks -o TWEAKS DIR --to 0", cli.ExitUnreadable, "blocks up to 0 are read, and "},
		{"scan TWEAKS DIR", cli.ExitUsage, `required flag(s) "keys"`},
		{"scan --keys KEYS", cli.ExitUsage, "which file of tweaks?"},
		{"scan --keys KEYS TWEAKS", cli.ExitUsage, "which blocks?"},
		{"scan --keys KEYS TWEAKS DIR --from 0", cli.ExitUnreadable, "has the blocks 1 to 1"},
		{"scan --keys KEYS TWEAKS DIR --to 2", cli.ExitUnreadable, "has the blocks 1 to 1"},
		{"scan --keys KEYS TWEAKS DIR --workers 2000", cli.ExitUsage, "at most 1024"},
		{"scan --keys X TWEAKS DIR", cli.ExitUnreadable, "no such file"},
		{"scan --keys KEYS X DIR", cli.ExitUnreadable, "no such file"},
		{"scan --keys DIR TWEAKS DIR", cli.ExitUnreadable, "is a directory"},
		{"scan --keys " + strings.Repeat("51", 32) + " TWEAKS DIR", cli.ExitUsage,
			"never goes on the command"},
		{"scan --keys KEYS --state KEYS TWEAKS DIR", cli.ExitUsage, "not a state of koblitz scan"},
	} {
		args := strings.Fields(strings.NewReplacer("DIR", dir, "KEYS", keys, "TWEAKS", file, "X",
			filepath.Join(temp, "x")).Replace(test.args))
		expect(t, test.status, []string{test.want}, "", args...)
	}
	expect(t, cli.ExitUnreadable, []string{"less than 65536 bytes"}, strings.Repeat("#\n",
		maxKeysFile/2), "scan", "--keys", "-", file, dir)
	stdout, stderr := expect(t, cli.ExitOK, nil, "", "tweaks", commandtest.CoreFolder, "-o",
		filepath.Join(temp, "core"))
	if stdout == "" || stderr != "" {
		t.Errorf("%q, %q", stdout, stderr)
	}
	expect(t, cli.ExitOK, []string{"0 payments"}, readFile(t, keys), "scan", "--keys", "-",
		filepath.Join(temp, "core"), commandtest.CoreFolder)
}
