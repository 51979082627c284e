package bitcoin

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// printBlock returns a block in JSON as Bitcoin Core's getblock prints it at verbosity 3, with the
// same fields, order and indentation. spent holds the outputs that the block's inputs spend.
func printBlock(t testing.TB, block []byte, height int32, spent []wireform.Output,
	withHex bool) []byte {
	var b strings.Builder
	h := wireform.ParseHeader(block)
	c := wireform.Cursor{Data: block, At: wireform.HeaderSize}
	n := c.Transactions()
	fmt.Fprintf(&b, "{\n  \"hash\": \"%v\",\n  \"confirmations\": 1234,\n  \"height\": %d,\n  "+
		"\"version\": %d,\n  \"versionHex\": \"%08x\",\n", h.Hash, height, h.Version, uint32(h.Version))
	fmt.Fprintf(&b, "  \"merkleroot\": \"%v\",\n  \"time\": %d,\n  \"mediantime\": %d,\n  "+
		"\"nonce\": %d,\n  \"bits\": \"%08x\",\n  \"difficulty\": 1180923195.258026,\n", h.Root, h.Time,
		h.Time, binary.LittleEndian.Uint32(block[76:]), h.Bits)
	var msg wire.MsgBlock
	if err := msg.Deserialize(bytes.NewReader(block)); err != nil {
		t.Fatal(err)
	}
	stripped := msg.SerializeSizeStripped()
	fmt.Fprintf(&b, "  \"nTx\": %d,\n  \"previousblockhash\": \"%v\",\n  \"strippedsize\": %d,\n  "+
		"\"size\": %d,\n  \"weight\": %d,\n  \"tx\": [", n, h.Prev, stripped, len(block),
		3*stripped+len(block))
	scriptPubKey := func(s []byte) string {
		return fmt.Sprintf("{\"asm\": \"…\", \"desc\": \"raw(%x)\", \"hex\": \"%x\", \"type\": "+
			"\"nonstandard\"}", s, s)
	}
	amount := func(v int64) string { return fmt.Sprintf("%d.%08d", v/1e8, v%1e8) }
	for i := range n {
		at := c.At
		tx, id := wireform.ParseTx(&c)
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		if i > 0 {
			b.WriteString(",")
		}
		fmt.Fprintf(&b, "\n    {\n      \"txid\": \"%v\",\n      \"hash\": \"%v\",\n      "+
			"\"version\": %d,\n      \"size\": %d,\n      \"locktime\": %d,\n      \"vin\": [", id,
			tx.WitnessHash(), tx.Version, c.At-at, tx.LockTime)
		fee := int64(0)
		for _, out := range tx.TxOut {
			fee -= out.Value
		}
		for k, in := range tx.TxIn {
			if k > 0 {
				b.WriteString(",")
			}
			w := ""
			if len(in.Witness) > 0 {
				items := make([]string, len(in.Witness))
				for i := range items {
					items[i] = fmt.Sprintf("%q", hex.EncodeToString(in.Witness[i]))
				}
				w = fmt.Sprintf("\"txinwitness\": [%s], ", strings.Join(items, ", "))
			}
			if wireform.IsCoinbase(tx) {
				fmt.Fprintf(&b, "\n        {\"coinbase\": \"%x\", %s\"sequence\": %d}", in.SignatureScript, w,
					in.Sequence)
				continue
			}
			fmt.Fprintf(&b, "\n        {\"txid\": \"%v\", \"vout\": %d, \"scriptSig\": {\"asm\": \"…\", "+
				"\"hex\": \"%x\"}, %s", in.PreviousOutPoint.Hash, in.PreviousOutPoint.Index, in.SignatureScript,
				w)
			fmt.Fprintf(&b, "\"prevout\": {\"generated\": false, \"height\": 1, \"value\": %s, "+
				"\"scriptPubKey\": %s}, \"sequence\": %d}", amount(spent[0].Amount),
				scriptPubKey(spent[0].Script), in.Sequence)
			fee += spent[0].Amount
			spent = spent[1:]
		}
		b.WriteString("\n      ],\n      \"vout\": [")
		for k, out := range tx.TxOut {
			if k > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(&b, "\n        {\"value\": %s, \"n\": %d, \"scriptPubKey\": %s}", amount(out.Value),
				k, scriptPubKey(out.PkScript))
		}
		b.WriteString("\n      ]")
		if fee >= 0 && !wireform.IsCoinbase(tx) {
			fmt.Fprintf(&b, ",\n      \"fee\": %s", amount(fee))
		}
		if withHex {
			fmt.Fprintf(&b, ",\n      \"hex\": \"%x\"", block[at:c.At])
		}
		b.WriteString("\n    }")
	}
	b.WriteString("\n  ]\n}\n")
	return []byte(b.String())
}

