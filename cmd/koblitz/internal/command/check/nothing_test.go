package check

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/parquetfile/parquettest"
)

// A nothingCase holds inputs without any row. The same flags, args, apply to each.
type nothingCase struct {
	args  []string
	texts []string
	// words expected in the error messages: words[i] in the message for texts[i]
	words []string
}

// nothingCases returns inputs without any row, in every format.
func nothingCases(t *testing.T) map[string]nothingCase {
	t.Helper()
	chain := newRegtest(nil)
	var block struct{ Tx []json.RawMessage }
	if err := json.Unmarshal(commandtest.GetBlock(t, chain.funding, 1, nil), &block); err != nil {
		t.Fatal(err)
	}
	coinbase := string(block.Tx[0])
	nostr := []string{`["EOSE","x"]`, `["NOTICE","x"]` + "\n" + `["CLOSED","x","no"]` + "\n",
		`["OK","x",true,""]` + "\n\n", "[\n" + `["EOSE","x"]` + "\n]", "[\n\"EOSE\",\n\"x\"\n]",
		`["AUTH","challenge"]`, "", "\n", " \r\n", "[]", "[\n]", "[[]]", "{}", `["EVENT"]`, "null", `""`}
	envelope := "they hold no event"
	empty := []string{"", "\n", " \r\n \n"}
	parquet := string(parquettest.Write(t, []columnstest.Column{{Name: "message"}, {Name: "key"},
		{Name: "signature"}}, parquettest.Layout{}))
	return map[string]nothingCase{
		"nostr": {nil, nostr, []string{envelope, envelope, envelope}},
		"nostr by name": {[]string{"--format", "nostr"}, append(nostr, "[\n\"EOSE\"\n]"),
			[]string{envelope}},
		"packed-bip340": {[]string{"--format", "packed-bip340"}, empty, nil},
		"packed-ecdsa":  {[]string{"--format", "packed-ecdsa"}, empty, nil},
		"tables": {[]string{"--columns", "message,key,signature"}, append(empty, "message,key,signature",
			"message,key,signature\n\n\n", "\xef\xbb\xbfmessage,key,signature\r\n", "{}", "[]", "null",
			parquet), nil},
		"recovery": {[]string{"--columns", "hash,signature"}, append(empty, "hash,signature\n"), nil},
		"bitcoin-tx": {[]string{"--network", "regtest"}, []string{coinbase, "[" + coinbase + "]",
			`{"result":` + coinbase + `,"error":null,"id":1}`, coinbase + "\n" + coinbase},
			[]string{"they are coinbases", "they are coinbases"}},
		"bitcoin-tx by name": {[]string{"--network", "regtest", "--format", "bitcoin-tx"},
			[]string{coinbase, "[]", "", `{"result":null}`}, []string{"they are coinbases"}},
		"bitcoin-json": {[]string{"--format", "bitcoin-json"}, []string{"[]", `{"result":null}`,
			`[{"result":null}]`, `{"result":[]}`, `{"tx":[]}`, "", "{}", "null", "[[]]"}, nil},
		"bitcoin-block": {[]string{"--format", "bitcoin-block"}, append(empty,
			strings.Repeat("\x00", 81)), nil},
		"bitcoin": {[]string{"--format", "bitcoin"}, append(empty, "[]", "{}", `{"result":null}`), nil},
		"ethereum": {[]string{"--format", "ethereum"}, append(empty, "[]", "{}", `{"result":null}`),
			nil},
		"ethereum-json": {[]string{"--format", "ethereum-json"}, append(empty, "[]", "{}",
			`{"result":null}`, `[{"result":null}]`, `[{"result":"0x1"}]`, `{"result":"0x1"}`,
			`{"transactions":[]}`, `{"number":"0x10","timestamp":"0x10","transactions":[]}`,
			`{"result":{"number":"0x10","timestamp":"0x10","size":"0x1","transactions":[]}}`), nil},
		"ethereum-tx": {[]string{"--format", "ethereum-tx"}, append(empty, "[]", "[[]]",
			`{"result":null}`, `[{"result":null}]`), nil},
		"ethereum-rlp": {[]string{"--format", "ethereum-rlp"}, append(empty, "\xc0", "\x80",
			"\xc3\xc0\xc0\xc0"), nil},
	}
}

// TestNothing checks that inputs without a signature never give exit status 0: alone, compressed,
// in a folder, several together, or with --state. The error must tell the user what to do.
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
				if status == cli.ExitOK || status == cli.ExitInterrupted {
					t.Errorf("%s, %q, %v: status %d\n%s%s", name, text, args, status, stdout, stderr)
				}
				if i < len(c.words) && (status != cli.ExitUnreadable || strings.Count(stderr,
					"nothing was checked: ") != 1 || !strings.Contains(stderr, c.words[i])) {
					t.Errorf("%s, %q, %v: status %d, want 3 and %q\n%s%s", name, text, args, status, c.words[i],
						stdout, stderr)
				}
			}
		}
		status, stdout, stderr := invoke(t, "", append(append([]string{"check"}, c.args...), dir)...)
		if status == cli.ExitOK {
			t.Errorf("%s: the folder: %s%s", name, stdout, stderr)
		}
		for range 5 {
			rand.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
			some := files[:1+rand.IntN(len(files))]
			if r := checkJSON(t, "", append(c.args, some...)...); r.Exit == cli.ExitOK || r.Rows == 0 &&
				len(r.Unreadable) == 0 {
				t.Errorf("%s: %v: %+v", name, some, r.summary.counts)
			}
		}
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	expect(t, cli.ExitUnreadable, nil, "", "check", empty)
}

// TestNothingButBlocks checks that a run over a block without signatures ends with status 0,
// because the block itself was checked.
func TestNothingButBlocks(t *testing.T) {
	chain := newRegtest(nil)
	var blk []byte
	for range 2 { // the second copy of the block is counted as passed over
		for _, b := range []*wire.MsgBlock{chain.genesis, chain.funding} {
			raw := commandtest.Serialize(b)
			blk = append(blk, commandtest.RegtestMagic[:]...)
			blk = binary.LittleEndian.AppendUint32(blk, uint32(len(raw)))
			blk = append(blk, raw...)
		}
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "blk00000.dat"), blk)
	write(t, filepath.Join(dir, "rev00000.dat"), chain.rev()[:8+1+32]) // that of chain.funding
	const emptyRoot = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
	eth := `{"number":"0x10","timestamp":"0x10","transactions":[],"transactionsRoot":"` + emptyRoot +
		`"}`
	for name, c := range map[string]struct {
		text string
		args []string
	}{
		"block": {string(commandtest.Serialize(chain.funding)), []string{"--network", "regtest"}},
		"hex": {fmt.Sprintf("%x", commandtest.Serialize(chain.funding)), []string{"--network",
			"regtest"}},
		"json": {string(commandtest.GetBlock(t, chain.funding, 1, nil)), []string{"--network",
			"regtest"}},
		"folder":   {"", []string{dir}},
		"ethereum": {eth, []string{"--format", "ethereum-json"}},
		"ethereum, among answers": {`[{"result":"0x1"},{"result":` + eth + `}]`,
			[]string{"--format", "ethereum-json"}},
	} {
		if c.text != "" {
			c.args = append(c.args, "-")
		}
		r := checkJSON(t, c.text, c.args...)
		if r.Exit != cli.ExitOK || r.Rows != 0 || len(r.Chains) != 1 || r.Chains[0].Blocks == 0 {
			t.Errorf("%s: %+v", name, r.summary.counts)
		}
	}
}
