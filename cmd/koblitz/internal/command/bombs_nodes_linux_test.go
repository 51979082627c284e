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
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// bombNode starts a node with the mainnet blocks 900000 to 900007, which block writes.
func bombNode(t *testing.T, block func(*feed)) string {
	const from, to = 900000, 900007
	n := &commandtest.Node{Chain: "main", Hashes: make([]string, to+1), Blocks: make([][]byte, to+1)}
	for h := from; h <= to; h++ { // the headers of blockAtHeight
		header := wire.BlockHeader{Version: 4, PrevBlock: chainhash.Hash{1}, Bits: 0x1d00ffff,
			Timestamp: time.Unix(1700000000, 0), Nonce: uint32(h)}
		n.Hashes[h] = header.BlockHash().String()
	}
	n.Block = func(w http.ResponseWriter, height int, id json.RawMessage) bool {
		fmt.Fprintf(w, `{"id":%s,"result":`, id)
		block(&feed{W: &blockAtHeight{w, height}, Short: !deep()})
		fmt.Fprint(w, "}")
		return true
	}
	server := httptest.NewServer(n)
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
	run := func(name, words string, block func(*feed), args ...string) {
		t.Run(name, func(t *testing.T) {
			clitest.Explode(t, nil, cli.ExitUnreadable, words, append(args, "--node", bombNode(t, block),
				"--from", "900000")...)
		})
	}
	run("strings", "more than 268435456 bytes", func(f *feed) {
		f.Text(`{"a":[`)
		f.Times(257, `"`+strings.Repeat("x", 1<<20)+`",`)
	}, "check")
	// The command tweaks reads four blocks at the same time.
	for _, b := range bombs {
		if b.format == "bitcoin-json" && slices.Contains([]string{"witness items", "many inputs",
			"many outputs"}, b.name) {
			run(b.name, "the transaction hashes to", b.text, "tweaks", "-o", filepath.Join(t.TempDir(), "t"))
		}
	}
	run("long strings", "a transaction without", func(f *feed) {
		f.Text(btcBlock + `{"vin":[{"prevout":null}],"txid":"`)
		f.Times(10<<20, "a")
		f.Text(`","hex":"`)
		f.Times(4_900_000, "00")
		f.Text(`"}]}`)
	}, "tweaks", "-o", filepath.Join(t.TempDir(), "t"))
}
