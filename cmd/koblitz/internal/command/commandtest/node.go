package commandtest

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// CoreFolder holds files written by Bitcoin Core; internal/bitcoin/testdata/core/SOURCES describes
// them.
var CoreFolder = filepath.Join(Module, "internal", "bitcoin", "testdata", "core")

// Module is the folder of the command's module, as a relative path.
var Module = func() string {
	folder := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			break
		}
		folder = filepath.Join("..", folder)
	}
	return folder
}()

// CoreBlocks returns a folder with those files of CoreFolder that belong to the node.
func CoreBlocks(t testing.TB) string {
	dir := filepath.Join(t.TempDir(), "core")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"blk*.dat", "rev*.dat", "xor.dat"} {
		for _, name := range clitest.Must(filepath.Glob(filepath.Join(CoreFolder, kind))) {
			clitest.Write(t, filepath.Join(dir, filepath.Base(name)), []byte(clitest.ReadFile(t, name)))
		}
	}
	return dir
}

// A Node serves the blocks of CoreFolder like Bitcoin Core.
type Node struct {
	Chain  string // Chain named in the response to getblockchaininfo
	Auth   string // NAME:PASSWORD that requests must have, or empty
	Blocks [][]byte
	Raw    [][]byte
	Hashes []string

	// Block, if not nil, is called with the height of each requested block. If it returns true, it
	// has written the response.
	Block func(w http.ResponseWriter, height int, id json.RawMessage) bool
}

// NewNode does the work of newCoreNode with the blocks of a folder, the last of which has the
// height tip.
func NewNode(t testing.TB, folder string, tip int) (*Node, string) {
	t.Helper()
	chain := clitest.Must(clitest.Must(bitcoin.OpenDirectory(folder)).BestChain())
	defer chain.Close()
	n, raw := &Node{Chain: "regtest"}, rawBlocks(t, folder)
	for h := range tip + 1 {
		var spent []*wire.TxOut
		header := clitest.Must(chain.Full(int32(h), func(_ int, _ *wire.MsgTx, _ chainhash.Hash,
			outputs []wireform.Output) error {
			for _, o := range outputs {
				spent = append(spent, wire.NewTxOut(o.Amount, o.Script))
			}
			return nil
		}))
		var block wire.MsgBlock
		clitest.Must(0, block.Deserialize(bytes.NewReader(raw[header.Hash])))
		n.Blocks = append(n.Blocks, GetBlock(t, &block, int32(h), spent))
		n.Raw = append(n.Raw, raw[header.Hash])
		n.Hashes = append(n.Hashes, header.Hash.String())
	}
	server := httptest.NewServer(n)
	t.Cleanup(server.Close)
	return n, server.URL
}

// rawBlocks returns the serialized blocks in the blk*.dat files of a folder, by their hashes.
func rawBlocks(t testing.TB, folder string) map[chainhash.Hash][]byte {
	key := make([]byte, 8)
	if text, err := os.ReadFile(filepath.Join(folder, "xor.dat")); err == nil {
		key = text
	}
	blocks := make(map[chainhash.Hash][]byte)
	for _, name := range clitest.Must(filepath.Glob(filepath.Join(folder, "blk*.dat"))) {
		data := []byte(clitest.ReadFile(t, name))
		for i := range data {
			data[i] ^= key[i%len(key)]
		}
		for bytes.HasPrefix(data, RegtestMagic[:]) {
			end := 8 + binary.LittleEndian.Uint32(data[4:])
			blocks[chainhash.DoubleHashH(data[8:88])] = data[8:end]
			data = data[end:]
		}
	}
	return blocks
}

func (n *Node) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	name, password, _ := q.BasicAuth()
	if n.Auth != "" && name+":"+password != n.Auth {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var call struct {
		ID     json.RawMessage
		Method string
		Params []any
	}
	if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	result := func(text string) { fmt.Fprintf(w, `{"result":%s,"error":null,"id":%s}`, text, call.ID) }
	fail := func(status, code int, message string) { // an error in the form of releases before 28
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"result":null,"error":{"code":%d,"message":%q},"id":%s}`, code, message, call.ID)
	}
	switch call.Method {
	case "getblockchaininfo":
		result(fmt.Sprintf(`{"chain":%q,"blocks":%d,"headers":200}`, n.Chain, len(n.Blocks)-1))
	case "getblockhash":
		h, ok := call.Params[0].(float64)
		if !ok || int(h) >= len(n.Hashes) {
			fail(500, -8, "Block height out of range")
			return
		}
		result(strconv.Quote(n.Hashes[int(h)]))
	case "getblock":
		h := slices.Index(n.Hashes, call.Params[0].(string))
		switch {
		case h < 0:
			fail(500, -5, "Block not found")
		case n.Block != nil && n.Block(w, h, call.ID):
		case call.Params[1].(float64) == 0:
			result(strconv.Quote(hex.EncodeToString(n.Raw[h])))
		case call.Params[1].(float64) == 3:
			result(string(n.Blocks[h]))
		}
	default:
		fail(404, -32601, "Method not found")
	}
}

// GetBlock returns block in the form in which "getblock HASH 3" prints it, with only the fields
// that the reader uses. Its inputs spend outputs.
func GetBlock(t testing.TB, block *wire.MsgBlock, height int32, outputs []*wire.TxOut) []byte {
	t.Helper()
	script := func(s []byte) map[string]any { return map[string]any{"hex": fmt.Sprintf("%x", s)} }
	amount := func(v int64) json.Number { return json.Number(fmt.Sprintf("%d.%08d", v/1e8, v%1e8)) }
	var txs []any
	for i, tx := range block.Transactions {
		var vin, vout []any
		for _, in := range tx.TxIn {
			input := map[string]any{"sequence": in.Sequence}
			if i == 0 {
				input["coinbase"] = fmt.Sprintf("%x", in.SignatureScript)
			} else {
				input["txid"], input["vout"] = in.PreviousOutPoint.Hash.String(), in.PreviousOutPoint.Index
				input["scriptSig"] = script(in.SignatureScript)
				input["prevout"] = map[string]any{"value": amount(outputs[0].Value),
					"scriptPubKey": script(outputs[0].PkScript)}
				outputs = outputs[1:]
			}
			var witness []string
			for _, w := range in.Witness {
				witness = append(witness, fmt.Sprintf("%x", w))
			}
			if len(witness) > 0 {
				input["txinwitness"] = witness
			}
			vin = append(vin, input)
		}
		for n, out := range tx.TxOut {
			vout = append(vout, map[string]any{"value": amount(out.Value), "n": n,
				"scriptPubKey": script(out.PkScript)})
		}
		txs = append(txs, map[string]any{"txid": tx.TxHash().String(), "version": tx.Version,
			"locktime": tx.LockTime, "vin": vin, "vout": vout})
	}
	h := block.Header
	head := clitest.Must(json.Marshal(map[string]any{"hash": block.BlockHash().String(),
		"height": height, "version": h.Version, "merkleroot": h.MerkleRoot.String(),
		"time": h.Timestamp.Unix(), "nonce": h.Nonce, "bits": fmt.Sprintf("%08x", h.Bits),
		"previousblockhash": h.PrevBlock.String()}))
	return fmt.Appendf(nil, "%s,\n\"tx\":%s}\n", bytes.TrimSuffix(head, []byte("}")),
		clitest.Must(json.Marshal(txs)))
}
