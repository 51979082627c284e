package ethereum

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/jsonfile"
)

// slowly decodes with encoding/json. It is the reference for decode.
func (j *txJSON) slowly(raw []byte) error {
	if err := txTable.CheckNames(raw); err != nil {
		return err
	}
	return json.Unmarshal(raw, j)
}

// wantSame decodes raw with decode and with encoding/json. It fails the test unless the results and
// the error texts are the same.
func wantSame(t *testing.T, raw []byte) (good bool) {
	t.Helper()
	var fast, slow txJSON
	err, want := fast.decode(raw), slow.slowly(raw)
	switch {
	case (err == nil) != (want == nil):
		t.Fatalf("%s: %v, want %v", raw, err, want)
	case err != nil && jsonfile.Reason(err) != jsonfile.Reason(want):
		t.Fatalf("%s: %q, want %q", raw, jsonfile.Reason(err), jsonfile.Reason(want))
	case err == nil && !sameFields(fast, slow):
		t.Fatalf("%s: %+v, want %+v", raw, fast, slow)
	}
	return err == nil
}

// sameFields reports whether the fields of a and b point to equal values.
func sameFields(a, b txJSON) bool {
	a.memory, b.memory = txMemory{}, txMemory{}
	return reflect.DeepEqual(a, b)
}

// TestDecode replaces every value and name in every kind of transaction, and checks each time that
// decode returns the same as encoding/json.
func TestDecode(t *testing.T) {
	var block struct{ Transactions []json.RawMessage }
	text := small(t).rpc(t)
	if err := json.Unmarshal(text, &block); err != nil || len(block.Transactions) < 5 {
		t.Fatalf("%v, %.100s", err, text)
	}
	good, bad := 0, 0
	try := func(raw []byte) {
		if !json.Valid(raw) {
			return
		}
		if wantSame(t, raw) {
			good++
		} else {
			bad++
		}
	}
	others := []string{`null`, `5`, `-1.5e3`, `true`, `""`, `"0x"`, `"0x1"`, `"0xzz"`, `"\u0030x1"`,
		`"é\"]}"`, "\"\xff\"", `[]`, `{}`, `[null]`, `[[]]`, `[{}]`, `[5]`, `["0x12"]`, `{"r":1,"r":2}`,
		`[{"address":5}]`, `[{"R":"0x1"}]`, `{"a":{"b":[{"S":1}]}}`}
	for _, tx := range block.Transactions {
		var compact bytes.Buffer
		if err := json.Compact(&compact, tx); err != nil {
			t.Fatal(err)
		}
		raw := compact.Bytes()
		try(raw)
		err := jsonfile.Fields(raw, func(name, value []byte) error {
			field := fmt.Sprintf("%q:%s", name, value)
			for _, other := range others {
				try(bytes.Replace(raw, []byte(field), fmt.Appendf(nil, "%q:%s", name, other), 1))
				try(bytes.Replace(raw, []byte(field), fmt.Appendf(nil, "%s,%q:%s", field, name, other), 1))
			}
			escaped := fmt.Sprintf(`"\u%04x%s":%s`, name[0], name[1:], value)
			try(bytes.Replace(raw, []byte(field), []byte(escaped), 1))
			upper := fmt.Sprintf("%q:%s", strings.ToUpper(string(name)), value)
			try(bytes.Replace(raw, []byte(field), []byte(upper), 1))
			try(bytes.Replace(raw, []byte(field), []byte(`"other":`+string(value)), 1))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if good < 500 || bad < 500 {
		t.Errorf("%d good texts and %d bad ones", good, bad)
	}
	for _, raw := range append(others, "{}") {
		if raw[0] == '{' {
			try([]byte(raw))
		}
	}
}

// FuzzDecode checks that decode returns the same as encoding/json for arbitrary text.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"0x2","to":null,"accessList":[{"address":"0x00","storageKeys":["0x01"]}]}`))
	f.Add([]byte(`{"a\"b":{"c":[1,2,{"d":"}"}]},"r":"0x1","blockHash":"\u0041"}`))
	f.Add([]byte(`{"accessList":"","blockHash":5,"s":[]}`))
	f.Add([]byte(`{"blobVersionedHashes":5,"accessList":"","r":"0x1"}`))
	f.Add([]byte("{\"r\":\"0x1\",\"\xff\":\"\xfe\",\"blockHash\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var raw bytes.Buffer
		if json.Valid(text) && json.Compact(&raw, text) == nil && raw.Bytes()[0] == '{' {
			wantSame(t, raw.Bytes())
		}
	})
}

// TestQuantity checks that numbers have the value of their digits, whatever the case of letters and
// the number of zeros before them, and that everything else is refused.
func TestQuantity(t *testing.T) {
	digits := "0123456789abcdeffedcba98765432100f1e2d3c4b5a69788796a5b4c3d2e1f0"
	q := quantity(bytes.Repeat([]byte{0xff}, 32)) // a value left by an earlier call
	if err := q.UnmarshalJSON([]byte(`"0x0"`)); err != nil || q.bytes() == nil || len(q.bytes()) > 0 {
		t.Errorf("zero: %x, %v", q, err)
	}
	for n := 1; n <= len(digits); n++ {
		want, _ := new(big.Int).SetString(digits[:n], 16)
		for _, text := range []string{digits[:n], strings.ToUpper(digits[:n]), "000" + digits[:n]} {
			if err := q.UnmarshalJSON([]byte(`"0x` + text + `"`)); err != nil ||
				want.Cmp(new(big.Int).SetBytes(q[:])) != 0 || !bytes.Equal(q.bytes(), want.Bytes()) {
				t.Errorf("%s: %x, %v", text, q, err)
			}
			if got, ok := q.uint64(); ok != want.IsUint64() || ok && got != want.Uint64() {
				t.Errorf("%s: %d, %v", text, got, ok)
			}
		}
	}
	for _, text := range []string{`"0x"`, `"0X1"`, `"1"`, `1`, `null`, `""`, `"0xg"`, `"0x1 "`,
		`"-0x1"`, `"0x1` + digits + `"`} {
		if err := q.UnmarshalJSON([]byte(text)); err == nil || !strings.Contains(err.Error(), text[:1]) ||
			!strings.Contains(err.Error(), " is not a number ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
