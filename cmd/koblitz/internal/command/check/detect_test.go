package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/ecdsa"
)

// rawTxAnswer is a response to eth_getRawTransactionByHash, of the chain with the id 1337.
const rawTxAnswer = `{"jsonrpc":"2.0","id":1,"result":"0xf86c0383023e38825208948bac311a9fb1fc90c4` +
	`ab8cee1c8437087169849a8853444835ec58000080820a95a0cc6c14bf8ca2b7f864f986925e77a92b9ca4ed3ec6d` +
	`de30b36500bc3a233456ea00142fa729584f570cc2c66daa11e99d6660164f27240a3e4deb6b523937629a3"}`

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
	getblock := newRegtest(nil).getblock()
	var bitcoin struct{ Tx []json.RawMessage }
	answer := readFile(t, gethFile(t, "internal", "ethapi", "testdata",
		"eth_getBlockByHash-hash-latest-1-fullTx.json"))
	var ethereum struct{ Transactions []json.RawMessage }
	var raw struct{ Result json.RawMessage }
	for text, v := range map[string]any{getblock: &bitcoin, answer: &ethereum, rawTxAnswer: &raw} {
		if err := json.Unmarshal([]byte(text), v); err != nil {
			t.Fatal(err)
		}
	}
	event := commandtest.SignedEvent(t, 1, "")
	regtest, dev := []string{"--network", "regtest"}, []string{"--network", "1337"}
	return []formCase{
		{"getblock 3", regtest, getblock, flags.BlockJSON, 3, true},
		{"getrawtransaction 2", regtest, string(bitcoin.Tx[1]), flags.BitcoinTx, 3, true},
		{"eth_getBlockByHash", dev, answer, flags.EthereumJSON, 1, true},
		{"eth_getTransactionByHash", dev, string(ethereum.Transactions[0]), flags.EthereumTx, 1, true},
		{"a long transaction", dev, strings.Replace(string(ethereum.Transactions[0]), `"nonce"`,
			`"other":"`+strings.Repeat("0", 70000)+`","nonce"`, 1), flags.EthereumTx, 1, true},
		{"eth_getRawTransactionByHash", dev, string(raw.Result), flags.EthereumTx, 1, true},
		{"event", nil, event, flags.Nostr, 1, false},
		{"EVENT of a client", nil, `["EVENT",` + event + `]`, flags.Nostr, 1, false},
		{"EVENT of a relay", nil, `["EVENT","x",` + event + `]`, flags.Nostr, 1, false},
	}
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
	if err := json.Compact(&compact, []byte(text)); err != nil {
		t.Fatal(err)
	}
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
		if err := json.Indent(&indented, []byte(list), "", "\t"); err != nil {
			t.Fatal(err)
		}
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
	z, err := xz.WriterConfig{DictCap: 1 << 16}.NewWriter(&packed)
	if err == nil {
		_, err = z.Write([]byte(text))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
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
	r := newRegtest(nil)
	spent := []string{"--network", "regtest", "--spent", write(t, "spent", r.spent())}
	block := string(commandtest.Serialize(r.spending))
	export := readFile(t, gethFile(t, "cmd", "devp2p", "internal", "ethtest", "testdata", "chain.rlp"))
	for _, c := range []formCase{
		{"block", spent, block, flags.BlockRaw, 3, false},
		{"block in hex", spent, fmt.Sprintf("%x\n", block), flags.BlockRaw, 3, false},
		{"export", []string{"--network", "3503995874084926"}, export, flags.EthereumRLP, 612, false},
	} {
		try(c, "alone", c.text, 1)
	}
}

