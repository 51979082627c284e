package nodes

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// A btcd is a running btcd node on simnet.
type btcd struct {
	t    *testing.T
	url  string
	auth string // name and password, separated by a colon
}

// listening matches the line of a log with the address of the RPC server.
var listening = regexp.MustCompile(
	`(?:RPC server listening on |HTTP server started.* endpoint=)(\S+)`)

// startBtcd starts a node that has an index of transactions and pays mining rewards to the address
// miner.
func startBtcd(t *testing.T, miner string) *btcd {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "btcd")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/btcsuite/btcd").
		CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	n := &btcd{t: t, auth: "name:a password"}
	cmd := exec.Command(program, "--simnet", "--notls", "--nolisten", "--txindex", "--rpcuser=name",
		"--rpcpass=a password", "--rpclisten=127.0.0.1:0", "--miningaddr="+miner,
		"--configfile="+write(t, "btcd.conf", ""), "--datadir="+filepath.Join(dir, "data"),
		"--logdir="+filepath.Join(dir, "log"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &out)
		}
	})
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(filepath.Join(dir, "log", "simnet", "btcd.log"))
		if m := listening.FindSubmatch(text); m != nil {
			n.url = "http://" + string(m[1])
			if err = n.try(nil, "getblockcount"); err == nil {
				return n
			}
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("no answer from btcd: %v", err)
		}
	}
}

// try calls a method of the node's RPC interface and stores the answer in result. It returns any
// error.
func (n *btcd) try(result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	text, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": 1, "method": method,
		"params": params})
	if err != nil {
		return err
	}
	q, err := http.NewRequest(http.MethodPost, n.url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	name, password, _ := strings.Cut(n.auth, ":")
	q.SetBasicAuth(name, password)
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	switch err := json.NewDecoder(resp.Body).Decode(&answer); {
	case err != nil:
		return fmt.Errorf("%s: %s: %w", method, resp.Status, err)
	case answer.Error != nil:
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	case result != nil:
		return json.Unmarshal(answer.Result, result)
	}
	return nil
}

// call is like try, but an error fails the test.
func (n *btcd) call(result any, method string, params ...any) {
	n.t.Helper()
	if err := n.try(result, method, params...); err != nil {
		n.t.Fatal(err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A coin is a transaction output, together with the outpoint that refers to it.
type coin struct {
	at  wire.OutPoint
	out *wire.TxOut
}

// coinsOf returns all outputs of transaction tx.
func coinsOf(tx *wire.MsgTx) (coins []coin) {
	for i, out := range tx.TxOut {
		coins = append(coins, coin{wire.OutPoint{Hash: tx.TxHash(), Index: uint32(i)}, out})
	}
	return coins
}

// spend returns a transaction that spends coin number i to scripts[i], for every i. All its inputs
// are signed with key.
func spend(key *btcec.PrivateKey, coins []coin, scripts [][]byte) *wire.MsgTx {
	tx := wire.NewMsgTx(2)
	prev := txscript.NewMultiPrevOutFetcher(nil)
	for i, c := range coins {
		tx.AddTxIn(wire.NewTxIn(&c.at, nil, nil))
		tx.AddTxOut(wire.NewTxOut(c.out.Value-5000, scripts[i]))
		prev.AddPrevOut(c.at, c.out)
	}
	hashes := txscript.NewTxSigHashes(tx, prev)
	for i, c := range coins {
		in, value, script := tx.TxIn[i], c.out.Value, c.out.PkScript
		switch {
		case txscript.IsPayToTaproot(script):
			in.Witness = must(txscript.TaprootWitnessSignature(tx, hashes, i, value, script,
				txscript.SigHashDefault, key))
		case txscript.IsPayToWitnessPubKeyHash(script):
			in.Witness = must(txscript.WitnessSignature(tx, hashes, i, value, script,
				txscript.SigHashAll, key, true))
		default:
			in.SignatureScript = must(txscript.SignatureScript(tx, i, script, txscript.SigHashAll, key,
				true))
		}
	}
	return tx
}

// TestBtcd checks that koblitz finds all signatures valid in a chain from a btcd node, whose
// getblock does not report the spent outputs. Two blocks spend outputs of the types P2PKH, P2WPKH
// and P2TR; the second block spends outputs of the first.
func TestBtcd(t *testing.T) {
	key := must(btcec.NewPrivateKey())
	params := &chaincfg.SimNetParams
	hash := address.Hash160(key.PubKey().SerializeCompressed())
	pkh := must(address.NewAddressPubKeyHash(hash, params))
	scripts := [][]byte{
		must(txscript.PayToAddrScript(pkh)),
		must(txscript.PayToAddrScript(must(address.NewAddressWitnessPubKeyHash(hash, params)))),
		must(txscript.PayToTaprootScript(txscript.ComputeTaprootKeyNoScript(key.PubKey()))),
	}
	n := startBtcd(t, pkh.EncodeAddress())

	// Mine more than 300 blocks: SegWit and Taproot are not active before block 300.
	var mined []string
	n.call(&mined, "generate", 320)
	var coins []coin
	for _, block := range mined[:len(scripts)] {
		coins = append(coins, coinsOf(n.block(block).Transactions[0])[0])
	}
	const inputs = 3
	first := spend(key, coins, scripts)
	n.send(first)
	second := spend(key, coinsOf(first), scripts)
	n.send(second)
	n.call(&mined, "generate", 1)
	third := spend(key, coinsOf(second), scripts)
	n.send(third)
	n.call(&mined, "generate", 1)
	if got := len(n.block(mined[0]).Transactions); got != 2 {
		t.Fatalf("%d transactions in the last block", got)
	}

	auth := write(t, "auth", n.auth+"\n")
	node := []string{"--node", n.url, "--rpc-auth", auth}
	check(t, 0, node...).is(t, "bitcoin-block", 3*inputs)
	check(t, 0, append(node, "--network", "simnet", "--from", "322")...).is(t, "bitcoin-block", inputs)

	for text, args := range map[string][]string{
		"wants a name and a password":                        {"--node", n.url},
		"the node's last block is 322, and 400 is asked for": append(node, "--to", "400"),
		"a node of simnet, and not of mainnet":               append(node, "--network", "mainnet"),
		"the node answered: Method not found":                append(node, "--format", "ethereum"),
		"does not accept the name and the password": {"--node", n.url, "--rpc-auth",
			write(t, "wrong", "name:password")},
	} {
		refused(t, text, args...)
	}
}

// block requests the block with the given hash from the node.
func (n *btcd) block(hash string) *wire.MsgBlock {
	n.t.Helper()
	must(chainhash.NewHashFromStr(hash))
	var text string
	n.call(&text, "getblock", hash, 0)
	var b wire.MsgBlock
	if err := b.Deserialize(hex.NewDecoder(strings.NewReader(text))); err != nil {
		n.t.Fatal(err)
	}
	return &b
}

// send sends a transaction to the node.
func (n *btcd) send(tx *wire.MsgTx) {
	n.t.Helper()
	var b strings.Builder
	if err := tx.Serialize(hex.NewEncoder(&b)); err != nil {
		n.t.Fatal(err)
	}
	n.call(nil, "sendrawtransaction", b.String())
}
