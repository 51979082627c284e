package check

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/chaincfg/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// A regtest is a chain of three blocks on regtest: the genesis block, a block whose coinbase pays
// to three keys with different script types, and a block with a transaction that spends these
// outputs. The chain is built without the code under test, so that a mistake there cannot be
// repeated here.
type regtest struct {
	genesis, funding, spending *wire.MsgBlock
	height                     int32 // height of the block spending
}

func regtestKey(n byte) *btcec.PrivateKey {
	k, _ := btcec.PrivKeyFromBytes(bytes.Repeat([]byte{n}, 32))
	return k
}

// newRegtest returns the chain. The function damage, if not nil, changes the transaction after it
// has been signed and before the block commits to it.
func newRegtest(damage func(tx *wire.MsgTx)) *regtest {
	r := &regtest{genesis: chaincfg.RegressionNetParams.GenesisBlock, height: 2}
	hash := func(n byte) []byte {
		return address.Hash160(
			regtestKey(n).PubKey().SerializeCompressed())
	}
	build := func(b *txscript.ScriptBuilder) []byte { return clitest.Must(b.Script()) }
	witness := build(txscript.NewScriptBuilder().AddOp(txscript.OP_0).AddData(hash(1)))
	plain := build(txscript.NewScriptBuilder().AddOp(txscript.OP_DUP).AddOp(
		txscript.OP_HASH160).AddData(hash(2)).AddOp(txscript.OP_EQUALVERIFY).AddOp(txscript.OP_CHECKSIG))
	taproot := build(txscript.NewScriptBuilder().AddOp(txscript.OP_1).AddData(schnorr.SerializePubKey(
		regtestKey(3).PubKey())))

	from := commandtest.CoinbaseTx(1, wire.NewTxOut(20e8, witness), wire.NewTxOut(20e8, plain),
		wire.NewTxOut(10e8, taproot))
	r.funding = commandtest.Mine(r.genesis.BlockHash(), commandtest.RegtestTime, from)

	tx := wire.NewMsgTx(2)
	outs := txscript.NewMultiPrevOutFetcher(nil)
	for i, out := range from.TxOut {
		p := wire.OutPoint{Hash: from.TxHash(), Index: uint32(i)}
		tx.AddTxIn(wire.NewTxIn(&p, nil, nil))
		outs.AddPrevOut(p, out)
	}
	tx.AddTxOut(wire.NewTxOut(49e8, plain))
	sums := txscript.NewTxSigHashes(tx, outs)
	tx.TxIn[0].Witness = clitest.Must(txscript.WitnessSignature(tx, sums, 0, 20e8, witness,
		txscript.SigHashAll, regtestKey(1), true))
	tx.TxIn[1].SignatureScript = clitest.Must(txscript.SignatureScript(tx, 1, plain,
		txscript.SigHashAll, regtestKey(2), true))
	d := clitest.Must(txscript.CalcTaprootSignatureHash(sums, txscript.SigHashDefault, tx, 2, outs))
	tx.TxIn[2].Witness = wire.TxWitness{clitest.Must(schnorr.Sign(regtestKey(3), d)).Serialize()}
	if damage != nil {
		damage(tx)
	}
	r.spending = commandtest.Mine(r.funding.BlockHash(), commandtest.RegtestTime+1,
		commandtest.CoinbaseTx(r.height, wire.NewTxOut(50e8, plain)), tx)
	return r
}

// blk returns the chain in the format of blk00000.dat.
func (r *regtest) blk(magic [4]byte) []byte {
	var file []byte
	for _, b := range []*wire.MsgBlock{r.genesis, r.funding, r.spending} {
		raw := commandtest.Serialize(b)
		file = append(file, magic[:]...)
		file = binary.LittleEndian.AppendUint32(file, uint32(len(raw)))
		file = append(file, raw...)
	}
	return file
}

