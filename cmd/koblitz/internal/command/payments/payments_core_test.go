//go:build bitcoind

package payments

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2/base58"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/schnorr"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A minerNode is a Bitcoin Core node on regtest with a chain of its own.
type minerNode struct {
	t       testing.TB
	address string
	dir     string // the node's data directory
}

func (n *minerNode) cookie() string { return filepath.Join(n.dir, "regtest", ".cookie") }

// call calls an RPC method and decodes the result.
func (n *minerNode) call(result any, method string, params ...any) error {
	if params == nil {
		params = []any{}
	}
	body := clitest.Must(json.Marshal(map[string]any{"method": method, "params": params}))
	req := clitest.Must(http.NewRequest(http.MethodPost, n.address, bytes.NewReader(body)))
	user, password, _ := strings.Cut(readFile(n.t, n.cookie()), ":")
	req.SetBasicAuth(user, password)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	var answer struct {
		Result json.RawMessage
		Error  *struct{ Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return errors.New(answer.Error.Message)
	}
	return json.Unmarshal(answer.Result, result)
}

// want does the work of call and fails the test if there is an error.
func (n *minerNode) want(result any, method string, params ...any) {
	n.t.Helper()
	if err := n.call(result, method, params...); err != nil {
		n.t.Fatalf("%s %.300v: %v", method, params, err)
	}
}

// mine mines a block with the given transactions. Its coinbase pays to a descriptor.
func (n *minerNode) mine(to string, txs ...*wire.MsgTx) (hash string) {
	n.t.Helper()
	all := []string{}
	for _, tx := range txs {
		all = append(all, serializedHex(tx))
	}
	var b struct{ Hash string }
	n.want(&b, "generateblock", n.public(to), all)
	return b.Hash
}

// public returns a descriptor with a checksum and without secret keys.
func (n *minerNode) public(descriptor string) string {
	n.t.Helper()
	var d struct{ Descriptor string }
	n.want(&d, "getdescriptorinfo", descriptor)
	return d.Descriptor
}

// script returns the output script of a descriptor.
func (n *minerNode) script(descriptor string) []byte {
	n.t.Helper()
	var addresses []string
	n.want(&addresses, "deriveaddresses", n.public(descriptor))
	var info struct{ ScriptPubKey string }
	n.want(&info, "validateaddress", addresses[0])
	return clitest.Must(hex.DecodeString(info.ScriptPubKey))
}

// sign lets the node sign all inputs of tx, which spend outputs of the descriptors.
func (n *minerNode) sign(tx *wire.MsgTx, descriptors ...string) *wire.MsgTx {
	n.t.Helper()
	var psbt string
	n.want(&psbt, "converttopsbt", serializedHex(tx))
	var signed struct {
		Complete bool
		Hex      string
	}
	n.want(&signed, "descriptorprocesspsbt", psbt, descriptors)
	if !signed.Complete {
		n.t.Fatalf("Core did not sign inputs of %v", descriptors)
	}
	out := new(wire.MsgTx)
	clitest.Must(0, out.Deserialize(hex.NewDecoder(strings.NewReader(signed.Hex))))
	return out
}

func serializedHex(tx *wire.MsgTx) string {
	var b bytes.Buffer
	if err := tx.Serialize(&b); err != nil {
		panic(err)
	}
	return hex.EncodeToString(b.Bytes())
}

// wif returns private key number n in wallet import format.
func wif(n byte) string {
	return base58.CheckEncode(append(paymentSecret(n).Bytes(), 1), 0xef)
}

// A coreInput is a kind of input that Core can sign.
type coreInput struct {
	descriptor string
	key        *koblitz.PrivateKey // the private key of its public key, or nil if it is not eligible
	taproot    bool
}

func coreInputs() []coreInput {
	const h = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
	leaf := txscript.NewBaseTapLeaf(append(append([]byte{txscript.OP_DATA_32},
		paymentSecret(8).XOnlyPublicKey().Bytes()...), txscript.OP_CHECKSIG)).TapHash()
	return []coreInput{
		{"pkh(" + wif(1) + ")", paymentSecret(1), false},
		{"wpkh(" + wif(2) + ")", paymentSecret(2), false},
		{"sh(wpkh(" + wif(3) + "))", paymentSecret(3), false},
		{"tr(" + wif(4) + ")", clitest.Must(paymentSecret(4).TaprootTweak(nil)), true},
		{"rawtr(" + wif(5) + ")", paymentSecret(5), true},
		{fmt.Sprintf("tr(%x,pk(%s))", paymentSecret(7).PublicKey().Bytes()[1:], wif(8)),
			clitest.Must(paymentSecret(7).TaprootTweak(leaf[:])), true},
		{"tr(" + h + ",pk(" + wif(8) + "))", nil, true},
		{"wsh(pk(" + wif(9) + "))", nil, false},
	}
}

// TestCorePayments makes a chain with a Bitcoin Core node, with silent payments from each kind of
// input. It finds them in the node's folder and through the node, and lets the node verify a
// transaction that spends them.
func TestCorePayments(t *testing.T) {
	n := startMiner(t)
	const miner = 0x21
	first := n.mine("wpkh(" + wif(miner) + ")")
	for range 101 {
		n.mine("raw(6a)")
	}
	inputs := coreInputs()
	var coinbase struct{ Tx []struct{ TxID string } }
	n.want(&coinbase, "getblock", first, 2)
	fund := wire.NewMsgTx(2)
	fund.AddTxIn(wire.NewTxIn(wire.NewOutPoint(clitest.Must(chainhash.NewHashFromStr(
		coinbase.Tx[0].TxID)), 0), nil, nil))
	const rounds = 2
	for range rounds {
		for _, in := range inputs {
			fund.AddTxOut(wire.NewTxOut(1e6, n.script(in.descriptor)))
		}
	}
	fund = n.sign(fund, "wpkh("+wif(miner)+")")
	n.mine("raw(6a)", fund)

	// pay returns a signed transaction with inputs of the given kinds.
	next := 0
	pay := func(kinds []int, to ...*silentpay.Address) *wire.MsgTx {
		t.Helper()
		tx := wire.NewMsgTx(2)
		var keys []silentpay.Input
		var outpoints []silentpay.Outpoint
		var descriptors []string
		for _, k := range kinds {
			at := wire.OutPoint{Hash: fund.TxHash(), Index: uint32(next*len(inputs) + k)}
			tx.AddTxIn(wire.NewTxIn(&at, nil, nil))
			if inputs[k].key != nil {
				keys = append(keys, silentpay.Input{Key: inputs[k].key, Taproot: inputs[k].taproot})
			}
			outpoints = append(outpoints, silentpay.Outpoint(binary.LittleEndian.AppendUint32(at.Hash[:],
				at.Index)))
			descriptors = append(descriptors, inputs[k].descriptor)
		}
		if keys == nil { // a receiver does not find such a payment
			keys = []silentpay.Input{{Key: paymentSecret(8), Taproot: true}}
		}
		for i, key := range clitest.Must(silentpay.Outputs(keys, outpoints, to)) {
			tx.AddTxOut(wire.NewTxOut(int64(1e5+i), taprootScript(key)))
		}
		return n.sign(tx, descriptors...)
	}
	wallet := walletReceiver(walletScan, walletSpend)
	plain := clitest.Must(wallet.Address(silentpay.Regtest))
	seven := clitest.Must(wallet.LabeledAddress(silentpay.Regtest, 7))
	change := clitest.Must(wallet.ChangeAddress(silentpay.Regtest))
	stranger := clitest.Must(walletReceiver(otherScan, otherSpend).Address(silentpay.Regtest))

	var all []*wire.MsgTx
	want := map[string]bool{} // TXID:VOUT LABEL
	paid := func(tx *wire.MsgTx, labels ...string) {
		for i, m := range labels {
			if m != "-" {
				want[fmt.Sprintf("%v:%d %s", tx.TxHash(), i, m)] = true
			}
		}
	}
	eligible := 0
	for k, in := range inputs {
		tx := pay([]int{k}, plain)
		if all = append(all, tx); in.key != nil {
			eligible++
			paid(tx, "none")
		}
	}
	next = 1
	tx := pay([]int{7, 6, 5, 4, 3, 2, 1, 0}, seven, stranger, plain, change, plain)
	paid(tx, "7", "-", "none", "0", "none")
	n.mine("raw(6a)", append(all, tx)...)
	eligible++

	keys, temp := walletFile(t), t.TempDir()
	file := filepath.Join(temp, "tweaks")
	blocks := filepath.Join(n.dir, "regtest")
	node := []string{"--node", n.address, "--rpc-auth", n.cookie()}
	scan := func(args ...string) []foundRow {
		t.Helper()
		rows := scanRows(t, append([]string{"--keys", keys}, args...)...)
		got := map[string]bool{}
		for _, r := range rows {
			label := "none"
			if r.Label != nil {
				label = fmt.Sprint(*r.Label)
			}
			got[fmt.Sprintf("%s:%d %s", r.TxID, r.Vout, label)] = true
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || len(rows) != len(want) {
			t.Errorf("%v: payments %v\nwant %v", args, got, want)
		}
		return rows
	}
	// The transaction that funds the inputs has taproot outputs, and an eligible input.
	expect(t, cli.ExitOK, []string{fmt.Sprintf("blocks 0 to 104: %d tweaks", eligible+1)}, "",
		"tweaks", blocks, "-o", file)
	rows := scan(file, blocks)
	other := filepath.Join(temp, "other")
	expect(t, cli.ExitOK, nil, "", append([]string{"tweaks", "-o", other}, node...)...)
	if readFile(t, other)[48:] != readFile(t, file)[48:] {
		t.Error("the node gives other tweaks than the folder")
	}
	scan(append([]string{file}, node...)...)
	n.mine("raw(6a)", spendAll(t, rows))
}

// spendAll returns a transaction that spends the payments in rows.
func spendAll(t testing.TB, rows []foundRow) *wire.MsgTx {
	spend := clitest.Must(silentpay.NewSpendKey(paymentSecret(walletSpend)))
	tx := wire.NewMsgTx(2)
	outs := txscript.NewMultiPrevOutFetcher(nil)
	for _, r := range rows {
		at := wire.NewOutPoint(clitest.Must(chainhash.NewHashFromStr(r.TxID)), r.Vout)
		tx.AddTxIn(wire.NewTxIn(at, nil, nil))
		outs.AddPrevOut(*at, wire.NewTxOut(r.Value, taprootScript([32]byte(clitest.Must(hex.DecodeString(
			r.Key))))))
	}
	tx.AddTxOut(wire.NewTxOut(1e4, taprootScript([32]byte(paymentSecret(1).XOnlyPublicKey().Bytes()))))
	sums := txscript.NewTxSigHashes(tx, outs)
	for i, r := range rows {
		tweak := clitest.Must(silentpay.ParsePrivateTweak(clitest.Must(hex.DecodeString(r.Tweak))))
		digest := clitest.Must(txscript.CalcTaprootSignatureHash(sums, txscript.SigHashDefault, tx, i,
			outs))
		sig := clitest.Must(schnorr.Sign(clitest.Must(spend.Tweak(tweak)), digest, nil))
		tx.TxIn[i].Witness = wire.TxWitness{sig}
	}
	if len(rows) < 10 {
		t.Errorf("%d payments to spend", len(rows))
	}
	return tx
}

// startMiner starts a node with an empty chain.
func startMiner(t *testing.T) *minerNode {
	dir := t.TempDir()
	clitest.Must(0, os.MkdirAll(filepath.Join(dir, "regtest", "blocks"), 0o700))
	return &minerNode{t, commandtest.StartCore(t, dir, 0), dir}
}
