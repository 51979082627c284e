package ethereum

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// small returns a payload with one transaction of every kind.
func small() *payload {
	p := &payload{number: 23000000, time: 1753000000}
	for _, tx := range samples(1) {
		p.txs = append(p.txs, tx)
		p.raw = append(p.raw, envelope(tx))
	}
	return p
}

// objects returns the transactions of p in JSON, as go-ethereum prints them.
func (p *payload) objects() (all []string) {
	for _, tx := range p.txs {
		all = append(all, string(must(tx.MarshalJSON())))
	}
	return all
}

// export returns a block in RLP with the given items in place of its transactions. go-ethereum
// refuses some such blocks.
func export(items ...rlp.RawValue) []byte {
	header := &types.Header{Number: big.NewInt(23000000), Time: 1753000000,
		Difficulty: new(big.Int), UncleHash: types.EmptyUncleHash}
	return must(rlp.EncodeToBytes([]any{header, items, []rlp.RawValue{}}))
}

// openers has a reader for blocks of each format.
var openers = map[string]func(reading.Source, Options) reading.Reader{"JSON": JSON, "RLP": RLP}

// TestTruncated checks a file of each format, cut at every byte. The complete blocks before the cut
// must be judged, and the error must name the offset of the cut.
func TestTruncated(t *testing.T) {
	p := small()
	for name, text := range map[string][]byte{"JSON": append(p.rpc(), p.rpc()...),
		"RLP": append(p.rlp(), p.rlp()...)} {
		for cut := range len(text) {
			if os.Getenv("KOBLITZ_DEEP") == "" && cut%7 != 0 {
				continue
			}
			units := 0
			if cut >= len(text)/2 {
				units = len(p.txs)
			}
			got := run(openers[name](source("f", text[:cut]), onMainnet))
			if cut == len(text)/2 && got.err == nil && len(got.units) == units {
				continue // the cut is between the two blocks
			}
			var e *reading.Error
			if !errors.As(got.err, &e) || e.File != "f" || e.Offset > int64(cut) ||
				e.Offset < int64(cut)-1 || len(got.units) != units {
				t.Fatalf("%s, cut at %d: %d units, error %v", name, cut, len(got.units), got.err)
			}
		}
	}
}

// TestOrder checks that a block's number and time select the rules, before the transactions or
// after them. A block without them gets the latest rules.
func TestOrder(t *testing.T) {
	all := small().objects()
	list := `"transactions":[` + all[0] + "," + all[6] + "]"
	for text, want := range map[string]reading.Verdict{
		`{"number":"0x1","timestamp":"0x1",LIST}`:            reading.Invalid,
		`{LIST,"number":"0x1","timestamp":"0x1"}`:            reading.Invalid,
		`{"number":"0x1",LIST,"timestamp":"0x1"}`:            reading.Invalid,
		`{"result":{LIST,"number":"0x1","timestamp":"0x1"}}`: reading.Invalid,
		`{LIST}`: reading.Recovered,
		`{"number":null,"timestamp":"0x7fffffff",LIST}`:           reading.Recovered,
		`{"number":"0xffffffffff","timestamp":"0x7fffffff",LIST}`: reading.Recovered,
	} {
		got := run(JSON(source("f", []byte(strings.Replace(text, "LIST", list, 1))), onMainnet))
		// No root and no hash shows that the block has no other transactions.
		if got.err != nil || !slices.Equal(got.verdicts, []reading.Verdict{reading.Recovered, want,
			reading.NotCheckable}) || got.units[1].Where.Index != 1 || got.units[2].Kind != "block" {
			t.Errorf("%s: %v, %v", text, got.verdicts, got.err)
		}
	}
}

// TestBadJSON checks errors that end reading.
func TestBadJSON(t *testing.T) {
	const beacon = " is a field of the beacon chain's APIs"
	for _, test := range [][2]string{
		{`{}`, `no "transactions"`},
		{`{"result":5}`, `no "transactions"`},
		{`[{"result":{"size":"0x5","number":"0x1"}}]`, `no "transactions"`},
		{`{"result":null,"error":{"code":-5,"message":"Block not found"}}`, "Block not found"},
		{`[[`, "a block is wanted, not ["},
		{`{"result":[]}`, "a block is wanted, not ["},
		{`{"result":{"gas":"0x1"}}`, `no "transactions"`},
		{`{"number":"0x1","result":{"transactions":[]}}`, "a block and fields of another"},
		{`{"version":"deneb","data":{"message":{"slot":"1"}}}`, `"data"` + beacon},
	} {
		text, want := test[0], test[1]
		got := run(JSON(source("f", []byte(text)), onMainnet))
		var e *reading.Error
		if !errors.As(got.err, &e) || !strings.Contains(e.Error(), want) ||
			!strings.HasPrefix(e.Error(), "f:1: ") || len(got.units) > 0 {
			t.Errorf("%s: %d units, error %v, want %q", text, len(got.units), got.err, want)
		}
	}
}

