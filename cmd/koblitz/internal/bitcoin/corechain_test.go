//go:build bitcoind

package bitcoin

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// A coreDescriptor is a descriptor with a secret key. script is its output script, or nil if the
// descriptor has an address.
type coreDescriptor struct {
	descriptor string
	script     []byte
}

// coreSigned lists descriptors with secret keys for which Bitcoin Core can sign, and the output
// script of each descriptor that has no address.
func coreSigned() (all []coreDescriptor) {
	a, b, c := wif(1, true), wif(2, true), wif(3, true)
	full := wif(1, false)
	// nums is the point H of BIP 341, whose discrete logarithm is unknown.
	const nums = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
	add := func(descriptor string, script []byte) {
		all = append(all, coreDescriptor{descriptor, script})
	}
	two := multisig(2, compressed(1), compressed(2), compressed(3))
	add("pk("+a+")", script(compressed(1), checkSig))
	add("pk("+full+")", script(uncompressed(1), checkSig))
	add("pk("+wif(2, false)+")", script(uncompressed(2), checkSig))
	add("pk("+wif(4, false)+")", script(uncompressed(4), checkSig))
	add("multi(1,"+a+")", multisig(1, compressed(1)))
	add("multi(1,"+full+","+b+")", multisig(1, uncompressed(1), compressed(2)))
	add("multi(2,"+a+","+b+","+c+")", two)
	for _, d := range []string{"pkh(A)", "pkh(F)", "wpkh(A)", "sh(wpkh(A))", "sh(pk(A))", "sh(pk(F))",
		"sh(pkh(A))",
		"wsh(pk(A))", "wsh(pkh(A))", "sh(wsh(pk(A)))", "sh(wsh(pkh(A)))", "sh(multi(2,A,B,C))",
		"sh(multi(2,F,B))",
		"wsh(multi(2,A,B,C))", "wsh(multi(1,A))", "sh(wsh(multi(2,A,B,C)))", "tr(A)", "rawtr(A)",
		"tr(H,pk(A))", "tr(H,{pk(A),pk(B)})", "tr(H,multi_a(2,A,B,C))", "tr(A,pk(B))",
		"wsh(and_v(v:pk(A),older(1)))", "wsh(or_d(pk(A),and_v(v:pkh(B),after(10))))",
		"wsh(thresh(2,pk(A),s:pk(B),s:pk(C)))", "tr(H,and_v(v:pk(A),after(10)))",
		"wsh(andor(pk(A),sha256(ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad)," +
			"pk(B)))"} {
		add(strings.NewReplacer("(A", "("+a, ",A", ","+a, "(B", "("+b, ",B", ","+b,
			"(C", "("+c, ",C", ","+c,
			"(F", "("+full, ",F", ","+full, "(H", "("+nums).Replace(d), nil)
	}
	return all
}

// coreHashTypes lists the signature hash types that Bitcoin Core can sign with.
var coreHashTypes = []string{"ALL", "NONE", "SINGLE", "ALL|ANYONECANPAY", "NONE|ANYONECANPAY",
	"SINGLE|ANYONECANPAY"}

// A coreSpend is a transaction with one input, which spends an output of a coreChain.
type coreSpend struct {
	name  string
	tx    *wire.MsgTx
	spent wireform.Output
}

// regtestRules returns the rules of a regtest block.
func regtestRules() bitcoin.Rules { return consensus.Regtest.RulesAt(200, chainhash.Hash{}) }

// A coreChain is a chain that a bitcoind produced.
type coreChain struct {
	node   *bitcoind
	spends []coreSpend // all spends, also invalid ones; only valid is in a block
	valid  []coreSpend
}

