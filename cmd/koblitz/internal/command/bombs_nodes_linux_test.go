//go:build linux && !race

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// bombNode starts a node with the mainnet blocks 900000 to 900007. The argument methods maps an RPC
// method to the function that writes its response.
func bombNode(t *testing.T, methods map[string]func(*feed)) string {
	heights := map[string]int{}
	for h := 900000; h < 900008; h++ { // the headers of blockAtHeight
		header := wire.BlockHeader{Version: 4, PrevBlock: chainhash.Hash{1}, Bits: 0x1d00ffff,
			Timestamp: time.Unix(1700000000, 0), Nonce: uint32(h)}
		heights[header.BlockHash().String()] = h
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params []any
		}
		if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		f := &clitest.Feed{W: w, Short: !deep()}
		fmt.Fprintf(w, `{"id":%s,"result":`, call.ID)
		switch {
		case methods[call.Method] != nil:
			if call.Method == "getblock" {
				f.W = &blockAtHeight{w, heights[call.Params[0].(string)]}
			}
			methods[call.Method](f)
		case call.Method == "getblockchaininfo":
			f.Text(`{"chain":"main","blocks":900007}`)
		case call.Method == "getblockhash":
			for hash, h := range heights {
				if h == int(call.Params[0].(float64)) {
					f.Text(strconv.Quote(hash))
				}
			}
		}
		fmt.Fprint(w, "}")
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// A blockAtHeight writes a block that begins with btcBlock as the one at a given height. It
// replaces the height and the nonce in the first text that is written.
type blockAtHeight struct {
	w      io.Writer
	height int
}

func (b *blockAtHeight) Write(p []byte) (int, error) {
	if b.height == 0 {
		return b.w.Write(p)
	}
	text := strings.Replace(string(p), `"height":900000`, fmt.Sprintf(`"height":%d`, b.height), 1)
	text = strings.Replace(text, `"nonce":0`, fmt.Sprintf(`"nonce":%d`, b.height), 1)
	b.height = 0
	_, err := io.WriteString(b.w, text)
	return len(p), err
}

// TestMemoryOfNodes checks that the command stays within its memory limit when nodes send
// responses that could take a lot of memory.
func TestMemoryOfNodes(t *testing.T) {
	deepOnly(t, "it feeds processes what takes memory")
	const mega = 1 << 20
	run := func(name, words string, methods map[string]func(*feed), args ...string) {
		t.Run(name, func(t *testing.T) {
			clitest.Explode(t, nil, cli.ExitUnreadable, words, append(args, "--node", bombNode(t, methods),
				"--from", "900000")...)
		})
	}
	for words, methods := range map[string]map[string]func(*feed){
		"more than 65536 bytes":     {"getblockhash": func(f *feed) { f.Times(mega, "\\") }},
		"no answer of JSON-RPC":     {"getblockhash": func(f *feed) { f.Times(60_000, "[") }},
		"more than 268435456 bytes": {"getblock": func(f *feed) { f.Times(257*mega, " ") }},
	} {
		run(words, words, methods, "check")
	}
	// The command tweaks reads four blocks at the same time.
	tweaks := func(name, words string, block func(*feed)) {
		run(name, words, map[string]func(*feed){"getblock": block}, "tweaks", "-o",
			filepath.Join(t.TempDir(), "tweaks"))
	}
	for _, b := range bombs {
		if b.format == "bitcoin-json" && slices.Contains([]string{"witness items", "many inputs",
			"many outputs"}, b.name) {
			tweaks(b.name, "the transaction hashes to", b.text)
		}
	}
	tweaks("long strings", "a transaction without", func(f *feed) {
		f.Text(btcBlock + `{"vin":[{"prevout":null}],"txid":"`)
		f.Times(10<<20, "a")
		f.Text(`","hex":"`)
		f.Times(4_900_000, "00")
		f.Text(`"}]}`)
	})
}
