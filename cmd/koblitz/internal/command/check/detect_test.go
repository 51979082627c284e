package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// rawTx is an answer to eth_getRawTransactionByHash, of the chain with the id 1337.
const rawTx = `"0xf86c0383023e38825208948bac311a9fb1fc90c4ab8cee1c8437087169849a8853444835ec58` +
	`000080820a95a0cc6c14bf8ca2b7f864f986925e77a92b9ca4ed3ec6dde30b36500bc3a233456ea00142fa729584` +
	`f570cc2c66daa11e99d6660164f27240a3e4deb6b523937629a3"`

// A formCase is a value in a format that check recognizes by content.
type formCase struct {
	name   string
	args   []string
	text   string
	format flags.Format
	rows   int64 // number of rows, all valid or recovered
	answer bool  // the value comes in responses of JSON-RPC too
}

// jsonForms returns a value in JSON for each form that check reads.
func jsonForms(t testing.TB) []formCase {
	t.Helper()
	getblock, answer := readFile(t, regtestJSON), readFile(t, ethereumAnswer(t))
	tx, ethereumTx := transactions(t, getblock)[1], transactions(t, answer)[0]
	event := commandtest.SignedEvent(t, 1, "")
	regtest, dev := []string{"--network", "regtest"}, []string{"--network", "1337"}
	return []formCase{
		{"getblock 3", regtest, getblock, flags.BlockJSON, 3, true},
		{"getrawtransaction 2", regtest, tx, flags.BitcoinTx, 3, true},
		{"eth_getBlockByHash", dev, answer, flags.EthereumJSON, 1, true},
		{"eth_getTransactionByHash", dev, ethereumTx, flags.EthereumTx, 1, true},
		{"a long transaction", dev, strings.Replace(ethereumTx, `"nonce"`,
			`"other":"`+strings.Repeat("0", 70000)+`","nonce"`, 1), flags.EthereumTx, 1, true},
		{"eth_getRawTransactionByHash", dev, rawTx, flags.EthereumTx, 1, true},
		{"event", nil, event, flags.Nostr, 1, false},
		{"EVENT of a client", nil, `["EVENT",` + event + `]`, flags.Nostr, 1, false},
		{"EVENT of a relay", nil, `["EVENT","x",` + event + `]`, flags.Nostr, 1, false},
	}
}

// transactions returns the transactions of a block in JSON.
func transactions(t testing.TB, block string) (list []string) {
	t.Helper()
	var parsed struct{ Tx, Transactions []json.RawMessage }
	clitest.Must(0, json.Unmarshal([]byte(block), &parsed))
	for _, tx := range append(parsed.Tx, parsed.Transactions...) {
		list = append(list, string(tx))
	}
	return list
}

// A wrappedValue is a file with copies of a JSON value.
type wrappedValue struct {
	name   string
	text   string
	copies int64
}

// wrapped returns the ways in which a JSON value comes in a file. answer says that it comes in
// responses of JSON-RPC too.
func wrapped(t testing.TB, text string, answer bool) (ways []wrappedValue) {
	t.Helper()
	var compact bytes.Buffer
	clitest.Must(0, json.Compact(&compact, []byte(text)))
	one := compact.String()
	values := []string{one}
	if answer {
		values = append(values, `{"jsonrpc":"2.0","id":1,"result":`+one+`}`,
			`{"result":`+one+`,"error":null,"id":"curl"}`)
	}
	for i, one := range values {
		name := []string{"", "answer, ", "answer of Core, "}[i]
		list := "[" + one + "," + one + "]"
		var indented bytes.Buffer
		clitest.Must(0, json.Indent(&indented, []byte(list), "", "\t"))
		ways = append(ways, wrappedValue{name + "alone", one, 1}, wrappedValue{name + "list", list, 2},
			wrappedValue{name + "indented", indented.String(), 2},
			wrappedValue{name + "lines", one + "\n" + one + "\n", 2},
			wrappedValue{name + "lines with CR LF", " \r\n\r\n" + one + "\r\n" + one + "\r\n", 2})
	}
	return ways
}

// xzPacked returns text compressed with xz.
func xzPacked(t testing.TB, text string) string {
	t.Helper()
	var packed bytes.Buffer
	z := clitest.Must(xz.WriterConfig{DictCap: 1 << 16}.NewWriter(&packed))
	clitest.Must(z.Write([]byte(text)))
	clitest.Must(0, z.Close())
	return packed.String()
}

// TestForms checks that every form of input is recognized by its content, in every way in which it
// may be wrapped and compressed, in a file and from standard input.
func TestForms(t *testing.T) {
	tries := 0
	try := func(c formCase, way, text string, copies int64) {
		packed := []string{text, string(commandtest.Gzipped(t, []byte(text))), string(zstded(t,
			[]byte(text))), xzPacked(t, text)}
		for i, data := range packed {
			if tries++; !clitest.Deep() && i > 0 && i != 1+tries%3 {
				continue
			}
			stdin, file := data, "-"
			if tries%2 == 0 {
				stdin, file = "", write(t, "file", []byte(data))
			}
			r := checkJSON(t, stdin, append(c.args, file)...)
			if r.Rows != c.rows*copies || r.Valid+r.Recovered != r.Rows || r.Exit != cli.ExitOK ||
				len(r.Formats) != 1 || r.Formats[0] != string(c.format) {
				t.Errorf("%s, %s, compression %d: %+v %v %v", c.name, way, i, r.summary, r.Failures,
					r.Unreadable)
			}
		}
	}
	for _, c := range jsonForms(t) {
		for _, w := range wrapped(t, c.text, c.answer) {
			try(c, w.name, w.text, w.copies)
		}
	}
	spent := []string{"--network", "regtest", "--spent", regtestSpent}
	blocks, _ := regtestBlocks(t)
	block := string(blocks[2])
	export := readFile(t, ethereumExport(t))
	for _, c := range []formCase{
		{"block", spent, block, flags.BlockRaw, 3, false},
		{"block in hex", spent, fmt.Sprintf("%x\n", block), flags.BlockRaw, 3, false},
		{"export", []string{"--network", "3503995874084926"}, export, flags.EthereumRLP, 612, false},
	} {
		try(c, "alone", c.text, 1)
	}
}

// TestPackedCompression checks that packed rows are unpacked only if --compression says so, because
// they may begin with any bytes, and that each report names the compression.
func TestPackedCompression(t *testing.T) {
	row := commandtest.ECDSARow(t, 1)
	rows := bytes.Repeat(row, 5)
	args := []string{"check", "--format", "packed-ecdsa"}
	for compression, data := range map[string]string{"gzip": string(commandtest.Gzipped(t, rows)),
		"zstd": string(zstded(t, rows)), "xz": xzPacked(t, string(rows))} {
		padded := data + strings.Repeat("\x00", len(row)-len(data)%len(row))
		file := write(t, "rows", []byte(padded))
		expect(t, cli.ExitInvalid, []string{fmt.Sprintf("rows           %d\n", len(padded)/len(row))}, "",
			append(args, file)...)
		for _, in := range []string{write(t, "packed", []byte(data)), "-"} {
			_, stderr := expect(t, cli.ExitOK, []string{" (packed-ecdsa, " + compression + ", ",
				"valid          5\n"}, data, append(args, "--compression", compression, in)...)
			if stderr != "" {
				t.Errorf("%s: %s", compression, stderr)
			}
		}
	}
}
