package bitcoin

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// wantFailure wants an error of a cursor at that place.
func wantFailure(t *testing.T, what string, c *cursor, at int, text string) {
	t.Helper()
	if c.err == nil || c.err.at != at || !strings.Contains(c.err.Error(), text) {
		t.Errorf("%s: %+v, want %q at byte %d", what, c.err, text, at)
	}
}

// TestVarIntErrors names the place where a number that is none begins, or the end.
func TestVarIntErrors(t *testing.T) {
	longest := varIntOf(math.MaxUint64)
	longest[len(longest)-1] |= 0x80
	for _, test := range []struct {
		b    []byte
		at   int
		text string
	}{
		{[]byte{}, 1, "ends in the middle of it"},
		{[]byte{0x80}, 2, "ends in the middle of it"},
		{bytes.Repeat([]byte{0xff}, 20), 1, "it has more than 64 bits"},
		{append(longest, 0, 0), 1, "it has more than 64 bits"},
		{longest, 1, "it has more than 64 bits"},
	} {
		c := cursor{b: append([]byte{7}, test.b...), i: 1}
		v := varInt(&c, "it")
		wantFailure(t, "varInt", &c, test.at, test.text)
		if v != 0 {
			t.Errorf("%x is %d", test.b, v)
		}
	}
	c := cursor{b: []byte{1, 2}}
	c.fail("first")
	if v := varInt(&c, "it"); v != 0 || c.i != 0 {
		t.Errorf("after an error: %d, at byte %d", v, c.i)
	}
}

// coinOf is an output of an undo record: the number of its height, what stands behind that, its
// amount, its type and its bytes.
func coinOf(code uint64, version string, amount, kind uint64, data string) []byte {
	return slices.Concat(varIntOf(code), []byte(version), varIntOf(compressAmount(amount)),
		varIntOf(kind), []byte(data))
}

// TestCoin has outputs at the limits of what there is, and behind them.
func TestCoin(t *testing.T) {
	x := strings.Repeat("x", 32)
	for _, test := range []struct {
		code    uint64
		version string
		amount  uint64
		kind    uint64
		data    string
		at      int // of the error behind the code and the version
		text    string
	}{
		{0, "", 0, 0, x[:20], 0, ""},
		{1, "", 5, 0, x[:20], 0, ""},
		{2, "\x00", 5, 0, x[:20], 0, ""},
		{3, "\x81\x01", 5, 1, x[:20], 0, ""},
		{1 << 40, "\x01", 5, 2, x, 0, ""},
		{0, "", 5, 3, x, 0, ""},
		{0, "", 5, 4, x, 0, ""},
		{0, "", 5, 5, x, 0, ""},
		{0, "", 21e14, 6, "", 0, ""},
		{0, "", 21e14, 7, "y", 0, ""},
		{0, "", 21e14, 6 + 32, x, 0, ""},
		{0, "", 21e14 + 1, 6, "", 0, "a spent output of 2100000000000001 satoshi, more than there are"},
		{0, "", 0, 0, x[:19], 1, "a spent output's script of 20 bytes, with 19 left"},
		{0, "", 0, 1, x[:19], 1, "a spent output's script of 20 bytes, with 19 left"},
		{2, "\x00", 0, 2, x[:31], 1, "a spent output's script of 32 bytes, with 31 left"},
		{0, "", 0, 5, x[:31], 1, "a spent output's script of 32 bytes, with 31 left"},
		{0, "", 0, 6 + 5, x[:4], 1, "a spent output's script of 5 bytes, with 4 left"},
		{0, "", 0, math.MaxUint64, x, 1, "script of 18446744073709551609 bytes, with 32"},
	} {
		b := append([]byte{9}, coinOf(test.code, test.version, test.amount, test.kind, test.data)...)
		c := cursor{b: b, i: 1}
		o := readCoin(&c)
		if test.text != "" {
			wantFailure(t, test.text, &c, 1+len(varIntOf(test.code))+len(test.version)+test.at, test.text)
			continue
		}
		if c.err != nil || c.i != len(b) || o.amount != int64(test.amount) || o.kind != test.kind ||
			string(o.data) != test.data {
			t.Errorf("%+v: %+v, %v, at byte %d of %d", test, o, c.err, c.i, len(b))
		}
		// No part of it can be missing, and no error moves.
		for n := range len(b) - 1 {
			c := cursor{b: b[:1+n], i: 1}
			if readCoin(&c); c.err == nil || c.err.at > 1+n {
				t.Errorf("%+v: %d bytes: %v", test, n, c.err)
			}
		}
		first := cursor{b: b, i: 1}
		first.fail("first")
		if readCoin(&first); first.err.Error() != "first" || first.i != 1 {
			t.Errorf("%+v: after an error: %v", test, first.err)
		}
	}
}

// payTo is the script of P2PK.
func payToKey(key []byte) []byte { return slices.Concat([]byte{byte(len(key))}, key, []byte{0xac}) }