// TestUnrecognized checks that inputs of other programs, and other answers of nodes, are not
// recognized, with status 3 and a text that says what they look like. None of them is taken for a
// signature that is not valid.
func TestUnrecognized(t *testing.T) {
	event, r := commandtest.SignedEvent(t, 1, ""), newRegtest(nil)
	unsigned, _, _ := strings.Cut(event, `,"sig"`)
	block := fmt.Sprintf("%x", commandtest.Serialize(r.spending))
	hash := `"0x` + strings.Repeat("ab", 32) + `"`
	const call = `"from":"0x11","gas":"0x5208","to":"0x22","input":"0x","value":"0x1"`
	const another, calling = "an answer of JSON-RPC, but to none of", "a call of JSON-RPC"
	_, raw, _ := strings.Cut(strings.TrimSuffix(rawTxAnswer, "}"), `"result":`)
	answered := func(result string) string {
		return `{"jsonrpc":"2.0","id":1,"result":` + result + `}`
	}
	for text, looks := range map[string]string{
		`{"result":"` + block + `","error":null,"id":1}`:                 another,
		`{"result":"0200000001` + block[:300] + `","error":null,"id":1}`: another,
		answered(`"0x10d4f"`): another,
		answered(hash):        another,
		// These are a serialized block, a header and a receipt of Ethereum.
		answered(`"0xf90260f9025ba0` + block[:500] + `"`):         another,
		answered(`"0xf9025ba0` + block[:500] + `"`):               another,
		answered(`["0xf90184018261a8b90100` + block[:400] + `"]`): another,

		answered(`{` + call + `,"type":"CALL"}`):                                                another,
		answered(`{"pending":{"0x11":{"1":{"hash":` + hash + `,"nonce":"0x1",` + call + `}}}}`): another,
		answered(event):             another,
		answered("[" + event + "]"): another,
		`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{` + call + `}]}`:  calling,
		`{"method":"eth_sendRawTransaction","params":[` + raw + `],"jsonrpc":""}`: calling,
		`{"txid":"aa","vin":[{"txid":"bb","scriptsig":"00"}],"vout":[{}]}`:        `"txid", "vin"`,
		`{"txid":"aa","vin":[{"txid":"bb","isAddress":true}],"vout":[{}]}`:        `"txid", "vin"`,
		`{"tx":{"txid":"aa","vin":[{"txid":"bb","scriptSig":{}}]},"inputs":[]}`:   `"tx", "inputs"`,
		`{"transactions":[{"hash":` + hash + `,"transaction":{` + call + `}}],` +
			`"receipts":[{"logsBloom":"0x00"}]}`: `"transactions", "receipts"`,
		`{"event":` + event + `}`: `"event"`,
		unsigned + "}":            `"id", "pubkey"`,
		"{\n \"name\": \"x\",\n \"version\": \"1.0\",\n \"files\": {}\n}\n": `"name", "version", "files"`,
		`{"level":{"a":1},"message":"b"}` + "\n" + `{"level":{"a":2}}`:      `"level", "message"`,
		`{"a": 1, `:                              `"a"`,
		"{}":                                     "no field",
		"[1,2,3]":                                "text",
		`["a","b"]`:                              "JSON, but no object",
		`"0x10"`:                                 "JSON, but no object",
		`["FOO","x"]`:                            "JSON, but no object",
		"[section]\nname = value":                "text",
		"<?xml version=\"1.0\"?>":                "text",
		"% { \n{ \\rm x }\n":                     "text",
		"0x" + block[:400]:                       "hexadecimal digits",
		"{\x00}":                                 "binary data",
		"\xff\xfe{\x00}\x00":                     "text in UTF-16",
		"\xef\xbb\xbf" + event:                   "a byte order mark",
		"\x89PNG\r\n\x1a\n\x00\x00{\"id\":1}\n{": "binary data",
		strings.Repeat("[\n", 40000):             "text",
		strings.Repeat("{\"a\":[\n", 20000):      `"a"`,
		strings.Repeat("\"a\n", 20000):           "JSON, but no object",
	} {
		r := checkJSON(t, text, "-")
		if r.Exit != cli.ExitUnreadable || r.Rows != 0 || len(r.Unreadable) != 1 ||
			!strings.Contains(r.Unreadable[0], "this looks like ") ||
			!strings.Contains(r.Unreadable[0], looks) || len(r.Unreadable[0]) > 600 {
			t.Errorf("%.80q:\n%+v\n%q", text, r.summary, r.Unreadable)
		}
	}
}

