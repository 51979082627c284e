package bitcoin

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

func source(name string, b []byte) reading.Source {
	return reading.Source{Name: name, Reader: bytes.NewReader(b)}
}

func readSpent(file []byte) *prevouts.Spent {
	return must(prevouts.Read("block.spent", bytes.NewReader(file)))
}

// blockIn decodes the serialized block raw.
func blockIn(t testing.TB, raw []byte) *wire.MsgBlock {
	var block wire.MsgBlock
	noError(block.Deserialize(bytes.NewReader(raw)))
	return &block
}

// txOuts returns outputs in the type of package wire.
func txOuts(outputs []wireform.Output) (all []*wire.TxOut) {
	for _, o := range outputs {
		all = append(all, wire.NewTxOut(o.Amount, o.Script))
	}
	return all
}

// sampleOutputs returns the outputs that the sample block spends.
func sampleOutputs(t testing.TB) (outputs []wireform.Output) {
	return outputsOf(bitcointest.SpentOutputs(t, bitcointest.Unpack(t, sample.Spent)))
}

func TestSample(t *testing.T) {
	block, spent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	text := hex.EncodeToString(block)
	for name, c := range map[string]struct {
		inHex bool
		data  string
	}{"binary": {false, string(block)}, "hex": {true, text},
		"lines": {true, text[:1001] + "\r\n" + text[1001:5000] + "\r\n" + text[5000:] + "\n"}} {
		got := run(RawBlock(source("block", []byte(c.data)), c.inHex, readSpent(spent), onMainnet))
		if got.err != nil || got.verdicts != (counts{reading.Valid: 732}) {
			t.Errorf("%s: %v, %v", name, got.verdicts, got.err)
		}
	}
}

// TestTruncatedBlock checks that the complete transactions before a cut are judged, and that the
// error has the offset of the cut.
func TestTruncatedBlock(t *testing.T) {
	block, outs := blockAt(t, bestChain(t, coreFiles), 105)
	file := bitcointest.SpentFile(blockIn(t, block), txOuts(outs))
	read := func(inHex bool, b []byte) tally {
		return run(RawBlock(source("block", b), inHex, readSpent(file), onRegtest))
	}
	c := wireform.Cursor{Data: block, At: wireform.HeaderSize}
	n := c.Transactions()
	have, inputs := 0, 0 // inputs of the transactions before the cut, and before c.At
	for cut := range len(block) {
		for cut >= c.At && n > 0 {
			have = inputs
			if tx, _ := c.Transaction(); !wireform.IsCoinbase(tx) {
				inputs += len(tx.TxIn)
			}
			n--
		}
		if cut%oneIn(7) != 0 {
			continue
		}
		got := read(false, block[:cut])
		if e := asError(t, got.err); got.units != have || e.File != "block" || e.Offset > int64(cut) ||
			e.Offset < 0 {
			t.Fatalf("cut at %d: %d units, want %d; %v", cut, got.units, have, e)
		}
		// Cut the block in hex at the same byte, with one extra digit.
		text := []byte(hex.EncodeToString(block[:cut]) + "4")
		if got = read(true, text); got.units != have {
			t.Fatalf("cut at %d, in hex: %d units, want %d", cut, got.units, have)
		}
		if !says(got.err, fmt.Sprintf("block: byte %d of the block: ", cut)) {
			t.Fatal(got.err)
		}
	}
	got := read(false, append(bytes.Clone(block), 0))
	errorAt(t, got.err, "block", int64(len(block)))
	if got.units != len(outs) {
		t.Errorf("with a byte more: %d units", got.units)
	}
	text := []byte(hex.EncodeToString(block))
	if got = read(true, append(bytes.Clone(text), 'x')); !says(got.err, "'x'") {
		t.Errorf("with a bad digit at the end: %v", got.err)
	}
	text[len(text)-9] = 'x'
	got = read(true, text)
	if at := (len(text) - 9) / 2; got.units != have || !says(got.err, fmt.Sprintf("byte %d of the "+
		"block: encoding/hex: invalid byte: U+0078 'x'", at)) {
		t.Errorf("with a bad digit: %d units, want %d; %v", got.units, have, got.err)
	}
}

// TestWithoutSpent reads a block without a file of spent outputs, so that only outputs of the block
// itself are known. It checks that the advice to the user is printed only once.
func TestWithoutSpent(t *testing.T) {
	got := run(RawBlock(source("block", bitcointest.Unpack(t, sample.Block)), false, nil, onMainnet))
	if got.err != nil {
		t.Fatal(got.err)
	}
	v, nc := got.verdicts[reading.Valid], got.verdicts[reading.NotCheckable]
	want := fmt.Sprintf("%d of its 732 inputs spend outputs of other blocks, and there is no file of "+
		"spent outputs (--spent)", 732-v)
	if v == 0 || nc != 1 || len(got.bad) != 1 || !strings.Contains(got.bad[0].Reason, want) {
		t.Errorf("%v: %q, want %q", got.verdicts, got.bad[0].Reason, want)
	}
}

// TestSpentErrors checks that a file of spent outputs that does not fit the block is an error with
// its offset, and that no input is judged by another input's output.
func TestSpentErrors(t *testing.T) {
	block, outputs := smallBlock()
	good := bitcointest.SpentFile(blockIn(t, block), txOuts(outputs))
	read := func(file []byte) tally {
		return run(RawBlock(source("block", block), false, readSpent(file), onRegtest))
	}
	for cut := range len(good) {
		got := read(good[:cut])
		if e := asError(t, got.err); e.File != "block.spent" || e.Offset > int64(cut) ||
			!strings.Contains(e.Error(), "ends in the middle of") &&
				!strings.Contains(e.Error(), "bytes left can hold") || len(got.bad) > 0 {
			t.Fatalf("cut at %d: %v, %v", cut, e, got.verdicts)
		}
	}
	got := read(append(bytes.Clone(good), 0))
	errorAt(t, got.err, "block.spent", int64(len(good)))
	if got.verdicts != (counts{reading.Valid: 3}) {
		t.Errorf("with a byte more: %v", got.verdicts)
	}
	long := bytes.NewReader(make([]byte, prevouts.MaxSize+1))
	if _, err := prevouts.Read("block.spent", long); !says(err,
		"more than 9437184 bytes of spent outputs") {
		t.Error(err)
	}
}
