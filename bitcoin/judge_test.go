package bitcoin

import (
	"bytes"
	"errors"
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

// TestEngineWork checks that the script engine does not run transactions whose signatures would
// hash much more than their size, and that it runs those just below the limits.
func TestEngineWork(t *testing.T) {
	checks := func(n int) []byte { return bytes.Repeat([]byte{txscript.OP_CHECKSIG}, n) }
	multisig := func(m byte) []byte { return []byte{txscript.OP_0, m, txscript.OP_CHECKMULTISIG} }
	p2sh := func(redeem []byte) []byte {
		return slices.Concat([]byte{txscript.OP_HASH160, txscript.OP_DATA_20},
			bytes.Clone(new(Judge).hash160(redeem)), []byte{txscript.OP_EQUAL})
	}
	push := func(b []byte) []byte {
		return append([]byte{txscript.OP_PUSHDATA1, byte(len(b))}, b...)
	}
	taproot := append([]byte{txscript.OP_1, txscript.OP_DATA_32}, make([]byte, 32)...)
	tapscript := func(n, annex int) wire.TxWitness {
		return wire.TxWitness{checks(n), make([]byte, 33),
			append([]byte{txscript.TaprootAnnexTag}, make([]byte, annex)...)}
	}
	for name, c := range map[string]struct {
		spent, sig []byte
		witness    wire.TxWitness
		inputs     int
		refused    bool
	}{
		"2,500 checks":              {checks(125), nil, nil, 20, false},
		"2,501 checks":              {checks(61), nil, nil, 41, true},
		"more than operations":      {checks(300), nil, nil, 12, false},
		"201 operations":            {checks(300), nil, nil, 13, true},
		"the signature script's":    {[]byte{txscript.OP_NOP}, checks(61), nil, 41, true},
		"the redeem script's":       {p2sh(checks(61)), push(checks(61)), nil, 41, true},
		"the keys of a multisig":    {multisig(txscript.OP_16), nil, nil, 156, false},
		"one key more":              {multisig(txscript.OP_16), nil, nil, 157, true},
		"an unknown number":         {multisig(txscript.OP_DUP), nil, nil, 126, true},
		"no checks, many inputs":    {[]byte{txscript.OP_NOP}, nil, nil, 3000, false},
		"P2PKH for the engine":      {pkhScript(), []byte{txscript.OP_NOP}, nil, 2501, true},
		"a tapscript":               {taproot, nil, tapscript(9999, 0)[:2], 1, false},
		"a tapscript with an annex": {taproot, nil, tapscript(1<<9, 1<<16-1), 1, false},
		"a longer annex":            {taproot, nil, tapscript(1<<9, 1<<16), 1, true},
		"more than the budget":      {taproot, nil, tapscript(9999, 30000), 1, false},
		"the budget":                {taproot, nil, tapscript(9999, 40000), 1, true},
	} {
		rules, err := RulesAt(wire.MainNet, 1<<30, chainhash.Hash{})
		if err != nil {
			t.Fatal(err)
		}
		tr := &Transaction{Tx: sized(c.inputs, 1, 0), Rules: rules}
		for _, in := range tr.Tx.TxIn {
			in.SignatureScript, in.Witness = c.sig, c.witness
			tr.Spent = append(tr.Spent, Output{Known: true, Script: c.spent})
		}
		r := new(Judge).Input(tr, c.inputs-1)
		if (r.Verdict == NotCheckable) != c.refused {
			t.Errorf("%s: verdict %d: %s", name, r.Verdict, r.Reason)
		}
		err = VerifyTx(t.Context(), tr.Tx, txscript.NewCannedPrevOutputFetcher(c.spent, 0), rules, nil)
		var at *InputError
		if c.refused && !(errors.As(err, &at) && errors.Is(err, ErrNotCheckable)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// pkhScript returns the script of a P2PKH output.
func pkhScript() []byte {
	return slices.Concat([]byte{txscript.OP_DUP, txscript.OP_HASH160, txscript.OP_DATA_20},
		make([]byte, 20), []byte{txscript.OP_EQUALVERIFY, txscript.OP_CHECKSIG})
}