// rev returns the undo records of the chain in the format of rev00000.dat.
func (r *regtest) rev() []byte {
	from := r.funding.Transactions[0].TxOut
	var file []byte
	for _, b := range []*wire.MsgBlock{r.funding, r.spending} {
		var undo bytes.Buffer
		wire.WriteVarInt(&undo, 0, uint64(len(b.Transactions)-1))
		for _, tx := range b.Transactions[1:] {
			wire.WriteVarInt(&undo, 0, uint64(len(tx.TxIn)))
			for _, in := range tx.TxIn {
				undo.Write(bitcointest.Coin(from[in.PreviousOutPoint.Index], 1, true))
			}
		}
		file = append(file, commandtest.RegtestMagic[:]...)
		file = binary.LittleEndian.AppendUint32(file, uint32(undo.Len()))
		file = append(file, undo.Bytes()...)
		file = append(file, chainhash.DoubleHashB(append(b.Header.PrevBlock[:], undo.Bytes()...))...)
	}
	return file
}

// node writes the chain as a node's folder and returns the folder's path.
func (r *regtest) node(t testing.TB) string {
	return r.nodeOf(t, r.blk(commandtest.RegtestMagic))
}

// nodeOf writes a node's folder with the file blk00000.dat and the undo records of the chain.
func (r *regtest) nodeOf(t testing.TB, blk []byte) string {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "blk00000.dat"), blk)
	write(t, filepath.Join(dir, "rev00000.dat"), r.rev())
	return dir
}

// spent returns the file with the outputs that the last block spends.
func (r *regtest) spent() []byte {
	return bitcointest.SpentFile(r.spending, r.funding.Transactions[0].TxOut)
}

// getblock returns the last block in the form in which Bitcoin Core's getblock prints it with
// verbosity 3.
func (r *regtest) getblock() string {
	b := r.spending
	h := &b.Header
	btc := func(v int64) string { return fmt.Sprintf("%d.%08d", v/1e8, v%1e8) }
	script := func(s []byte) string {
		text := fmt.Sprintf(`"asm": "…", "desc": "raw(%x)", "hex": "%x"`, s, s)
		if a := regtestAddress(s); a != "" {
			text += fmt.Sprintf(`, "address": "%s"`, a)
		}
		return text + `, "type": "…"`
	}
	size, stripped := b.SerializeSize(), b.SerializeSizeStripped()
	var s strings.Builder
	fmt.Fprintf(&s, "{\"hash\": \"%v\", \"confirmations\": 1234, \"height\": %d, \"version\": %d, "+
		"\"versionHex\": \"%08x\", \"merkleroot\": \"%v\",\n", b.BlockHash(), r.height, h.Version,
		uint32(h.Version), h.MerkleRoot)
	fmt.Fprintf(&s, "\"time\": %d, \"mediantime\": %d, \"nonce\": %d, \"bits\": \"%08x\", "+
		"\"difficulty\": 4.656542373906925e-10, \"nTx\": %d,\n", h.Timestamp.Unix(), h.Timestamp.Unix(),
		h.Nonce, h.Bits, len(b.Transactions))
	fmt.Fprintf(&s, "\"previousblockhash\": \"%v\", \"strippedsize\": %d, \"size\": %d, "+
		"\"weight\": %d,\n\"tx\": [\n", h.PrevBlock, stripped, size, 3*stripped+size)
	for i, tx := range b.Transactions {
		weight := 3*tx.SerializeSizeStripped() + tx.SerializeSize()
		fmt.Fprintf(&s, "{\"txid\": \"%v\", \"hash\": \"%v\", \"version\": %d, \"size\": %d, "+
			"\"vsize\": %d, \"weight\": %d, \"locktime\": %d,\n\"vin\": [",
			tx.TxHash(), tx.WitnessHash(), tx.Version, tx.SerializeSize(), (weight+3)/4, weight, tx.LockTime)
		var sum int64
		for k, in := range tx.TxIn {
			if k > 0 {
				s.WriteString(",\n")
			}
			if i == 0 {
				fmt.Fprintf(&s, "{\"coinbase\": \"%x\", ", in.SignatureScript)
			} else {
				fmt.Fprintf(&s, "{\"txid\": \"%v\", \"vout\": %d, \"scriptSig\": {\"asm\": \"…\", \"hex\": "+
					"\"%x\"}, ", in.PreviousOutPoint.Hash, in.PreviousOutPoint.Index, in.SignatureScript)
			}
			if len(in.Witness) > 0 {
				var items []string
				for _, w := range in.Witness {
					items = append(items, `"`+hex.EncodeToString(w)+`"`)
				}
				fmt.Fprintf(&s, "\"txinwitness\": [%s], ", strings.Join(items, ", "))
			}
			if i > 0 {
				out := r.funding.Transactions[0].TxOut[k]
				sum += out.Value
				fmt.Fprintf(&s, "\"prevout\": {\"generated\": true, \"height\": 1, \"value\": %s, "+
					"\"scriptPubKey\": {%s}}, ", btc(out.Value), script(out.PkScript))
			}
			fmt.Fprintf(&s, "\"sequence\": %d}", in.Sequence)
		}
		s.WriteString("],\n\"vout\": [")
		for n, out := range tx.TxOut {
			if n > 0 {
				s.WriteString(",\n")
			}
			sum -= out.Value
			fmt.Fprintf(&s, "{\"value\": %s, \"n\": %d, \"scriptPubKey\": {%s}}", btc(out.Value), n,
				script(out.PkScript))
		}
		s.WriteString("],\n")
		if i > 0 {
			fmt.Fprintf(&s, "\"fee\": %s, ", btc(sum))
		}
		var raw bytes.Buffer
		tx.Serialize(&raw)
		fmt.Fprintf(&s, "\"hex\": \"%x\"}%s\n", raw.Bytes(), map[bool]string{true: ",",
			false: ""}[i+1 < len(b.Transactions)])
	}
	s.WriteString("]}\n")
	return s.String()
}

