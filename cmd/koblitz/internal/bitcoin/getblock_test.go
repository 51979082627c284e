package bitcoin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// An ordered is a JSON object. It holds names and values by turns.
type ordered []any

func (o ordered) MarshalJSON() ([]byte, error) {
	var fields []string
	for i := 0; i < len(o); i += 2 {
		fields = append(fields, fmt.Sprintf("%q:%s", o[i], must(json.Marshal(o[i+1]))))
	}
	return []byte("{" + strings.Join(fields, ",") + "}"), nil
}

// printBlock returns a block in JSON as Bitcoin Core's getblock prints it at verbosity 3, with the
// same fields and order. spent holds the outputs that the block's inputs spend.
func printBlock(t testing.TB, block []byte, height int32, spent []wireform.Output,
	withHex bool) []byte {
	msg, h := blockIn(t, block), wireform.ParseHeader(block)
	script := func(s []byte) ordered {
		return ordered{"asm", "…", "desc", fmt.Sprintf("raw(%x)", s), "hex", hex.EncodeToString(s),
			"type", "nonstandard"}
	}
	amount := func(v int64) json.Number {
		return json.Number(fmt.Sprintf("%d.%08d", v/1e8, v%1e8))
	}
	var txs []ordered
	for i, tx := range msg.Transactions {
		var ins, outs []ordered
		fee := int64(0)
		for _, in := range tx.TxIn {
			vin := ordered{"coinbase", hex.EncodeToString(in.SignatureScript)}
			if i > 0 {
				vin = ordered{"txid", in.PreviousOutPoint.Hash.String(), "vout", in.PreviousOutPoint.Index,
					"scriptSig", ordered{"asm", "…", "hex", hex.EncodeToString(in.SignatureScript)}}
			}
			if len(in.Witness) > 0 {
				var items []string
				for _, item := range in.Witness {
					items = append(items, hex.EncodeToString(item))
				}
				vin = append(vin, "txinwitness", items)
			}
			if i > 0 {
				vin = append(vin, "prevout", ordered{"generated", false, "height", 1, "value",
					amount(spent[0].Amount), "scriptPubKey", script(spent[0].Script)})
				fee += spent[0].Amount
				spent = spent[1:]
			}
			ins = append(ins, append(vin, "sequence", in.Sequence))
		}
		for k, out := range tx.TxOut {
			outs = append(outs, ordered{"value", amount(out.Value), "n", k, "scriptPubKey",
				script(out.PkScript)})
			fee -= out.Value
		}
		one := ordered{"txid", tx.TxHash().String(), "hash", tx.WitnessHash().String(), "version",
			tx.Version, "size", tx.SerializeSize(), "locktime", tx.LockTime, "vin", ins, "vout", outs}
		if fee >= 0 && i > 0 {
			one = append(one, "fee", amount(fee))
		}
		if withHex {
			one = append(one, "hex", hex.EncodeToString(bitcointest.Serialized(t, tx)))
		}
		txs = append(txs, one)
	}
	stripped := msg.SerializeSizeStripped()
	return append(must(json.MarshalIndent(ordered{"hash", h.Hash.String(), "confirmations", 1234,
		"height", height, "version", h.Version, "versionHex", fmt.Sprintf("%08x", uint32(h.Version)),
		"merkleroot", h.Root.String(), "time", h.Time, "mediantime", h.Time, "nonce", msg.Header.Nonce,
		"bits", fmt.Sprintf("%08x", h.Bits), "difficulty", 1180923195.258026,
		"nTx", len(msg.Transactions), "previousblockhash", h.Prev.String(), "strippedsize", stripped,
		"size", len(block), "weight", 3*stripped + len(block), "tx", txs}, "", "  ")), '\n')
}

// sampleJSON returns the sample block in the format of getblock.
func sampleJSON(t testing.TB) []byte {
	return printBlock(t, bitcointest.Unpack(t, sample.Block), 277647, sampleOutputs(t), true)
}

// syntheticJSON returns a block with every kind of input in the format of getblock.
func syntheticJSON(t testing.TB) []byte {
	all := spends()
	tx, outs := build(all, len(all))
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 800000), tx)
	return printBlock(t, block, 800000, outs, true)
}

// readJSON reads the block b in JSON. It selects regtest or mainnet by the block's difficulty bits.
func readJSON(b []byte) tally {
	network := onRegtest
	if bytes.Contains(b, []byte("1903a30c\"")) {
		network = onMainnet
	}
	return run(nodejson.Blocks(source("block.json", b), network, nil))
}

