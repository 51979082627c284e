package ethereum

import (
	"bytes"
	"fmt"
	"math/big"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestLimits checks that a transaction or a list over a limit is one malformed row, and that the
// transactions and the blocks around it are judged.
func TestLimits(t *testing.T) {
	p := small()
	good := p.objects()[0]
	entries := func(n int, entry string) string {
		return `{"type":"0x1","accessList":[` + strings.Repeat(entry+",", n-1) + entry + `]}`
	}
	const inLists = "a list of transactions of more than 65536 elements in its lists"
	for name, test := range map[string]struct{ txs, want string }{
		"text": {`{"x":"` + strings.Repeat(strings.Repeat("0", 1<<20)+`","x":"`, 24) + `"}`,
			"a list of transactions of more than 25165824 bytes"},
		"transactions": {strings.Repeat("{},", maxTransactions-2) + "{}",
			"a list of transactions of more than 16384 elements in its lists"},
		"addresses": {entries(maxItems+1, "{}"), inLists},
		"storage keys": {`{"accessList":[` + strings.TrimSuffix(strings.Repeat(`{"storageKeys":[`+
			strings.Repeat(`"",`, 999)+`""]},`, maxItems/1000+1), ",") + `]}`, inLists},
		"as many addresses": {entries(maxItems, "{}"), `the transaction has no "chainId"`},
		"as much text": {`{"x":"` + strings.Repeat("0", 20<<20) + `","y":"` +
			strings.Repeat("0", maxList-20<<20-2*len(good)-19) + `"}`,
			`the transaction has no "nonce"`},
		"fields in the end": {`{"input":"0x` + strings.Repeat("00", maxTransaction) +
			`","nonce":"0x0","gas":"0x0","value":"0x0","gasPrice":"0x0","v":"0x1b","r":"0x1","s":"0x1"}`,
			"4194320 bytes, more than the 4194304 that a transaction can have"},
		"a hash of one digit": {`{"hash":"0x00"}`, `"hash" has 1 bytes instead of 32`},
	} {
		const number = `{"number":"0x1000000","timestamp":"0x7fffffff",`
		text := number + `"transactions":[` + good + "," + test.txs + ",\n" + good + `]}` + number +
			`"transactions":[` + good + `]}`
		got := run(JSON(source("f", []byte(text)), onMainnet))
		const v, m, whole = reading.Recovered, reading.Malformed, reading.NotCheckable
		want := []reading.Verdict{v, m, v, whole, v, whole}
		if strings.HasPrefix(test.want, "a list") {
			want = []reading.Verdict{m, v, whole}
		}
		if fmt.Sprint(got.verdicts) != fmt.Sprint(want) || got.err != nil {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
			continue
		}
		u := got.units[slices.Index(want, m)]
		if u.Reason != test.want || u.Where.Offset != int64(strings.Index(text, "[")) ||
			u.Where.Line != 1 || u.Where.Block != 1<<24 {
			t.Errorf("%s: %s at %+v, want %s", name, u.Reason, u.Where, test.want)
		}
	}

	long, _ := rlp.EncodeToBytes(make([]byte, maxTransaction+1))
	file := slices.Concat(export(p.raw[0], long, p.raw[0]),
		export(slices.Repeat([]rlp.RawValue{{5}}, maxTransactions+1)...),
		export(slices.Repeat([]rlp.RawValue{{5}}, maxTransactions)...))
	got := run(RLP(source("f", file), onMainnet))
	if got.err != nil || got.count(reading.Recovered) != 2 ||
		len(got.units) != 3+2*maxTransactions+2 ||
		got.units[1].Reason != "4194305 bytes, more than the 4194304 that a transaction can have" ||
		int(got.units[1].Where.Offset) != bytes.Index(file, long) ||
		!strings.HasPrefix(got.units[3+maxTransactions].Reason,
			"its transactions: RLP: more than 16384 items; ") {
		t.Errorf("RLP: %d units, %v", len(got.units), got.err)
	}
	// Every part of a block counts against the memory budget, not its transactions alone.
	for name, parts := range map[string][]any{
		"uncles":      {new(types.Header), []uint{}, [][]byte{make([]byte, maxBlock-1024)}},
		"withdrawals": {new(types.Header), []uint{}, []uint{}, slices.Repeat([]uint{5}, maxTransactions)},
	} {
		file := must(rlp.EncodeToBytes(parts))
		b, err := RLP(source("f", file), onMainnet).Next()
		if err != nil || b.Size() < 5<<20 {
			t.Errorf("%s: a batch that takes %d bytes, %v", name, b.Size(), err)
		}
	}
	text := `{"extraData":"0x` + strings.Repeat("00", maxHeaderField) + `","transactions":[]}`
	if got := run(JSON(source("f", []byte(text)), onMainnet)); got.count(reading.Malformed) != 1 {
		t.Errorf("a long field of the header: %v, %v", got.verdicts, got.err)
	}
	long, _ = rlp.EncodeToBytes([][]byte{make([]byte, maxBlock)})
	if got := run(RLP(source("f", long), onMainnet)); got.err == nil {
		t.Error("a long block: no error")
	}
}

// TestSizeIsABound checks that expanding a batch takes no more memory than the batch states. It
// tries one transaction of the maximum length and many short ones.
func TestSizeIsABound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, c := range []struct{ size, n int }{{maxTransaction - 100, 1}, {60 << 10, 6}, {500, 300}} {
		raw := envelope(types.NewTx(&types.LegacyTx{GasPrice: big.NewInt(1), Value: big.NewInt(1),
			Data: make([]byte, c.size), V: big.NewInt(27), R: big.NewInt(1), S: big.NewInt(1)}))
		block := export(slices.Repeat([]rlp.RawValue{raw}, c.n)...)
		object := fmt.Sprintf(`{"input":"0x%x","nonce":"0x1","gas":"0x1","value":"0x1","gasPrice":"0x1",`+
			`"v":"0x1b","r":"0x1","s":"0x1"}`, make([]byte, c.size))
		list := `{"transactions":[` + strings.Repeat(object+",", c.n-1) + object + `]}`
		lone := strings.Repeat(fmt.Sprintf(`"0x%x" `, raw), c.n)
		for name, r := range map[string]reading.Reader{
			"RLP":          RLP(source("f", block), onMainnet),
			"JSON":         JSON(source("f", []byte(list)), onMainnet),
			"transactions": Transactions(source("f", []byte(lone)), onMainnet),
		} {
			units := 0
			for {
				b, err := r.Next()
				if err != nil {
					break
				}
				held := size(b)
				before := heap()
				most := before
				b.Expand(func(*reading.Unit) {
					if units++; units%64 == 1 {
						most = max(most, heap())
					}
				})
				if need := held + most - before; need > b.Size() {
					t.Errorf("%s of %d bytes: %d bytes are held, and the batch says %d", name, c.size, need,
						b.Size())
				}
			}
			if units < c.n {
				t.Errorf("%s of %d bytes: %d units", name, c.size, units)
			}
		}
	}
}

// size returns the number of bytes that b holds of the input.
func size(b reading.Batch) (n int64) {
	for _, p := range b.(*reading.PieceBatch[*block]).Pieces {
		n += int64(cap(p.list))
		for _, tx := range p.txs {
			n += int64(cap(tx))
		}
	}
	return n
}

// heap returns the number of bytes in use on the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
