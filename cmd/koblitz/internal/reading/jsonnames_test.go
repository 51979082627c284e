package reading

import (
	"bytes"
	"encoding/json"
	"testing"
)

// A testTx is a small version of the JSON of transactions.
type testTx struct {
	TxID json.RawMessage `json:"txid"`
	S    json.RawMessage `json:"s"`
	Vin  []struct {
		TxID      json.RawMessage  `json:"txid"`
		Vout      *json.RawMessage `json:"vout"`
		ScriptSig *struct {
			Hex json.RawMessage `json:"hex"`
		} `json:"scriptSig"`
	} `json:"vin"`
}

var testTable = TableOf[testTx]()

func TestTable(t *testing.T) {
	for _, test := range []struct{ text, err string }{
		{`{"txid":1,"vin":[{"txid":2},{"txid":3}]}`, ""},
		{`[[{"txid":1}],{"txid":1},"x","txid"]`, ""},
		{`{"s":"\"x\":","txid":"\\\"}{"}`, ""},
		{`"x"`, ""},
		{`{}`, ""},
		{`{"vin":{"scriptSig":{"asm":1,"hex":[]}}}`, ""},
		{`{"x":1,"x":2,"X":{"vin":1,"vin":2}}`, ""},
		{`{"a":{"txid":1,"TXID":1},"txid":1}`, ""},
		{`{"txid":{"txid":1,"txid":1}}`, ""},
		{`{"vin":[{"scriptSig":{"x":1}},{"scriptSig":{"x":[[]]}}]}`, ""},
		{`{"vin":[{"vin":[],"vin":[]}]}`, ""},
		{`{"txid":1,"txid":1}`, `"txid" comes a second time`},
		{`{"txid":1,"x":{"txid":[]},"\u0074xid":1}`, `"txid" comes a second time`},
		{`{"vin":[1,{"txid":1,"y":[],"txid":1}]}`, `"txid" comes a second time`},
		{`{"vin":[{},{"scriptSig":{"hex":1,"hex":1}}]}`, `"hex" comes a second time`},
		{`[{},{"s":1,"s":1}]`, `"s" comes a second time`},
		{`{"TXID":1}`, `the name "TXID" may be taken for "txid"`},
		{`{"vin":[{"scriptsig":1}]}`, `the name "scriptsig" may be taken for "scriptSig"`},
		{`{"vin":{"ſcriptSig":1}}`, `the name "\u017fcriptSig" may be taken for "scriptSig"`},
		{`{"\u0053":1}`, `the name "S" may be taken for "s"`},
	} {
		got := ""
		if err := testTable.CheckNames([]byte(test.text)); err != nil {
			got = err.Error()
		}
		if got != test.err {
			t.Errorf("%s: %q, want %q", test.text, got, test.err)
		}
	}
}

// FuzzTable checks that if CheckNames accepts a text, encoding/json reads the same values as a
// reader that compares names exactly.
func FuzzTable(f *testing.F) {
	f.Add([]byte(`{"txid":"a","vin":[{"txid":2,"x":[{"y":1}]}]}`))
	f.Add([]byte("{\"txid\":\"a\",\"vin\":[{\"\xff\x7fid\":2}]}"))
	f.Add([]byte(`{"Txid":"a","vout":[{"vin":1}],"\u0076in":[{"scriptSig":{"ſ":2}},{"q":[]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact bytes.Buffer
		if json.Compact(&compact, text) != nil || testTable.CheckNames(compact.Bytes()) != nil {
			return
		}
		var tx testTx
		var exact map[string]json.RawMessage
		if json.Unmarshal(text, &tx) != nil || json.Unmarshal(text, &exact) != nil {
			return
		}
		same := func(got json.RawMessage, exact map[string]json.RawMessage, name string) {
			t.Helper()
			if !bytes.Equal(got, exact[name]) {
				t.Errorf("%q: %s is %s or %s", text, name, got, exact[name])
			}
		}
		same(tx.TxID, exact, "txid")
		same(tx.S, exact, "s")
		var inputs []map[string]json.RawMessage
		if vin := exact["vin"]; vin != nil {
			if err := json.Unmarshal(vin, &inputs); err != nil {
				t.Fatal(err)
			}
		}
		if len(inputs) != len(tx.Vin) {
			t.Fatalf("%q: %d inputs or %d", text, len(tx.Vin), len(inputs))
		}
		for i, in := range inputs {
			same(tx.Vin[i].TxID, in, "txid")
			if s := tx.Vin[i].ScriptSig; s != nil {
				var script map[string]json.RawMessage
				if err := json.Unmarshal(in["scriptSig"], &script); err != nil {
					t.Fatal(err)
				}
				same(s.Hex, script, "hex")
			}
		}
	})
}
