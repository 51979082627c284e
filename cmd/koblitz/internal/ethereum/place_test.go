package ethereum

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading/placetest"
)

// TestPlace checks that reading can resume after each block, in intact and in damaged files.
func TestPlace(t *testing.T) {
	p := small()
	rpc, encoded := p.rpc(), p.rlp()
	openJSON := func(src reading.Source) reading.Reader { return JSON(src, onMainnet) }
	openRLP := func(src reading.Source) reading.Reader { return RLP(src, onMainnet) }
	openTxs := func(src reading.Source) reading.Reader { return Transactions(src, onMainnet) }
	objects, raws := smallTransactions(t)
	txs := []byte("[" + strings.Join(append(objects, raws...), ",\n") + "]")
	newline := []byte("\n")
	var unlinked []byte // each block breaks the chain
	for range 60 {
		p.number++
		unlinked = append(unlinked, p.rlp()...)
	}
	for _, test := range []struct {
		name   string
		data   []byte
		open   func(reading.Source) reading.Reader
		places int
	}{
		{"JSON", bytes.Join([][]byte{rpc, rpc, nil, rpc, rpc}, newline), openJSON, 1},
		{"many", bytes.Repeat(append(rpc, '\n'), 60), openJSON, 3},
		{"no block", append(bytes.Repeat(rpc, 2), "{}"...), openJSON, 1},
		{"broken", append(bytes.Repeat(rpc, 3), rpc[:len(rpc)/2]...), openJSON, 1},
		{"a list", fmt.Appendf(nil, "[%s,\n%[1]s,%[1]s]", rpc), openJSON, 1},
		{"transactions", bytes.Repeat(txs, 40), openTxs, 3},
		{"RLP", bytes.Repeat(encoded, 60), openRLP, 3},
		{"RLP, unlinked", unlinked, openRLP, 3},
		{"RLP broken", append(bytes.Repeat(encoded, 2), encoded[:len(encoded)/2]...), openRLP, 1},
	} {
		if n := placetest.Check(t, test.data, test.open); n < test.places {
			t.Errorf("%s: %d places, want at least %d", test.name, n, test.places)
		}
	}
}

// TestBadPlace checks that resuming at an invalid place returns an error.
func TestBadPlace(t *testing.T) {
	src := source("f", small().rpc())
	src.From = &reading.Place{Detail: []byte("[]")}
	if got := run(JSON(src, onMainnet)); got.err == nil {
		t.Error("no error")
	}
}
