package check

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
)

// coreTip is the height of the last block in commandtest.CoreFolder.
const coreTip = 107

// newCoreNode starts a node, which the caller may change before the first request.
func newCoreNode(t testing.TB) (*commandtest.Node, string) {
	t.Helper()
	n, url := commandtest.NewNode(t, commandtest.CoreFolder, coreTip)
	// this response was written by Bitcoin Core itself
	n.Blocks[105] = []byte(readFile(t, filepath.Join(commandtest.CoreFolder, "getblock.json")))
	return n, url
}

// TestNodeBitcoin checks that a node gives the same results as the node's folder.
func TestNodeBitcoin(t *testing.T) {
	n, url := newCoreNode(t)
	n.Auth = "__cookie__:0123456789abcdef"
	cookie := write(t, "cookie", []byte(n.Auth+"\n"))
	for i, span := range [][]string{nil, {"--from", "103", "--to", "106"}, {"--from", "105"},
		{"--to", "0"}} {
		want := checkJSON(t, "", append([]string{commandtest.CoreBlocks(t)}, span...)...)
		want.PassedOver = 0 // stale blocks of the folder, which are not requested from nodes
		for k, from := range [][]string{{"--node", url, "--rpc-auth", cookie}, {"--node", url + "/",
			"--rpc-auth", cookie, "--format", "bitcoin", "--network", "regtest"}} {
			if (i+k)%oneIn(2) != 0 {
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
	forged := strings.Replace(string(n.Blocks[105]), `"hex":"30`, `"hex":"31`, 1)
	if forged == string(n.Blocks[105]) {
		forged = strings.Replace(forged, `"locktime":0`, `"locktime":1`, 1)
	}
	was := n.Blocks[105]
	n.Blocks[105] = []byte(forged)
	got := checkJSON(t, "", "--node", url, "--rpc-auth", cookie, "--from", "104")
	if got.Exit != cli.ExitInvalid || len(got.Failures) == 0 || *got.Failures[0].Block != 105 ||
		got.Failures[0].File != url {
		t.Errorf("%+v", got)
	}
	n.Blocks[105] = was
}

// TestNodeRefused checks that certain flags, arguments and nodes are refused with the reason.
func TestNodeRefused(t *testing.T) {
	n, url := newCoreNode(t)
	n.Auth = "me:secret"
	wrong := write(t, "wrong", []byte("me:wrong"))
	lines := write(t, "lines", []byte("me:\nsecret"))
	colon := write(t, "colon", []byte("me"))
	right := write(t, "right", []byte(n.Auth))
	words := strings.NewReplacer("NODE", "--node "+url+" --rpc-auth "+right, "URL", url,
		"RIGHT", right, "WRONG", wrong, "LINES", lines, "COLON", colon)
	for _, c := range []struct {
		args   string
		status int
		text   string
	}{
		{"--node URL", cli.ExitUnreadable, "--rpc-auth has a name and a password"},
		{"--node URL --rpc-auth WRONG", cli.ExitUnreadable, "does not let this machine or user in"},
		{"--node URL --rpc-auth LINES", cli.ExitUnreadable, "one line is wanted"},
		{"--node URL --rpc-auth COLON", cli.ExitUnreadable, "no colon"},
		{"--node URL --rpc-auth WRONGx", cli.ExitUnreadable, "no such file"},
		{"NODE --network mainnet", cli.ExitUnreadable, "a node of regtest, and not of mainnet"},
		{"NODE --from 300", cli.ExitUnreadable, "the node's last block is 107, and 300 is asked for"},
		{"NODE --to 108", cli.ExitUnreadable, "the node's last block is 107, and 108 is asked for"},
		{"NODE --format ethereum", cli.ExitUnreadable,
			"eth_chainId: " + url + ": the node answered: Method not found"},
		{"--node URL --from 5 --to 4", cli.ExitUsage, "--from 5 is behind --to 4"},
		{"--node URL x", cli.ExitUsage, "--sample and --node need no files"},
		{"--node URL --sample", cli.ExitUsage, "--node does not go with --sample"},
		{"--node URL --format nostr", cli.ExitUsage, "--node gives blocks"},
		{"--node localhost:8332", cli.ExitUsage, "an URL begins with http:// or https://"},
		{"--node http://", cli.ExitUsage, "no URL with a host"},
		{"--node http://me:secret@x/", cli.ExitUsage, "do not belong in an URL"},
		{"--node http://x/\x01secret", cli.ExitUsage, "--node: no URL"},
		{"--rpc-auth RIGHT x", cli.ExitUsage, "--rpc-auth goes with --node"},
	} {
		stdout, stderr := expect(t, c.status, []string{c.text}, "", append([]string{"check"},
			strings.Fields(words.Replace(c.args))...)...)
		if strings.Contains(stdout+stderr, "secret") {
			t.Errorf("%v: the password is shown\n%s%s", c.args, stdout, stderr)
		}
	}
	n.Chain = "other"
	expect(t, cli.ExitUnreadable, []string{`chain "other"`}, "", "check", "--node", url, "--rpc-auth",
		right)
}

// TestNodeAnswers checks that responses with wrong blocks are errors.
func TestNodeAnswers(t *testing.T) {
	n, url := newCoreNode(t)
	var body string
	n.Block = func(w http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height == 105 {
			io.WriteString(w, body)
		}
		return height == 105
	}
	block := strings.TrimSpace(string(n.Blocks[105]))
	names := block[:strings.Index(block, `"tx":`)] + `"tx":["00","01"]}`
	answer := func(s string) string { return `{"result":` + s + `,"error":null,"id":1}` }
	for name, c := range map[string]struct{ body, text string }{
		"another block": {answer(string(n.Blocks[104])), "this is block 104, " + n.Hashes[104] +
			", and block 105, " + n.Hashes[105] + " was asked for"},
		"another height": {answer(strings.Replace(block, `"height":105`, `"height":104`, 1)),
			"this is block 104, " + n.Hashes[105]},
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
	n.Block = func(w http.ResponseWriter, height int, _ json.RawMessage) bool {
		if height != 105 {
			return false
		}
		fmt.Fprintf(w, `{"result":%s`, n.Blocks[105][:1000])
		w.(http.Flusher).Flush()
		cancel()
		<-hang
		return true
	}
	status, stdout, stderr := program.RunContext(ctx, strings.NewReader(""), "check", "--node", url)
	if status != cli.ExitInterrupted || strings.Contains(stdout+stderr, "canceled") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
}
