package ethereum

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestTransactionLimits checks that a transaction over a limit is one malformed row and that the
// transactions around it are judged.
func TestTransactionLimits(t *testing.T) {
	p := small(t)
	good := p.objects(t)[0]
	entries := func(n int, entry string) string {
		return `{"type":"0x1","accessList":[` + strings.Repeat(entry+",", n-1) + entry + `]}`
	}
	const v, m, whole = reading.Recovered, reading.Malformed, reading.NotCheckable
	for name, test := range map[string]struct{ tx, want string }{
		"text": {`{"input":"0x` + strings.Repeat("00", maxText/2) + `"}`,
			"a transaction of more than 10485760 bytes"},
		"addresses": {entries(maxItems+1, "{}"),
			"a transaction of more than 32768 elements in its lists"},
		"storage keys": {`{"accessList":[` + strings.TrimSuffix(strings.Repeat(`{"storageKeys":[`+
			strings.Repeat(`"",`, 999)+`""]},`, maxItems/1000+1), ",") + `]}`,
			"a transaction of more than 32768 elements in its lists"},
		"authorizations": {strings.Replace(entries(maxItems+1, "null"), "accessList",
			"authorizationList", 1), "a transaction of more than 32768 elements in its lists"},
		"as many addresses": {entries(maxItems, "{}"), `the transaction has no "input"`},
		"as much text": {`{"x":"` + strings.Repeat("0", maxText-8) + `"}`,
			`the transaction has no "input"`},
		"fields in the end": {`{"input":"0x` + strings.Repeat("00", maxTransaction) +
			`","nonce":"0x0","gas":"0x0","value":"0x0","gasPrice":"0x0","v":"0x1b","r":"0x1","s":"0x1"}`,
			"more than the 4194304 that a transaction can have"},
		"a hash of one digit": {`{"hash":"0x00"}`, `"hash" has 1 bytes instead of 32`},
	} {
		text := `{"number":"0x1000000","timestamp":"0x7fffffff","transactions":[` + good + "," + test.tx +
			",\n" + good + `]}`
		got := run(JSON(source("f", []byte(text)), onMainnet))
		if fmt.Sprint(got.verdicts) != fmt.Sprint([]reading.Verdict{v, m, v, whole}) || got.err != nil {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
			continue
		}
		if u := got.units[1]; !strings.Contains(u.Reason, test.want) || u.Where.Index != 1 ||
			u.Where.Line != 1 || int(u.Where.Offset) != strings.Index(text, test.tx) ||
			got.units[2].Where.Line != 2 {
			t.Errorf("%s: %s at %+v, want %s", name, u.Reason, u.Where, test.want)
		}
	}

	long, err := rlp.EncodeToBytes(make([]byte, maxTransaction+1))
	if err != nil {
		t.Fatal(err)
	}
	// The test assembles the block itself because go-ethereum refuses transactions of this length.
	block := p.rlp(t)
	content, _, _ := rlp.SplitList(block)
	_, _, rest, _ := rlp.Split(content)
	header := content[:len(content)-len(rest)]
	_, _, rest, _ = rlp.Split(rest) // the uncles and the withdrawals
	txs, _ := rlp.EncodeToBytes([]rlp.RawValue{p.raw[0], long, p.raw[0]})
	block, _ = rlp.EncodeToBytes([]rlp.RawValue{header, txs, rest})
	got := run(RLP(source("f", append(bytes.Clone(block), block...)), onMainnet))
	if fmt.Sprint(got.verdicts) != fmt.Sprint([]reading.Verdict{v, m, v, v, m, v}) || got.err != nil ||
		!strings.Contains(got.units[1].Reason, "4194305 bytes, more than") ||
		int(got.units[1].Where.Offset) != bytes.Index(block, long) {
		t.Errorf("RLP: %v, %v", got.verdicts, got.err)
	}
}

// TestHeldLimits checks the limits on transactions that are held back. A block over a limit must be
// malformed, and the next block must still be read.
func TestHeldLimits(t *testing.T) {
	const raw = `{"type":"0x7f"}` // nothing is verified of a transaction of unknown type
	list := func(tx string, n int) string {
		return `"transactions":[` + strings.Repeat(tx+",", n-1) + tx + `]`
	}
	const number = `"number":"0x1000000","timestamp":"0x7fffffff"`
	for name, test := range map[string]struct {
		text         string
		kept, others int
	}{
		"as many":       {`{` + list(raw, maxHeld) + `,` + number + `}`, maxHeld, 0},
		"one too many":  {`{` + list(raw, maxHeld+1) + `,` + number + `}`, 0, 1},
		"many more":     {`{` + list(raw, 3*maxHeld) + `,` + number + `}`, 0, 1},
		"number before": {`{` + number + `,` + list(raw, 2*maxHeld) + `}`, 2 * maxHeld, 0},
		"long ones":     {`{` + list(`{"input":"0x`+strings.Repeat("00", 1<<20)+`"}`, 8) + `}`, 0, 1},
		"in levels": {`{` + list(raw, maxHeld+1) + `,"result":{` + list(raw, maxHeld) + `}}`,
			maxHeld, 1},
	} {
		got := run(JSON(source("f", []byte(test.text+`{`+list(raw, 2)+`}`)), onMainnet))
		blocks := 1 // rows of blocks as a whole: they state no root
		if test.kept > 0 {
			blocks++
		}
		if got.err != nil || got.count(reading.NotCheckable) != test.kept+2+blocks ||
			got.count(reading.Malformed) != test.others ||
			len(got.units) != test.kept+test.others+2+blocks {
			t.Errorf("%s: %d units, %d kept, %v", name, len(got.units), got.count(reading.NotCheckable),
				got.err)
		}
		for i, u := range got.units {
			if got.verdicts[i] == reading.Malformed && (!strings.Contains(u.Reason, "stand behind its "+
				"transactions") || u.Where.Offset == 0 || u.Where.Line != 1) {
				t.Errorf("%s: %s at %+v", name, u.Reason, u.Where)
			}
		}
	}
}

// TestBatchSize checks that each batch states at least the memory that it holds, and that no batch
// is much larger than one transaction needs.
func TestBatchSize(t *testing.T) {
	const raw = `{"type":"0x7f"}`
	r := JSON(source("f", []byte(`{"transactions":[`+strings.Repeat(raw+",", maxHeld-1)+raw+`]}`)),
		onMainnet)
	for n := 0; ; n++ {
		b, err := r.Next()
		if err != nil {
			if n != maxHeld/batchPieces+1 { // the last unit is that of the block as a whole
				t.Errorf("%d batches, %v", n, err)
			}
			break
		}
		units := int64(0)
		b.Expand(func(*reading.Unit) { units++ })
		if units != batchPieces && n < maxHeld/batchPieces ||
			b.Size() < units*(reading.RowSize+int64(len(raw))) || b.Size() > 2<<20 {
			t.Fatalf("%d units, size %d", units, b.Size())
		}
	}
}

func TestHeaderLimit(t *testing.T) {
	header, _ := rlp.EncodeToBytes([][]byte{make([]byte, maxHeader)})
	block, _ := rlp.EncodeToBytes([]rlp.RawValue{header, {0xc0}, {0xc0}})
	got := run(RLP(source("f", block), onMainnet))
	var e *reading.Error
	if !errors.As(got.err, &e) || e.Offset != 4 || !strings.Contains(e.Error(),
		"the header of a block: RLP: 65544 bytes, more than the 65536 that it may have") {
		t.Error(got.err)
	}
}
