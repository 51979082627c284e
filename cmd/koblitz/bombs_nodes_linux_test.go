//go:build linux && !race

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// bombNode starts a regtest node whose last block has the height 1. The argument methods maps an
// RPC method to the function that writes its response.
func bombNode(t *testing.T, methods map[string]func(*feed)) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		f := &feed{w: w, short: !deep()}
		fmt.Fprintf(w, `{"id":%s,"result":`, call.ID)
		switch {
		case methods[call.Method] != nil:
			methods[call.Method](f)
		case call.Method == "getblockchaininfo":
			f.text(`{"chain":"regtest","blocks":1}`)
		case call.Method == "getblockhash":
			f.text(strconv.Quote(strings.Repeat("00", 32)))
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
	for text, methods := range map[string]map[string]func(*feed){
		"more than 65536 bytes":     {"getblockhash": func(f *feed) { f.times(mega, "\\") }},
		"no answer of JSON-RPC":     {"getblockhash": func(f *feed) { f.times(60_000, "[") }},
		"more than 268435456 bytes": {"getblock": func(f *feed) { f.times(257*mega, " ") }},
	} {
		status, stdout, stderr := limited(t, fourWorkers, nil, nil, "check", "--workers", "4", "--node",
			bombNode(t, methods), "--from", "1")
		if report := stdout.String() + stderr.String(); status != exitUnreadable ||
			!strings.Contains(report, text) {
			t.Errorf("status %d, want %q in\n%.3000s", status, text, report)
		}
	}
}