// TestUndo reads records of all kinds of scripts, as a node writes them, with the same reader.
func TestUndo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	scripts := [][]byte{
		{}, {0x51}, pkh(compressed(1)), scriptHash([]byte{0x51}), witnessHash([]byte{0x51}),
		bytes.Repeat([]byte{0x6a}, 300), bytes.Repeat([]byte{0x6b}, 70),
	}
	for i := range 8 {
		scripts = append(scripts, payToKey(compressed(i)), payToKey(uncompressed(i)))
	}
	var u undo
	kinds := map[byte]int{}
	for round := range 300 {
		var all [][]output
		record := sizeOf(round % 5)
		for range round % 5 {
			n := rnd.IntN(12)
			if round == 99 {
				n = 2000 // whose scripts are far from maxSpentScripts
			}
			outs := make([]output, n)
			record = append(record, sizeOf(n)...)
			for i := range outs {
				s := scripts[rnd.IntN(len(scripts))]
				outs[i] = output{true, rnd.Int64N(21e14), s}
				coin := testCoin{wire.NewTxOut(outs[i].amount, s), int32(rnd.IntN(3)), rnd.IntN(2) == 0}
				record = append(record, coin.compressed()...)
				kinds[compressScript(s)[0]]++
			}
			all = append(all, outs)
		}
		if err := u.open(record); err != nil {
			t.Fatal(err)
		}
		var got [][]output
		for i := range all {
			outs, err := u.transaction(len(all[i]))
			if err != nil {
				t.Fatal(err)
			}
			for k := range outs {
				if s := outs[k].script; cap(s) != len(s) {
					t.Fatal("room behind a script is another's")
				}
			}
			got = append(got, outs)
		}
		for i := range all {
			if !slices.EqualFunc(got[i], all[i], func(a, b output) bool {
				return a.known && a.amount == b.amount && bytes.Equal(a.script, b.script)
			}) {
				t.Fatalf("round %d: transaction %d:\n%v\nnot\n%v", round, i, got[i], all[i])
			}
		}
		if len(u.full) != 0 || u.c.i != len(record) {
			t.Fatalf("%d bytes of keys and %d of the record are left", len(u.full), len(record)-u.c.i)
		}
		if err := u.open(append(record, 0)); err == nil || !strings.Contains(err.Error(),
			"1 bytes after the last spent output") {
			t.Fatalf("a byte too many: %v", err)
		}
		if err := u.open(record[:len(record)-1]); err == nil {
			t.Fatal("a byte is missing")
		}
	}
	for kind := range byte(8) {
		if kinds[kind] == 0 {
			t.Errorf("no script of type %d: %v", kind, kinds)
		}
	}
}