// TestBadElements checks that an element that is no transaction gives one bad row, that the others
// are judged, and that a malformed field makes a block malformed.
func TestBadElements(t *testing.T) {
	p := small()
	one := p.objects()[0]
	const v, m, block, none = reading.Recovered, reading.Malformed, reading.NotCheckable,
		reading.PassedOver
	const wanted = "a transaction is wanted, an object, not "
	for text, want := range map[string]struct {
		reason   string
		verdicts []reading.Verdict
	}{
		`{"transactions":[ONE,{},ONE]}`: {`the transaction has no "nonce"`,
			[]reading.Verdict{v, m, v, block}},
		fmt.Sprintf(`{"transactions":[ONE,"0x%x"]}`, p.raw[0]): {wanted,
			[]reading.Verdict{v, m, block}},
		`[{"result":null},{"number":"1","transactions":[ONE]},{"result":"0x5"}]`: {
			`"number" of the block: not a number`, []reading.Verdict{none, v, m, none}},
		`{"transactions":[],"withdrawals":[{"index":"0x1","validatorIndex":"0x1","address":"0x12",` +
			`"amount":"0x1"}]}`: {`"withdrawals": a withdrawal is not a list`, []reading.Verdict{m}},
		`{"transactions":[],"withdrawals":"` + strings.Repeat("x", 1<<20) + `"}`: {
			`"withdrawals" has more than`, []reading.Verdict{m}},
	} {
		got := run(JSON(source("f", []byte(strings.ReplaceAll(text, "ONE", one))), onMainnet))
		if got.err != nil || !slices.Equal(got.verdicts, want.verdicts) ||
			!strings.HasPrefix(got.units[slices.Index(got.verdicts, m)].Reason, want.reason) {
			t.Errorf("%.100s: %v, %+v, %v", text, got.verdicts, got.units, got.err)
		}
	}
}

// TestUnknownField checks that a field that the format does not define may explain another hash,
// but no other flaw.
func TestUnknownField(t *testing.T) {
	text := string(small().rpc())
	for _, c := range []struct {
		from, to string
		want     reading.Verdict
	}{
		{`"gasLimit":"0x`, `"gasLimit":"0x1`, reading.Malformed},
		{`"gasLimit":"0x`, `"x":1,"gasLimit":"0x1`, reading.NotCheckable},
		{`"number":"0x`, `"x":1,"number":"0x1`, reading.Malformed}, // not that of the transactions
	} {
		got := run(JSON(source("f", []byte(strings.Replace(text, c.from, c.to, 1))), onMainnet))
		if n := len(got.verdicts); got.err != nil || got.units[n-1].Kind != "block" ||
			got.verdicts[n-1] != c.want {
			t.Errorf("%s: %v, %v", c.to, got.verdicts, got.err)
		}
	}
}

// TestBadRLP checks the errors that end reading, and blocks that are malformed.
func TestBadRLP(t *testing.T) {
	p := small()
	good := p.rlp()
	broken := bytes.Clone(good)
	broken[bytes.Index(broken, p.raw[1])] = 0xfb // the item's length now has four bytes
	const noBlock = "block: RLP: not the beginning of one"
	for _, test := range []struct {
		b     []byte
		units int
		want  string // the error, or the reason of the block
	}{
		{nil, 0, "f: at byte 0: an empty file"},
		{[]byte{0xf8, 1, 0}, 0, "f: at byte 0: block: RLP: an encoding is not the shortest"},
		{bytes.Repeat([]byte{0xff}, 20), 0, "f: at byte 0: block: RLP: 18446744073709551615 " +
			"bytes, more than the 16777216 of a block"},
		{[]byte{0xf9, 0xff}, 0, "f: at byte 2: the file ends in the middle of a block"},
		{append(bytes.Clone(good), 0), len(p.txs), fmt.Sprintf("f: at byte %d: ", len(good)) + noBlock},
		{[]byte{0xc1, 0x80}, 1, "its header: RLP: a string in place of a list; its transactions: RLP: " +
			"an item is missing"},
		{broken, 2, "its transactions: RLP: an item is longer than what holds it"},
	} {
		got := run(RLP(source("f", test.b), onMainnet))
		text := fmt.Sprint(got.err)
		if got.err == nil {
			text = got.units[len(got.units)-1].Reason
		}
		if !strings.HasPrefix(text, test.want) || len(got.units) != test.units {
			t.Errorf("%.20x: %s and %d units, want %s and %d", test.b, text, len(got.units), test.want,
				test.units)
		}
	}
}

func TestDetect(t *testing.T) {
	p := small()
	for _, test := range []struct {
		head string
		want Format
	}{
		{string(p.rlp()), FormatRLP},
		{string(p.rlp()[:600]), FormatRLP},
		{string(p.rlp()[:300]), FormatRLP},
		{string(p.rpc()), FormatJSON},
		{fmt.Sprintf(`"0x%x"`, p.raw[0]), FormatTransactions},
		{fmt.Sprintf(`"0x%x"`, p.raw[4]), FormatTransactions},
		{" \n[" + string(p.rpc()), FormatJSON},
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

// TestLive checks that a block is judged before the next block arrives.
func TestLive(t *testing.T) {
	p := small()
	for name, block := range map[string][]byte{"JSON": append(p.rpc(), '\n'), "RLP": p.rlp()} {
		in, out := io.Pipe()
		defer in.Close()
		go func() {
			for _, part := range [][]byte{block[:100], block[100:], block} {
				out.Write(part)
			}
		}()
		r := openers[name](reading.Source{Name: "f", Reader: in}, onMainnet)
		for range 2 {
			n := 0
			must(r.Next()).Expand(func(*reading.Unit) { n++ })
			if n != len(p.txs) {
				t.Errorf("%s: %d transactions", name, n)
			}
		}
	}
}