// sampleJSON returns the sample block in the format of getblock.
func sampleJSON(t testing.TB, withHex bool) []byte {
	return printBlock(t, bitcointest.Unpack(t, sample.Block), 277647, sampleOutputs(t), withHex)
}

// syntheticJSON returns a block with every kind of input in the format of getblock.
func syntheticJSON(t testing.TB, withHex bool) []byte {
	all := spends()
	tx, outs := build(all, len(all))
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 800000), tx)
	return printBlock(t, block, 800000, outs, withHex)
}

// readJSON reads the block b in JSON. It selects regtest or mainnet by the block's difficulty bits.
func readJSON(b []byte) tally {
	o := consensus.Regtest
	if bytes.Contains(b, []byte("\"bits\": \"1903a30c\"")) ||
		bytes.Contains(b, []byte("\"bits\":\"1903a30c\"")) {
		o = consensus.Mainnet
	}
	return run(nodejson.Blocks(source("block.json", b), o, nil))
}

func TestGetBlock(t *testing.T) {
	for _, withHex := range []bool{true, false} {
		text := sampleJSON(t, withHex)
		got := readJSON(text)
		if got.err != nil {
			t.Fatal(got.err)
		}
		if got.verdicts != (counts{reading.Valid: 732}) || got.high != 366 {
			t.Errorf("hex %v: verdicts %v, %d with a high s", withHex, got.verdicts, got.high)
		}
		if !withHex && !deep() {
			continue
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			t.Fatal(err)
		}
		two := append(compact.Bytes(), text...)
		if got := readJSON(two); got.err != nil || got.verdicts != (counts{reading.Valid: 2 * 732}) {
			t.Errorf("hex %v, two blocks: %v, %v", withHex, got.err, got.verdicts)
		}
		// The verdicts on the block must be the same as those on its inputs, judged one by one.
		all := spends()
		tx, outs := build(all, len(all))
		got = readJSON(syntheticJSON(t, withHex))
		if got.err != nil || got.units != len(all) {
			t.Fatalf("hex %v: %v, %d units", withHex, got.err, got.units)
		}
		want := tally{}
		for i := range all {
			u := unitOf(tx, outs, i, stages[len(stages)-1])
			v, _ := judge(&u)
			want.verdicts[v] += max(1, len(u.Signatures))
		}
		if got.verdicts != want.verdicts {
			t.Errorf("hex %v: %v, want %v", withHex, got.verdicts, want.verdicts)
		}
	}
}

// TestGetBlockWhere checks that the line, the block and the transaction reported for each row are
// right.
func TestGetBlockWhere(t *testing.T) {
	text := sampleJSON(t, true)
	r := nodejson.Blocks(source("block.json", text), onMainnet, nil)
	n := 0
	for {
		b, err := r.Next()
		if err != nil {
			break
		}
		b.Expand(func(u *reading.Unit) {
			n++
			w := u.Where
			line := 1 + bytes.Count(text[:w.Offset], []byte("\n"))
			if w.Line != line || w.Block != 277647 || !bytes.HasPrefix(text[w.Offset:],
				[]byte("{\n      \"txid\": \""+w.Tx)) {
				t.Errorf("%+v is not at line %d", w, line)
			}
		})
	}
	if n != 732 {
		t.Errorf("%d units", n)
	}
}

