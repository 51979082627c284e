//go:build bitcoind

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// startCore starts the bitcoind that KOBLITZ_BITCOIND names with the blocks of coreFolder. It
// returns the address of the node and the path of its cookie file.
func startCore(t *testing.T) (address, cookie string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "regtest", "blocks"), os.DirFS(coreFolder)); err != nil {
		t.Fatal(err)
	}
	return startCoreIn(t, dir, coreTip, "-reindex"), filepath.Join(dir, "regtest", ".cookie")
}

// startCoreIn starts the bitcoind that KOBLITZ_BITCOIND names with a data directory, and waits
// until its last block has the height tip. It returns the address of the node.
func startCoreIn(t *testing.T, dir string, tip int, options ...string) (address string) {
	t.Helper()
	program := os.Getenv("KOBLITZ_BITCOIND")
	if program == "" {
		t.Fatal("KOBLITZ_BITCOIND has to name a bitcoind; .ci/acceptance core builds one")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	l.Close()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, append([]string{"-regtest", "-datadir=" + dir, "-rpcport=" + port,
		"-listen=0", "-rest", "-txindex", "-fastprune", "-mocktime=1700000000", "-printtoconsole=0",
		"-dnsseed=0"}, options...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
	})
	address = "http://127.0.0.1:" + port
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		resp, err := http.Get(address + "/rest/chaininfo.json")
		if err == nil {
			info := struct{ Blocks int }{-1}
			err = json.NewDecoder(resp.Body).Decode(&info)
			resp.Body.Close()
			if err == nil && info.Blocks == tip {
				return address
			}
			err = fmt.Errorf("%d blocks, %w", info.Blocks, err)
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("the node does not have its blocks: %v\n%s", err, &out)
		}
	}
}

// TestCoreNode reads a chain from a Bitcoin Core node through JSON-RPC and through REST. Both must
// give the same results as the node's folder.
func TestCoreNode(t *testing.T) {
	address, cookie := startCore(t)
	for _, c := range []struct {
		from   []string
		format string
	}{
		{[]string{"--node", address, "--rpc-auth", cookie}, "bitcoin-json"},
		{[]string{"--node", address + "/rest"}, "bitcoin-json"},
	} {
		for _, span := range [][]string{nil, {"--from", "103", "--to", "106"}} {
			want := checkJSON(t, "", append([]string{coreBlocks(t)}, span...)...)
			want.PassedOver = 0 // stale blocks of the folder, which are not requested from nodes
			got := checkJSON(t, "", append(c.from, span...)...)
			if got.numbers() != want.numbers() || got.Exit != want.Exit || got.Valid < 20 ||
				got.Formats[0] != c.format {
				t.Errorf("%v %v: %+v\nwant %+v", c.from, span, got, want)
			}
		}
	}
}
