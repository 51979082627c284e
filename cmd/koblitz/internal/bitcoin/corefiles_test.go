package bitcoin

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/framing"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
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
	sum := counts{}
	for h := range int32(108) {
		one := runFolder(t, coreFiles, Range{h, h, -1, -1})
		if one.err != nil {
			t.Errorf("block %d: %v", h, one.err)
		}
		for v, n := range one.verdicts {
			sum[v] += n
		}
	}
	if sum != ofCore {
		t.Errorf("block by block: verdicts %v, want %v", sum, ofCore)
	}
}

// TestCoreSpends checks that the chain in coreFiles funds every script that spends returns. If a
// script was added, the files must be made again. Their file SOURCES says how.
func TestCoreSpends(t *testing.T) {
	raw, spent := blockAt(t, bestChain(t, coreFiles), 103)
	fund := fullBlockOf(t, raw, spent, bitcoin.Rules{}).Transactions[1]
	for i, s := range spends() {
		if !bytes.Equal(fund.TxOut[i].PkScript, s.script) {
			t.Fatalf("output %d is not for %s", i, s.name)
		}
	}
}

// TestCoreFolderDamaged changes bytes of Core's files and checks that each change is reported. The
// version, time and nonce of the last blocks are exempt: only the header's hash depends on them.
func TestCoreFolderDamaged(t *testing.T) {
	dir := t.TempDir()
	copyFolder(t, coreFiles, dir)
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"blk00000.dat", "blk00001.dat", "blk00002.dat", "rev00000.dat",
		"rev00001.dat", "rev00002.dat", "xor.dat"} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 25 / oneIn(12) {
			b := bytes.Clone(whole)
			i := rnd.IntN(len(bytes.TrimRight(b, "\x00")))
			b[i] ^= 1 << rnd.IntN(8)
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			got := runFolder(t, dir, WholeRange())
			if got.err == nil && got.verdicts == ofCore && !inHeader(whole, i) {
				t.Errorf("%s, byte %d: nothing is said", name, i)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// inHeader reports whether byte i of a file in testdata/core belongs to a block's header.
func inHeader(file []byte, i int) bool {
	key, err := os.ReadFile(filepath.Join(coreFiles, "xor.dat"))
	if err != nil {
		panic(err)
	}
	plain := bytes.Clone(file)
	framing.Unmask(plain, [8]byte(key), 0)
	for at := 0; at+8 < len(plain) && [4]byte(plain[at:]) == consensus.Regtest.Magic(); {
		if i >= at+8 && i < at+8+wireform.HeaderSize {
			return true
		}
		at += 8 + int(binary.LittleEndian.Uint32(plain[at+4:]))
	}
	return false
}

// copyFolder copies the files of the folder src to the folder dst.
func copyFolder(t testing.TB, src, dst string) {
	t.Helper()
	if err := os.CopyFS(dst, os.DirFS(src)); err != nil {
		t.Fatal(err)
	}
}

// TestCoreBlock checks that the spent outputs of a block in Core's files are the same as those in
// Core's getblock response.
func TestCoreBlock(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(coreFiles, "getblock.json"))
	if err != nil {
		t.Fatal(err)
	}
	hash, want, err := outputsInJSON(text)
	if err != nil {
		t.Fatal(err)
	}
	raw, outs := blockAt(t, bestChain(t, coreFiles), 105)
	if hashOfBlock(raw) != hash || !reflect.DeepEqual(outs, want) {
		t.Error("the block or the outputs that it spends differ")
	}
	spent := readSpent(t, bitcointest.SpentFile(blockIn(t, raw), txOuts(outs)))
	got := run(RawBlock(source("block", raw), false, spent, onRegtest))
	answer := run(nodejson.Blocks(source("getblock.json", text), onRegtest, nil))
	if got.err != nil || answer.err != nil || got.verdicts != answer.verdicts ||
		got.verdicts[reading.Valid] < 15 {
		t.Errorf("%v, %v; %v, %v", got.verdicts, got.err, answer.verdicts, answer.err)
	}
}
