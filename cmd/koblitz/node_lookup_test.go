package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"
)

// A plainNode serves the blocks of coreFolder like nodes whose getblock omits the spent outputs
// (btcd, and Bitcoin Core before release 23). It serves blocks only with verbosity 0.
type plainNode struct {
	t    testing.TB
	core *coreNode
	txs  map[string]string // all transactions in hexadecimal, by id
}

func newPlainNode(t testing.TB) (*plainNode, string) {
	t.Helper()
	core, _ := newCoreNode(t)
	n := &plainNode{t: t, core: core, txs: map[string]string{}}
	for _, raw := range core.raw {
		var block wire.MsgBlock
		if err := block.Deserialize(bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		for _, tx := range block.Transactions {
			var b bytes.Buffer
			if err := tx.Serialize(&b); err != nil {
				t.Fatal(err)
			}
			n.txs[tx.TxHash().String()] = hex.EncodeToString(b.Bytes())
		}
	}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return n, server.URL
}

func (n *plainNode) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	type call struct {
		ID     json.RawMessage
		Method string
		Params []any
	}
	text, _ := io.ReadAll(q.Body)
	var batch []call
	if json.Unmarshal(text, &batch) == nil {
		var answers []string
		for _, c := range batch {
			tx, ok := n.txs[c.Params[0].(string)]
			answer := fmt.Sprintf(`{"id":%s,"result":%q}`, c.ID, tx)
			if !ok {
				answer = fmt.Sprintf(`{"id":%s,"error":{"code":-5,"message":"No such transaction"}}`, c.ID)
			}
			answers = append(answers, answer)
		}
		fmt.Fprintf(w, "[%s]", strings.Join(answers, ","))
		return
	}
	var c call
	if err := json.Unmarshal(text, &c); err != nil {
		n.t.Errorf("%s: %v", text, err)
	}
	switch {
	case c.Method == "help":
		fmt.Fprintf(w, `{"id":%s,"result":"getblock \"hash\" (verbosity=1)"}`, c.ID)
	case c.Method == "getblockheader":
		fmt.Fprintf(w, `{"id":%s,"result":{"height":%d}}`, c.ID, n.core.height(c.Params[0].(string)))
	case c.Method == "getblock" && c.Params[1] != 0.:
		n.t.Errorf("a block is asked for with %v", c.Params)
	default:
		q.Body = io.NopCloser(bytes.NewReader(text))
		n.core.ServeHTTP(w, q)
	}
}

// TestNodeLookup checks that a plainNode, a node whose getblock omits the spent outputs, gives the
// same results as the node's folder. It also checks the error messages.
func TestNodeLookup(t *testing.T) {
	n, url := newPlainNode(t)
	want, got := checkJSON(t, "", coreBlocks(t)), checkJSON(t, "", "--node", url)
	want.PassedOver = 0 // stale blocks of the folder, which are not requested from nodes
	if got.numbers() != want.numbers() || got.Exit != want.Exit || got.Valid < 20 ||
		got.Inputs[0].File != url || got.Formats[0] != "bitcoin-block" {
		t.Errorf("%+v\nwant %+v", got, want)
	}

	// If the node sends a wrong transaction or none, that must be an error.
	var block wire.MsgBlock
	if err := block.Deserialize(strings.NewReader(string(n.core.raw[105]))); err != nil {
		t.Fatal(err)
	}
	id := block.Transactions[1].TxIn[0].PreviousOutPoint.Hash.String()
	was := n.txs[id]
	for _, c := range []struct{ tx, text string }{
		{"00" + was[2:], "transaction " + id + ": the answer hashes to"},
		{"", "a transaction is wanted, in hex digits"},
		{"-", "No such transaction (code -5); this node's getblock does not say"},
	} {
		if n.txs[id] = c.tx; c.tx == "-" {
			delete(n.txs, id)
		}
		got := checkJSON(t, "", "--node", url, "--from", "104", "--to", "106")
		if len(got.Unreadable) != 1 || got.Exit != exitUnreadable ||
			!strings.Contains(got.Unreadable[0], "from block 105 on: ") ||
			!strings.Contains(got.Unreadable[0], c.text) {
			t.Errorf("%+v; want %s", got, c.text)
		}
	}
	n.txs[id] = was

	// If the node sends a wrong block, that must be an error too.
	n.core.raw[105] = n.core.raw[104]
	got = checkJSON(t, "", "--node", url, "--from", strconv.Itoa(105))
	if len(got.Unreadable) != 1 || !strings.Contains(got.Unreadable[0], "serialized block is not") {
		t.Errorf("%+v", got)
	}
}