// transactionsOf returns each transaction of a block in JSON as getrawtransaction prints it. block
// is the block in the format of getblock.
func transactionsOf(block []byte) (all []string) {
	var b struct{ Tx []json.RawMessage }
	noError(json.Unmarshal(block, &b))
	for _, tx := range b.Tx {
		all = append(all, strings.Replace(string(tx), "{", `{"in_active_chain":true,"blockhash":"00",`,
			1))
	}
	return all
}

// A jsonForm is one of the two forms in which a node prints transactions.
type jsonForm struct {
	format Format
	value  string // an intact value
	read   func(reading.Source) reading.Reader
}

func (f *jsonForm) run(text string) tally { return run(f.read(source("block.json", []byte(text)))) }

// jsonForms returns a block of three inputs in each form.
func jsonForms(t testing.TB, withHex bool) []jsonForm {
	block, spent := smallBlock()
	text := printBlock(t, block, 1, spent, withHex)
	return []jsonForm{{FormatGetBlock, string(text), func(src reading.Source) reading.Reader {
		return nodejson.Blocks(src, onRegtest, nil)
	}}, {FormatTransactions, transactionsOf(text)[1], func(src reading.Source) reading.Reader {
		return nodejson.Transactions(src, onRegtest)
	}}}
}

// TestGetBlock checks the verdicts on blocks in JSON, and the line, the block and the transaction
// that each verdict names.
func TestGetBlock(t *testing.T) {
	all := spends()
	tx, outs := build(all, len(all))
	var want counts // of the inputs judged one by one
	for i := range all {
		u := unitOf(tx, outs, i, now)
		v := judge(&u)
		want[v] += max(1, len(u.Signatures))
	}
	text := sampleJSON(t)
	got := readJSON(text)
	if got.err != nil || got.verdicts != (counts{reading.Valid: 732}) {
		t.Errorf("%v, %v", got.verdicts, got.err)
	}
	// Some inputs spend outputs of the block itself, whose amounts are then others.
	changed := sampleOutputs(t)
	for i := range changed {
		changed[i].Amount++
	}
	other := readJSON(printBlock(t, bitcointest.Unpack(t, sample.Block), 277647, changed, true))
	if len(other.bad) != 1 || !strings.Contains(other.bad[0].Reason, "which is in the block") {
		t.Errorf("other amounts: %v, %+v", other.verdicts, other.bad)
	}
	for i := 0; i < len(got.all); i += oneIn(10) {
		w := got.all[i].Where
		if line := 1 + bytes.Count(text[:w.Offset], []byte("\n")); w.Line != line ||
			w.Block != 277647 || !bytes.HasPrefix(text[w.Offset:], []byte("{\n      \"txid\": \""+w.Tx)) {
			t.Errorf("%+v is not at line %d", w, line)
		}
	}
	text = syntheticJSON(t)
	if got = readJSON(text); got.err != nil || got.units != len(all) || got.verdicts != want {
		t.Errorf("%v, want %v; %v", got.verdicts, want, got.err)
	}
	want[reading.PassedOver]++ // the coinbase
	if got := run(nodejson.Transactions(source("f", []byte(strings.Join(transactionsOf(text), ""))),
		onRegtest)); got.err != nil || got.verdicts != want {
		t.Errorf("transactions: %v, want %v; %v", got.verdicts, want, got.err)
	}

	// The input spends an output of its own block. Its signature covers no amount.
	some := spendsOf("P2PKH, compressed")
	tx, outs = build(some, 1)
	block, _ := blockOf(consensus.Regtest.Genesis(), 1700000000, funding(some, 1), tx)
	for more, want := range []counts{{reading.Valid: 1}, {reading.Valid: 1, reading.Malformed: 1}} {
		outs[0].Amount += int64(more)
		if got := readJSON(printBlock(t, block, 1, outs, true)); got.err != nil || got.verdicts != want {
			t.Errorf("%d satoshi more: %v, want %v; %v", more, got.verdicts, want, got.err)
		}
	}
}

