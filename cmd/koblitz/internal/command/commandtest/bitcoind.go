//go:build bitcoind

package commandtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// StartCore starts the bitcoind that KOBLITZ_BITCOIND names with a data directory, and waits
// until its last block has the height tip. It returns the address of the node.
func StartCore(t *testing.T, dir string, tip int, options ...string) (address string) {
	t.Helper()
	program := os.Getenv("KOBLITZ_BITCOIND")
	if program == "" {
		t.Fatal("KOBLITZ_BITCOIND has to name a bitcoind; .ci/acceptance core builds one")
	}
	l := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	cmd := exec.Command(program, append([]string{"-regtest", "-datadir=" + dir, "-rpcport=" + port,
		"-listen=0", "-rest", "-txindex", "-fastprune", "-mocktime=1700000000", "-printtoconsole=0",
		"-dnsseed=0"}, options...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	clitest.Must(0, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
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
