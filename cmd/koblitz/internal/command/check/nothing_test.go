package check

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
)

// regtestFunding returns the second block of the chain, without signatures, in JSON.
func regtestFunding(t *testing.T) string {
	t.Helper()
	blocks, _ := regtestBlocks(t)
	var block wire.MsgBlock
	clitest.Must(0, block.Deserialize(bytes.NewReader(blocks[1])))
	return string(commandtest.GetBlock(t, &block, 1, nil))
}

// A nothingCase holds inputs without any row. The same flags, args, apply to each.
type nothingCase struct {
	args   []string
	texts  []string
	passed int // number of the first texts that hold messages without a row
}

// nothingCases returns inputs without any row, in every format.
func nothingCases(t *testing.T) map[string]nothingCase {
	t.Helper()
	coinbase := transactions(t, regtestFunding(t))[0]
	empty := []string{"", "\n", " \r\n \n"}
	nostr := append([]string{`["EOSE","x"]`, `["NOTICE","x"]` + "\n" + `["CLOSED","x","no"]` + "\n",
		`["OK","x",true,""]` + "\n\n", "[\n" + `["EOSE","x"]` + "\n]", "[\n\"EOSE\",\n\"x\"\n]",
		"[]", "[\n]", "[[]]", "{}", `["EVENT"]`, "null", `""`}, empty...)
	parquet := string(parquettest.Write(t, []columnstest.Column{{Name: "message"}, {Name: "key"},
		{Name: "signature"}}, parquettest.Layout{}))
	return map[string]nothingCase{
		"nostr":         {nil, nostr, 4},
		"nostr by name": {[]string{"--format", "nostr"}, append(nostr, "[\n\"EOSE\"\n]"), 3},
		"packed-bip340": {[]string{"--format", "packed-bip340"}, empty, 0},
		"tables": {[]string{"--columns", "message,key,signature"}, append(empty, "message,key,signature",
			"message,key,signature\n\n\n", "\xef\xbb\xbfmessage,key,signature\r\n", "{}", "[]", "null",
			parquet), 0},
		"bitcoin-tx": {[]string{"--network", "regtest"}, []string{coinbase, "[" + coinbase + "]",
			`{"result":` + coinbase + `,"error":null,"id":1}`, coinbase + "\n" + coinbase}, 4},
		"bitcoin-tx by name": {[]string{"--network", "regtest", "--format", "bitcoin-tx"},
			append(empty, "[]", `{"result":null}`), 0},
		"bitcoin-json": {[]string{"--format", "bitcoin-json"}, append(empty, "[]", `{"result":null}`,
			`[{"result":null}]`, `{"result":[]}`, `{"tx":[]}`, "{}", "null", "[[]]"), 0},
		"bitcoin-block": {[]string{"--format", "bitcoin-block"}, append(empty,
			strings.Repeat("\x00", 81)), 0},
		"bitcoin":  {[]string{"--format", "bitcoin"}, append(empty, "[]", "{}", `{"result":null}`), 0},
		"ethereum": {[]string{"--format", "ethereum"}, append(empty, "[]", "{}", `{"result":null}`), 0},
		"ethereum-json": {[]string{"--format", "ethereum-json"}, append(empty, "[]", "{}",
			`{"result":null}`, `[{"result":null}]`, `[{"result":"0x1"}]`, `{"result":"0x1"}`,
			`{"transactions":[]}`, `{"number":"0x10","timestamp":"0x10","transactions":[]}`,
			`{"result":{"number":"0x10","timestamp":"0x10","size":"0x1","transactions":[]}}`), 0},
		"ethereum-tx": {[]string{"--format", "ethereum-tx"}, append(empty, "[]", "[[]]",
			`{"result":null}`, `[{"result":null}]`), 0},
		"ethereum-rlp": {[]string{"--format", "ethereum-rlp"}, append(empty, "\xc0", "\x80",
			"\xc3\xc0\xc0\xc0"), 0},
	}
}

// TestNothing checks that inputs without a signature never give exit status 0: alone, compressed,
// in a folder, several together, or with --state.
func TestNothing(t *testing.T) {
	for name, c := range nothingCases(t) {
		dir := t.TempDir()
		var files []string
		for i, text := range c.texts {
			file := write(t, filepath.Join(dir, fmt.Sprint(i)), []byte(text))
			files = append(files, file)
			state := filepath.Join(t.TempDir(), "state")
			packed := write(t, "p.gz", commandtest.Gzipped(t, []byte(text)))
			for k, args := range [][]string{{"-"}, {file}, {packed}, {"--one-by-one", "--quiet", file},
				{"--state", state, file}, {"--state", state, file}} {
				if (i+min(k, 4))%oneIn(4) != 0 {
					continue
				}
				args = append(append([]string{"check"}, c.args...), args...)
				status, stdout, stderr := invoke(t, text, args...)
				said := strings.Count(stderr, "nothing was checked: ")
				if status == cli.ExitOK || status == cli.ExitInterrupted ||
					i < c.passed && (status != cli.ExitUnreadable || said != 1) {
					t.Errorf("%s, %q, %v: status %d\n%s%s", name, text, args, status, stdout, stderr)
				}
			}
		}
		some := files[rand.IntN(len(files)):]
		for _, names := range [][]string{{dir}, some} {
			if r := checkJSON(t, "", append(c.args, names...)...); r.Exit == cli.ExitOK || r.Rows == 0 &&
				len(r.Unreadable) == 0 {
				t.Errorf("%s: %v: %+v", name, names, r.summary.counts)
			}
		}
	}
}

// TestNothingButBlocks checks that blocks without signatures give status 0: they were checked.
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
		r := checkJSON(t, c.text, c.args...)
		if r.Exit != cli.ExitOK || r.Rows != 0 || len(r.Chains) != 1 || r.Chains[0].Blocks == 0 {
			t.Errorf("%s: %+v", name, r.summary.counts)
		}
	}
}
