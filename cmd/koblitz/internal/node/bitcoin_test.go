package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// TestChainErrors checks that Raw and Full return the right error for each kind of wrong response.
func TestChainErrors(t *testing.T) {
	genesis := chaincfg.RegressionNetParams.GenesisHash.String()
	var whole bytes.Buffer
	if err := chaincfg.RegressionNetParams.GenesisBlock.Serialize(&whole); err != nil {
		t.Fatal(err)
	}
	header := fmt.Sprintf("%x", whole.Bytes()[:wireform.HeaderSize])
	other := strings.Repeat("0", 64)
	for _, c := range []struct{ hash, block, raw, full string }{
		{`"` + genesis + `"`, `"` + header + `"`, "ends in the middle of the number of transactions",
			"getblock prints it is wanted"},
		{`"` + genesis + `"`, `"` + header[:100] + `"`, "ends in the middle of the header",
			"getblock prints it is wanted"},
		{`"` + genesis + `"`, `"0"`, "a serialized block is wanted, in hex digits", "is wanted"},
		{`"` + genesis + `"`, `{}`, "no result of the kind", `no "tx" in it`},
		{`"` + genesis + `"`, `null`, "no result of the kind", `no "tx" in it`},
		{`"` + other + `"`, fmt.Sprintf(`"%x"`, whole.Bytes()), "is " + genesis + ", and " + other +
			" was asked for", "getblock prints it is wanted"},
		{`"00"`, ``, "what the node says to be a block's hash is none", "is none"},
		{`null`, ``, "getblockhash: ", "getblockhash: "},
	} {
		client := serve(t, func(w http.ResponseWriter, q *http.Request) {
			var call struct {
				ID     int
				Method string
			}
			if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
				t.Error(err)
			}
			result := map[string]string{"getblockchaininfo": `{"chain":"regtest","blocks":0}`,
				"getblockhash": c.hash, "getblock": c.block}[call.Method]
			fmt.Fprintf(w, `{"result":%s,"id":%d}`, result, call.ID)
		})
		b, err := client.Bitcoin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		none := func(int, *wire.MsgTx, chainhash.Hash, []wireform.Output) error {
			t.Error("a transaction is read")
			return nil
		}
		_, err = b.Raw(0, none)
		wantError(t, "raw "+c.block, err, c.raw)
		_, err = b.Full(0, none)
		wantError(t, "full "+c.block, err, c.full)
	}
}