// TestGetBlockFlipped changes each digit of a transaction in turn, and checks that the change is
// detected.
func TestGetBlockFlipped(t *testing.T) {
	all := spends()
	pick := []spend{}
	for _, sp := range all {
		switch sp.name {
		case "P2PKH, compressed", "P2WPKH, compressed", "P2TR, hash type 00":
			pick = append(pick, sp)
		}
	}
	tx, outs := build(pick, 2)
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 800000), tx)
	for _, withHex := range []bool{true, false} {
		text := printBlock(t, block, 800000, outs, withHex)
		if got := readJSON(text); got.err != nil || got.verdicts != (counts{reading.Valid: 3}) {
			t.Fatal(got.err, got.verdicts)
		}
		start := bytes.Index(text, []byte(tx.TxHash().String()))
		for i := start; i < len(text); i += oneIn(5) {
			if nibble(text[i]) > 9 || bytes.LastIndexByte(text[:i], '"') < start {
				continue
			}
			// Skip fields that the reader ignores: Core adds them for human readers.
			field := lastField(text[:i])
			switch field {
			case "desc", "generated", "height":
				continue
			}
			b := bytes.Clone(text)
			b[i] = '0' + (b[i]-'0'+1)%10
			got := readJSON(b)
			// The change may turn an output into one of an unknown witness version. Anyone can
			// spend that, so the input gets the verdict Unsigned, not Valid.
			if len(got.bad) == 0 && got.err == nil && got.verdicts[reading.Unsigned] == 0 {
				t.Errorf("hex %v: a changed digit in %s at %d is not found", withHex, field, i)
			}
			for _, u := range got.bad {
				if u.Where.Block != 800000 || u.Where.Line == 0 {
					t.Errorf("found at %+v", u.Where)
				}
			}
		}
	}
}

// lastField returns the name of the last field in text.
func lastField(text []byte) string {
	i := bytes.LastIndex(text, []byte("\": "))
	j := bytes.LastIndexByte(text[:i], '"')
	return string(text[j+1 : i])
}

func TestGetBlockErrors(t *testing.T) {
	text := string(sampleJSON(t, true))
	lines := strings.SplitAfter(text, "\n")
	txLine := 0
	for i, l := range lines {
		if strings.Contains(l, "\"tx\": [") {
			txLine = i + 1
		}
	}
	edit := func(line int, from, to string) string {
		l := strings.Replace(lines[line-1], from, to, 1)
		if l == lines[line-1] {
			t.Fatalf("line %d is %q", line, l)
		}
		return strings.Join(lines[:line-1], "") + l + strings.Join(lines[line:], "")
	}
	// fields has the fields of the block's header on one line.
	fields := strings.ReplaceAll(text[strings.Index(text, "\"hash\""):strings.Index(text, "\"nTx\"")],
		"\n", " ") +
		text[strings.Index(text, "\"previousblockhash\""):strings.Index(text, "\"strippedsize\"")]
	fields = strings.ReplaceAll(fields, "\n", " ")
	for name, c := range map[string]struct {
		text  string
		line  int
		want  string
		units int // minimum number of units before the error
	}{
		"empty":           {"", 1, "an empty file", 0},
		"empty lists":     {"[]\n[\n]", 3, "there is no block in it", 0},
		"not JSON":        {"hello\n", 1, "bad JSON", 0},
		"a list":          {"\n\n[1]", 3, "a block as getblock prints it is wanted", 0},
		"no transactions": {"{\"hash\": \"00\",\n\"height\": 1}", 2, "no \"tx\"", 0},
		"no height":       {"{\"hash\": \"00\",\n\"tx\": []}", 2, "must stand before", 0},
		"negative height": {edit(4, "277647", "-1"), 18, "height -1", 0},
		"height is text": {edit(4, "277647", "\"x\""), 4, "string where int32 is wanted",
			0},
		"bad JSON on line 7":         {edit(7, ":", ""), 7, "bad JSON", 0},
		"a quote too many on line 7": {edit(7, ",", "\","), 7, "bad JSON", 0},
		"bad JSON in a transaction":  {edit(txLine+500, ":", "?"), txLine + 500, "bad JSON", 1},
		"a brace too few": {strings.TrimSuffix(text, "}\n"), len(lines) - 1,
			"ends in the middle", 732},
		"transactions by name":      {"{" + fields + "\"tx\": [\n\"00\"]}", 2, "verbosity 3", 0},
		"something after the block": {text + "x", len(lines), "bad JSON", 732},
		"transactions that are no list": {"{" + fields + "\n\n\"tx\": 7}", 3,
			"a list of transactions is wanted", 0},
	} {
		got := readJSON([]byte(c.text))
		var e *reading.Error
		if !errors.As(got.err, &e) || e.File != "block.json" || e.Line != c.line ||
			!strings.Contains(e.Error(), c.want) {
			t.Errorf("%s: %v; want line %d, %q", name, got.err, c.line, c.want)
		}
		if got.units < c.units || len(got.bad) > 0 {
			t.Errorf("%s: %d units, %v", name, got.units, got.verdicts)
		}
	}
	// In a truncated file, all complete transactions before the cut must be judged.
	for cut := 1; cut < len(text); cut += 39973 * oneIn(4) {
		got := readJSON([]byte(text[:cut]))
		var e *reading.Error
		if !errors.As(got.err, &e) || len(got.bad) > 0 || e.Line != 1+strings.Count(text[:cut], "\n") {
			t.Errorf("cut at %d: %v, %v", cut, got.err, got.verdicts)
		}
	}
}