// newCoreChain makes a chain that funds every kind of script, and the transactions that spend these
// outputs. It does not put these transactions into a block.
func newCoreChain(t testing.TB) *coreChain {
	c := &coreChain{node: startBitcoind(t, [8]byte{0x6b, 0x6f, 0x62, 0x6c, 0x69, 0x74, 0x7a, 0xff})}
	n := c.node
	first := n.mine("wpkh(" + wif(9, true) + ")")
	for range 101 {
		n.mine(payTo)
	}
	var coinbase struct {
		Tx []struct{ TxID string }
	}
	n.call(&coinbase, "getblock", first, 2)

	// Below, Bitcoin Core signs the transaction that funds the outputs.
	ours := spends()
	core := coreSigned()
	fund := &wire.MsgTx{Version: 2}
	id := must(chainhash.NewHashFromStr(coinbase.Tx[0].TxID))
	fund.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: *id}})
	pay := func(script []byte) {
		fund.AddTxOut(wire.NewTxOut(int64(1e6+len(fund.TxOut)), script))
	}
	for _, sp := range ours {
		pay(sp.script)
	}
	for i := range core {
		if core[i].script == nil {
			core[i].script = n.script(core[i].descriptor)
		}
		for range coreHashTypes {
			pay(core[i].script)
		}
	}
	var signed struct {
		Hex      string
		Complete bool
	}
	n.call(&signed, "signrawtransactionwithkey", txHex(fund), []string{wif(9, true)})
	if !signed.Complete {
		t.Fatal("Core did not sign the funding transaction")
	}
	n.mine(payTo, signed.Hex)
	n.mine(payTo) // makes outputs with older(1) spendable
	fund = txOf(signed.Hex)

	outs := outputsOf(fund.TxOut)
	for i, sp := range ours {
		tx := &wire.MsgTx{Version: 2}
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: fund.TxHash(), Index: uint32(i)},
			Sequence: 0xfffffffe})
		tx.AddTxOut(wire.NewTxOut(1e5, pkh(compressed(1))))
		s := &signer{tx: tx, out: fund.TxOut[i : i+1]}
		tx.TxIn[0].SignatureScript, tx.TxIn[0].Witness = sp.sign(s)
		c.spends = append(c.spends, coreSpend{"ours: " + sp.name, tx, outs[i]})
	}
	for _, d := range core {
		for _, hashType := range coreHashTypes {
			at := len(c.spends)
			tx := n.sign(d.descriptor, hashType, wire.OutPoint{Hash: fund.TxHash(), Index: uint32(at)})
			c.spends = append(c.spends, coreSpend{d.descriptor + ", " + hashType, tx, outs[at]})
		}
	}
	for _, s := range c.spends {
		if _, _, err := n.generate(false, payTo, txHex(s.tx)); err == nil {
			c.valid = append(c.valid, s)
		}
	}
	return c
}

// script returns the output script of the given descriptor, which must have an address.
func (n *bitcoind) script(descriptor string) []byte {
	n.t.Helper()
	var addresses []string
	n.call(&addresses, "deriveaddresses", n.descriptor(descriptor))
	var info struct{ ScriptPubKey string }
	n.call(&info, "validateaddress", addresses[0])
	return fromHex(info.ScriptPubKey)
}

// sign returns a transaction that spends coin, an output of the given descriptor. Core signs it.
func (n *bitcoind) sign(descriptor, hashType string, coin wire.OutPoint) *wire.MsgTx {
	n.t.Helper()
	if strings.HasPrefix(descriptor, "tr(") && hashType == "ALL" {
		hashType = "DEFAULT"
	}
	sequence, lock := uint32(0xfffffffe), 0
	switch {
	case strings.Contains(descriptor, "older"):
		sequence = 1
	case strings.Contains(descriptor, "after"):
		lock = 10
	}
	var psbt string
	n.call(&psbt, "createpsbt", []any{map[string]any{"txid": coin.Hash.String(), "vout": coin.Index,
		"sequence": sequence}}, []any{map[string]any{"data": "6b6f626c69747a"}}, lock)
	var signed struct {
		Complete bool
		Hex      string
	}
	n.call(&signed, "descriptorprocesspsbt", psbt, []string{descriptor}, hashType)
	if !signed.Complete {
		n.t.Fatalf("Core did not sign %s, %s", descriptor, hashType)
	}
	return txOf(signed.Hex)
}