// TestJSONShapes checks that blocks and transactions are read one after another, from lists and
// from JSON-RPC responses, and that reading ends at a value that is something else.
func TestJSONShapes(t *testing.T) {
	for _, form := range jsonForms(t, false) {
		var compact bytes.Buffer
		noError(json.Compact(&compact, []byte(form.value)))
		fill := strings.NewReplacer("VALUE", form.value, "COMPACT", compact.String()).Replace
		for shape, n := range map[string]int{
			"VALUE":                      1,
			"VALUE\nVALUE":               2,
			"COMPACTVALUE":               2,
			"[VALUE]":                    1,
			"[VALUE,COMPACT][]\n[VALUE]": 3,
			`{"result":VALUE,"error":null,"id":"curltest"}`:                                               1,
			`{"jsonrpc":"2.0","id":7,"result":VALUE}{"jsonrpc":"2.0","result":VALUE,"id":` + `{"a":[1]}}`: 2,
			`[{"id":1,"result":VALUE,"error":null},{"error":null,"result":COMPACT}]`:                      2,
		} {
			text := fill(shape)
			if got := form.run(text); got.err != nil || got.verdicts != (counts{reading.Valid: 3 * n}) {
				t.Errorf("%s, %s: %v, %v", form.format, shape, got.verdicts, got.err)
			}
			if f, ok := Detect([]byte(text)[:min(len(text), detectSize)]); !ok || f != form.format {
				t.Errorf("%s, %s: taken for %v", form.format, shape, f)
			}
		}
		for shape, want := range map[string]string{
			"[]\n[ ]":                         "in it",
			"[5]":                             "is wanted",
			`{"result":"00"}`:                 "is wanted",
			"VALUEx":                          "bad JSON",
			"[VALUE,]":                        "bad JSON",
			"[VALUE":                          "ends in the middle of a",
			`[{"result":VALUE}`:               "ends in the middle of a",
			`{"result":VALUE`:                 "ends in the middle of a",
			`{"result":VALUE,"result":VALUE}`: "second time",
			`{"Result":VALUE,"result":VALUE}`: "may be taken for",
			`VALUE{"result":null,"error":{"code":-5,"message":"Block not found"},"id":1}`: "Block not found",
		} {
			got := form.run(fill(shape))
			if !says(got.err, want) {
				t.Errorf("%s, %s: %v, want %s", form.format, shape, got.err, want)
			}
			if begun := strings.HasPrefix(shape, "VALUE") || strings.HasPrefix(shape, "["+"VALUE"); begun &&
				got.verdicts != (counts{reading.Valid: 3}) {
				t.Errorf("%s, %s: %v", form.format, shape, got.verdicts)
			}
		}
	}
}

// TestJSONPlace checks that reading resumes after each value, in intact and in damaged files.
func TestJSONPlace(t *testing.T) {
	for _, form := range jsonForms(t, true) {
		for shape, repeat := range map[string]string{"": "VALUE\n", "[5": "[VALUE,VALUE]",
			"[]": `{"result":VALUE}`} {
			// A batch ends after many inputs, so that a place needs many values.
			text := strings.Repeat(strings.ReplaceAll(repeat, "VALUE", form.value), 200/oneIn(4)) + shape
			if n := placetest.Check(t, []byte(text), form.read); n < 2 {
				t.Errorf("%s, %s: %d places", form.format, repeat, n)
			}
		}
	}
}

// TestGetBlockErrors checks which line an error names, and that all complete transactions before it
// are judged.
func TestGetBlockErrors(t *testing.T) {
	form := jsonForms(t, true)[0]
	lines := strings.SplitAfter(form.value, "\n")
	broken := form.value + strings.Join(lines[:6], "") + "\"merkleroot\" 1"
	e := asError(t, form.run(broken).err)
	if e.File != "block.json" || e.Line != len(lines)+6 || !strings.Contains(e.Error(), "bad JSON") {
		t.Errorf("%v", e)
	}
	text := form.value + form.value
	for cut := 1; cut < len(text)-1; cut += oneIn(97) {
		got := form.run(text[:cut])
		if cut == len(form.value)-1 || cut == len(form.value) {
			continue
		}
		if e := asError(t, got.err); len(got.bad) > 0 || e.Line != 1+strings.Count(text[:cut], "\n") ||
			cut > len(form.value) && got.units < 3 {
			t.Errorf("cut at %d: %v, %v", cut, got.err, got.verdicts)
		}
	}
}

