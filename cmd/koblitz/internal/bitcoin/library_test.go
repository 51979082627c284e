package bitcoin

import (
	"errors"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// libraryAgrees fails the test if bitcoin.VerifyTx does not have the given verdict on input i of
// tx. An error for an earlier input says nothing about i.
func libraryAgrees(t testing.TB, tx *wire.MsgTx, spent []wireform.Output, i int, r bitcoin.Rules,
	valid bool) {
	t.Helper()
	rules := must(bitcoin.RulesOf(r.Flags()))
	seen := map[wire.OutPoint]bool{}
	fetch := txscript.NewMultiPrevOutFetcher(nil)
	for k, in := range tx.TxIn {
		if seen[in.PreviousOutPoint] {
			return // the interface of btcd has one output for both
		}
		seen[in.PreviousOutPoint] = true
		if spent[k].Known {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(spent[k].Amount, spent[k].Script))
		}
	}
	var at *bitcoin.InputError
	err := bitcoin.VerifyTx(t.Context(), tx, fetch, rules, &bitcoin.Options{Workers: 1})
	if err != nil && !errors.As(err, &at) {
		t.Fatal(err)
	}
	if before := err != nil && at.Input < i; !before && (err == nil || at.Input > i) != valid {
		t.Errorf("input %d: valid is %v, and VerifyTx says: %v", i, valid, err)
	}
}
