package bitcoin

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// transactionsOf returns each transaction of a block in JSON as getrawtransaction prints it. block
// is the block in the format of getblock.
func transactionsOf(t testing.TB, block []byte) (all []string) {
	var b struct{ Tx []json.RawMessage }
	if err := json.Unmarshal(block, &b); err != nil {
		t.Fatal(err)
	}
	for _, tx := range b.Tx {
		all = append(all, strings.Replace(string(tx), "{", `{"in_active_chain":true,"blockhash":"00",`,
			1))
	}
	return all
}

func readTransactions(n consensus.Network, text string) tally {
	return run(nodejson.Transactions(source("tx.json", []byte(text)), n))
}

// TestTransactions checks that the inputs of a transaction get the same verdicts if it is read
// alone and if it is read in its block.
func TestTransactions(t *testing.T) {
	all := transactionsOf(t, sampleJSON(t, true))
	answers := make([]string, len(all))
	for i, tx := range all {
		answers[i] = fmt.Sprintf(`{"result":%s,"error":null,"id":%d}`, tx, i)
	}
	for name, text := range map[string]string{
		"values":          strings.Join(all, "\n"),
		"a list":          "[" + strings.Join(all, ",") + "]",
		"lists":           "[" + all[0] + "][]\n[" + strings.Join(all[1:], ",") + "]",
		"answers":         strings.Join(answers, ""),
		"list of answers": "[" + strings.Join(answers, ",") + "]",
	} {
		got := readTransactions(consensus.Mainnet, text)
		if want := (counts{reading.Valid: 732, reading.PassedOver: 1}); got.err != nil ||
			got.verdicts != want {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
		}
		head := []byte(text)[:min(len(text), DetectSize)]
		if f, ok := Detect(head); !ok || f != FormatTransactions {
			t.Errorf("%s are taken for %v", name, f)
		}
	}
	block := syntheticJSON(t, true)
	want := readJSON(block).verdicts
	want[reading.PassedOver]++
	for _, withHex := range []bool{false, true} {
		text := strings.Join(transactionsOf(t, syntheticJSON(t, withHex)), "\n")
		if got := readTransactions(consensus.Regtest, text); got.err != nil || got.verdicts != want {
			t.Errorf("hex %v: %v, %v, want %v", withHex, got.verdicts, got.err, want)
		}
	}
}

// TestTransactionsBad checks that damaged transactions get the right verdicts, and that the intact
// transactions before and after them are judged as usual.
func TestTransactionsBad(t *testing.T) {
	all := transactionsOf(t, sampleJSON(t, true))
	coinbase, good := all[0], all[1]
	if n := strings.Count(good, `"prevout"`); n != 1 {
		t.Fatalf("%d inputs", n)
	}
	edit := func(tx, from, to string) string {
		if !strings.Contains(tx, from) {
			t.Fatalf("no %q in %s", from, tx)
		}
		return strings.Replace(tx, from, to, 1)
	}
	var fields struct {
		Hex, TxID string
		Vin       []struct{ Prevout json.RawMessage }
	}
	if err := json.Unmarshal([]byte(good), &fields); err != nil {
		t.Fatal(err)
	}
	flipped := func(hex string) string { // changes a hex digit of the signature
		return hex[:140] + string("0123456789abcdef"[(nibble(hex[140])+1)%16]) + hex[141:]
	}
	for name, c := range map[string]struct {
		text    string
		verdict reading.Verdict
		want    string
	}{
		"no prevout": {edit(good, string(fields.Vin[0].Prevout), "null"), reading.NotCheckable,
			"getrawtransaction has to be asked for verbosity 2"},
		"another hex": {edit(good, fields.Hex, flipped(fields.Hex)), reading.Malformed, ""},
		"another id": {edit(good, fields.TxID, strings.Repeat("0", 64)), reading.Malformed,
			"hashes to"},
		"a name twice": {edit(good, `"version"`, `"version":1,"version"`), reading.Malformed,
			"second time"},
		"a false coinbase": {edit(good, `"vin": [`, `"vin": [{"coinbase":"00","sequence":0},`),
			reading.Malformed, "coinbase"},
		"a coinbase that spends": {edit(coinbase, `"coinbase"`, `"vout":0,"coinbase"`), reading.Malformed,
			"beside the fields"},
		"a coinbase with other bytes": {edit(coinbase, `"sequence": 4294967295`, `"sequence": 1`),
			reading.Malformed, ""},
		"too heavy": {edit(transactionsOf(t, sampleJSON(t, false))[1], `"vout": [`,
			`"vout": [{"value":0,"scriptPubKey":{"hex":"`+strings.Repeat("00", 1e6)+`"}},`),
			reading.Malformed, "more than a block can"},
		"an empty object": {"{}", reading.Malformed, "without"},
		"too long": {`{"x":"` + strings.Repeat("x", 20<<20) + `"}`, reading.Malformed,
			"more than"},
	} {
		got := readTransactions(consensus.Mainnet, good+c.text+"\n"+good)
		valid, bad := got.verdicts[reading.Valid], got.verdicts[c.verdict]
		if got.err != nil || valid < 2 || bad == 0 || bad != len(got.bad) {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
			continue
		}
		if u := got.bad[0]; !strings.Contains(u.Reason, c.want) || u.Where.Line == 0 {
			t.Errorf("%s: %+v", name, u)
		}
	}
	// Text that is not a transaction ends reading. The transactions before it must be judged.
	for text, want := range map[string]string{
		`"00"`: "verbosity 2 is wanted", `5`: `is wanted, not "5"`, `[[]]`: "is wanted, not",
		`{"result":null,"error":null}`:                      "null",
		`{"error":{"code":-5,"message":"No such mempool"}}`: "No such mempool",
		`{"result":TX,"result":TX}`:                         "second time",
		`{"Result":TX,"result":TX}`:                         "may be taken for",
		`[TX`:                                               "in the middle of a transaction",
		`{"result":TX`:                                      "in the middle of a transaction",
		`[TX,]`:                                             "bad JSON",
	} {
		inside := strings.Count(text, "[TX") // complete transactions before the error
		got := readTransactions(consensus.Mainnet, good+strings.ReplaceAll(text, "TX", good))
		if got.err == nil || !strings.Contains(got.err.Error(), want) ||
			got.verdicts != (counts{reading.Valid: 1 + inside}) {
			t.Errorf("%s: %v, %v", text, got.verdicts, got.err)
		}
	}
	for _, text := range []string{" \n", "[]", "[]\n[ ]"} {
		if got := readTransactions(consensus.Mainnet, text); got.err == nil {
			t.Errorf("%q is a file with transactions", text)
		}
	}
	if got := readTransactions(consensus.Mainnet, "[]"+good+"[]"); got.err != nil {
		t.Error(got.err)
	}
}

func TestTransactionsPlace(t *testing.T) {
	all := transactionsOf(t, syntheticJSON(t, true))
	list := "[" + strings.Join(all, ",") + "]"
	answer := `{"result":` + all[0] + "}"
	open := func(src reading.Source) reading.Reader { return nodejson.Transactions(src, onRegtest) }
	for name, data := range map[string]string{
		"values":  strings.Repeat(strings.Join(all, "\n"), 5),
		"lists":   strings.Repeat(list, 3),
		"answers": strings.Repeat(answer+"\n", 300/oneIn(4)),
		"broken":  strings.Repeat(all[1], 3) + all[1][:50],
	} {
		if n := placetest.Check(t, []byte(data), open); n < 2 {
			t.Errorf("%s: %d places", name, n)
		}
	}
}
