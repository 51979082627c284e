package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// A coreNode serves the blocks of coreFolder like Bitcoin Core.
type coreNode struct {
	chain  string // chain named in the response to getblockchaininfo
	auth   string // NAME:PASSWORD that requests must have, or empty
	blocks [][]byte
	raw    [][]byte
	hashes []string

	// block, if not nil, is called with the height of each requested block. If it returns true, it
	// has written the response.
	block func(w http.ResponseWriter, height int, id json.RawMessage) bool
}

// coreTip is the height of the last block in coreFolder.
const coreTip = 107

// newCoreNode starts a node and returns its address too. The caller may change the node before the
// first request.
func newCoreNode(t testing.TB) (*coreNode, string) {
	t.Helper()
	n, url := newNodeOf(t, coreFolder, coreTip)
	// this response was written by Bitcoin Core itself
	n.blocks[105] = []byte(clitest.ReadFile(t, filepath.Join(coreFolder, "getblock.json")))
	return n, url
}

// newNodeOf does the work of newCoreNode with the blocks of a folder, the last of which has the
// height tip.
func newNodeOf(t testing.TB, folder string, tip int) (*coreNode, string) {
	t.Helper()
	d, err := bitcoin.OpenDirectory(folder)
	if err != nil {
		t.Fatal(err)
	}
	chain, err := d.BestChain()
	if err != nil {
		t.Fatal(err)
	}
	defer chain.Close()
	n, raw := &coreNode{chain: "regtest"}, rawBlocks(t, folder)
	for h := range tip + 1 {
		var spent []*wire.TxOut
		header, err := chain.Full(int32(h), func(_ int, _ *wire.MsgTx, _ chainhash.Hash,
			outputs []wireform.Output) error {
			for _, o := range outputs {
				spent = append(spent, wire.NewTxOut(o.Amount, o.Script))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var block wire.MsgBlock
		if err := block.Deserialize(bytes.NewReader(raw[header.Hash])); err != nil {
			t.Fatal(err)
		}
		n.blocks = append(n.blocks, asGetBlock(t, &block, int32(h), spent))
		n.raw = append(n.raw, raw[header.Hash])
		n.hashes = append(n.hashes, header.Hash.String())
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
		for bytes.HasPrefix(data, regtestMagic[:]) {
			end := 8 + binary.LittleEndian.Uint32(data[4:])
			blocks[chainhash.DoubleHashH(data[8:88])] = data[8:end]
			data = data[end:]
		}
	}
	return blocks
}

func (n *coreNode) height(hash string) int {
	for h := range n.hashes {
		if n.hashes[h] == hash {
			return h
		}
	}
	return -1
}

func (n *coreNode) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	name, password, _ := q.BasicAuth()
	if n.auth != "" && name+":"+password != n.auth {
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
		result(fmt.Sprintf(`{"chain":%q,"blocks":%d,"headers":200}`, n.chain, len(n.blocks)-1))
	case "getblockhash":
		h, ok := call.Params[0].(float64)
		if !ok || int(h) >= len(n.hashes) {
			fail(500, -8, "Block height out of range")
			return
		}
		result(strconv.Quote(n.hashes[int(h)]))
	case "getblock":
		h := n.height(call.Params[0].(string))
		switch {
		case h < 0:
			fail(500, -5, "Block not found")
		case n.block != nil && n.block(w, h, call.ID):
		case call.Params[1].(float64) == 0:
			result(strconv.Quote(hex.EncodeToString(n.raw[h])))
		case call.Params[1].(float64) == 3:
			result(string(n.blocks[h]))
		}
	default:
		fail(404, -32601, "Method not found")
	}
}

// TestNodeBitcoin checks that a node gives the same results as the node's folder.
func TestNodeBitcoin(t *testing.T) {
	n, url := newCoreNode(t)
	n.auth = "__cookie__:0123456789abcdef"
	cookie := clitest.Write(t, "cookie", []byte(n.auth+"\n"))
	for i, span := range [][]string{nil, {"--from", "103", "--to", "106"}, {"--from", "105"},
		{"--to", "0"}} {
		want := checkJSON(t, "", append([]string{coreBlocks(t)}, span...)...)
		want.PassedOver = 0 // stale blocks of the folder, which are not requested from nodes
		for k, from := range [][]string{{"--node", url, "--rpc-auth", cookie}, {"--node", url + "/",
			"--rpc-auth", cookie, "--format", "bitcoin", "--network", "regtest"}} {
			if (i+k)%clitest.OneIn(2) != 0 {
				continue
			}
			got := checkJSON(t, "", append(from, span...)...)
			if got.numbers() != want.numbers() || got.Exit != want.Exit ||
				len(got.Inputs) != 1 || got.Inputs[0].File != url || got.Formats[0] != "bitcoin-json" {
				t.Errorf("%v %v: %+v\nwant %+v", from, span, got, want)
			}
		}
	}
	if all := checkJSON(t, "", "--node", url, "--rpc-auth", cookie); all.Valid < 20 {
		t.Errorf("%+v", all)
	}

	// After a change of one bit of a signature the report must name the block and the node.
	forged := strings.Replace(string(n.blocks[105]), `"hex":"30`, `"hex":"31`, 1)
	if forged == string(n.blocks[105]) {
		forged = strings.Replace(forged, `"locktime":0`, `"locktime":1`, 1)
	}
	was := n.blocks[105]
	n.blocks[105] = []byte(forged)
	got := checkJSON(t, "", "--node", url, "--rpc-auth", cookie, "--from", "104")
	if got.Exit != cli.ExitInvalid || len(got.Failures) == 0 || *got.Failures[0].Block != 105 ||
		got.Failures[0].File != url {
		t.Errorf("%+v", got)
	}
	n.blocks[105] = was
}

// TestNodeRefused checks that the command refuses certain flags, arguments and nodes, and that the
// errors give the right reasons.
func TestNodeRefused(t *testing.T) {
	n, url := newCoreNode(t)
	n.auth = "me:secret"
	wrong := clitest.Write(t, "wrong", []byte("me:wrong"))
	lines := clitest.Write(t, "lines", []byte("me:\nsecret"))
	colon := clitest.Write(t, "colon", []byte("me"))
	right := clitest.Write(t, "right", []byte(n.auth))
	for _, c := range []struct {
		args   []string
		status int
		text   string
	}{
		{[]string{"--node", url}, cli.ExitUnreadable, "wants a name and a password: --rpc-auth"},
		{[]string{"--node", url, "--rpc-auth", wrong}, cli.ExitUnreadable, "does not accept the name"},
		{[]string{"--node", url, "--rpc-auth", lines}, cli.ExitUnreadable, "one line is wanted"},
		{[]string{"--node", url, "--rpc-auth", colon}, cli.ExitUnreadable, "no colon"},
		{[]string{"--node", url, "--rpc-auth", wrong + "x"}, cli.ExitUnreadable, "no such file"},
		{[]string{"--node", url, "--rpc-auth", right, "--network", "mainnet"}, cli.ExitUnreadable,
			"a node of regtest, and not of mainnet"},
		{[]string{"--node", url, "--rpc-auth", right, "--from", "300"}, cli.ExitUnreadable,
			"the node's last block is 107, and 300 is asked for"},
		{[]string{"--node", url, "--rpc-auth", right, "--to", "108"}, cli.ExitUnreadable,
			"the node's last block is 107, and 108 is asked for"},
		{[]string{"--node", url, "--rpc-auth", right, "--format", "ethereum"}, cli.ExitUnreadable,
			"eth_chainId: " + url + ": the node answered: Method not found"},
		{[]string{"--node", url, "--from", "5", "--to", "4"}, cli.ExitUsage, "--from 5 is behind --to 4"},
		{[]string{"--node", url, "--from", "blk00000.dat"}, cli.ExitUsage, "take heights with --node"},
		{[]string{"--node", url, "x"}, cli.ExitUsage, "--node needs no files"},
		{[]string{"--node", url, "--sample"}, cli.ExitUsage, "do not go with --node"},
		{[]string{"--node", url, "--format", "nostr"}, cli.ExitUsage, "--node gives blocks"},
		{[]string{"--node", url, "--compression", "none"}, cli.ExitUsage,
			"--compression goes with files"},
		{[]string{"--node", url, "--state", "s"}, cli.ExitUsage, "--state does not go with --node"},
		{[]string{"--node", "localhost:8332"}, cli.ExitUsage, "put http:// or https:// before it"},
		{[]string{"--node", "http://"}, cli.ExitUsage, "no host"},
		{[]string{"--node", "http://me:secret@x/"}, cli.ExitUsage, "do not belong in an URL"},
		{[]string{"--node", "http://x/\x01secret"}, cli.ExitUsage, "--node: no URL"},
		{[]string{"--rpc-auth", right, "x"}, cli.ExitUsage, "--rpc-auth goes with --node"},
	} {
		stdout, stderr := expect(t, c.status, []string{c.text}, "", append([]string{"check"},
			c.args...)...)
		if strings.Contains(stdout+stderr, "secret") {
			t.Errorf("%v: the password is shown\n%s%s", c.args, stdout, stderr)
		}
	}
	n.chain = "other"
	expect(t, cli.ExitUnreadable, []string{`chain "other"`}, "", "check", "--node", url, "--rpc-auth",
		right)
}

// TestNodeAnswers checks that responses with wrong blocks are errors.
func TestNodeAnswers(t *testing.T) {
	n, url := newCoreNode(t)
	var body string
	n.block = func(w http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height == 105 {
			io.WriteString(w, body)
		}
		return height == 105
	}
	block := strings.TrimSpace(string(n.blocks[105]))
	names := block[:strings.Index(block, `"tx":`)] + `"tx":["00","01"]}`
	answer := func(s string) string { return `{"result":` + s + `,"error":null,"id":1}` }
	for name, c := range map[string]struct{ body, text string }{
		"another block": {answer(string(n.blocks[104])), "this is block " + n.hashes[104] + ", and " +
			n.hashes[105] + " was asked for"},
		"another height": {answer(strings.Replace(block, `"height":105`, `"height":104`, 1)),
			`"height" is 104, and block 105 was asked for`},
		"two":     {answer(block) + answer(block), "comes a second time"},
		"none":    {"[]", "there is no block in it"},
		"null":    {answer("null"), `no "tx" in it`},
		"empty":   {"", "an empty file"},
		"cut":     {answer(block)[:2000], "the file ends in the middle of a block"},
		"no JSON": {"<html>", "bad JSON"},
		"a refusal": {`{"result":null,"error":{"code":-1,"message":"pruned data"}}`,
			"pruned data"},
		"an answer that is no block": {answer(`"00"`), "getblock prints it is wanted"},
		"no prevout": {answer(strings.ReplaceAll(block, `"prevout"`, `"prev"`)),
			"transaction 1 does not state what it spends: no \"prevout\" in it; --node needs " +
				"'getblock HASH 3' of Bitcoin Core 23 or later"},
		"names": {answer(names), "transaction 0 does not state what it spends"},
		"fields after the transactions": {answer(strings.Replace(block, `"bits"`, `"b"`, 1)),
			"must stand before \"tx\", as Bitcoin Core prints them; --node needs"},
	} {
		body = c.body
		got := checkJSON(t, "", "--node", url, "--from", "104", "--to", "106")
		if len(got.Unreadable) != 1 || got.Exit != cli.ExitUnreadable ||
			!strings.Contains(got.Unreadable[0], c.text) ||
			!strings.Contains(got.Unreadable[0], "block 105: "+url) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	body = answer(block)
	got := checkJSON(t, "", "--node", url, "--from", "104", "--to", "106")
	if len(got.Unreadable) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestNodeInterrupted checks that an interrupt ends the command with the status for interrupts,
// even if the node hangs in the middle of a response.
func TestNodeInterrupted(t *testing.T) {
	n, url := newCoreNode(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer func() { cancel() }()
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	n.block = func(w http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height != 105 {
			return false
		}
		fmt.Fprintf(w, `{"result":%s`, n.blocks[105][:1000])
		w.(http.Flusher).Flush()
		cancel()
		<-hang
		return true
	}
	status, stdout, stderr := invokeContext(ctx, strings.NewReader(""), "check", "--node", url)
	if status != cli.ExitInterrupted || strings.Contains(stdout+stderr, "canceled") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