// TestBrokenEvents checks that a file is recognized as nostr if a part of an event is left, among
// other lines or alone, and that events longer than what is looked at are recognized.
func TestBrokenEvents(t *testing.T) {
	event := commandtest.SignedEvent(t, 1, "")
	long := strings.Repeat("x", 100_000)
	for text, status := range map[string]int{
		"noise\n{\"id\":tru\n" + event + "\n":                                cli.ExitInvalid,
		event[:len(event)-100]:                                               cli.ExitInvalid,
		`{"id":1,"pubkey":null,"sig":[],"kind":{}}`:                          cli.ExitInvalid,
		`{"kind":1,"created_at":1,"tags":[],"content":"` + long + `","id":"`: cli.ExitInvalid,
		`{"id":"1","pubkey":"2","content":"` + long + `"}` + "\n" + event:    cli.ExitInvalid,
		`{"seen":1,"pubkey":"2","kind":1,"content":"` + long + `"}`:          cli.ExitInvalid,
		`["NOTICE","` + long + `"]` + "\n" + event:                           cli.ExitOK,
	} {
		if r := checkJSON(t, text, "-"); r.Exit != status || r.Rows == 0 || r.Formats[0] != "nostr" {
			t.Errorf("%.60q: %+v", text, r.summary)
		}
	}
	many := strings.Repeat(event+"\n", 3)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.json"), []byte("{\n\"a\":{}}"))
	write(t, filepath.Join(dir, "b.jsonl"), []byte(many))
	if r := checkJSON(t, "", dir); r.Exit != cli.ExitUnreadable || r.Valid != 3 {
		t.Errorf("a folder with another file: %+v", r.summary)
	}
}

// TestPackedCompression checks that packed rows are unpacked only if --compression says so, because
// they may begin with any bytes, and that each report names the compression.
func TestPackedCompression(t *testing.T) {
	for name, row := range map[string][]byte{"packed-bip340": commandtest.BIP340Row(t, 1),
		"packed-ecdsa": commandtest.ECDSARow(t, 1)} {
		rows := bytes.Repeat(row, 5)
		for compression, data := range map[string]string{"gzip": string(commandtest.Gzipped(t, rows)),
			"zstd": string(zstded(t, rows)), "xz": xzPacked(t, string(rows))} {
			packed := write(t, "packed", []byte(data))
			padded := data + strings.Repeat("\x00", len(row)-len(data)%len(row))
			file := write(t, "rows", []byte(padded))
			args := []string{"--format", name, file}
			r := checkJSON(t, "", args...)
			if n := int64(len(padded) / len(row)); r.Rows != n || r.Valid != 0 ||
				r.Exit != cli.ExitInvalid || r.Inputs[0].Compression != "" {
				t.Errorf("%s, %s: %+v", name, compression, r)
			}
			expect(t, cli.ExitInvalid, []string{"koblitz: " + file + ": begins like " + compression +
				", and is read as rows all the same; --compression " + compression + " unpacks it\n"}, "",
				append([]string{"check"}, args...)...)
			for _, in := range []string{packed, "-"} {
				args := []string{"--compression", compression, "--format", name, in}
				r = checkJSON(t, data, args...)
				if r.Valid != 5 || r.Exit != cli.ExitOK || r.Inputs[0].Compression != compression {
					t.Errorf("%s, %s: %+v", name, compression, r)
				}
				_, stderr := expect(t, cli.ExitOK, []string{" (" + name + ", " + compression + ", "}, data,
					append([]string{"check"}, args...)...)
				if stderr != "" {
					t.Errorf("%s, %s: %s", name, compression, stderr)
				}
			}
		}
	}
}

// TestRecoveryIDs checks which recovery ids a table may have.
func TestRecoveryIDs(t *testing.T) {
	sig := clitest.Must(ecdsa.SignRecoverable(commandtest.Key(t, 1), make([]byte, 32), nil))
	for _, how := range []string{"--workers=1", "--one-by-one"} {
		for id := range 256 {
			row := fmt.Sprintf("hash,signature\n%064x,%x%02x\n", 0, sig[:64], id)
			r := checkJSON(t, row, "--columns", "hash,signature", how, "-")
			switch id {
			case 0, 1, 27, 28:
				if r.Recovered != 1 {
					t.Errorf("%d: %+v", id, r)
				}
			case 2, 3, 29, 30: // r + n is no x coordinate
			default:
				if r.Malformed != 1 || r.Failures[0].Reason != batch.RecoveryIDRange.String() {
					t.Errorf("%d: %+v", id, r)
				}
			}
		}
	}
}

// TestNodeFiles checks that the error for a single file of a node's folder names the folder.
func TestNodeFiles(t *testing.T) {
	for _, name := range []string{"rev00000.dat", "rev00001.dat", "xor.dat", "blk00001.dat"} {
		expect(t, cli.ExitUnreadable, []string{name + ": a node's file, which is read together with " +
			"others: name the folder, " + commandtest.CoreFolder + "\n"}, "", "check",
			filepath.Join(commandtest.CoreFolder, name))
	}
}
