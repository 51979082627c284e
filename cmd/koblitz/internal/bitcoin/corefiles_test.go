package bitcoin

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// coreFiles is a folder with files that Bitcoin Core wrote. Its file SOURCES describes them.
const coreFiles = "testdata/core"

// ofCore is the number of inputs with each verdict that coreFiles must give. Core connected all
// blocks but two, which are stale.
var ofCore = counts{reading.Valid: 441, reading.EngineChecked: 42, reading.Unsigned: 2,
	reading.PassedOver: 2}

func TestCoreFolder(t *testing.T) {
	got := runFolder(t, coreFiles, WholeRange())
	if got.err != nil || got.verdicts != ofCore {
		t.Errorf("verdicts %v, want %v; %v; %+v", got.verdicts, ofCore, got.err, got.bad)
	}
}

// TestCoreSpends checks that the chain in coreFiles funds every script that spends returns. If a
// script was added, the files must be made again. Their file SOURCES says how.
func TestCoreSpends(t *testing.T) {
	raw, _ := blockAt(t, bestChain(t, coreFiles), 103)
	fund := blockIn(t, raw).Transactions[1]
	for i, s := range spends() {
		if !bytes.Equal(fund.TxOut[i].PkScript, s.script) {
			t.Fatalf("output %d is not for %s", i, s.name)
		}
	}
}

// TestCoreBlock checks that the spent outputs of a block in Core's files are the same as those in
// Core's getblock response.
func TestCoreBlock(t *testing.T) {
	text := must(os.ReadFile(filepath.Join(coreFiles, "getblock.json")))
	hash, want, err := outputsInJSON(text)
	noError(err)
	raw, outs := blockAt(t, bestChain(t, coreFiles), 105)
	if hashOfBlock(raw) != hash || !reflect.DeepEqual(outs, want) {
		t.Error("the block or the outputs that it spends differ")
	}
	spent := readSpent(bitcointest.SpentFile(blockIn(t, raw), txOuts(outs)))
	got := run(RawBlock(source("block", raw), false, spent, onRegtest))
	answer := run(nodejson.Blocks(source("getblock.json", text), onRegtest, nil))
	if got.err != nil || answer.err != nil || got.verdicts != answer.verdicts ||
		got.verdicts[reading.Valid] < 15 {
		t.Errorf("%v, %v; %v, %v", got.verdicts, got.err, answer.verdicts, answer.err)
	}
}
