package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
	"github.com/ethereum/go-ethereum/rlp"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
)

// gethFile returns the path of a file in the go-ethereum module.
func gethFile(t testing.TB, path ...string) string {
	t.Helper()
	out := clitest.Must(exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/ethereum/go-ethereum").Output())
	return filepath.Join(append([]string{strings.TrimSpace(string(out))}, path...)...)
}

// ethereumAnswer returns the path of a block in JSON, of the chain with the id 1337.
func ethereumAnswer(t testing.TB) string {
	t.Helper()
	return gethFile(t, "internal", "ethapi", "testdata",
		"eth_getBlockByHash-hash-latest-1-fullTx.json")
}

// ethereumExport returns the path of a chain in RLP, with the id exportedChain.
func ethereumExport(t testing.TB) string {
	t.Helper()
	return gethFile(t, "cmd", "devp2p", "internal", "ethtest", "testdata", "chain.rlp")
}

// mainnetBlock returns the path of a real block in RLP.
func mainnetBlock(number uint64) string {
	return filepath.Join("..", "..", "ethereum", "testdata", fmt.Sprintf("mainnet-%d.rlp", number))
}

// TestEthereumMainnet compares the recovered senders of two real blocks with those that go-ethereum
// recovers (with libsecp256k1, or without cgo with dcrec).
func TestEthereumMainnet(t *testing.T) {
	for number, n := range map[uint64]int{19431837: 322, 18189758: 100} {
		file := mainnetBlock(number)
		var block types.Block
		clitest.Must(0, rlp.DecodeBytes([]byte(readFile(t, file)), &block))
		r, senders := checkSenders(t, "", file)
		if n := int64(n); r.numbers() != [9]int64{n, 0, 0, 0, 0, 0, 0, n} || r.Exit != cli.ExitOK ||
			len(senders) != int(n) || r.Formats[0] != "ethereum-rlp" {
			t.Fatalf("%s: %+v", file, r.summary)
		}
		signer := types.MakeSigner(params.MainnetChainConfig, block.Number(), block.Time())
		var want strings.Builder
		for i, tx := range block.Transactions() {
			from := strings.ToLower(clitest.Must(types.Sender(signer, tx)).Hex())
			fmt.Fprintf(&want, "block %d: tx %d %v: from %s\n", number, i, tx.Hash(), from)
			s := senders[i]
			if s.Sender != from || s.Tx != tx.Hash().Hex() || *s.Index != i || *s.Block != int32(number) ||
				s.Verdict != "recovered" || s.File != file {
				t.Fatalf("%s: %+v, want %v from %v", file, s, tx.Hash(), from)
			}
		}
		stdout, _ := expect(t, cli.ExitOK, nil, "", "check", "--senders", file)
		if !strings.HasPrefix(stdout, want.String()) {
			t.Errorf("%s: %s, want %s", file, stdout, &want)
		}
		expect(t, cli.ExitOK, []string{fmt.Sprintf("%s: block %d: tx 0 %v: from 0x", file, number,
			block.Transactions()[0].Hash())}, "", "check", "--senders", file, file)
		stdout, _ = expect(t, cli.ExitOK, nil, "", "check", file)
		if strings.Contains(stdout, "from 0x") {
			t.Errorf("%s: senders are listed unasked", file)
		}
	}
}

// linkedBlocks returns blocks 1 to n of a chain, with transactions, uncles and withdrawals.
func linkedBlocks(t testing.TB, n int) (blocks []*types.Block) {
	parent := fullBlock(t)
	body := *parent.Body()
	body.Uncles = []*types.Header{parent.Header()}
	for i := range n {
		h := parent.Header()
		h.UncleHash = types.CalcUncleHash(body.Uncles)
		h.ParentHash, h.Number, h.Time = parent.Hash(), big.NewInt(int64(i+1)), uint64(1000+12*i)
		parent = types.NewBlockWithHeader(h).WithBody(body)
		blocks = append(blocks, parent)
	}
	return blocks
}

// sibling returns b after change has changed its header.
func sibling(b *types.Block, change func(h *types.Header)) *types.Block {
	h := b.Header()
	change(h)
	return types.NewBlockWithHeader(h).WithBody(*b.Body())
}

// TestLinks checks the report on blocks that are linked by their parents' hashes, and on such files
// with gaps, branches and changed headers.
func TestLinks(t *testing.T) {
	b := linkedBlocks(t, 17)
	late := slices.Concat([]*types.Block{b[0], b[2], b[1]}, b[3:], b[:1])
	b = b[:6]
	extra := func(h *types.Header) { h.Extra = []byte("other") }
	numbered := func(n int64) func(h *types.Header) {
		return func(h *types.Header) { h.Number = big.NewInt(n) }
	}
	other := sibling(b[2], extra)
	onOther := sibling(b[3], func(h *types.Header) { h.ParentHash = other.Hash() })
	differ := fmt.Sprintf("block: malformed: the chain breaks: its parent is %v, and block 3 of the "+
		"file is %v", b[2].Hash(), other.Hash())
	const last = ", whose header nothing vouches for"
	for _, test := range []struct {
		name   string
		blocks []*types.Block
		status int
		text   string
	}{
		{"linked", b, cli.ExitOK, "6 blocks, 1 to 6, tip " + b[5].Hash().Hex() + last},
		{"one block", b[:1], cli.ExitOK, "1 block, 1, tip " + b[0].Hash().Hex() + last},
		{"downwards", []*types.Block{b[2], b[1], b[0]}, cli.ExitOK,
			"3 blocks, 1 to 3, tip " + b[2].Hash().Hex() + last},
		{"in any order", []*types.Block{b[2], b[0], b[1], b[3]}, cli.ExitOK,
			"4 blocks, 1 to 4, tip " + b[3].Hash().Hex() + last},
		{"twice", []*types.Block{b[0], b[0], b[1], b[0], b[1]}, cli.ExitOK,
			"5 blocks, 1 to 2, tip " + b[1].Hash().Hex() + last},
		{"twice, too far apart", late, cli.ExitOK,
			", linked parts: 2, headers that nothing vouches for: 2"},
		{"gap", []*types.Block{b[0], b[1], b[3], b[5]}, cli.ExitOK, "4 blocks, 1 to 6, tip " +
			b[5].Hash().Hex() + ", linked parts: 3, headers that nothing vouches for: 3"},
		{"gap backwards", []*types.Block{b[3], b[4], b[0], b[1]}, cli.ExitOK, "4 blocks, 1 to 5, tip " +
			b[4].Hash().Hex() + ", linked parts: 2, headers that nothing vouches for: 2"},
		{"branch", []*types.Block{b[0], b[1], b[2], other, b[3], onOther, b[4]}, cli.ExitOK,
			"7 blocks, 1 to 5, tip " + b[4].Hash().Hex() +
				", branches: 1, headers that nothing vouches for: 2"},
		{"another header", []*types.Block{b[1], other, b[3], b[4]}, cli.ExitInvalid, differ},
		{"another header, downwards", []*types.Block{b[4], b[3], other, b[1]}, cli.ExitInvalid,
			"block: malformed: the chain breaks: its hash is " + other.Hash().Hex() +
				", and block 4 of the file has the parent " + b[2].Hash().Hex()},
		{"another number", []*types.Block{b[0], b[1], sibling(b[2], numbered(4))}, cli.ExitInvalid,
			"block: malformed: the chain breaks: block 2, " + b[1].Hash().Hex() +
				", is the parent of block 4, " + sibling(b[2], numbered(4)).Hash().Hex()},
		{"a lower number first", []*types.Block{sibling(b[3], numbered(2)), b[4]}, cli.ExitOK,
			", linked parts: 2, headers that nothing vouches for: 2"},
		{"a higher number first", []*types.Block{sibling(b[0], numbered(9)), b[1], b[2]}, cli.ExitInvalid,
			"block: malformed: the chain breaks: its time is 1012, and block 9 before it, " +
				sibling(b[0], numbered(9)).Hash().Hex() + ", has the time 1000"},
	} {
		var export, json, nameless []byte
		for _, x := range test.blocks {
			export = append(export, clitest.Must(rlp.EncodeToBytes(x))...)
			text := rpc(t, x)
			json = append(json, text...)
			nameless = append(nameless, bytes.Replace(text, fmt.Appendf(nil, "\"hash\":%q,", x.Hash()), nil,
				1)...)
		}
		for form, input := range map[string][]byte{"RLP": export, "JSON": json,
			"JSON without hashes": nameless} {
			stdout, _ := expect(t, test.status, []string{test.text}, string(input), "check", "--network",
				exportedChain, "-")
			if test.status == cli.ExitOK && strings.Contains(stdout, "breaks") {
				t.Errorf("%s, %s: %s", test.name, form, stdout)
			}
		}
	}
}

// TestNodeLinks checks that the blocks of a node are linked across its answers.
func TestNodeLinks(t *testing.T) {
	blocks := linkedBlocks(t, 20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		var call struct {
			ID     int
			Method string
			Params []any
		}
		if err := json.NewDecoder(q.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		var result string
		switch call.Method {
		case "eth_chainId":
			id, _ := new(big.Int).SetString(exportedChain, 10)
			result = strconv.Quote(hexutil.EncodeBig(id))
		case "eth_blockNumber":
			result = strconv.Quote(hexutil.Uint64(20).String())
		case "eth_getBlockByNumber":
			result = string(rpc(t, blocks[clitest.Must(hexutil.DecodeUint64(call.Params[0].(string)))-1]))
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":%s}`, call.ID, result)
	}))
	defer server.Close()
	got := checkJSON(t, "", "--format", "ethereum", "--node", server.URL, "--from", "1")
	if len(got.Chains) != 1 || got.Chains[0].Parts != 1 || got.Chains[0].Unvouched != 1 ||
		got.Chains[0].Count != 20 || got.Exit != cli.ExitOK {
		t.Errorf("%+v, %v, %v", got.summary, got.Failures, got.Unreadable)
	}
	blocks[8] = sibling(blocks[8], func(h *types.Header) { h.Root[0] ^= 1 })
	got = checkJSON(t, "", "--format", "ethereum", "--node", server.URL, "--from", "1")
	if got.Malformed != 1 || !strings.Contains(got.Failures[0].Reason, blocks[8].Hash().Hex()) {
		t.Errorf("%+v, %v, %v", got.summary, got.Failures, got.Unreadable)
	}
}
