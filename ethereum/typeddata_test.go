package ethereum_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/koblitz-go/koblitz/ethereum"
)

// vectors returns typed data with hashes that @metamask/eth-sig-util 8.2.0 computed (eip712Hash,
// version V4). The first document is the example of EIP-712.
func vectors(t testing.TB) (all []struct {
	Hash common.Hash
	Data json.RawMessage
}) {
	t.Helper()
	b, err := os.ReadFile("testdata/typeddata.json")
	if err == nil {
		err = json.Unmarshal(b, &all)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTypedDataHash(t *testing.T) {
	all := vectors(t)
	if len(all) < 30 {
		t.Fatalf("%d vectors", len(all))
	}
	mail := common.HexToHash("0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2")
	if all[0].Hash != mail {
		t.Errorf("the example of EIP-712: %v, want %v", all[0].Hash, mail)
	}
	for i, v := range all {
		if got, err := ethereum.TypedDataHash(v.Data); err != nil || got != v.Hash {
			t.Errorf("%d: %v, %v, want %v: %s", i, got, err, v.Hash, v.Data)
		}
	}
	var examples []map[string]json.RawMessage
	text := testdata(t, "signer", "core", "apitypes", "testdata", "typed-data.json")
	if err := json.Unmarshal(text, &examples); err != nil || len(examples) < 100 {
		t.Fatal(len(examples), err)
	}
	for _, e := range examples {
		e["message"] = e["data"]
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ethereum.TypedDataHash(data)
		if want := strings.Trim(string(e["digest"]), `"`); err != nil || got.Hex() != want {
			t.Errorf("go-ethereum's example %s: %v, %v, want %v", e["name"], got, err, want)
		}
	}
}

// theirs returns the hash that go-ethereum computes.
func theirs(data []byte) (common.Hash, error) {
	var d apitypes.TypedData
	if err := json.Unmarshal(data, &d); err != nil {
		return common.Hash{}, err
	}
	hash, _, err := apitypes.TypedDataAndHash(d)
	return common.BytesToHash(hash), err
}

// typed returns typed data with one member v of a type.
func typed(kind, value string) string {
	return `{"types":{"EIP712Domain":[{"name":"name","type":"string"}],` +
		`"P":[{"name":"a","type":"uint8"}],"V":[{"name":"v","type":"` + kind + `"}]},` +
		`"primaryType":"V","domain":{"name":"n"},"message":{"v":` + value + `}}`
}

// TestTypedDataErrors has one error each, and the words that name it.
func TestTypedDataErrors(t *testing.T) {
	good := typed("P[2]", `[{"a":1},{"a":255}]`)
	if _, err := ethereum.TypedDataHash([]byte(good)); err != nil {
		t.Fatal(err)
	}
	deep := strings.Repeat("[]", 200)
	chain := `{"types":{"EIP712Domain":[]`
	for i := range 300 {
		chain += `,"T` + string(rune('a'+i/26)) + string(rune('a'+i%26)) + `":[]`
	}
	chain += `},"primaryType":"Taa","domain":{},"message":{}}`
	for _, name := range []string{"a$b", "$", "P$", "uint7", "int08", "uint264", "bytes0", "bytes33",
		"uint", "bytes", "__proto__"} {
		data := strings.ReplaceAll(good, `"P`, `"`+name)
		_, err := ethereum.TypedDataHash([]byte(data))
		if err == nil || !strings.Contains(err.Error(), "is no name of a struct type") {
			t.Errorf("a struct type %s: %v", name, err)
		}
	}
	for _, c := range []struct{ data, want string }{
		{"", "JSON"}, {"[]", "an array, want an object"}, {"null", "null, want an object"},
		{"{}", "types: missing"},
		{good + "x", "JSON: text after byte 203"}, {good + "{}", "JSON: text after byte 203"},
		{good[:99], "JSON"}, {typed("string", `"\\\ud83d\\ud83d"`), "JSON: byte"},
		{strings.Replace(good, `"n"`, "\"\xff\"", 1), "UTF-8"},
		{strings.Replace(good, `"types"`, `"Types"`, 1), "types: missing"},
		{strings.Replace(good, `"primaryType":"V"`, `"primaryType":"W"`, 1), `primaryType: "W"`},
		{strings.Replace(good, `"primaryType":"V"`, `"primaryType":"EIP712Domain"`, 1), "primaryType"},
		{strings.Replace(good, `EIP712Domain`, `Domain`, 1), "EIP712Domain"},
		{strings.Replace(good, `"domain":{"name":"n"}`, `"domain":{"name":"n","salt":"0x"}`, 1),
			"domain.salt: type EIP712Domain has no such member"},
		{strings.Replace(good, `"domain":{"name":"n"}`, `"domain":null`, 1), "domain: null"},
		{strings.Replace(good, `"name":"name","type":"string"`, `"name":"name","type":"P[]"`, 1),
			"types.EIP712Domain[0].type"},
		{strings.Replace(good, `"domain":{"name":"n"}`, `"domain":{}`, 1), "domain.name: missing"},
		{strings.Replace(good, `"V":[`, `"V":[{"name":"v","type":"bool"},`, 1), "types.V[1].name"},
		{strings.Replace(good, `"P":`, `"uint8":[],"P":`, 1), `"uint8" is no name`},
		{strings.Replace(good, `"P":`, `"P(":[],"P":`, 1), `"P(" is no name`},
		{strings.Replace(good, `{"name":"v"`, `{"name":"v,x"`, 1), "types.V[0].name"},
		{typed("Q", `1`), `types.V[0].type: "Q"`}, {typed("uint", `1`), `"uint"`},
		{typed("int7", `1`), `"int7"`}, {typed("uint264", `1`), `"uint264"`},
		{typed("bytes33", `1`), `"bytes33"`}, {typed("bytes0", `1`), `"bytes0"`},
		{typed("uint08", `1`), `"uint08"`}, {typed("bool[", `1`), `"bool["`},
		{typed("bool[01]", `1`), `"bool[01]"`}, {typed("bool[-1]", `1`), `"bool[-1]"`},
		{typed("bool[]x", `1`), `"bool[]x"`}, {typed("bool[][", `1`), `"bool[]["`},
		{typed("bool]", `1`), `"bool]"`}, {typed("", `1`), `""`},
		{typed("P[2]", `[{"a":1}]`), "message.v: 1 items, want 2"},
		{typed(fmt.Sprintf("P[%d]", math.MaxInt), `[]`), fmt.Sprintf("0 items, want %d", math.MaxInt)},
		{typed(fmt.Sprintf("P[%d]", uint(math.MaxInt)+1), `[]`), "is no type"},
		{typed("bool[2][]]", `1`), "is no type"}, {typed("bool[2]x[]", `1`), "is no type"},
		{typed("bool[+2]", `1`), "is no type"},
		{typed("bool[-"+strings.Repeat("[]", 511), `1`), "is no type"},
		{typed("P[]", `[{"a":1},{"a":256}]`), "message.v[1].a: \"256\" is no integer of type uint8"},
		{typed("P[]", `[null]`), "message.v[0]: null"},
		{typed("P", `{"a":1,"b":2}`), "message.v.b: type P has no such member"},
		{typed("P", `{}`), "message.v.a: missing"}, {typed("P", `null`), "message.v: null"},
		{typed("P", `[]`), "message.v: an array"}, {typed("bool[]", `{}`), "message.v: an object"},
		{typed("bool", `1`), "a number"}, {typed("bool", `"true"`), "a string"},
		{typed("string", `1`), "a number"}, {typed("string", `null`), "null"},
		{typed("uint8", `true`), "a boolean"}, {typed("uint8", `-1`), `"-1"`},
		{typed("uint8", `1.0`), `"1.0"`}, {typed("uint8", `1e1`), `"1e1"`},
		{typed("uint8", `""`), `""`}, {typed("uint8", `"0x"`), `"0x"`},
		{typed("uint8", `"0x-1"`), `"0x-1"`},
		{typed("uint8", `"1_0"`), `"1_0"`}, {typed("uint8", `"+1"`), `"+1"`},
		{typed("int8", `128`), `"128"`}, {typed("int8", `-129`), `"-129"`},
		{typed("uint256", "1"+strings.Repeat("0", 100)), "uint256"},
		{typed("address", `"0x00"`), "1 bytes, want 20"}, {typed("address", `"00"`), "0x"},
		{typed("bytes2", `"0x000000"`), "3 bytes, want 2"}, {typed("bytes", `"zz"`), "bytes"},
		{typed("bytes", `"0x1"`), "bytes"}, {typed("bytes", `[1]`), "an array"},
		{typed("bool"+deep, strings.Repeat("[", 200)+strings.Repeat("]", 200)), "more than 128"},
		{chain, "more than 256"},
		{typed("bool"+strings.Repeat("[]", 511), `1`), "types.V[0].type: 1026 bytes, more than 1024"},
		{strings.Replace(good, `"P":[`, `"P":[{"name":"`+strings.Repeat("b", 1<<16)+
			`","type":"bool"},`, 1), "types: more than 65536 bytes of names"},
		{strings.Replace(good, `"n"}`, `"n","x\n":1}`, 1), `domain["x\n"]: type EIP712Domain has no`},
		{typed("uint64", `9007199254740992`), "message.v: 9007199254740992 is not below 2^53"},
		{typed("int64", `-9007199254740992`), "message.v: -9007199254740992 is not below 2^53"},
		{typed("bytes2", `"0X0102"`), "message.v"},
	} {
		got, err := ethereum.TypedDataHash([]byte(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) || got != (common.Hash{}) {
			t.Errorf("%.300s: %v, %v, want an error with %q", c.data, got, err, c.want)
		}
	}
}

// TestTypedDataOdd has null, missing, repeated, additional and wrongly typed values at every place
// of a document. testdata/typeddata-odd.tsv has the document and its hash. Each further line has a
// path, the part of the document that is replaced, the new text, and the results of ethers 6.17.0,
// @metamask/eth-sig-util 8.2.0 (V4) and viem 2.57.20: "=" is the hash of the document, "-" an
// exception. ethers takes no EIP712Domain, and it finds the primary type, which was compared.
func TestTypedDataOdd(t *testing.T) {
	text, err := os.ReadFile("testdata/typeddata-odd.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	_, document, _ := strings.Cut(lines[0], "\t")
	_, hash, _ := strings.Cut(lines[1], "\t")
	accepted, refused := 0, 0
	for _, line := range lines[2:] {
		f := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		path, put, answers := f[0], f[3], f[4:]
		var begin, end int
		if _, err := fmt.Sscan(f[1]+" "+f[2], &begin, &end); err != nil {
			t.Fatal(line, err)
		}
		if put == "(none)" {
			put = ""
		}
		got, err := ethereum.TypedDataHash([]byte(document[:begin] + put + document[end:]))
		if err == nil {
			accepted++
			for i, answer := range answers {
				// ethers refuses types that the primary type does not use.
				unused := i == 0 && answer == "-" && path == "types" && put == `"x":[],`
				if answer = strings.Replace(answer, "=", hash, 1); !unused &&
					!strings.HasPrefix(got.Hex(), answer) {
					t.Errorf("%s: %v", line, got)
				}
			}
			continue
		}
		// For an element of an array, the error may name only the array. For a changed type, it may
		// name a value of this type instead.
		refused++
		path = regexp.MustCompile(`\[\d\]$|\(root\)`).ReplaceAllString(path, "")
		at, ok := strings.CutPrefix(err.Error(), "ethereum: typed data: ")
		elsewhere := strings.HasPrefix(path, "types") && (put == "" || !strings.HasPrefix(at, "types"))
		if !ok || !elsewhere && !strings.HasPrefix(at, path) && !strings.Contains(at, "surrogate") {
			t.Errorf("%s: %v", line, err)
		}
	}
	if accepted < 100 || refused < 400 {
		t.Errorf("%d documents accepted, %d refused", accepted, refused)
	}
}

// TestTypedDataLast has members twice.
func TestTypedDataLast(t *testing.T) {
	want, err := ethereum.TypedDataHash([]byte(typed("P", `{"a":2}`)))
	if err != nil {
		t.Fatal(err)
	}
	twice := strings.Replace(typed("P", `{"a":"","b":1},"v":{"a":1,"a":2}`), `"P":[`,
		`"P":[{"name":"b","type":"bool"}],"P":[`, 1)
	if got, err := ethereum.TypedDataHash([]byte(twice)); err != nil || got != want {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

// TestTypedDataSize has a size that does not fit in an int of 32 bits. Every CPU accepts the type.
func TestTypedDataSize(t *testing.T) {
	text := strings.Replace(typed("P", `{"a":[]}`), "uint8", "uint8[3000000000][]", 1)
	if _, err := ethereum.TypedDataHash([]byte(text)); err != nil {
		t.Error(err)
	}
}

// FuzzTypedDataHash compares with go-ethereum, which accepts more, panics for a null in an array,
// and reads numbers as float64.
func FuzzTypedDataHash(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ethereum.TypedDataHash(data)
		if err != nil {
			return
		}
		want, err := theirs(data)
		if err != nil { // a domain without fields, numbers above 2^53, negative hexadecimal, …
			return
		}
		if got != want {
			t.Errorf("%v, want %v: %s", got, want, data)
		}
	})
}