// TestJSONMalformed checks that valid JSON that holds invalid transactions gets the right verdicts
// and reasons, in a block and between intact transactions.
func TestJSONMalformed(t *testing.T) {
	forms := jsonForms(t, true)
	block, _ := smallBlock()
	tx := blockIn(t, block).Transactions[1]
	in, out := tx.TxIn[0], tx.TxOut[0]
	sequence, sigScript := fmt.Sprintf("\"sequence\": %d", in.Sequence),
		fmt.Sprintf("%x", in.SignatureScript)
	const differs = "the transaction's hex and its other fields differ"
	for _, c := range []struct {
		from, to string
		reason   string
		input    int
	}{
		{"\"txid\": \"" + tx.TxHash().String(), "\"txid\": \"" + strings.Repeat("00", 32),
			"the transaction hashes to " + tx.TxHash().String(), -1},
		{sequence, "\"sequence\": 5", differs, -1},
		{sigScript, "000", "encoding/hex: odd length hex string", -1},
		{fmt.Sprintf("%d.%08d", out.Value/1e8, out.Value%1e8), "9.5", differs, -1},
		{"\"height\": 1,\n            \"value\": 1.00000000", "\"value\": 1.000000001",
			"input 0, prevout: \"1.000000001\" is not an amount", -1},
		{"\"prevout\"", "\"x\"", "\"prevout\"", 0},
		{"00000000\"\n    }", "0\"\n    }", "", -1},
		{"00000000\"\n    }", "0000000000\"\n    }", differs, -1},
		{"\"vout\": 1,", "\"vout\": 1, \"vout\": 1,", "second time", -1},
		{"\"version\": 2,\n      \"size\": ", "\"version\": 2,\n      \"size\": 1",
			"\"size\" is not ", -1},
		{"\"vin\": [\n        {\n          \"txid\"",
			"\"vin\": [{\"coinbase\":\"00\",\"sequence\":0}, {\"txid\"", "coinbase", -1},
	} {
		for _, form := range forms {
			text := strings.Replace(form.value, c.from, c.to, 1)
			if text == form.value {
				t.Fatalf("%s: there is no %q", form.format, c.from)
			}
			valid := 0
			if form.format == FormatTransactions {
				text, valid = form.value+text+"\n"+form.value, 6
			}
			got := form.run(text)
			if got.err != nil || len(got.bad) == 0 || got.verdicts[reading.Valid] < valid {
				t.Errorf("%s, %.30q: %v, %v", form.format, c.to, got.verdicts, got.err)
				continue
			}
			verdict := reading.Malformed
			if c.from == "\"prevout\"" {
				verdict = reading.NotCheckable
			}
			u := got.bad[0]
			if u.Decided != verdict || !strings.Contains(u.Reason, c.reason) || u.Where.Input != c.input ||
				u.Where.Line == 0 || verdict == reading.Malformed && got.verdicts[verdict] > 2 {
				t.Errorf("%s, %.30q: %v, %+v", form.format, c.to, got.verdicts, u)
			}
		}
	}
	// A coinbase alone spends nothing, and its fields must be those of its bytes.
	coinbase := transactionsOf([]byte(forms[0].value))[0]
	heavy := strings.Replace(jsonForms(t, false)[1].value, `"vout": [`,
		`"vout": [{"value":0,"scriptPubKey":{"hex":"`+strings.Repeat("00", 1e6)+`"}},`, 1)
	for text, want := range map[string]string{
		strings.Replace(coinbase, `"coinbase"`, `"vout":0,"coinbase"`, 1): "beside other fields",
		strings.Replace(coinbase, `"sequence": 0`, `"sequence": 1`, 1):    "",
		heavy: "more than a block can",
		"{}":  "without",
	} {
		got := forms[1].run(text)
		if got.err != nil || len(got.bad) != 1 || got.bad[0].Decided != reading.Malformed ||
			!strings.Contains(got.bad[0].Reason, want) {
			t.Errorf("%.60s: %v, %v", text, got.verdicts, got.err)
		}
	}
}

// numberField matches a field of a block or a transaction that holds a number. It captures the name
// and the value.
var numberField = regexp.MustCompile(`"(height|version|versionHex|time|nonce|bits|nTx|size|` +
	`weight|strippedsize|locktime|sequence|vout|n|value|fee)": ("[0-9a-f]*"|[0-9.-]+)`)

// optional lists the fields without which a block is read.
var optional = []string{"nTx", "strippedsize", "size", "weight", "fee", "n", "versionHex"}

