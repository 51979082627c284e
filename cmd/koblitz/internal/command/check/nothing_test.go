package check

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// regtestFunding returns the second block of the chain, without signatures, in JSON.
func regtestFunding(t *testing.T) string {
	t.Helper()
	blocks, _ := regtestBlocks(t)
	var block wire.MsgBlock
	clitest.Must(0, block.Deserialize(bytes.NewReader(blocks[1])))
	return string(commandtest.GetBlock(t, &block, 1, nil))
}

// TestNothingButBlocks checks that blocks without signatures give status 0, and a file of verdicts
// without rows: they were checked. A run that checks nothing leaves an existing file as it is.
func TestNothingButBlocks(t *testing.T) {
	blocks, records := regtestBlocks(t)
	dir := t.TempDir()
	// The second copies of the blocks are counted as passed over.
	write(t, filepath.Join(dir, "blk00000.dat"), bytes.Repeat(bytes.Join(records[:2], nil), 2))
	undo := readFile(t, regtestRev)[:8+1+32] // that of the second block
	write(t, filepath.Join(dir, "rev00000.dat"), []byte(undo))
	const eth = `{"number":"0x10","timestamp":"0x10","transactions":[],"transactionsRoot":` +
		`"0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"}`
	regtest := []string{"--network", "regtest", "-"}
	ethereum := []string{"--format", "ethereum-json", "-"}
	for name, c := range map[string]struct {
		text string
		args []string
	}{
		"hex":                     {fmt.Sprintf("%x", blocks[1]), regtest},
		"json":                    {regtestFunding(t), regtest},
		"folder":                  {"", []string{dir}},
		"ethereum, among answers": {`[{"result":"0x1"},{"result":` + eth + `}]`, ethereum},
	} {
		out := filepath.Join(t.TempDir(), "v.jsonl")
		r := checkJSON(t, c.text, append(c.args, "--verdicts", out)...)
		if len(readVerdicts(t, out)) > 0 {
			t.Errorf("%s: %s", name, readFile(t, out))
		}
		if r.Exit != cli.ExitOK || r.Rows != 0 || len(r.Chains) != 1 || r.Chains[0].Count == 0 {
			t.Errorf("%s: %+v", name, r.summary.Counts)
		}
	}
	old := write(t, filepath.Join(dir, "old.csv"), []byte("old"))
	for _, in := range []string{filepath.Join(dir, "none"), "-"} {
		expect(t, cli.ExitUnreadable, []string{"old.csv is not written"}, "[]", "check", "--format",
			"ethereum-json", "--verdicts", old, in)
		if readFile(t, old) != "old" {
			t.Errorf("%s: %q", in, readFile(t, old))
		}
	}
}
