package bitcoin

import (
	"bytes"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestTextLimits checks that a transaction in JSON that exceeds a limit gives one Malformed row,
// and that the transactions before and after it are judged.
func TestTextLimits(t *testing.T) {
	good := `{"txid":"x","version":1}`
	for name, test := range map[string]struct{ tx, want string }{
		"text": {`{"hex":"` + strings.Repeat("0", 20<<20) + `"}`,
			"a transaction of more than 20971520 bytes"},
		"inputs": {`{"vin":[` + strings.Repeat("{},", wireform.MaxInputs+wireform.MaxOutputs) + `{}]}`,
			"a transaction of more than 135501 elements in its lists"},
		"witness": {`{"vin":[{"txinwitness":[` + strings.Repeat(`"",`,
			wireform.MaxWitnessItems) + `""]}]}`,
			"a transaction of more than 524288 elements in its lists"},
		"txid": {`{"txid":"\u001b[2J","version":1}`, `and its "txid" is "\\u001b[2J"`},
	} {
		got := readJSON([]byte(`{"hash":"00","height":900000,"version":4,"merkleroot":"00","time":` +
			`1700000000,"nonce":0,"bits":"207fffff","previousblockhash":"01","tx":[` + good + "," + test.tx +
			",\n" + good + "]}"))
		if got.err != nil || got.verdicts[reading.Malformed] != 3 || got.units != 3 {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
			continue
		}
		if u := got.bad[1]; !strings.Contains(u.Reason, strings.ReplaceAll(test.want, `\\u001b`,
			`\x1b`)) || u.Where.Line != 1 || u.Where.Block != 900000 || u.Where.Tx != "" ||
			got.bad[2].Where.Line != 2 {
			t.Errorf("%s: %s at %+v", name, u.Reason, u.Where)
		}
	}
}

// TestSpentScriptLimit checks, for each input format, that a transaction is malformed if the
// scripts that it spends exceed the limit on their total size.
func TestSpentScriptLimit(t *testing.T) {
	script := bytes.Repeat([]byte{0x51}, txscript.MaxScriptSize)
	fund := funding([]spend{{script: script}}, 1)
	spending := func(n int) *wire.MsgTx {
		tx := bitcointest.Sized(n, 1, 0)
		for _, in := range tx.TxIn {
			in.PreviousOutPoint = wire.OutPoint{Hash: fund.TxHash(), Index: 1}
		}
		return tx
	}
	few, many := spending(2), spending(wireform.MaxSpentScripts/txscript.MaxScriptSize+1)
	first, hash := blockOf(consensus.Regtest.Genesis(), 1600000000, fund)
	second, _ := blockOf(hash, 1600000000, funding(nil, 2), few, many)
	n := newTestNode(consensus.Regtest.Magic())
	n.add(genesis(), first, second)
	own, _ := blockOf(chainhash.Hash{1}, 1600000000, fund, few, many)
	for name, got := range map[string]tally{"folder": runFolder(t, n.write(t), WholeRange()),
		"block": run(RawBlock(source("f", own), false, nil,
			consensus.Regtest))} {
		if got.err != nil || got.units != 3 || got.verdicts[reading.Malformed] != 1 {
			t.Errorf("%s: %d units, %v, %v", name, got.units, got.verdicts, got.err)
			continue
		}
		if u := got.bad[len(got.bad)-1]; u.Reason != "the scripts that it spends have 8390000 bytes, "+
			"more than the 8388608 that are kept for a transaction" || u.Where.Tx != many.TxHash().String() {
			t.Errorf("%s: %s at %+v", name, u.Reason, u.Where)
		}
	}
}
