package bitcoin

import (
	"bytes"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/btcec/v2/schnorr"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// TestEngineOutpointTwice checks that the engine verifies a script path's signatures against the
// output that the file gives for their input, even if another input has the same outpoint.
func TestEngineOutpointTwice(t *testing.T) {
	key, _ := btcec.PrivKeyFromBytes([]byte{5})
	x := schnorr.SerializePubKey(key.PubKey())
	push := append([]byte{txscript.OP_DATA_32}, x...)
	code := append(append(append([]byte{}, push...), txscript.OP_CHECKSIGVERIFY), push...)
	leaf := txscript.NewBaseTapLeaf(append(code, txscript.OP_CHECKSIG))
	tree := txscript.AssembleTaprootScriptTree(leaf)
	root := tree.RootNode.TapHash()
	block := tree.LeafMerkleProofs[0].ToControlBlock(key.PubKey())
	control, err := block.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	script := append([]byte{txscript.OP_1, txscript.OP_DATA_32},
		schnorr.SerializePubKey(txscript.ComputeTaprootOutputKey(key.PubKey(), root[:]))...)
	rules, err := RulesAt(wire.MainNet, 1<<30, chainhash.Hash{})
	if err != nil {
		t.Fatal(err)
	}
	for _, hashType := range []txscript.SigHashType{1, 0x81} {
		tx := sized(2, 1, 0)
		tx.TxIn[1].PreviousOutPoint = tx.TxIn[0].PreviousOutPoint
		tr := &Transaction{Tx: tx, Rules: rules}
		for i := range tx.TxIn {
			tr.Spent = append(tr.Spent, Output{Known: true, Amount: int64(i), Script: script})
		}
		for i, in := range tx.TxIn {
			d, err := txscript.CalcTapscriptSignaturehash(tr.sigHashes(), hashType, tx, i,
				txscript.NewCannedPrevOutputFetcher(script, int64(i)), leaf)
			if err != nil {
				t.Fatal(err)
			}
			sig, err := schnorr.Sign(key, d)
			if err != nil {
				t.Fatal(err)
			}
			s := append(sig.Serialize(), byte(hashType))
			in.Witness = wire.TxWitness{s, s, leaf.Script, control}
		}
		for i := range tx.TxIn {
			if r := new(Judge).Input(tr, i); r.Verdict != EngineChecked {
				t.Errorf("hash type %02x, input %d: %v: %s", int(hashType), i, r.Verdict, r.Reason)
			}
		}
	}
}

// TestNoRules checks that an input is not judged under rules that RulesAt or RulesOf did not
// return, such as forgotten ones, under which this output needs no signature.
func TestNoRules(t *testing.T) {
	for _, r := range []Rules{{}, {P2SH: true}} {
		tr := &Transaction{Tx: sized(1, 1, 0), Rules: r, Spent: []Output{{Known: true,
			Script: append([]byte{txscript.OP_0, txscript.OP_DATA_20}, make([]byte, 20)...)}}}
		tr.Spent[0].Script[21] = 1
		if got := new(Judge).Input(tr, 0); got.Verdict != NotCheckable {
			t.Errorf("rules %+v: verdict %v: %s", r, got.Verdict, got.Reason)
		}
	}
}

// TestTapscriptKey checks which tapscripts need no script engine. OP_RESERVED and OP_VERIF would
// decide about a script even where it does not run, as would a push that is too long.
func TestTapscriptKey(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	single := slices.Concat([]byte{32}, key, []byte{txscript.OP_CHECKSIG})
	envelope := func(b ...byte) []byte {
		return slices.Concat([]byte{txscript.OP_0, txscript.OP_IF}, b, []byte{txscript.OP_ENDIF})
	}
	long := func(n int) []byte {
		return append([]byte{txscript.OP_PUSHDATA2, byte(n), byte(n >> 8)}, make([]byte, n)...)
	}
	for _, c := range []struct {
		script []byte
		plain  bool
	}{
		{single, true},
		{slices.Concat(envelope(), single, envelope(1, 2, txscript.OP_16), envelope(long(520)...)), true},
		{slices.Concat(single, envelope(long(521)...)), false},
		{slices.Concat(single, envelope(txscript.OP_RESERVED)), false},
		{slices.Concat(single, envelope(txscript.OP_VERIF)), false},
		{slices.Concat(single, envelope(txscript.OP_IF, txscript.OP_ENDIF)), false},
		{slices.Concat(single, envelope(txscript.OP_ELSE)), false},
		{slices.Concat(single, envelope()[:2]), false},
		{slices.Concat(single, envelope(5)), false},
		{slices.Concat(single, envelope(), []byte{txscript.OP_1}), false},
		{slices.Concat(single, single), false},
		{single[:33], false},
		{nil, false},
	} {
		if got := tapscriptKey(c.script); c.plain && !bytes.Equal(got, key) || !c.plain && got != nil {
			t.Errorf("%x: key %x", c.script, got)
		}
	}
}