// regtestAddress returns the regtest address that pays to a script, or "" if there is none.
func regtestAddress(script []byte) string {
	class, addrs, _, err := txscript.ExtractPkScriptAddrs(script, &chaincfg.RegressionNetParams)
	if err != nil || len(addrs) != 1 || class == txscript.PubKeyTy {
		return ""
	}
	return addrs[0].EncodeAddress()
}

func TestRegtest(t *testing.T) {
	r := newRegtest(nil)
	block := write(t, "block", commandtest.Serialize(r.spending))
	spent := write(t, "spent", r.spent())
	for name, args := range map[string][]string{
		"block":    {"--network", "regtest", "--spent", spent, block},
		"getblock": {"--network", "regtest", write(t, "json", []byte(r.getblock()))},
		"folder":   {r.node(t)},
	} {
		got := checkJSON(t, "", args...)
		if got.Rows != 3 || got.Valid != 3 || got.Exit != cli.ExitOK {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// sampleAsGetBlock returns the sample block in the form in which Bitcoin Core's "getblock HASH 3"
// prints it, with only the fields that the reader uses.
func sampleAsGetBlock(t testing.TB) []byte {
	t.Helper()
	var block wire.MsgBlock
	if err := block.Deserialize(bytes.NewReader(bitcointest.Unpack(t, sample.Block))); err != nil {
		t.Fatal(err)
	}
	spent := bitcointest.SpentOutputs(t, bitcointest.Unpack(t, sample.Spent))
	return commandtest.GetBlock(t, &block, 277647, spent)
}

// TestTransactionsJSON checks that the command check finds all signatures of the sample block valid
// if its transactions are in the form in which getrawtransaction prints them.
func TestTransactionsJSON(t *testing.T) {
	var block struct{ Tx []json.RawMessage }
	if err := json.Unmarshal(sampleAsGetBlock(t), &block); err != nil {
		t.Fatal(err)
	}
	text := string(bytes.Join(raw(block.Tx), []byte("\n")))
	for _, args := range [][]string{{}, {"--format", "bitcoin"}, {"--format", "bitcoin-tx"}} {
		r := checkJSON(t, text, append(args, "-")...)
		if r.numbers() != [9]int64{732, 732, 6: 1} || r.Exit != cli.ExitOK ||
			r.Formats[0] != "bitcoin-tx" {
			t.Errorf("%v: %+v", args, r)
		}
	}
	expect(t, cli.ExitUnreadable, []string{"is another chain's"}, text, "check", "--network",
		"sepolia", "-")
}

// TestNetworkNumbers checks that no number is taken for a network of Bitcoin, nor any text but its
// name.
func TestNetworkNumbers(t *testing.T) {
	file := write(t, "block.json", sampleAsGetBlock(t))
	for status, names := range map[int][]string{
		cli.ExitOK: {"mainnet"},
		cli.ExitUsage: {"", " ", "mainnet ", "Mainnet", "-1", "0", "1.0", "+1", "1e0", "0x1", "1_0",
			"none", "no network", "18446744073709551616", "-9223372036854775808", "-2147483648"},
		cli.ExitUnreadable: {"1", "01", "5", "255", "256", "2147483648", "18446744073709551615",
			"sepolia", "regtest"},
	} {
		for _, name := range names {
			got, stdout, stderr := invoke(t, "", "check", "--network="+name, file)
			if got != status || status == cli.ExitUsage && stdout != "" {
				t.Errorf("--network=%q: status %d, want %d\n%s%s", name, got, status, stdout, stderr)
			}
		}
	}
}

// raw converts the values to byte slices.
func raw(values []json.RawMessage) (texts [][]byte) {
	for _, v := range values {
		texts = append(texts, v)
	}
	return texts
}

func TestGetBlockJSON(t *testing.T) {
	text := sampleAsGetBlock(t)
	file := write(t, "block.json", text)
	for _, args := range [][]string{{file}, {"--format", "bitcoin", file}, {"--format", "bitcoin-json",
		file}, {write(t, "block.json.gz", commandtest.Gzipped(t, text))}} {
		if r := checkJSON(t, "", args...); r.numbers() != [9]int64{732, 732} || r.Exit != cli.ExitOK ||
			r.Formats[0] != "bitcoin-json" {
			t.Errorf("%v: %+v", args, r)
		}
	}

	// The text is cut in the middle. The complete transactions must be checked, and the error must
	// state the position.
	cut := write(t, "cut.json", text[:len(text)/2])
	stdout, stderr := expect(t, cli.ExitUnreadable,
		[]string{"cut.json:2: the file ends in the middle " + "of a block"}, "", "check", cut)
	if r := checkJSON(t, "", cut); r.Valid < 100 || r.Valid != r.Rows || len(r.Unreadable) != 1 {
		t.Errorf("%+v\n%s%s", r, stdout, stderr)
	}

	// In this copy of the text, one digit of a signature is changed.
	s := string(text)
	at := strings.Index(s, `"scriptSig":{"hex":"48304`)
	if at < 0 {
		t.Fatal("no signature found")
	}
	at += 60
	digit := byte('5')
	if s[at] == digit {
		digit = '7'
	}
	r := checkJSON(t, s[:at]+string(digit)+s[at+1:], "-")
	if len(r.Failures) != 3 || r.Failures[0].Kind != "transaction" || r.Failures[2].Kind != "block" {
		t.Fatalf("%+v", r)
	}
	last := r.Failures[1]
	if r.Valid != 731 || r.Exit != cli.ExitInvalid || len(last.Tx) != 64 || last.Input == nil ||
		*last.Block != 277647 || last.Line != 2 {
		t.Errorf("%+v", r)
	}
}
