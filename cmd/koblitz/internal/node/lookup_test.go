package node

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
)

// TestTransactions checks that the responses in a batch may come in any order, and that each kind
// of wrong response gives the right error.
func TestTransactions(t *testing.T) {
	const asked = 3
	at := map[int64]int{4: 0, 5: 1, 6: 2}
	for _, c := range []struct{ text, error string }{
		{`[{"id":5,"result":"05"},{"id":4,"result":"04","error":null},{"id":6,"result":"06"}]`, ""},
		{`[{"id":4,"result":"04"},{"id":5,"result":"05"}]`, "2 answers to 3 requests"},
		{`[]`, "0 answers to 3 requests"},
		{`[{"id":4,"result":"04"},{"id":5,"result":"05"},{"id":5,"result":"06"}]`, "id 5, which was not"},
		{`[{"id":4,"result":"04"},{"id":7,"result":"05"}]`, "id 7, which was not"},
		{`[{"id":4,"result":"0"}]`, "a transaction is wanted, in hex digits"},
		{`[{"id":4,"result":null}]`, "a transaction is wanted, in hex digits"},
		{`[{"id":4,"result":{}}]`, "no answers of JSON-RPC"},
		{`[{"id":4,"error":{"code":-5,"message":"none"}}]`, "none (code -5); this node's getblock does " +
			"not say what a block spends, so the node needs an index of all transactions (txindex)"},
		{`[{"error":{"code":-1,"message":"none"}}]`, "the node answered: none (code -1)"},
		{`{"error":{"code":-32600,"message":"no batches"}}`, "no batches (code -32600)"},
		{`{"result":1}`, "no answers of JSON-RPC"},
		{`<html>`, "no answers of JSON-RPC"},
		{``, "no answers of JSON-RPC"},
	} {
		txs, err := decodeTransactions([]byte(c.text), at)
		switch {
		case c.error != "" && (err == nil || !strings.Contains(err.Error(), c.error)):
			t.Errorf("%s: %v; want %s", c.text, err, c.error)
		case c.error == "" && (err != nil || !slices.EqualFunc(txs, []string{"\x04", "\x05", "\x06"},
			func(b []byte, s string) bool { return string(b) == s })):
			t.Errorf("%s: %x, %v", c.text, txs, err)
		}
	}
	if len(at) != asked {
		t.Error("the requests have changed")
	}
}

// TestTransactionsTooLong checks that transactions that are too long for one response together, but
// not singly, are requested in smaller batches.
func TestTransactionsTooLong(t *testing.T) {
	var sizes []int
	c := serve(t, func(w http.ResponseWriter, q *http.Request) {
		var batch []struct {
			ID     int64
			Method string
			Params []any
		}
		text, _ := io.ReadAll(q.Body)
		if err := json.Unmarshal(text, &batch); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		sizes = append(sizes, len(batch))
		var answers []string
		for _, b := range slices.Backward(batch) {
			id, err := chainhash.NewHashFromStr(b.Params[0].(string))
			if err != nil || b.Method != "getrawtransaction" || b.Params[1] != 0. {
				t.Errorf("%+v: %v", b, err)
				return
			}
			raw := bytes.Repeat(id[:1], 2<<20)
			answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%q}`, b.ID,
				hex.EncodeToString(raw)))
		}
		io.WriteString(w, "["+strings.Join(answers, ",")+"]")
	})
	b := &Bitcoin{Network: consensus.Mainnet, c: c}
	txs, err := b.transactions(t.Context(), []chainhash.Hash{{1}, {2}, {3}, {4}, {5}})
	if err != nil || len(txs) != 5 || !slices.Equal(sizes, []int{5, 2, 3}) {
		t.Fatalf("%d transactions after requests for %v: %v", len(txs), sizes, err)
	}
	for i, tx := range txs {
		if len(tx) != 2<<20 || tx[0] != byte(i+1) {
			t.Errorf("%d: %d bytes of %d", i, len(tx), tx[0])
		}
	}
	c = serve(t, func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat(" ", maxRaw+1))
	})
	b.c = c
	_, err = b.transactions(t.Context(), []chainhash.Hash{{1}})
	wantError(t, "one", err, "getrawtransaction: ", "an answer of more than 8065536 bytes")
	b.c.url = "http://127.0.0.1:1/v3/SECRET"
	_, err = b.transactions(t.Context(), []chainhash.Hash{{1}, {2}})
	wantError(t, "no node", err, "getrawtransaction: ", "connect")
}
