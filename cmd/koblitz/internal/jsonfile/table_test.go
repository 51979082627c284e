package jsonfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// testTable is a small version of the table of field names for transactions.
var testTable = NewTable("txid", "s").
	With("vin", NewTable("txid", "vout").With("scriptSig", NewTable("asm", "hex")))

func TestTable(t *testing.T) {
	for _, test := range []struct{ text, err, undefined string }{
		{`{"txid":1,"vin":[{"txid":2},{"txid":3}]}`, "", ""},
		{`[[{"txid":1}],{"txid":1},"x","txid"]`, "", ""},
		{`{"s":"\"x\":","txid":"\\\"}{"}`, "", ""},
		{`"x"`, "", ""},
		{`{}`, "", ""},
		{`{"vin":{"scriptSig":{"asm":1,"hex":[]}}}`, "", ""},
		{`{"x":1,"x":2,"X":{"vin":1,"vin":2}}`, "", "x (2 times), X"},
		{`{"a":{"txid":1,"TXID":1},"txid":1}`, "", "a"},
		{`{"vin":[{"scriptSig":{"x":1}},{"scriptSig":{"x":[[]]}}]}`, "", "vin[].scriptSig.x (2 times)"},
		{`{"vin":[{"vin":[]}]}`, "", "vin[].vin"},
		{`[{"txid":[{"a":1},[{"b":"}"}]]}]`, "", "txid[].a, txid[][].b"},
		{`{"vin":[{"scriptSig":{"hex":{"vin":{}}}}]}`, "", "vin[].scriptSig.hex.vin"},
		{`{"":1,"a b":{"x":[1,2]},"` + strings.Repeat("y", 50) + `":1,"\u001b":1}`, "",
			`"", "a b", "` + strings.Repeat("y", 40) + `"…, "\x1b"`},
		{`{"txid":1,"txid":1}`, `"txid" comes a second time`, ""},
		{`{"txid":1,"x":{"txid":[]},"\u0074xid":1}`, `"txid" comes a second time`, "x"},
		{`{"vin":[{"txid":1,"y":[],"txid":1}]}`, `"txid" comes a second time`, "vin[].y"},
		{`{"TXID":1}`, `the name "TXID" may be taken for "txid"`, ""},
		{`{"vin":{"scriptsig":1}}`, `the name "scriptsig" may be taken for "scriptSig"`, ""},
		{`{"vin":{"ſcriptSig":1}}`, `the name "\u017fcriptSig" may be taken for "scriptSig"`, ""},
		{`{"\u0053":1}`, `the name "S" may be taken for "s"`, ""},
	} {
		var undefined rows.Fields
		got := ""
		if err := testTable.Check([]byte(test.text), "", &undefined); err != nil {
			got = err.Error()
		}
		if got != test.err || undefined.String() != test.undefined {
			t.Errorf("%s: %q and %q, want %q and %q", test.text, got, undefined.String(), test.err,
				test.undefined)
		}
		undefined = rows.Fields{}
		r := New(rows.Source{Name: "f", Reader: strings.NewReader(test.text)}, "thing")
		err := r.Pass(testTable, &undefined)
		if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) ||
			undefined.String() != test.undefined {
			t.Errorf("%s: Pass gives %v and %q, want %q and %q", test.text, err, undefined.String(),
				test.err, test.undefined)
		}
	}
	var undefined rows.Fields
	if err := testTable.CheckField([]byte(`[{"x":1,"y":[]}]`), "result.tx[]", []byte("q q"),
		&undefined); err != nil || undefined.String() != `result.tx[]."q q"[].x, result.tx[]."q q"[].y` {
		t.Errorf("%v, %s", err, undefined.String())
	}
}

// names returns the paths of all fields in value that t does not define, and that the method Check
// must therefore count. The parameter value is a JSON value decoded by encoding/json, and path is
// its own path. So names finds the fields without scanning the text, which Check does.
func (t *Table) names(value any, path string) (all []string) {
	switch v := value.(type) {
	case []any:
		if path != "" {
			path += "[]"
		}
		for _, x := range v {
			all = append(all, t.names(x, path)...)
		}
	case map[string]any:
		for name, x := range v {
			i, ok := t.at[name]
			switch {
			case !ok:
				all = append(all, Join(path, []byte(name)))
			case t.inner[i] == nil:
				all = append(all, noNames.names(x, Join(path, []byte(name)))...)
			default:
				all = append(all, t.inner[i].names(x, Join(path, []byte(name)))...)
			}
		}
	}
	return all
}

// FuzzTable checks that if Check accepts a text, encoding/json reads the same values as a reader
// that compares names exactly. It also checks that Check and Pass count the same names.
func FuzzTable(f *testing.F) {
	f.Add([]byte(`{"txid":"a","vin":{"txid":2,"x":[{"y":1}]}}`))
	f.Add([]byte("{\"txid\":\"a\",\"vin\":{\"\xff\x7fid\":2}}"))
	f.Add([]byte(`{"Txid":"a","vout":[{"vin":1}],"\u0076in":[{"scriptSig":{"ſ":2}},{"q":[]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		exact := map[string]json.RawMessage{}
		var value any
		var compact bytes.Buffer
		if json.Unmarshal(text, &value) != nil || json.Compact(&compact, text) != nil {
			return
		}
		text = compact.Bytes()
		var undefined, passed rows.Fields
		err := testTable.Check(text, "", &undefined)
		r := New(rows.Source{Name: "f", Reader: bytes.NewReader(text)}, "thing")
		passErr := r.Pass(testTable, &passed)
		if passErr == nil && err != nil {
			t.Fatalf("%q: Check %v, Pass %v", text, err, passErr)
		}
		if err != nil || passErr != nil {
			return
		}
		if !reflect.DeepEqual(undefined, passed) {
			t.Fatalf("%q: Check counts %v, Pass %v", text, undefined, passed)
		}
		want := testTable.names(value, "") // repeated names are counted once here
		for _, c := range undefined.List {
			if !strings.Contains(fmt.Sprintf("%q", want), fmt.Sprintf("%q", c.Name)) {
				t.Errorf("%q: %s is counted, want %q", text, c.Name, want)
			}
		}
		for _, name := range want {
			if undefined.Others == 0 && !strings.Contains(fmt.Sprint(undefined), name) {
				t.Errorf("%q: %s is not counted", text, name)
			}
		}
		var s struct {
			TxID json.RawMessage `json:"txid"`
			S    json.RawMessage `json:"s"`
			Vin  json.RawMessage `json:"vin"`
		}
		if json.Unmarshal(text, &exact) != nil {
			return // the text is no object
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]json.RawMessage{"txid": s.TxID, "s": s.S, "vin": s.Vin} {
			if !bytes.Equal(got, exact[name]) {
				t.Errorf("%q: %s is %s or %s", text, name, got, exact[name])
			}
		}
	})
}
