package ethereum

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// small returns a payload with one transaction of every kind.
func small(t testing.TB) *payload {
	p := &payload{number: 23000000, time: 1753000000}
	for _, tx := range samples(t, 1) {
		p.txs = append(p.txs, tx)
		p.raw = append(p.raw, envelope(t, tx))
	}
	return p
}

// objects returns the transactions of p in JSON, as go-ethereum prints them.
func (p *payload) objects(t testing.TB) (all []string) {
	for _, tx := range p.txs {
		text, err := tx.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

// TestTruncated checks a file of each format, cut at every byte. The complete transactions before
// the cut must be judged, and the error must name the offset of the cut.
func TestTruncated(t *testing.T) {
	p := small(t)
	for name, text := range map[string][]byte{"JSON-RPC": p.rpc(t),
		"RLP": append(p.rlp(t), p.rlp(t)...)} {
		name, text := name, bytes.TrimSpace(text)
		open := func(b []byte) reading.Reader {
			if name == "RLP" {
				return RLP(source("f", b), onMainnet)
			}
			return JSON(source("f", b), onMainnet)
		}
		whole := run(open(text))
		if whole.err != nil || len(whole.units) < len(p.txs) {
			t.Fatalf("%s: %d units, %v", name, len(whole.units), whole.err)
		}
		units := 0
		for cut := range len(text) {
			if os.Getenv("KOBLITZ_DEEP") == "" && cut%7 != 0 {
				continue
			}
			n := 0
			var err error
			for r := open(text[:cut]); err == nil; {
				var b reading.Batch
				if b, err = r.Next(); err == nil {
					b.Expand(func(u *reading.Unit) {
						if u.Where.Tx != whole.units[n].Where.Tx || u.Decided != reading.Unchecked {
							t.Fatalf("%s, cut at %d: unit %d is %+v", name, cut, n, u)
						}
						n++
					})
				}
			}
			if name == "RLP" && cut == len(text)/2 && err == io.EOF && n == len(p.txs) {
				units = n
				continue // the cut is between the two blocks
			}
			var e *reading.Error
			if !errors.As(err, &e) || e.File != "f" || e.Offset > int64(cut) || e.Offset < int64(cut)-1 {
				t.Fatalf("%s, cut at %d: error %v", name, cut, err)
			}
			if n < units || n > units+1 {
				t.Fatalf("%s, cut at %d: %d units after %d", name, cut, n, units)
			}
			units = n
		}
		if units < len(whole.units)-1 {
			t.Errorf("%s: %d units of %d at the last cut", name, units, len(whole.units))
		}
	}
}

// TestOrder checks that a block's number and time select the rules even if these fields come after
// the transactions. A block without them must get the latest rules.
func TestOrder(t *testing.T) {
	all := small(t).objects(t)
	list := "[" + all[0] + "," + all[6] + "]"
	for text, want := range map[string][2]reading.Verdict{
		`{"number":"0x1","timestamp":"0x1","transactions":LIST}`: {reading.Recovered,
			reading.Invalid},
		`{"transactions":LIST,"number":"0x1","timestamp":"0x1"}`: {reading.Recovered,
			reading.Invalid},
		`{"number":"0x1","transactions":LIST,"timestamp":"0x1"}`: {reading.Recovered,
			reading.Invalid},
		`{"transactions":LIST}`: {reading.Recovered, reading.Recovered},
		`{"number":null,"timestamp":"0x7fffffff","transactions":LIST}`: {reading.Recovered,
			reading.Recovered},
		`{"result":{"transactions":LIST,"number":"0x1","timestamp":"0x1"}}`: {reading.Recovered,
			reading.Invalid},
		`{"number":"0x1","timestamp":"0x1","transactions":LIST`: {reading.Recovered,
			reading.Invalid},
		`{"number":"0x1","transactions":LIST`: {reading.Recovered,
			reading.Invalid},
		`{"number":"0xffffffffff","timestamp":"0x7fffffff","transactions":LIST}`: {reading.Recovered,
			reading.Recovered},
	} {
		got := run(JSON(source("f", []byte(strings.Replace(text, "LIST", list, 1))), onMainnet))
		if len(got.verdicts) < 2 || [2]reading.Verdict(got.verdicts) != want ||
			got.units[1].Where.Index != 1 {
			t.Errorf("%s: %v, %v, %v", text, got.verdicts, got.units, got.err)
		}
		// No root and no hash shows that the block has no other transactions.
		whole := strings.HasSuffix(text, "}")
		if whole != (len(got.verdicts) == 3 && got.verdicts[2] == reading.NotCheckable &&
			got.units[2].Kind == "block") {
			t.Errorf("%s: %v, %v", text, got.verdicts, got.units)
		}
	}
}

func TestBadJSON(t *testing.T) {
	p := small(t)
	one := p.objects(t)[0]
	raw := fmt.Sprintf(`"0x%x"`, p.raw[0])
	for text, want := range map[string]string{
		``:                                       "an empty file",
		`17`:                                     "a block is wanted, not 17",
		`{}`:                                     `no "transactions"`,
		`[]`:                                     `no "transactions"`,
		`{"result":5}`:                           `no "transactions"`,
		`{"jsonrpc":"2.0","id":1,"result":null}`: "the node's answer is null",
		`{"result":null,"error":{"code":-5,"message":"Block not found"}}`: "Block not found",
		`{"error":{"code":-32000,"message":"nope"}}`: "the node answered: " +
			"{\"code\":-32000",
		`{"transactions":5}`: "a list of " +
			"transactions is wanted, not 5",
		`{"number":5,"transactions":[]}`:     `a number is wanted, in the form 0x…, not 5`,
		`{"number":"0xg","transactions":[]}`: `not "0xg"`,
		`{"transactions":["0x` + strings.Repeat("ab", 32) +
			`"]}`: "transactions are named only",
		`{"transactions":[` + one + `, 5]}`: "a transaction is wanted, an object, not",
		`{"transactions":[` + one + `,` +
			raw + `]}`: "a transaction is wanted, an object, not",
		`{"transactions":[` + one + `}`:    "bad JSON",
		`{"transactions":[` + one + `],}`:  "bad JSON",
		`{"number":"1","transactions":[]}`: `in the form 0x…, not "1"`,
		`[[`:                               "a block is wanted, not [",
		`{"result":[]}`:                    "a block is wanted, not [",
		`{"result":{"gas":"0x1"}}`:         `no "transactions"`,
		`{"number":"0x1","timestamp":"0x1","transactions":[],` +
			`"transactions":[]}`: `"transactions" comes a second time`,
	} {
		got := run(JSON(source("f", []byte(text)), onMainnet))
		var e *reading.Error
		if !errors.As(got.err, &e) || !strings.Contains(e.Error(), want) || !strings.HasPrefix(e.Error(),
			"f:1: ") {
			t.Errorf("%s: error %v, want %q", text, got.err, want)
		}
		if strings.Contains(text, one) && len(got.units) != 1 {
			t.Errorf("%s: %d units", text, len(got.units))
		}
	}
	// The forms of the beacon chain's APIs are refused, because their blocks lack roots.
	for field, text := range map[string]string{
		"data":             `{"version":"deneb","data":{"message":{"slot":"1"}}}`,
		"body":             `{"slot":"1","body":{"execution_payload":{}}}`,
		"params":           `{"method":"engine_newPayloadV4","params":[{}]}`,
		"executionPayload": `{"result":{"executionPayload":{}}}`,
		"feeRecipient":     `{"gasLimit":"0x1","feeRecipient":"0x","transactions":[` + raw + `]}`,
		"fee_recipient":    `{"gas_limit":"1","fee_recipient":"0x","transactions":[` + raw + `]}`,
	} {
		got := run(JSON(source("f", []byte(text)), onMainnet))
		want := fmt.Sprintf("f:1: %q is a field of the beacon chain's APIs", field)
		if got.err == nil || !strings.HasPrefix(got.err.Error(), want) || len(got.units) > 0 {
			t.Errorf("%s: %v, %d units", text, got.err, len(got.units))
		}
	}
	// An object that is no transaction gives one bad row. The other elements are judged.
	got := run(JSON(source("f", []byte(`{"transactions":[`+one+`,{},`+one+`]}`)), onMainnet))
	const v, m, block = reading.Recovered, reading.Malformed, reading.NotCheckable
	if fmt.Sprint(got.verdicts) != fmt.Sprint([]reading.Verdict{v, m, v, block}) || got.err != nil {
		t.Errorf("%v, %v", got.verdicts, got.err)
	}
}

func TestBadRLP(t *testing.T) {
	p := small(t)
	good := p.rlp(t)
	broken := bytes.Clone(good)
	at := bytes.Index(broken, p.raw[1])
	broken[at] = 0xfb // the item's length now has four bytes
	for _, test := range []struct {
		b     []byte
		units int
		want  string
	}{
		{nil, 0, "f: at byte 0: an empty file"},
		{[]byte{1}, 0, "f: at byte 0: block: RLP: not the beginning of one"},
		{[]byte{0xf8, 1, 0}, 0, "f: at byte 0: block: RLP: an encoding is not the shortest"},
		{[]byte{0xc0}, 0, "f: at byte 1: the header of a block: RLP: an item is missing"},
		{[]byte{0xc2, 0x80, 0xc0}, 0, "f: at byte 1: the header of a block: RLP: a string in place of " +
			"a list"},
		{[]byte{0xc2, 0xc0, 0xc0}, 0, "f: at byte 1: the header of a block: RLP: an item is missing"},
		{bytes.Repeat([]byte{0xff}, 20), 0, "f: at byte 0: block: RLP: not the beginning of one"},
		{[]byte{0xf9, 0xff}, 0, "f: at byte 2: the file ends in the middle of a block"},
		{broken, 1, fmt.Sprintf("f: at byte %d: transaction 1 of block 23000000: RLP: an item is "+
			"longer than what holds it", at)},
		{append(bytes.Clone(good), 0), len(p.txs), fmt.Sprintf("f: at byte %d: block: RLP: not the "+
			"beginning of one", len(good))},
	} {
		got := run(RLP(source("f", test.b), onMainnet))
		if got.err == nil || got.err.Error() != test.want || len(got.units) != test.units {
			t.Errorf("%.20x: error %v and %d units, want %s and %d", test.b, got.err, len(got.units),
				test.want, test.units)
		}
	}
}

// TestTransactionItems checks the verdicts on items in the place of a block's transaction that are
// none.
func TestTransactionItems(t *testing.T) {
	legacy := small(t).raw[0]
	inString := append([]byte{0xb8, byte(len(legacy))}, legacy...)
	for _, test := range []struct {
		item   []byte
		want   reading.Verdict
		reason string
	}{
		{[]byte{0x05}, reading.NotCheckable, "a transaction of type 5, which nothing here knows"},
		{[]byte{0x82, 0x7f, 0xc0}, reading.NotCheckable,
			"a transaction of type 127, which nothing here knows"},
		{[]byte{0x00}, reading.NotCheckable, "a transaction of type 0, which nothing here knows"},
		{[]byte{0x81, 0x05}, reading.Malformed, "RLP: an encoding is not the shortest"},
		{[]byte{0x80}, reading.Malformed, "an empty transaction"},
		{[]byte{0x82, 0x80, 0xc0}, reading.Malformed, "RLP: a string in place of a list"},
		{[]byte{0x82, 0x02, 0x80}, reading.Malformed, "RLP: a string in place of a list"},
		{[]byte{0xc0}, reading.Malformed, "RLP: an item is missing"},
		{inString, reading.Malformed, "a list, as a legacy transaction is, inside of a string"},
	} {
		header := &types.Header{Number: big.NewInt(23000000), Time: 1753000000,
			Difficulty: new(big.Int), UncleHash: types.EmptyUncleHash}
		b, err := rlp.EncodeToBytes([]any{header, []rlp.RawValue{test.item}, []rlp.RawValue{}})
		if err != nil {
			t.Fatal(err)
		}
		got := run(RLP(source("f", b), onMainnet))
		if got.err != nil || len(got.units) < 1 || got.verdicts[0] != test.want ||
			got.units[0].Reason != test.reason {
			t.Errorf("%x: %v, %+v, %v", test.item, got.verdicts, got.units, got.err)
		}
	}
}

func TestDetect(t *testing.T) {
	p := small(t)
	for _, test := range []struct {
		head string
		want Format
	}{
		{string(p.rlp(t)), FormatRLP},
		{string(p.rlp(t)[:600]), FormatRLP},
		{string(p.rlp(t)[:300]), FormatRLP},
		{string(p.rpc(t)), FormatJSON},
		{" \n[" + string(p.rpc(t)), FormatJSON},
		{`{"version":"deneb","data":{"message":{"slot":"1","proposer_index":"2","body":{`, FormatJSON},
		{`{"jsonrpc":"2.0","id":1,"result":{"executionPayload":{"parentHash":"0x"`, FormatJSON},
		{`{"method":"engine_newPayloadV4","params":[{"parentHash":"0x"`, FormatJSON},
		{`{"jsonrpc":"2.0","id":1,"result":{"difficulty":"0x1","gasLimit":"0x2"`, FormatJSON},
		{`{"jsonrpc":"2.0","id":1,"result":null}`, FormatJSON},
		{`[ {"id": "a b", "error" : {"code":`, FormatJSON},
		{`{"result":null,"error":{"code":-5}}`, FormatJSON},
		{``, ""},
		{`{"id":"00","content":"\"gasLimit\":"}`, ""},
		{`["EVENT",{"id":"00","tags":[["t","gasLimit"]]}]`, ""},
		{`{"result":{"hash":"00","merkleroot":"00"}}`, ""},
		{"\xf9\x02\x00\xf9\x01\xff\xa0", ""},
		{"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", ""},
		{strings.Repeat("\xf8", 100), ""},
	} {
		if got, ok := Detect([]byte(test.head)); got != test.want || ok != (test.want != "") {
			t.Errorf("%.60q: %q, want %q", test.head, got, test.want)
		}
	}
}

// TestLargeBlock checks that all transactions of a block that needs several batches are judged,
// each with its index in the block.
func TestLargeBlock(t *testing.T) {
	p := &payload{number: 23000000, time: 1753000000}
	tx := samples(t, 1)[0]
	for range 3*batchPieces + 5 {
		p.txs, p.raw = append(p.txs, tx), append(p.raw, envelope(t, tx))
	}
	for _, text := range [][]byte{p.rlp(t), p.rpc(t)} {
		got := read(t, text, onMainnet)
		if got.err != nil || got.count(reading.Recovered)+got.count(reading.Valid) != len(p.txs) ||
			got.units[len(p.txs)-1].Where.Index != len(p.txs)-1 {
			t.Errorf("%d units, %v", len(got.units), got.err)
		}
	}
}

// A liveStream returns its parts one at a time and then blocks forever.
type liveStream struct{ parts [][]byte }

func (s *liveStream) Read(b []byte) (int, error) {
	if len(s.parts) == 0 {
		panic("waits for ever")
	}
	n := copy(b, s.parts[0])
	if s.parts[0] = s.parts[0][n:]; len(s.parts[0]) == 0 {
		s.parts = s.parts[1:]
	}
	return n, nil
}

// TestLive checks that a block is judged before the next block arrives.
func TestLive(t *testing.T) {
	p := small(t)
	for name, open := range map[string]func(*liveStream) reading.Reader{
		"JSON": func(s *liveStream) reading.Reader {
			return JSON(reading.Source{Name: "f", Reader: s},
				onMainnet)
		},
		"RLP": func(s *liveStream) reading.Reader {
			return RLP(reading.Source{Name: "f", Reader: s},
				onMainnet)
		},
	} {
		block := append(p.rpc(t), '\n')
		if name == "RLP" {
			block = p.rlp(t)
		}
		r := open(&liveStream{[][]byte{block[:100], block[100:], block}})
		for range 2 {
			b, err := r.Next()
			if err != nil {
				t.Fatal(name, err)
			}
			n := 0
			b.Expand(func(*reading.Unit) { n++ })
			if n != len(p.txs) {
				t.Errorf("%s: %d transactions", name, n)
			}
		}
	}
}