// TestGetBlockMalformed checks that valid JSON that holds invalid transactions gets the right
// verdicts and reasons.
func TestGetBlockMalformed(t *testing.T) {
	text := string(syntheticJSON(t, true))
	all := spends()
	tx, _ := build(all, len(all))
	in, out := tx.TxIn[0], tx.TxOut[0]
	sequence := fmt.Sprintf("\"sequence\": %d", in.Sequence)
	for name, c := range map[string]struct {
		from, to string
		verdict  reading.Verdict
		n        int
		reason   string
		input    int
	}{
		"another txid": {"\"txid\": \"" + tx.TxHash().String(), "\"txid\": \"" +
			strings.Repeat("00", 32), reading.Malformed, 1, "the transaction hashes to " +
			tx.TxHash().String(), -1},
		"another sequence": {sequence, "\"sequence\": 5", reading.Malformed, 1,
			"the transaction's hex and its fields differ in this input", 0},
		"another script": {fmt.Sprintf("%x", in.SignatureScript), "00", reading.Malformed, 1,
			"the transaction's hex and its fields differ in this input", 0},
		"odd digits": {fmt.Sprintf("%x", in.SignatureScript), "000", reading.Malformed, 1,
			"encoding/hex: odd length hex string", -1},
		"another output": {fmt.Sprintf("%d.%08d", out.Value/1e8, out.Value%1e8), "9.5", reading.Malformed,
			1, "the transaction's hex and its fields differ in output 0", -1},
		"no output script": {fmt.Sprintf("\"hex\": \"%x\"", out.PkScript), "\"x\": 1", reading.Malformed,
			1,
			"output 0: no script", -1},
		"no lock time": {"\"locktime\": 0,\n      \"vin\": [\n        {\"txid\"",
			"\"vin\": [\n        {\"txid\"", reading.Malformed, 1,
			"a transaction without \"version\", \"locktime\", \"vin\" or \"vout\"", -1},
		"no sequence": {sequence, "\"x\": 5", reading.Malformed, 1,
			"input 0: \"txid\", \"vout\", \"scriptSig\" and \"sequence\" are wanted", -1},
		"a broken amount": {"\"value\": 1.00000000", "\"value\": 1.000000001", reading.Malformed, 1,
			"prevout: \"1.000000001\" is not an amount", 0},
		"no prevout": {"\"prevout\"", "\"x\"", reading.NotCheckable, 10,
			"not told: the input has no \"prevout\"", 0},
		"hex that is cut": {"0000000\"\n    }\n  ]", "0\"\n    }\n  ]", reading.Malformed, 1,
			"ends in the middle of", -1},
		"hex that goes on": {"00000000\"\n    }\n  ]", "0000000000\"\n    }\n  ]", reading.Malformed, 1,
			"1 bytes after it", -1},
	} {
		if strings.Count(text, c.from) == 0 {
			t.Fatalf("%s: there is no %q", name, c.from)
		}
		got := readJSON([]byte(strings.Replace(text, c.from, c.to, 1)))
		if got.err != nil {
			t.Errorf("%s: %v", name, got.err)
			continue
		}
		n, found := 0, false
		for _, u := range got.bad {
			if u.Decided == c.verdict {
				n++
				found = found || strings.Contains(u.Reason, c.reason) && u.Where.Input == c.input
			}
		}
		if !found || n < c.n || c.verdict == reading.Malformed && n > 1 {
			t.Errorf("%s: %d units, %v, %+v", name, got.units, got.verdicts, got.bad[0])
		}
	}
}

