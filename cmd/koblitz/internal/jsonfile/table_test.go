package jsonfile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

func TestNames(t *testing.T) {
	names := NewNames("txid", "scriptSig", "vin", "s")
	for _, test := range []struct{ text, want string }{
		{`{"txid":1,"vin":[{"txid":2},{"txid":3}]}`, ""},
		{`{"a":{"txid":1},"b":{"txid":1},"txid":1}`, ""},
		{`[[{"txid":1}],{"txid":1},"txid","txid"]`, ""},
		{`{"x":1,"x":2,"X":3}`, ""},
		{`{"x":"txid","y":"txid","z":"\"txid\":"}`, ""},
		{`{"x\\":"\\","txid":"\\\"}{"}`, ""},
		{`"txid"`, ""},
		{`{}`, ""},
		{`{"txid":1,"txid":1}`, `"txid" comes a second time`},
		{`{"txid":1,"x":{"txid":[]},"\u0074xid":1}`, `"txid" comes a second time`},
		{`{"vin":[{"txid":1,"y":[],"txid":1}]}`, `"txid" comes a second time`},
		{`{"TXID":1}`, `the name "TXID" may be taken for "txid"`},
		{`{"scriptsig":1}`, `the name "scriptsig" may be taken for "scriptSig"`},
		{`{"ſcriptSig":1}`, `the name "\u017fcriptSig" may be taken for "scriptSig"`},
		{`{"S":1}`, `the name "S" may be taken for "s"`},
		{`{"\u0053":1}`, `the name "S" may be taken for "s"`},
		{`[{"a":[{"b":{"Vin":1}}]}]`, `the name "Vin" may be taken for "vin"`},
	} {
		got := ""
		if err := names.Check([]byte(test.text)); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
	if err := NewNames("a").Add(new(Seen), "A"); err == nil {
		t.Error("A is taken for nothing")
	}
}

func TestSkipOther(t *testing.T) {
	signed := NewNames("vin", "r")
	for text, want := range map[string]string{
		`{"x":{"a":[{"b":1}]}}`:   "",
		`{"x":["vin","r"]}`:       "",
		`{"x":{"a":[{"vin":1}]}}`: `the field "x", which nothing here knows, holds "vin"`,
		`{"x":[[{"R":1}]]}`:       `the field "x", which nothing here knows, holds "R"`,
		`{"VIN":1}`:               `the field "VIN" is not one of a block`,
	} {
		r := New(rows.Source{Name: "f", Reader: strings.NewReader(text)}, "block")
		if err := r.Delim('{', "an object"); err != nil {
			t.Fatal(err)
		}
		name, err := r.Token()
		if err != nil {
			t.Fatal(err)
		}
		err = r.SkipOther(name.(string), signed)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// FuzzNames: what Check lets pass, encoding/json and a reader that goes by exact
// names understand alike.
func FuzzNames(f *testing.F) {
	f.Add([]byte(`{"txid":"a","vout":1,"vin":{"txid":2}}`))
	f.Add([]byte(`{"Txid":"a","vout":[{"vin":1}],"\u0076in":{"ſ":2}}`))
	names := NewNames("txid", "vout", "vin", "s", "k")
	f.Fuzz(func(t *testing.T, text []byte) {
		exact := map[string]json.RawMessage{}
		if names.Check(text) != nil || json.Unmarshal(text, &exact) != nil {
			return
		}
		var s struct {
			TxID json.RawMessage `json:"txid"`
			Vout json.RawMessage `json:"vout"`
			Vin  json.RawMessage `json:"vin"`
			S    json.RawMessage `json:"s"`
			K    json.RawMessage `json:"k"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		for name, got := range map[string]json.RawMessage{"txid": s.TxID, "vout": s.Vout, "vin": s.Vin,
			"s": s.S, "k": s.K} {
			if !bytes.Equal(got, exact[name]) {
				t.Errorf("%q: %s is %s or %s", text, name, got, exact[name])
			}
		}
	})
}