// TestUndoErrors has records that can be read and are not those of the block, and a key of none.
func TestUndoErrors(t *testing.T) {
	var u undo
	record := slices.Concat([]byte{2, 1}, coinOf(0, "", 1, 7, "\x51"), []byte{1},
		coinOf(0, "", 1, 7, "\x51"))
	for n, text := range map[int]string{0: "a transaction of 0 inputs, and 1 spent outputs for it",
		2: "a transaction of 2 inputs, and 1 spent outputs for it"} {
		if err := u.open(record); err != nil {
			t.Fatal(err)
		}
		if _, err := u.transaction(n); err == nil || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	for _, x := range []string{strings.Repeat("\xff", 32), strings.Repeat("\x00", 31) + "\x05"} {
		for _, kind := range []uint64{4, 5} {
			bad := slices.Concat([]byte{1, 1}, coinOf(0, "", 1, kind, x))
			if err := u.open(bad); err == nil || !strings.Contains(err.Error(), "not on the curve") {
				t.Errorf("%x: %v", x, err)
			}
			bad[3+len(varIntOf(compressAmount(1)))] -= 2 // nobody computes with the key of types 2 and 3
			if err := u.open(bad); err != nil {
				t.Errorf("%x: %v", x, err)
			}
		}
	}
	// The end of the record is an error of the transaction, also if open would not have seen it.
	u.c = cursor{b: record[:3], i: 1}
	if _, err := u.transaction(1); err == nil {
		t.Error("a coin that ends is taken")
	}
	u.c = cursor{}
	if _, err := u.transaction(1); err == nil || !strings.Contains(err.Error(),
		"ends in the middle of the number of inputs") {
		t.Error(err)
	}
}

// TestUndoScriptLimit: behind maxSpentScripts bytes of scripts the rest of a transaction is empty,
// and the next one is not.
func TestUndoScriptLimit(t *testing.T) {
	long := strings.Repeat("\x61", 1<<20)
	var record []byte
	record = append(record, 2)
	for range 2 {
		record = append(record, 11)
		for range 11 {
			record = append(record, coinOf(0, "", 1, 6+1<<20, long)...)
		}
	}
	var u undo
	if err := u.open(record); err != nil {
		t.Fatal(err)
	}
	for tx := range 2 {
		outs, err := u.transaction(11)
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range outs {
			if want := i*1<<20 <= maxSpentScripts; o.known != want || (len(o.script) == 1<<20) != want {
				t.Errorf("transaction %d: output %d: known is %t, a script of %d bytes", tx, i, o.known,
					len(o.script))
			}
		}
	}
}

// TestShapes: a block and its undo record have the same shape, and others have other ones.
func TestShapes(t *testing.T) {
	seen := map[shape][]int{}
	txOf := func(n int, witness bool) *wire.MsgTx {
		tx := &wire.MsgTx{Version: 2, TxOut: []*wire.TxOut{wire.NewTxOut(1, bytes.Repeat([]byte{0x51},
			n%300))}}
		for i := range n {
			in := &wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{1}},
				SignatureScript: bytes.Repeat([]byte{0x51}, 300*(i%2))}
			if witness && i%3 == 0 {
				in.Witness = wire.TxWitness{{}, bytes.Repeat([]byte{9}, 260)}
			}
			tx.TxIn = append(tx.TxIn, in)
		}
		return tx
	}
	for _, inputs := range [][]int{{}, {1}, {2}, {1, 1}, {1, 2}, {2, 1}, {3, 1, 1}, {1, 3, 1},
		{1, 1, 3}, {300}, {4, 300, 2}} {
		for _, witness := range []bool{false, true} {
			txs := []*wire.MsgTx{funding(nil, 5)}
			record := sizeOf(len(inputs))
			for _, n := range inputs {
				txs = append(txs, txOf(n, witness))
				record = append(record, sizeOf(n)...)
				record = append(record, bytes.Repeat(coinOf(0, "", 1, 6, ""), n)...)
			}
			block, _ := blockOf(Regtest.Genesis(), 1700000000, txs...)
			a, n, bad := blockShape(block)
			b, m, badUndo := undoShape(record)
			if bad != nil || badUndo != nil || a != b || n != len(inputs) || m != len(inputs) {
				t.Fatalf("%v: %x of %d, %x of %d; %v, %v", inputs, a, n, b, m, bad, badUndo)
			}
			if other, ok := seen[a]; ok && !slices.Equal(other, inputs) {
				t.Errorf("%v has the shape of %v", inputs, other)
			}
			seen[a] = inputs
			for cut := headerSize; cut < len(block) && len(inputs) < 3 && len(block) < 3000; cut++ {
				if _, _, bad := blockShape(block[:cut]); bad == nil || bad.at > cut {
					t.Fatalf("%v: %d of %d bytes: %v", inputs, cut, len(block), bad)
				}
			}
			for cut := range record {
				if _, _, bad := undoShape(record[:cut]); bad == nil || bad.at > cut {
					t.Fatalf("%v: %d of %d bytes of the record: %v", inputs, cut, len(record), bad)
				}
			}
		}
	}
	many := binary.LittleEndian.AppendUint32(append(make([]byte, headerSize), 0xfe), 1<<20)
	if _, txs, bad := blockShape(many); bad == nil || txs != 0 {
		t.Errorf("%d transactions, %v", txs, bad)
	}
}

// TestAmounts has the pairs of Bitcoin Core's compress_tests, and all others by way of the writer.
func TestAmounts(t *testing.T) {
	for amount, x := range map[uint64]uint64{0: 0, 1: 1, 1_000_000: 7, 1e8: 9, 50e8: 0x32,
		21e14: 0x1406f40} {
		if got := decompressAmount(x); got != amount {
			t.Errorf("%#x is %d, want %d", x, got, amount)
		}
		if got := compressAmount(amount); got != x {
			t.Errorf("the writer: %d is %#x, want %#x", amount, got, x)
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range uint64(200000) {
		amount := i
		if i%2 == 0 {
			amount = rnd.Uint64N(21e14 + 1)
			for j := rnd.IntN(15); j > 0; j-- {
				amount = amount / 10 * uint64(1+9*rnd.IntN(2))
			}
		}
		if got := decompressAmount(compressAmount(amount)); got != amount {
			t.Fatalf("%d comes back as %d", amount, got)
		}
	}
	for _, x := range []uint64{1<<64 - 1, 1 << 63, 1<<64 - 10, 21e15 * 10, 21e15,
		// 184,467,440,738 and eight zeros, which is 90,448,384 modulo 2^64
		1 + 10*(9*18446744073+8-1) + 8} {
		if got := decompressAmount(x); got <= maxMoney {
			t.Errorf("%#x is %d", x, got)
		}
	}
}

func TestVarInt(t *testing.T) {
	for i := range uint64(1 << 16) {
		for _, v := range []uint64{i, 1<<64 - 1 - i, i << 40, 0x4080 + i} {
			c := cursor{b: append(varIntOf(v), 0xff)}
			if got := varInt(&c, "it"); got != v || c.err != nil || c.i != len(c.b)-1 {
				t.Fatalf("%d comes back as %d, %v", v, got, c.err)
			}
		}
	}
	for _, b := range [][]byte{{}, {0x80}, bytes.Repeat([]byte{0xff}, 20),
		{0x80, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xff, 0x00}} {
		c := cursor{b: b}
		if got := varInt(&c, "it"); c.err == nil {
			t.Errorf("%x is %d", b, got)
		}
	}
}