// numberField matches a field of a block or a transaction that holds a number. It captures the name
// and the value.
var numberField = regexp.MustCompile(`"(height|version|versionHex|time|nonce|bits|nTx|size|` +
	`weight|strippedsize|locktime|sequence|vout|n|value|fee)": ("[0-9a-f]*"|[0-9.-]+)`)

// TestGetBlockNumbers replaces each number of a block by others, by text and by fractions, and
// checks that each replacement is refused or stands for the same number. Some of these numbers
// select the rules for signatures.
func TestGetBlockNumbers(t *testing.T) {
	values := []string{"-1", "0", "1", "-0", "1.5", "1e0", "1e-8", "1e400", `"1"`, `""`, `"-1"`,
		"null", "true", "[]", "{}", "127", "128", "255", "256", "32767", "32768", "65535", "65536",
		"21e6", "21000000.00000001", "0.000000001", `"ffffffff"`, `"207fffff00"`, `"0x207fff"`}
	for _, bits := range []int{31, 32, 53, 63, 64} {
		end := new(big.Int).Lsh(big.NewInt(1), uint(bits))
		for _, sign := range []string{"", "-"} {
			values = append(values, sign+end.String(), fmt.Sprintf("%s%v", sign, new(big.Int).Sub(end,
				big.NewInt(1))), sign+new(big.Int).Add(end, big.NewInt(1)).String())
		}
	}
	var pick []spend
	for _, sp := range spends() {
		switch sp.name {
		case "P2PKH, compressed", "P2WPKH, compressed", "P2TR, hash type 00":
			pick = append(pick, sp)
		}
	}
	tx, outs := build(pick, 2)
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(nil, 800000), tx)
	same := func(name, value, other string) bool {
		a, aOK := new(big.Rat).SetString(value)
		b, bOK := new(big.Rat).SetString(strings.Trim(other, `"`))
		return aOK && bOK && a.Cmp(b) == 0 || name == "fee" && other == "null" || value == other
	}
	tried := 0
	for _, withHex := range []bool{true, false} {
		text := printBlock(t, block, 800000, outs, withHex)
		want := readJSON(text)
		txText := transactionsOf(t, text)[1]
		fields := numberField.FindAllSubmatchIndex(text, -1)
		for k, at := range fields {
			name, value := string(text[at[2]:at[3]]), string(text[at[4]:at[5]])
			inPrevOut := bytes.HasSuffix(text[:at[0]], []byte(`"generated": false, `))
			for i, v := range values {
				if (i+k)%oneIn(4) != 0 && name != "height" {
					continue
				}
				tried++
				got := readJSON(slices.Concat(text[:at[4]], []byte(v), text[at[5]:]))
				switch {
				case got.err != nil || len(got.bad) > 0:
				case inPrevOut || optional(name) && v == "null": // not checked, or left out
				case got.verdicts != want.verdicts || !same(name, value, v):
					t.Errorf("hex %v: %q is %s in the place of %s: %v", withHex, name, v, value,
						got.verdicts)
				}
			}
		}
		alone := readTransactions(onRegtest, txText)
		for _, at := range numberField.FindAllStringSubmatchIndex(txText, -1) {
			name, value := txText[at[2]:at[3]], txText[at[4]:at[5]]
			if strings.HasSuffix(txText[:at[0]], `"generated": false, `) {
				continue
			}
			for _, v := range values {
				tried++
				got := readTransactions(onRegtest, txText[:at[4]]+v+txText[at[5]:])
				if got.err == nil && len(got.bad) == 0 && !(optional(name) && v == "null") &&
					(got.verdicts != alone.verdicts || !same(name, value, v)) {
					t.Errorf("hex %v: %q is %s in the place of %s: %v", withHex, name, v, value, got.verdicts)
				}
			}
		}
	}
	if tried < 2000 {
		t.Errorf("%d numbers", tried)
	}
}

// optional reports whether Blocks reads a block without the field called name.
func optional(name string) bool {
	switch name {
	case "nTx", "strippedsize", "size", "weight", "fee", "n", "versionHex":
		return true
	}
	return false
}

