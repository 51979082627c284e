//go:build linux && !race

package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// bombNode starts a regtest node whose last block spends one output of each of 20,000 transactions.
// The argument methods maps an RPC method to the function that writes its response, and batch
// writes the response to a batch request.
func bombNode(t *testing.T, methods map[string]func(*feed), batch func(*feed)) string {
	var ins []*wire.TxIn
	for i := range 20000 {
		id := chainhash.Hash{byte(i), byte(i >> 8), 1}
		ins = append(ins, &wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: id}})
	}
	tx := &wire.MsgTx{Version: 2, TxIn: ins, TxOut: []*wire.TxOut{{}}}
	block := mine(*chaincfg.RegressionNetParams.GenesisHash, regtestTime, coinbaseTx(1), tx)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		text, _ := io.ReadAll(q.Body)
		f := &feed{w: w, short: !deep()}
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(text, &call) != nil {
			batch(f)
			return
		}
		fmt.Fprintf(w, `{"id":%s,"result":`, call.ID)
		switch {
		case methods[call.Method] != nil:
			methods[call.Method](f)
		case call.Method == "getblockchaininfo":
			f.text(`{"chain":"regtest","blocks":1}`)
		case call.Method == "getblockhash":
			f.text(strconv.Quote(block.BlockHash().String()))
		case call.Method == "getblock":
			f.text(strconv.Quote(hex.EncodeToString(serialize(block))))
		default:
			f.text(`""`)
		}
		f.text("}")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestMemoryOfNodes checks that the command stays within its memory limit when nodes send
// responses that could take a lot of memory.
func TestMemoryOfNodes(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	const mega = 1 << 20
	type methods = map[string]func(*feed)
	for name, c := range map[string]struct {
		methods methods
		batch   func(*feed)
		text    string
	}{
		"empty answers": {nil, func(f *feed) {
			f.text("[")
			f.list(5*mega, "{}")
			f.text("]")
		}, "0 answers to 16 requests"},
		"deep answers": {nil, func(f *feed) { f.times(15*mega, "[") }, "no answers of JSON-RPC"},
		"long answers": {nil, func(f *feed) { f.times(100*mega, " ") }, "more than 8065536 bytes"},
		"long ids": {nil, func(f *feed) { f.text(`[{"id":1`); f.times(15*mega, "0"); f.text("}]") },
			"no answers of JSON-RPC"},
		"long transactions": {nil, func(f *feed) {
			f.text("[")
			for i := range 16 {
				fmt.Fprintf(f.w, `{"id":%d,"result":"`, 5+i)
				f.times(mega/2-100, "01")
				f.text(`"},`)
			}
			f.text(`{}]`)
		}, "hashes to"},
		"inputs": {nil, func(f *feed) {
			f.text(`[{"id":5,"result":"02000000fe00d0070000`)
			f.times(7*mega, "00")
			f.text(`"},{}]`)
		}, "answers to 16 requests"},
		"a long block": {methods{"getblock": func(f *feed) {
			f.text(`"`)
			f.times(4*mega, "00")
			f.text(`"`)
		}}, nil, "more than 8065536 bytes"},
		"another block": {methods{"getblock": func(f *feed) {
			f.text(`"`)
			f.times(4*mega-300_000, "00")
			f.text(`"`)
		}}, nil, "the serialized block is not"},
		"a long hash": {methods{"getblockhash": func(f *feed) { f.times(mega, "\\") }}, nil,
			"more than 65536 bytes"},
		"blocks": {methods{"help": func(f *feed) { f.text(`"prevout"`) }, "getblock": func(f *feed) {
			f.times(257*mega, " ")
		}}, nil, "more than 268435456 bytes"},
	} {
		url := bombNode(t, c.methods, c.batch)
		status, stdout, stderr := limited(t, fourWorkers, nil, nil, "check", "--workers", "4", "--node",
			url, "--from", "1")
		if report := stdout.String() + stderr.String(); status != exitUnreadable ||
			!strings.Contains(report, c.text) {
			t.Errorf("%s: status %d, want %q in\n%.3000s", name, status, c.text, report)
		}
	}
}