// ourVerdict returns our verdict on the only input of tx, as part of a regtest block. The verdict
// of the library must be the same.
func (s *coreSpend) ourVerdict(t testing.TB, tx *wire.MsgTx) (v reading.Verdict, why string) {
	rules := regtestRules()
	u := unitOf(tx, []wireform.Output{s.spent}, 0, rules)
	v = judge(&u)
	libraryAgrees(t, tx, []wireform.Output{s.spent}, 0, rules, takes(v))
	return v, u.Kind + ": " + u.Reason
}

// TestCoreInputs checks that our verdict on each input matches Bitcoin Core's, both with the input
// as signed and with changed bytes.
func TestCoreInputs(t *testing.T) {
	c := newCoreChain(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	flips := 12
	if os.Getenv("KOBLITZ_DEEP") == "every" { // takes hours
		flips = 60
	}
	compared, refused := 0, 0
	compare := func(s *coreSpend, tx *wire.MsgTx, what string) {
		_, _, err := c.node.generate(false, payTo, txHex(tx))
		if err != nil && !strings.Contains(err.Error(), "script-verify-flag-failed") {
			return // Core refuses the block for other reasons than a script
		}
		compared++
		if err != nil {
			refused++
		}
		if v, why := s.ourVerdict(t, tx); takes(v) != (err == nil) {
			t.Errorf("%s%s: %v (%s); Core: %v\n%s", s.name, what, v, why, err, txHex(tx))
		}
	}
	for i := range c.spends {
		s := &c.spends[i]
		compare(s, s.tx, "")
		for range flips {
			tx := s.tx.Copy()
			in := tx.TxIn[0]
			parts := append([][]byte{in.SignatureScript, tx.TxOut[0].PkScript}, in.Witness...)
			parts = slices.DeleteFunc(parts, func(p []byte) bool { return len(p) == 0 })
			part := parts[rnd.IntN(len(parts))]
			k, bit := rnd.IntN(len(part)), byte(1)<<rnd.IntN(8)
			part[k] ^= bit
			compare(s, tx, fmt.Sprintf(", byte %d of %x", k, part))
		}
	}
	if len(c.valid) < 250 || refused < compared/4 {
		t.Errorf("%d spends, of which Core takes %d; %d verdicts compared, %d of them refusals",
			len(c.spends), len(c.valid), compared, refused)
	}
}

// TestCoreFiles checks that a node's blocks, including stale ones, give the right verdicts in every
// form in which the node provides them. If KOBLITZ_CORE_FILES is set, the test copies the node's
// files to that folder.
func TestCoreFiles(t *testing.T) {
	c := newCoreChain(t)
	n := c.node
	var txs []string
	for _, s := range c.valid {
		txs = append(txs, txHex(s.tx))
	}
	// Make two stale blocks. The first one is connected and then loses to a block whose undo record
	// has the same numbers of inputs. The second one loses on arrival.
	var few, most []string
	for i, tx := range txs {
		if i%15 == 0 {
			few = append(few, tx)
		} else {
			most = append(most, tx)
		}
	}
	slices.Reverse(few)
	lost := n.mine("raw(51)", few...)
	slices.Reverse(few)
	n.call(nil, "invalidateblock", lost)
	_, late, err := n.generate(false, payTo, most[:5]...)
	noError(err)
	all := []string{n.mine(payTo, few...), n.mine(payTo, most...)}
	n.call(nil, "reconsiderblock", lost)
	n.call(nil, "submitblock", hex.EncodeToString(late))
	all = append(all, n.mine(payTo))

	want := counts{}
	for i := range c.valid {
		u := unitOf(c.valid[i].tx, []wireform.Output{c.valid[i].spent}, 0, regtestRules())
		v := judge(&u)
		want[v] += max(1, len(u.Signatures))
	}
	var answers [][]byte
	var sum, alone tally
	for _, hash := range all {
		var answer json.RawMessage
		n.call(&answer, "getblock", hash, 3)
		answers = append(answers, answer)
		var block struct{ Tx []struct{ TxID string } }
		noError(json.Unmarshal(answer, &block))
		for _, tx := range block.Tx {
			var one json.RawMessage
			n.call(&one, "getrawtransaction", tx.TxID, 2, hash)
			if f, ok := Detect(one[:min(len(one), detectSize)]); !ok || f != FormatTransactions {
				t.Errorf("it is taken for %v: %.200s", f, one)
			}
			alone.add(run(nodejson.Transactions(source("getrawtransaction", one), onRegtest)))
		}
		sum.add(run(nodejson.Blocks(source("getblock", answer), onRegtest, nil)))
	}
	if sum.verdicts != want || sum.err != nil || hasBad(&sum) {
		t.Errorf("getblock 3: verdicts %v, want %v; %v; %+v", sum.verdicts, want, sum.err, sum.bad)
	}
	if want[reading.PassedOver] = len(all); alone.verdicts != want || alone.err != nil {
		t.Errorf("getrawtransaction 2: verdicts %v, want %v; %v", alone.verdicts, want, alone.err)
	}
	want[reading.PassedOver] = 0
	height := int32(0)
	n.call(&height, "getblockcount")
	raws, files := map[string][]byte{}, map[string][]byte{}
	for _, hash := range all {
		raws[hash] = n.rest("block/" + hash + ".bin")
		files[hash] = n.rest("spenttxouts/" + hash + ".bin")
	}
	n.stop()

	dir := t.TempDir()
	copyTrimmed(t, n.blocks(), dir)
	whole := runFolder(t, dir, WholeRange())
	want[reading.Valid]++ // the transaction that funds the outputs
	if want[reading.PassedOver] = 2; whole.err != nil || whole.verdicts != want {
		t.Errorf("the folder: verdicts %v, want %v; %v; %+v", whole.verdicts, want, whole.err, whole.bad)
	}
	for _, dir := range []string{dir, n.blocks()} { // the second has Core's padding
		c := bestChain(t, dir)
		for i, hash := range all {
			raw, outs := blockAt(t, c, height-int32(len(all)-1-i))
			_, fromJSON, err := outputsInJSON(answers[i])
			noError(err)
			for _, o := range [][]wireform.Output{outs, fromJSON} {
				if !bytes.Equal(bitcointest.SpentFile(blockIn(t, raw), txOuts(o)), files[hash]) {
					t.Errorf("block %s: the outputs that it spends differ", hash)
				}
			}
			if !bytes.Equal(raw, raws[hash]) {
				t.Errorf("block %s is not what REST gives", hash)
			}
			spent := readSpent(files[hash])
			got := run(RawBlock(source("block", raws[hash]), false, spent, onRegtest))
			if got.err != nil || hasBad(&got) {
				t.Errorf("REST: %v, %+v", got.err, got.bad)
			}
		}
	}
	noError(os.WriteFile(filepath.Join(dir, "getblock.json"), answers[0], 0o600))
	to := os.Getenv("KOBLITZ_CORE_FILES")
	if to == "" {
		for _, e := range must(os.ReadDir(dir)) {
			got := must(os.ReadFile(filepath.Join(dir, e.Name())))
			if !bytes.Equal(got, must(os.ReadFile(filepath.Join(coreFiles, e.Name())))) {
				t.Errorf("%s is not as Core makes it", e.Name())
			}
		}
		return
	}
	copyTrimmed(t, dir, to)
	noError(os.WriteFile(filepath.Join(to, "getblock.json"), answers[0], 0o644))
}

func hasBad(t *tally) bool {
	return slices.ContainsFunc(t.bad, func(u reading.Unit) bool { return !takes(u.Decided) })
}

// copyTrimmed copies the files of the folder src to the folder dst. It shortens the zeros that Core
// preallocates at the end of a file to a few bytes.
func copyTrimmed(t testing.TB, src, dst string) {
	names, err := filepath.Glob(filepath.Join(src, "*.dat"))
	if err != nil || len(names) < 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		b := must(os.ReadFile(name))
		if rest := bytes.TrimRight(b, "\x00"); len(b)-len(rest) > 100 {
			b = b[:len(rest)+100]
		}
		noError(os.WriteFile(filepath.Join(dst, filepath.Base(name)), b, 0o644))
	}
}
