//go:build bitcoind

package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// startCore starts the bitcoind that KOBLITZ_BITCOIND names with the blocks of CoreFolder. It
// returns the address of the node and the path of its cookie file.
func startCore(t *testing.T) (address, cookie string) {
	t.Helper()
	dir := t.TempDir()
	clitest.Must(0, os.CopyFS(filepath.Join(dir, "regtest", "blocks"),
		os.DirFS(commandtest.CoreFolder)))
	return commandtest.StartCore(t, dir, coreTip, "-reindex"), filepath.Join(dir, "regtest", ".cookie")
}

// TestCoreNode checks that a Bitcoin Core node gives the same results as its folder.
func TestCoreNode(t *testing.T) {
	address, cookie := startCore(t)
	for _, span := range [][]string{nil, {"--from", "103", "--to", "106"}} {
		want := checkJSON(t, "", append([]string{commandtest.CoreBlocks(t)}, span...)...)
		want.PassedOver = 0 // stale blocks of the folder, which are not requested from nodes
		got := checkJSON(t, "", append(span, "--node", address, "--rpc-auth", cookie)...)
		if got.numbers() != want.numbers() || got.Exit != want.Exit || got.Valid < 20 ||
			got.Formats[0] != "bitcoin-json" {
			t.Errorf("%v: %+v\nwant %+v", span, got, want)
		}
	}
}
