package ethereum

import (
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

// batches returns all batches of a reader.
func batches(r reading.Reader) (all []reading.Batch) {
	for {
		b, err := r.Next()
		if err != nil {
			return all
		}
		all = append(all, b)
	}
}

// TestSizeIsABound checks that expanding a batch takes no more memory than the batch states. It
// tries one transaction of the maximum length and many short ones.
func TestSizeIsABound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	encoded := func(size int) []byte {
		return envelope(t, types.NewTx(&types.LegacyTx{GasPrice: big.NewInt(1), Value: big.NewInt(1),
			Data: make([]byte, size), V: big.NewInt(27), R: big.NewInt(1), S: big.NewInt(1)}))
	}
	content, _, err := rlp.SplitList(small(t).rlp(t))
	if err != nil {
		t.Fatal(err)
	}
	_, _, rest, err := rlp.Split(content)
	if err != nil {
		t.Fatal(err)
	}
	header := content[:len(content)-len(rest)]
	inJSON := func(text string, n int) func() reading.Reader {
		all := `{"number":"0x1000000","timestamp":"0x7fffffff","transactions":[` +
			strings.Repeat(text+",", n-1) + text + `]}`
		return func() reading.Reader { return JSON(source("f", []byte(all)), onMainnet) }
	}
	for _, c := range []struct{ size, n int }{{maxTransaction - 100, 1}, {60 << 10, 6}, {500, 300}} {
		raw := encoded(c.size)
		list, err := rlp.EncodeToBytes(slices.Repeat([]rlp.RawValue{raw}, c.n))
		if err != nil {
			t.Fatal(err)
		}
		export, err := rlp.EncodeToBytes([]rlp.RawValue{header, list, {0xc0}})
		if err != nil {
			t.Fatal(err)
		}
		object := fmt.Sprintf(`{"input":"0x%x","nonce":"0x1","gas":"0x1","value":"0x1","gasPrice":"0x1",`+
			`"v":"0x1b","r":"0x1","s":"0x1"}`, make([]byte, c.size))
		for name, open := range map[string]func() reading.Reader{
			"RLP":    func() reading.Reader { return RLP(source("f", export), onMainnet) },
			"object": inJSON(object, c.n),
			"string": func() reading.Reader {
				text := strings.Repeat(fmt.Sprintf(`"0x%x" `, raw), c.n)
				return Transactions(source("f", []byte(text)), onMainnet)
			},
		} {
			units := 0
			for _, b := range batches(open()) {
				held := int64(0)
				for _, p := range b.(*reading.PieceBatch[*block]).Pieces {
					held += int64(cap(p.list))
					for _, tx := range p.txs {
						held += int64(cap(tx))
					}
				}
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

// heap returns the number of bytes in use on the heap.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
