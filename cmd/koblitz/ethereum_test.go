package main

import (
	"encoding/json"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// gethFile returns the path of a file in the go-ethereum module.
func gethFile(t testing.TB, path ...string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/ethereum/go-ethereum").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(append([]string{strings.TrimSpace(string(out))}, path...)...)
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestEthereumMainnet compares the recovered senders of two real blocks with those that go-ethereum
// recovers (with libsecp256k1, or without cgo with dcrec).
func TestEthereumMainnet(t *testing.T) {
	for name, want := range map[string]struct {
		number int32
		time   uint64
		n      int
	}{"block_deneb.json": {19431837, 1710402179, 322}, "block_capella.json": {18189758, 1695365963,
		100}} {
		file := gethFile(t, "beacon", "types", "testdata", name)
		text := readFile(t, file)
		var block struct {
			Body struct {
				Payload struct {
					Transactions []hexutil.Bytes `json:"transactions"`
				} `json:"execution_payload"`
			} `json:"body"`
		}
		if err := json.Unmarshal([]byte(text), &block); err != nil {
			t.Fatal(err)
		}
		r := checkJSON(t, "", "--senders", file)
		if n := int64(want.n); r.numbers() != [9]int64{n, 0, 0, 0, 0, 0, 0, n} || r.Exit != exitOK ||
			len(r.Senders) != want.n || r.Formats[0] != "ethereum-json" {
			t.Fatalf("%s: %+v", name, r.summary)
		}
		signer := types.MakeSigner(params.MainnetChainConfig, big.NewInt(int64(want.number)), want.time)
		for i, raw := range block.Body.Payload.Transactions {
			var tx types.Transaction
			if err := tx.UnmarshalBinary(raw); err != nil {
				t.Fatal(err)
			}
			from, err := types.Sender(signer, &tx)
			if err != nil {
				t.Fatal(err)
			}
			s := r.Senders[i]
			if s.From != strings.ToLower(from.Hex()) || s.Tx != tx.Hash().Hex() || *s.Index != i ||
				*s.Block != want.number || s.Known || s.File != file {
				t.Fatalf("%s: %+v, want %v from %v", name, s, tx.Hash(), from)
			}
		}

		stdout, _ := wantCLI(t, exitOK, nil, "", "check", "--senders", file)
		if n := strings.Count(stdout, ": from 0x"); n != want.n || !strings.HasPrefix(stdout, "block ") {
			t.Errorf("%s: %d senders are listed", name, n)
		}
		stdout, _ = wantCLI(t, exitOK, []string{"recovered      "}, "", "check", file)
		if strings.Contains(stdout, "from 0x") {
			t.Errorf("%s: senders are listed unasked", name)
		}
		if r := checkJSON(t, "", file, file); len(r.Senders) != 0 ||
			r.Recovered != int64(2*want.n) {
			t.Errorf("%s: %+v", name, r)
		}
		// The text is cut in the middle. The complete transactions must be recovered, and the error
		// must state the position.
		r = checkJSON(t, text[:len(text)*2/3], "-")
		if r.Recovered == 0 || r.Recovered >= int64(want.n) || r.Rows != r.Recovered ||
			r.Exit != exitUnreadable || !strings.Contains(r.Unreadable[0],
			"the file ends in the middle of a block") {
			t.Errorf("%s, cut: %+v", name, r)
		}
	}
}

// TestEthereumForms checks that the command check gives the right exit status and report for
// Ethereum blocks and transactions in several formats and for several networks.
func TestEthereumForms(t *testing.T) {
	answer := gethFile(t, "internal", "ethapi", "testdata",
		"eth_getBlockByHash-hash-latest-1-fullTx.json")
	text := readFile(t, answer)
	chain := gethFile(t, "cmd", "devp2p", "internal", "ethtest", "testdata", "chain.rlp")
	const id = "3503995874084926"
	const from = "0x703c4b2bd70c169f5717101caee543299fc946c7"
	good := [9]int64{1, 1}
	var block struct{ Transactions []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &block); err != nil || len(block.Transactions) != 1 {
		t.Fatal(block, err)
	}
	tx := string(block.Transactions[0])
	all := [9]int64{612, 0, 0, 0, 0, 0, 0, 612}
	for _, test := range []struct {
		name   string
		stdin  string
		args   []string
		want   [9]int64
		status int
		words  string
	}{
		{"answer", "", []string{answer}, good, exitOK,
			"block 9: tx 0 0xecd155a61a5734b3efab75924e3ae34026c7c4133d8c2a46122bd03d7d199725: from " +
				from},
		{"answer, wrapped", `{"jsonrpc":"2.0","id":1,"result":` + text + `}`, []string{"-"}, good, exitOK,
			"from " + from},
		{"answer, packed", string(gzipped(t, []byte(text))), []string{"-"}, good, exitOK, "from " + from},
		{"answer by name", "", []string{"--format", "ethereum", answer}, good, exitOK, "from " + from},
		{"answer, one transaction", `{"result":` + tx + `}`, []string{"-"}, good, exitOK,
			"from " + from},
		{"answer, transactions by name", tx + tx, []string{"--format", "ethereum-tx", "-"},
			[9]int64{2, 2}, exitOK, "from " + from},
		{"other sender of one transaction", strings.Replace(tx, from, from[:41]+"8", 1), []string{"-"},
			[9]int64{1, 0, 1}, exitInvalid, "the signature is one of " + from},
		{"other sender", strings.Replace(text, from, from[:41]+"8", 1), []string{"-"}, [9]int64{1, 0, 1},
			exitInvalid,
			"stdin:20: block 9: tx 0 0xecd155a61a5734b3efab75924e3ae34026c7c4133d8c2a46122bd03d7d199725 " +
				"(byte 1348): legacy: invalid: the signature is one of " + from + ", and the file says " +
				from[:41] + "8"},
		{"other value", strings.Replace(text, `"value": "0x3e8"`, `"value": "0x3e9"`, 1), []string{"-"},
			[9]int64{2, 0, 1, 1}, exitInvalid, "the fields of the transaction hash to 0x"},
		{"other signature", strings.Replace(text, `"v": "0x1b"`, `"v": "0x1d"`, 1), []string{"-"},
			[9]int64{2, 0, 1, 1}, exitInvalid, "hash to 0x"},
		{"unknown type", strings.Replace(text, `"type": "0x0"`, `"type": "0x7e"`, 1), []string{"-"},
			[9]int64{1, 0, 0, 0, 0, 1}, exitNotCheckable,
			"a transaction of type 126, which nothing here knows"},
		{"export", "", []string{"--network", id, chain}, all, exitOK, "block 600: tx 0 " +
			"0xd7a240cd649f432378e64821bce3c0a10b54aa1aa4006102b88dd624b24e76be: from " +
			"0x7435ed30a8b4aeb0877cef0c6e8cffe834eb865f"},
		{"export by name", "", []string{"--network", id, "--format", "ethereum-rlp", chain}, all, exitOK,
			""},
		{"another network", "", []string{"--network", "sepolia", "--max-failures", "1", chain},
			[9]int64{}, exitUnreadable, "chain.rlp: at byte 1242: transactions of ethereum, chain id " + id +
				", and not of ethereum sepolia, chain id 11155111, whose rules hold: --network " + id +
				" takes them"},
		{"another network, JSON", "[" + text + "," + text + "]", []string{"--network", "sepolia", "-"},
			[9]int64{2, 2}, exitOK, ""},
		{"a network of Bitcoin", "", []string{"--network", "testnet3", chain}, [9]int64{}, exitUnreadable,
			"chain.rlp: this is ethereum-rlp, and --network testnet3 is another chain's"},
		{"no block", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n", []string{"-"}, [9]int64{},
			exitUnreadable, "stdin:1: no block: the node's answer is null"},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"nope"}}`, []string{"-"},
			[9]int64{}, exitUnreadable, `the node answered: {"code":-32000,"message":"nope"}`},
		{"cut", readFile(t, chain)[:200000], []string{"--network", id, "-"}, [9]int64{287, 0, 0, 0, 0, 0,
			0, 287}, exitUnreadable, "stdin: at byte 200000: the file ends in the middle of a block"},
		{"no Ethereum", "just some text", []string{"--format", "ethereum", "-"}, [9]int64{},
			exitUnreadable, "neither a block in JSON or in RLP nor a transaction in JSON"},
		{"Bitcoin for Ethereum", "", []string{"--network", "sepolia", firstBlocks(t)}, [9]int64{},
			exitUnreadable, "this is bitcoin-blk, and --network sepolia"},
	} {
		args := test.args
		if strings.HasPrefix(test.name, "answer") || strings.HasPrefix(test.name, "other") ||
			test.name == "unknown type" {
			args = append([]string{"--network", "1337"}, args...)
		}
		args = append([]string{"--senders"}, args...)
		wantCLI(t, test.status, []string{test.words}, test.stdin, append([]string{"check"}, args...)...)
		r := checkJSON(t, test.stdin, args...)
		if got := r.numbers(); test.want[2] < 0 { // some transactions are valid on all chains
			if got[0] != test.want[0] || got[2] == 0 || got[2]+got[7] != got[0] {
				t.Errorf("%s: %v", test.name, got)
			}
		} else if got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
		if r.Exit != test.status || len(r.Senders) != int(r.Valid+r.Recovered) {
			t.Errorf("%s: %+v", test.name, r)
		}
	}

	// In a run with failures and senders both lists must be complete, whichever begins first.
	missing := strings.Replace(text, `"gas": "0x5208",`, "", 1)
	for _, stdin := range []string{text + missing + text, missing + text + missing} {
		r := checkJSON(t, stdin, "--senders", "--network", "1337", "-")
		if int64(len(r.Senders)) != r.Valid || int64(len(r.Failures)) != r.Malformed || r.Rows != 3 ||
			r.Failures[0].Reason != `the transaction has no "gas"` || *r.Failures[0].Index != 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestEthereumWorkers checks that the report does not depend on the number of workers.
func TestEthereumWorkers(t *testing.T) {
	file := gethFile(t, "beacon", "types", "testdata", "block_deneb.json")
	_, want, _ := cli(t, "", "check", file, "--workers", "1")
	for _, n := range []string{"3", "8"} {
		if _, got, _ := cli(t, "", "check", file, "--workers", n); withoutTime(got) != withoutTime(want) {
			t.Errorf("%s workers: another report", n)
		}
	}
}