// TestGetBlockRules checks that no height that a block of today states selects rules under which a
// signature in lax DER is valid, whatever the block's time is.
func TestGetBlockRules(t *testing.T) {
	var lax []spend
	for _, sp := range spends() {
		if sp.name == "P2PKH, lax DER" {
			lax = append(lax, sp)
		}
	}
	tx, outs := build(lax, 1)
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

func TestDetect(t *testing.T) {
	block, spent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	blk := firstBlocks(t)[:DetectSize]
	later := recordOf(consensus.Mainnet.Magic(), block)
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
		"getblock": {sampleJSON(t, true), FormatGetBlock},
		"nothing":  {nil, ""},
		"zeros":    {make([]byte, 5000), ""}, "ones": {bytes.Repeat([]byte{0xff}, 5000),
			""},
		"nostr": {[]byte(`{"id":"00","pubkey":"00","created_at":1,"kind":1,"tags":[],"content":` +
			`"\"hash\"","sig":"00"}`), ""},
	} {
		head := c.head[:min(len(c.head), DetectSize)]
		if got, ok := Detect(head); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestGetBlockAnswers checks that blocks are read from a node's JSON-RPC responses to getblock.
func TestGetBlockAnswers(t *testing.T) {
	block := string(syntheticJSON(t, false))
	alone := readJSON([]byte(block))
	if alone.err != nil || alone.units < 100 {
		t.Fatal(alone.units, alone.err)
	}
	for text, n := range map[string]int{
		`{"result":BLOCK,"error":null,"id":"curltest"}`: 1,
		`{"jsonrpc":"2.0","id":7,"result":BLOCK}` + "\n" + `{"jsonrpc":"2.0","result":BLOCK,"id":{"a":` +
			`[1]}}`: 2,
		`[{"id":1,"result":BLOCK,"error":null},{"error":null,"result":BLOCK}]`: 2,
		`[BLOCK]`:      1,
		"BLOCK\nBLOCK": 2,
	} {
		got := readJSON([]byte(strings.ReplaceAll(text, "BLOCK", block)))
		if got.err != nil || got.units != n*alone.units ||
			got.verdicts[reading.Valid] != n*alone.verdicts[reading.Valid] ||
			got.bad[0].Where.Block != 800000 {
			t.Errorf("%s: %d units, %v, %v", text, got.units, got.verdicts, got.err)
		}
		if f, ok := Detect([]byte(strings.ReplaceAll(text, "BLOCK", block))[:DetectSize]); !ok ||
			f != FormatGetBlock {
			t.Errorf("%s is taken for %v", text, f)
		}
	}
	for text, want := range map[string]string{
		`{"result":null,"error":{"code":-5,"message":"Block not found"},` +
			`"id":1}`: `"message":"Block not found"`,
		`{"result":"00","error":null}`: "a block as " +
			"getblock prints it is wanted, not \"00\"",
		`{"result":null,"error":null}`: `no "tx"`,
		`{"result":{"result":{}}}`:     `no "tx"`,
		`[5]`:                          "is wanted, not 5",
		`[{"result":BLOCK}`:            "the file ends in the middle of a block",
		`{"result":BLOCK`:              "the file ends in the middle of a block",
	} {
		got := readJSON([]byte(strings.ReplaceAll(text, "BLOCK", block)))
		if got.err == nil || !strings.Contains(got.err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, got.err, want)
		}
		if strings.Contains(text, "BLOCK") && got.units != alone.units {
			t.Errorf("%s: %d units", text, got.units)
		}
	}
}

// TestGetBlockLive checks that the reader returns a block as soon as the block is complete, before
// the next block arrives.
func TestGetBlockLive(t *testing.T) {
	block := syntheticJSON(t, false)
	in, out := io.Pipe()
	defer out.Close()
	go out.Write(block)
	r := nodejson.Blocks(reading.Source{Name: "f", Reader: in}, onRegtest, nil)
	for n, want := 0, readJSON(block).units; n < want; {
		b, err := r.Next() // blocks if the reader waits for more input
		if err != nil {
			t.Fatal(err)
		}
		b.Expand(func(*reading.Unit) { n++ })
	}
}
