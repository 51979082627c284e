package bitcoin

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/btcsuite/btcd/txscript/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/units"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

func source(name string, b []byte) reading.Source {
	return reading.Source{Name: name, Reader: bytes.NewReader(b)}
}

func readSpent(t testing.TB, file []byte) *prevouts.Spent {
	s, err := prevouts.Read("block.spent", bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// blockIn decodes the serialized block raw.
func blockIn(t testing.TB, raw []byte) *wire.MsgBlock {
	var block wire.MsgBlock
	if err := block.Deserialize(bytes.NewReader(raw)); err != nil {
		t.Fatal(err)
	}
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
	for _, o := range bitcointest.SpentOutputs(t, bitcointest.Unpack(t, sample.Spent)) {
		outputs = append(outputs, wireform.Output{Known: true, Amount: o.Value, Script: o.PkScript})
	}
	return outputs
}

func TestSample(t *testing.T) {
	block, spent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	text := []byte(hex.EncodeToString(block))
	for _, c := range []struct {
		name  string
		inHex bool
		data  []byte
	}{{"binary", false, block}, {"hex", true, text},
		{"hex, lines", true, append(bytes.Join([][]byte{text[:1001], text[1001:5000], text[5000:]},
			[]byte("\r\n")), '\n')}} {
		t.Run(c.name, func(t *testing.T) {
			got := run(RawBlock(source("block", c.data), c.inHex, readSpent(t, spent), onMainnet))
			t.Logf("%+v", got.kinds)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if got.verdicts != (counts{reading.Valid: 732}) || got.high != 366 {
				t.Errorf("verdicts %v, %d with a high s; want 732 valid, 366 of them high", got.verdicts,
					got.high)
			}
		})
	}
}

// verdictsOf reads all reading.Units of r, and returns them and the verdict of the function judge
// on each.
func verdictsOf(r reading.Reader) (units []reading.Unit, verdicts []reading.Verdict, err error) {
	for {
		b, err := r.Next()
		if err == io.EOF {
			return units, verdicts, nil
		}
		if err != nil {
			return units, verdicts, err
		}
		b.Expand(func(u *reading.Unit) {
			v, _ := judge(u)
			units, verdicts = append(units, *u), append(verdicts, v)
		})
	}
}

// lessOf builds a small regtest block from the sample block. It has the coinbase and the first
// transaction with three inputs. That transaction begins at offset, and spent holds the outputs
// that it spends.
func lessOf(t *testing.T) (block []byte, offset int, spent []wireform.Output) {
	whole := bitcointest.Unpack(t, sample.Block)
	all := sampleOutputs(t)
	c := wireform.Cursor{Data: whole, At: wireform.HeaderSize}
	c.Transactions()
	coinbase, _ := wireform.ParseTx(&c)
	for index := 0; ; {
		tx, _ := wireform.ParseTx(&c)
		if c.Err != nil {
			t.Fatal(c.Err)
		}
		if len(tx.TxIn) != 3 {
			index += len(tx.TxIn)
			continue
		}
		block, _ := blockOf(chainhash.Hash{1}, wireform.ParseHeader(whole).Time, coinbase, tx)
		return block, wireform.HeaderSize + 1 + coinbase.SerializeSize(), all[index : index+3]
	}
}

// TestFlippedBits flips bits in the signatures, keys and spent outputs of a real transaction, and
// checks that the change is reported at the right input and at no other.
func TestFlippedBits(t *testing.T) {
	block, at, spent := lessOf(t)
	good := bytes.Clone(block)
	c := wireform.Cursor{Data: block, At: at}
	tx, _ := wireform.ParseTx(&c)
	whole := blockIn(t, block)
	find := func(what string, input int, spent []wireform.Output) {
		t.Helper()
		file := bitcointest.SpentFile(whole, txOuts(spent))
		units, verdicts, err := verdictsOf(RawBlock(source("block", block), false, readSpent(t, file),
			onRegtest))
		if last := len(units) - 1; last == 3 && units[3].Kind == "block" &&
			verdicts[3] == reading.Malformed && !bytes.Equal(block, good) {
			units, verdicts = units[:3], verdicts[:3]
		} else if !bytes.Equal(block, good) {
			t.Errorf("%s: the Merkle root is right all the same", what)
		}
		if err != nil || len(units) != 3 {
			t.Fatalf("%s: %d units, %v", what, len(units), err)
		}
		for i, v := range verdicts {
			w := units[i].Where
			if (v == reading.Valid) != (input >= 0 && i != input) || v == reading.Unchecked ||
				w.Input != i ||
				w.Block != 277647 || w.File != "block" || w.Offset != int64(at) {
				t.Errorf("%s: verdict %d at %+v", what, v, w)
			}
		}
	}
	find("nothing", 3, spent)
	// The signature script of this input pushes the signature and then the public key.
	in := tx.TxIn[1]
	items, err := txscript.PushedData(in.SignatureScript)
	if err != nil || len(items) != 2 {
		t.Fatal("not P2PKH")
	}
	flip := func(what string, input int, b []byte) {
		for bit := range len(b) * 8 {
			b[bit/8] ^= 1 << (bit % 8)
			find(what, input, spent)
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	sig := items[0]
	rLen := int(sig[3])
	flip("r", 1, sig[4:4+rLen])
	flip("s", 1, sig[6+rLen:len(sig)-1])
	flip("hash type", 1, sig[len(sig)-1:])
	flip("key", 1, items[1])
	flip("an output, which all inputs sign", -1, tx.TxOut[0].PkScript)
	for bit := range len(spent[1].Script) * 8 {
		changed := slices.Clone(spent)
		changed[1].Script = bytes.Clone(spent[1].Script)
		changed[1].Script[bit/8] ^= 1 << (bit % 8)
		find("spent script", 1, changed)
	}
}

// TestTruncatedBlock cuts the block at the end of each transaction and in between. It checks that
// the complete transactions before the cut are judged, and that the error has the offset of the
// cut.
func TestTruncatedBlock(t *testing.T) {
	block, spent := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	c := wireform.Cursor{Data: block, At: wireform.HeaderSize}
	n := c.Transactions()
	seen := 0
	whole := map[int]int{wireform.HeaderSize: 0, c.At: 0} // number of inputs before each offset
	for i := range n {
		tx, _ := wireform.ParseTx(&c)
		if i > 0 {
			seen += len(tx.TxIn)
		}
		whole[c.At] = seen
	}
	count := func(r reading.Reader) (n int, err error) {
		for {
			b, err := r.Next()
			if err != nil {
				return n, err
			}
			for _, p := range b.(*units.Batch).Pieces {
				n += p.Inputs()
			}
		}
	}
	have := 0
	for cut := range len(block) {
		if k, ok := whole[cut]; ok {
			have = k
			if cut%oneIn(4) != 0 {
				continue
			}
		} else if cut > 400 && cut%(997*oneIn(4)) != 0 {
			continue
		}
		got, err := count(RawBlock(source("block", block[:cut]), false, readSpent(t, spent), onMainnet))
		if got != have {
			t.Fatalf("cut at %d: %d units, want %d", cut, got, have)
		}
		var e *reading.Error
		if !errors.As(err, &e) || e.File != "block" || e.Offset > int64(cut) || e.Offset < 0 {
			t.Fatalf("cut at %d: error %v", cut, err)
		}
		// Cut the block in hex at the same byte, with one extra digit.
		text := []byte(hex.EncodeToString(block[:cut]) + "4")
		got, err = count(RawBlock(source("block", text), true, readSpent(t, spent), onMainnet))
		if got != have {
			t.Fatalf("cut at %d, in hex: %d units, want %d", cut, got, have)
		}
		errorAt(t, err, "block", int64(len(text)))
	}
	// A byte after the end of the block is an error.
	got, err := count(RawBlock(source("block", append(bytes.Clone(block), 0)), false,
		readSpent(t, spent), onMainnet))
	if got != 732 {
		t.Errorf("with a byte more: %d units", got)
	}
	errorAt(t, err, "block", int64(len(block)))
	// Now put an invalid hex digit into the last transaction.
	text := []byte(hex.EncodeToString(block))
	text[len(text)-9] = 'x'
	got, err = count(RawBlock(source("block", text), true, readSpent(t, spent), onMainnet))
	if want := whole[len(block)]; got < want-20 || got >= want {
		t.Errorf("with a bad digit: %d units", got)
	}
	errorAt(t, err, "block", int64(len(text)-9))
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

// TestSyntheticBlock builds a block with one input of every kind, signed under today's rules, and
// checks that each input gets the verdict that an input of its kind must get.
func TestSyntheticBlock(t *testing.T) {
	all := spends()
	tx, outs := build(all, len(all))
	block, _ := blockOf(chainhash.Hash{1}, 1700000000, funding(all, 800000), tx)
	spent := readSpent(t, bitcointest.SpentFile(blockIn(t, block), txOuts(outs)))
	// The transaction spends outputs of a transaction at height 1 that is not in this block, so the
	// reader takes all of them from spent.
	got := run(RawBlock(source("block", block), false, spent, onRegtest))
	if got.err != nil {
		t.Fatal(got.err)
	}
	if got.units != len(all) || got.verdicts[reading.Valid] < 100 ||
		got.verdicts[reading.EngineChecked] < 4 || got.verdicts[reading.Unsigned] != 2 ||
		got.verdicts[reading.NotCheckable] > 0 {
		t.Errorf("%d units, verdicts %v", got.units, got.verdicts)
	}
	if got.bad[0].Where.Block != 800000 {
		t.Errorf("height %d", got.bad[0].Where.Block)
	}
	for i := range all {
		// A wrong amount must be detected if the input's signature covers the amount.
		r := stages[len(stages)-1]
		changed := append([]wireform.Output(nil), outs...)
		changed[i].Amount ^= 1
		u, w := unitOf(tx, outs, i, r), unitOf(tx, changed, i, r)
		before, _ := judge(&u)
		after, _ := judge(&w)
		signed := strings.Contains(all[i].name, "WPKH") || strings.Contains(all[i].name, "WSH") ||
			strings.Contains(all[i].name, "TR")
		if before == reading.Valid && signed == (after == reading.Valid) {
			t.Errorf("%s: another amount gives verdict %d", all[i].name, after)
		}
	}
}

// TestSpentErrors checks that a file of spent outputs that does not fit the block is an error with
// its offset, and that no input is judged by another input's output.
func TestSpentErrors(t *testing.T) {
	block, file := bitcointest.Unpack(t, sample.Block), bitcointest.Unpack(t, sample.Spent)
	read := func(file []byte) tally {
		return run(RawBlock(source("block", block), false, readSpent(t, file), onMainnet))
	}
	for cut := range len(file) {
		if cut > 2000/oneIn(5) && cut%(101*oneIn(5)) != 0 && cut < len(file)-200/oneIn(5) &&
			!everyCase() {
			continue
		}
		got := read(file[:cut])
		if e := asError(t, got.err); e.File != "block.spent" || e.Offset > int64(cut) ||
			!strings.Contains(e.Error(), "ends in the middle of") &&
				!strings.Contains(e.Error(), "bytes left can hold") || len(got.bad) > 0 {
			t.Fatalf("cut at %d: %v, %v", cut, e, got.verdicts)
		}
	}

	whole := blockIn(t, block)
	outputs := bitcointest.SpentOutputs(t, file)
	lists := [][]*wire.TxOut{nil} // what each transaction spends
	for _, tx := range whole.Transactions[1:] {
		lists, outputs = append(lists, outputs[:len(tx.TxIn)]), outputs[len(tx.TxIn):]
	}
	written := func(lists [][]*wire.TxOut) []byte {
		var b bytes.Buffer
		wire.WriteVarInt(&b, 0, uint64(len(lists)))
		for _, list := range lists {
			wire.WriteVarInt(&b, 0, uint64(len(list)))
			for _, o := range list {
				wire.WriteTxOut(&b, 0, 0, o)
			}
		}
		return b.Bytes()
	}
	if !bytes.Equal(written(lists), file) {
		t.Fatal("the sample's file is written differently")
	}
	last := len(lists) - 1
	ending := len(written(lists)) - len(written([][]*wire.TxOut{lists[last]})) + 1 // its last list
	for name, c := range map[string]struct {
		change func(lists [][]*wire.TxOut) [][]*wire.TxOut
		offset int
		text   string
	}{
		"a transaction too few": {func(l [][]*wire.TxOut) [][]*wire.TxOut { return l[:last] }, 0,
			"spent outputs of 212 transactions, and the block has 213; the bytes of Bitcoin Core's"},
		"a transaction too many": {func(l [][]*wire.TxOut) [][]*wire.TxOut { return append(l, nil) }, 0,
			"spent outputs of 214 transactions, and the block has 213"},
		"an output of the coinbase": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[0] = l[1]
			return l
		}, 1, "spent outputs of the coinbase, which spends none; the bytes of Bitcoin Core's"},
		"an output too few": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[last] = l[last][1:]
			return l
		}, ending, fmt.Sprintf("%d spent outputs of transaction 212, which has %d inputs in the block",
			len(lists[last])-1, len(lists[last]))},
		"an output too many": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[last] = append(l[last][:1:1], l[last]...)
			return l
		}, ending, fmt.Sprintf("%d spent outputs of transaction 212, which has %d inputs in the block",
			len(lists[last])+1, len(lists[last]))},
		"a negative amount": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[1] = append([]*wire.TxOut{wire.NewTxOut(-1, l[1][0].PkScript)}, l[1][1:]...)
			return l
		}, 3, "a spent output has an amount of -1 satoshi"},
		"more than all bitcoin": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[1] = append([]*wire.TxOut{wire.NewTxOut(21e14+1, nil)}, l[1][1:]...)
			return l
		}, 3, "a spent output has an amount of 2100000000000001 satoshi"},
		"a long script": {func(l [][]*wire.TxOut) [][]*wire.TxOut {
			l[1] = append([]*wire.TxOut{wire.NewTxOut(1, make([]byte, 10_001))}, l[1][1:]...)
			return l
		}, 3, "a script of 10001 bytes"},
	} {
		got := read(written(c.change(slices.Clone(lists))))
		errorAt(t, got.err, "block.spent", int64(c.offset))
		if !strings.Contains(fmt.Sprint(got.err), c.text) || len(got.bad) > 0 {
			t.Errorf("%s: %v, want %s; %v", name, got.err, c.text, got.verdicts)
		}
	}
	got := read(append(bytes.Clone(file), 0))
	errorAt(t, got.err, "block.spent", int64(len(file)))
	if got.verdicts != (counts{reading.Valid: 732}) {
		t.Errorf("with a byte more: %v", got.verdicts)
	}
	long := bytes.NewReader(make([]byte, prevouts.MaxSize+1))
	if _, err := prevouts.Read("block.spent", long); err == nil ||
		!strings.Contains(err.Error(), "more than 9437184 bytes of spent outputs") {
		t.Error(err)
	}
}
