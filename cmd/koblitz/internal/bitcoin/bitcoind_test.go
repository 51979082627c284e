//go:build bitcoind

package bitcoin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/wire/v2"
)

// A bitcoind is a Bitcoin Core node on regtest that a test started. The environment variable
// KOBLITZ_BITCOIND is the path of the program, which .ci/acceptance builds.
type bitcoind struct {
	t    testing.TB
	dir  string // the node's data directory
	url  string
	auth string
	cmd  *exec.Cmd
}

// blocks returns the path of the node's blocks folder.
func (n *bitcoind) blocks() string { return filepath.Join(n.dir, "regtest", "blocks") }

// startBitcoind starts a node that obfuscates its block files by xor with key.
func startBitcoind(t testing.TB, key [8]byte) *bitcoind {
	t.Helper()
	program := os.Getenv("KOBLITZ_BITCOIND")
	if program == "" {
		t.Fatal("KOBLITZ_BITCOIND has to name a bitcoind; .ci/acceptance core builds one")
	}
	l := must(net.Listen("tcp", "127.0.0.1:0"))
	_, port, err := net.SplitHostPort(l.Addr().String())
	l.Close()
	noError(err)
	n := &bitcoind{t: t, dir: t.TempDir(), url: "http://127.0.0.1:" + port + "/"}
	noError(os.MkdirAll(n.blocks(), 0o700))
	noError(os.WriteFile(filepath.Join(n.blocks(), "xor.dat"), key[:], 0o600))
	n.cmd = exec.Command(program, "-regtest", "-datadir="+n.dir, "-rpcport="+port, "-listen=0",
		"-rest", "-txindex", "-fastprune", "-mocktime=1700000000", "-printtoconsole=0", "-dnsseed=0",
		"-acceptnonstdtxn=1")
	var out bytes.Buffer
	n.cmd.Stdout, n.cmd.Stderr = &out, &out
	noError(n.cmd.Start())
	t.Cleanup(n.stop)
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		cookie, err := os.ReadFile(filepath.Join(n.dir, "regtest", ".cookie"))
		if n.auth = string(cookie); err == nil {
			if _, err = n.try("getblockcount"); err == nil {
				return n
			}
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("no answer from bitcoind: %v\n%s", err, &out)
		}
	}
}

// stop shuts the node down, which makes it complete its files.
func (n *bitcoind) stop() {
	if n.cmd == nil {
		return
	}
	n.try("stop")
	if err := n.cmd.Wait(); err != nil {
		n.t.Error(err)
	}
	n.cmd = nil
}

// try calls an RPC method of the node and returns the result or the error.
func (n *bitcoind) try(method string, params ...any) (json.RawMessage, error) {
	if params == nil {
		params = []any{}
	}
	body := must(json.Marshal(map[string]any{"method": method, "params": params}))
	req := must(http.NewRequest(http.MethodPost, n.url, bytes.NewReader(body)))
	user, password, _ := strings.Cut(n.auth, ":")
	req.SetBasicAuth(user, password)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", method, resp.Status, err)
	}
	if answer.Error != nil {
		return nil, errors.New(answer.Error.Message)
	}
	return answer.Result, nil
}

// call calls an RPC method of the node and decodes the result. It fails the test if the node
// returns an error.
func (n *bitcoind) call(result any, method string, params ...any) {
	n.t.Helper()
	answer, err := n.try(method, params...)
	if err == nil && result != nil {
		err = json.Unmarshal(answer, result)
	}
	if err != nil {
		n.t.Fatalf("%s %.300v: %v", method, params, err)
	}
}

// rest returns the answer of the node's REST interface to a GET request for path.
func (n *bitcoind) rest(path string) []byte {
	n.t.Helper()
	resp := must(http.Get(n.url + "rest/" + path))
	defer resp.Body.Close()
	var b bytes.Buffer
	if _, err := b.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		n.t.Fatalf("%s: %s: %v, %.100s", path, resp.Status, err, b.Bytes())
	}
	return b.Bytes()
}

// descriptor returns the given output descriptor with its checksum and without its secret keys.
func (n *bitcoind) descriptor(text string) string {
	n.t.Helper()
	var d struct{ Descriptor string }
	n.call(&d, "getdescriptorinfo", text)
	return d.Descriptor
}

// payTo is the descriptor of an unspendable output, for coinbases.
const payTo = "raw(6a)"

// generate mines a block with the given transactions. Its coinbase pays to output, an output
// descriptor. generate submits the block if submit is true; otherwise it returns the block.
func (n *bitcoind) generate(submit bool, output string, txs ...string) (hash string, block []byte,
	err error) {
	if txs == nil {
		txs = []string{}
	}
	answer, err := n.try("generateblock", n.descriptor(output), txs, submit)
	if err != nil {
		return "", nil, err
	}
	var b struct{ Hash, Hex string }
	noError(json.Unmarshal(answer, &b))
	block, err = hex.DecodeString(b.Hex)
	return b.Hash, block, err
}

// mine mines a block with the given transactions and submits it. It fails the test if the node
// refuses the block.
func (n *bitcoind) mine(to string, txs ...string) (hash string) {
	n.t.Helper()
	hash, _, err := n.generate(true, to, txs...)
	noError(err)
	return hash
}

// wif returns test key i in wallet import format. compressed says whether the public key is
// compressed.
func wif(i int, compressed bool) string {
	b := key(i).Serialize()
	if compressed {
		b = append(b, 1)
	}
	return base58.CheckEncode(b, 0xef)
}

// txHex returns the serialized transaction tx in hex.
func txHex(tx *wire.MsgTx) string {
	var b bytes.Buffer
	noError(tx.Serialize(&b))
	return hex.EncodeToString(b.Bytes())
}