// TestJSONNumbers replaces each number by others, by text and by fractions, and checks that each
// replacement is refused or stands for the same number. Some of these numbers select the rules for
// signatures.
func TestJSONNumbers(t *testing.T) {
	values := []string{"-1", "0", "1", "-0", "1.5", "1e0", "1e-8", "1e400", `"1"`, `""`, `"-1"`,
		"null", "true", "[]", "{}", "127", "128", "255", "256", "32767", "32768", "65535", "65536",
		"21e6", "21000000.00000001", "0.000000001", `"ffffffff"`, `"207fffff00"`, `"0x207fff"`}
	for _, bits := range []uint{31, 32, 53, 63, 64} {
		for _, more := range []int64{-1, 0, 1} {
			n := new(big.Int).Lsh(big.NewInt(1), bits)
			n.Add(n, big.NewInt(more))
			values = append(values, n.String(), "-"+n.String())
		}
	}
	same := func(name, value, other string) bool {
		a, aOK := new(big.Rat).SetString(value)
		b, bOK := new(big.Rat).SetString(strings.Trim(other, `"`))
		return aOK && bOK && a.Cmp(b) == 0 || name == "fee" && other == "null" || value == other
	}
	tried := 0
	for _, form := range append(jsonForms(t, true), jsonForms(t, false)...) {
		for k, at := range numberField.FindAllStringSubmatchIndex(form.value, -1) {
			name, value := form.value[at[2]:at[3]], form.value[at[4]:at[5]]
			if strings.HasSuffix(strings.TrimSpace(form.value[:at[0]]), `"generated": false,`) {
				continue // the height of a spent output is not checked
			}
			for i, v := range values {
				if (i+k)%oneIn(4) != 0 && name != "height" || slices.Contains(optional, name) && v == "null" {
					continue
				}
				tried++
				got := form.run(form.value[:at[4]] + v + form.value[at[5]:])
				if got.err == nil && len(got.bad) == 0 && (got.verdicts != counts{reading.Valid: 3} ||
					!same(name, value, v)) {
					t.Errorf("%s: %q is %s in the place of %s: %v", form.format, name, v, value, got.verdicts)
				}
			}
		}
	}
	if tried < 1000 {
		t.Errorf("%d numbers", tried)
	}
}

// TestGetBlockRules checks that a signature in lax DER is never valid in a block of today, whatever
// height getblock prints for the block, and whatever the time of the block is.
func TestGetBlockRules(t *testing.T) {
	tx, outs := build(spendsOf("P2PKH, lax DER"), 1)
	for _, time := range []uint32{0, consensus.BIP34Time - 1, consensus.BIP34Time, 1700000000} {
		for _, inside := range []int32{-1, 0, 1, 800000} {
			block, _ := blockOf(chainhash.Hash{1}, time, funding(nil, inside), tx)
			for _, height := range []int32{math.MinInt32, -1, 0, 1, 800000, math.MaxInt32} {
				got := readJSON(printBlock(t, block, height, outs, true))
				if got.err == nil && got.verdicts[reading.Malformed]+got.verdicts[reading.Invalid] == 0 {
					t.Errorf("time %d, the coinbase says %d: height %d: %v", time, inside, height, got.verdicts)
				}
			}
		}
	}
}

// detectSize is the number of bytes from which Detect must recognize a file.
const detectSize = 4096

func TestDetect(t *testing.T) {
	block, spent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	blk := firstBlocks(t)[:detectSize]
	later := bitcointest.Record(consensus.Mainnet.Magic(), block)
	masked := bytes.Clone(blk)
	framing.Unmask(masked, [8]byte{9, 8, 7, 6, 5, 4, 3, 2}, 0)
	segwit, _ := blockOf(chainhash.Hash{}, 1, func() *wire.MsgTx {
		tx := funding(nil, 1)
		tx.TxIn[0].Witness = wire.TxWitness{make([]byte, 32)}
		return tx
	}())
	for name, c := range map[string]struct {
		head []byte
		want Format
	}{
		"blk00000.dat": {blk, FormatBlkFile}, "obfuscated": {masked, ""},
		"blk00001.dat": {later, FormatBlkFile},
		"raw block":    {block, FormatRawBlock}, "segwit block": {segwit, FormatRawBlock},
		"hex":      {[]byte(" " + hex.EncodeToString(block)), FormatRawBlock},
		"spent":    {spent, ""},
		"getblock": {sampleJSON(t), FormatGetBlock},
		"nothing":  {nil, ""},
		"zeros":    {make([]byte, 5000), ""}, "ones": {bytes.Repeat([]byte{0xff}, 5000),
			""},
		"nostr": {[]byte(`{"id":"00","pubkey":"00","created_at":1,"kind":1,"tags":[],"content":` +
			`"\"hash\"","sig":"00"}`), ""},
	} {
		head := c.head[:min(len(c.head), detectSize)]
		if got, ok := Detect(head); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGetBlockLive checks that the reader returns a block as soon as the block is complete, before
// the next block arrives.
func TestGetBlockLive(t *testing.T) {
	block := syntheticJSON(t)
	in, out := io.Pipe()
	defer out.Close()
	go out.Write(block)
	r := nodejson.Blocks(reading.Source{Name: "f", Reader: in}, onRegtest, nil)
	for n, want := 0, readJSON(block).units; n < want; {
		b, err := r.Next() // blocks if the reader waits for more input
		noError(err)
		b.Expand(func(*reading.Unit) { n++ })
	}
}
