package undo

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// key returns test key number i.
func key(i int) *btcec.PublicKey {
	k, _ := btcec.PrivKeyFromBytes([]byte{1, byte(i)})
	return k.PubKey()
}

func compressed(i int) []byte { return key(i).SerializeCompressed() }

func uncompressed(i int) []byte { return key(i).SerializeUncompressed() }

// keyHash, scriptHash and witnessHash are P2PKH, P2SH and P2WSH scripts with arbitrary hashes.
var (
	keyHash     = slices.Concat([]byte{0x76, 0xa9, 20}, make([]byte, 20), []byte{0x88, 0xac})
	scriptHash  = slices.Concat([]byte{0xa9, 20}, make([]byte, 20), []byte{0x87})
	witnessHash = append([]byte{0, 32}, make([]byte, 32)...)
)

// wantFailure checks that the cursor c has failed at the given offset with the given error text.
func wantFailure(t *testing.T, what string, c *wireform.Cursor, offset int, text string) {
	t.Helper()
	if c.Err == nil || c.Err.At != offset || !strings.Contains(c.Err.Error(), text) {
		t.Errorf("%s: %+v, want %q at byte %d", what, c.Err, text, offset)
	}
}

// TestVarInt checks that varInt reads what a node writes, and that an error has the offset of the
// invalid number, or of the input's end.
func TestVarInt(t *testing.T) {
	for i := range uint64(1 << 16) {
		for _, v := range []uint64{i, 1<<64 - 1 - i, i << 40, 0x4080 + i} {
			c := wireform.Cursor{Data: append(bitcointest.VarInt(v), 0xff)}
			if got := varInt(&c, "it"); got != v || c.Err != nil || c.At != len(c.Data)-1 {
				t.Fatalf("%d comes back as %d, %v", v, got, c.Err)
			}
		}
	}
	longest := bitcointest.VarInt(math.MaxUint64)
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
		{[]byte("\x80\xfe\xfe\xfe\xfe\xfe\xfe\xfe\xff\x00"), 1, "it has more than 64 bits"},
	} {
		c := wireform.Cursor{Data: append([]byte{7}, test.b...), At: 1}
		v := varInt(&c, "it")
		wantFailure(t, "varInt", &c, test.at, test.text)
		if v != 0 {
			t.Errorf("%x is %d", test.b, v)
		}
	}
}

// TestCoin checks that readCoin accepts fields up to their limits, and that it returns an error
// with the field's offset for fields beyond them.
func TestCoin(t *testing.T) {
	x := strings.Repeat("x", 32)
	for _, test := range []struct {
		code    uint64
		version string
		amount  uint64
		kind    uint64
		data    string
		at      int // offset of the error, counted from the amount
		text    string
	}{
		{1, "", 0, 0, x[:20], 0, ""},
		{3, "\x81\x01", 5, 1, x[:20], 0, ""},
		{1 << 40, "\x01", 5, 2, x, 0, ""},
		{0, "", 5, 5, x, 0, ""},
		{0, "", 21e14, 6, "", 0, ""},
		{0, "", 21e14, 6 + 32, x, 0, ""},
		{0, "", 21e14 + 1, 6, "", 0, "a spent output of 2100000000000001 satoshi, more than there are"},
		{0, "", 0, 0, x[:19], 1, "a spent output's script of 20 bytes, with 19 left"},
		{2, "\x00", 0, 1, x[:19], 1, "a spent output's script of 20 bytes, with 19 left"},
		{0, "", 0, 5, x[:31], 1, "a spent output's script of 32 bytes, with 31 left"},
		{0, "", 0, 6 + 5, x[:4], 1, "a spent output's script of 5 bytes, with 4 left"},
		{0, "", 0, math.MaxUint64, x, 1, "script of 18446744073709551609 bytes, with 32"},
	} {
		b := append([]byte{9}, bitcointest.RawCoin(test.code, test.version, test.amount, test.kind,
			test.data)...)
		c := wireform.Cursor{Data: b, At: 1}
		o := readCoin(&c)
		if test.text != "" {
			at := 1 + len(bitcointest.VarInt(test.code)) + len(test.version) + test.at
			wantFailure(t, test.text, &c, at, test.text)
			continue
		}
		if c.Err != nil || c.At != len(b) || o.amount != int64(test.amount) || o.kind != test.kind ||
			string(o.data) != test.data {
			t.Errorf("%+v: %+v, %v, at byte %d of %d", test, o, c.Err, c.At, len(b))
		}
	}
}

// payToKey returns the P2PK script for key.
func payToKey(key []byte) []byte { return slices.Concat([]byte{byte(len(key))}, key, []byte{0xac}) }

// TestUndo checks that a Reader reads records with all types of scripts, as a node writes them, and
// that truncated records have no shape.
func TestUndo(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	scripts := [][]byte{
		{}, {0x51}, keyHash, scriptHash, witnessHash,
		bytes.Repeat([]byte{0x6a}, 300), bytes.Repeat([]byte{0x6b}, 70),
	}
	for i := range 8 {
		scripts = append(scripts, payToKey(compressed(i)), payToKey(uncompressed(i)))
	}
	kinds := map[byte]int{}
	for round := range 300 {
		var all [][]wireform.Output
		record := bitcointest.Size(round % 5)
		for range round % 5 {
			outs := make([]wireform.Output, rnd.IntN(12))
			record = append(record, bitcointest.Size(len(outs))...)
			for i := range outs {
				s := scripts[rnd.IntN(len(scripts))]
				outs[i] = wireform.Output{Known: true, Amount: rnd.Int64N(21e14), Script: s}
				record = append(record, bitcointest.Coin(wire.NewTxOut(outs[i].Amount, s), int32(rnd.IntN(3)),
					rnd.IntN(2) == 0)...)
				kinds[bitcointest.CompressScript(s)[0]]++
			}
			all = append(all, outs)
		}
		if _, n, err := shapeOf(record); err != nil || n != len(all) {
			t.Fatalf("%d transactions, %v", n, err)
		}
		u := NewReader(record)
		for i := range all {
			got, err := u.Transaction(len(all[i]))
			if err != nil || !slices.EqualFunc(got, all[i], func(a, b wireform.Output) bool {
				return a.Known && a.Amount == b.Amount && bytes.Equal(a.Script, b.Script)
			}) {
				t.Fatalf("round %d: transaction %d: %v\n%v\nnot\n%v", round, i, err, got, all[i])
			}
		}
		if u.c.At != len(record) {
			t.Fatalf("%d bytes of the record are left", len(record)-u.c.At)
		}
		for cut := range min(len(record), 400) {
			if _, _, bad := shapeOf(record[:cut]); bad == nil || bad.At > cut {
				t.Fatalf("%d of %d bytes of the record: %v", cut, len(record), bad)
			}
		}
		if _, _, err := shapeOf(append(record, 0)); err == nil || !strings.Contains(err.Error(),
			"1 bytes after the last spent output") {
			t.Fatalf("a byte too many: %v", err)
		}
	}
	for kind := range byte(8) {
		if kinds[kind] == 0 {
			t.Errorf("no script of type %d: %v", kind, kinds)
		}
	}
}

// TestUndoErrors checks that a valid record of another block, and a key that is not on the curve,
// give the right errors.
func TestUndoErrors(t *testing.T) {
	record := slices.Concat([]byte{2, 1}, bitcointest.RawCoin(0, "", 1, 7, "\x51"), []byte{1},
		bitcointest.RawCoin(0, "", 1, 7, "\x51"))
	fails := func(record []byte, n int, text string) {
		t.Helper()
		if _, err := NewReader(record).Transaction(n); err == nil || err.Error() != text {
			t.Errorf("%v, want %s", err, text)
		}
	}
	fails(record, 0, "a transaction of 0 inputs, and 1 spent outputs for it")
	fails(record, 2, "a transaction of 2 inputs, and 1 spent outputs for it")
	fails(nil, 1, "ends in the middle of the number of transactions: 1 bytes wanted, 0 left")
	for _, x := range []string{strings.Repeat("\xff", 32), strings.Repeat("\x00", 31) + "\x05"} {
		for kind := range uint64(4) {
			record := slices.Concat([]byte{1, 1}, bitcointest.RawCoin(0, "", 1, 2+kind, x))
			if kind >= 2 {
				fails(record, 1, "a spent output has a key that is not on the curve")
			} else if _, err := NewReader(record).Transaction(1); err != nil {
				t.Errorf("%x: %v", x, err) // the key is not decompressed
			}
		}
	}
}

// TestUndoScriptLimit checks that once the scripts of a transaction exceed wireform.MaxSpentScripts
// bytes, its further outputs are empty, and that the next transaction is not affected.
func TestUndoScriptLimit(t *testing.T) {
	const size = 1 << 20
	coin := bitcointest.RawCoin(0, "", 1, 6+size, strings.Repeat("\x61", size))
	list := append([]byte{11}, bytes.Repeat(coin, 11)...)
	u := NewReader(slices.Concat([]byte{2}, list, list))
	for tx := range 2 {
		outs, err := u.Transaction(11)
		noError(err)
		for i, o := range outs {
			want := i*size <= wireform.MaxSpentScripts
			if o.Known != want || want != (len(o.Script) == size) {
				t.Errorf("transaction %d: output %d: known is %t, a script of %d bytes", tx, i, o.Known,
					len(o.Script))
			}
		}
	}
}

// TestShapes checks that a block and its undo record have the same shape (hash of the numbers of
// inputs), and that other blocks have other shapes.
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
			txs := []*wire.MsgTx{txOf(1, false)}
			record := bitcointest.Size(len(inputs))
			for _, n := range inputs {
				txs = append(txs, txOf(n, witness))
				record = append(record, bitcointest.Size(n)...)
				record = append(record, bytes.Repeat(bitcointest.RawCoin(0, "", 1, 6, ""), n)...)
			}
			var serialized bytes.Buffer
			noError((&wire.MsgBlock{Transactions: txs}).Serialize(&serialized))
			block := serialized.Bytes()
			a, n, bad := BlockShape(block)
			b, m, badUndo := shapeOf(record)
			if bad != nil || badUndo != nil || a != b || n != len(inputs) || m != len(inputs) {
				t.Fatalf("%v: %x of %d, %x of %d; %v, %v", inputs, a, n, b, m, bad, badUndo)
			}
			if other, ok := seen[a]; ok && !slices.Equal(other, inputs) {
				t.Errorf("%v has the shape of %v", inputs, other)
			}
			seen[a] = inputs
			for cut := wireform.HeaderSize; cut < min(len(block), 3000); cut++ {
				if _, _, bad := BlockShape(block[:cut]); bad == nil || bad.At > cut {
					t.Fatalf("%v: %d of %d bytes: %v", inputs, cut, len(block), bad)
				}
			}
		}
	}
	many := binary.LittleEndian.AppendUint32(append(make([]byte, wireform.HeaderSize), 0xfe), 1<<20)
	if _, txs, bad := BlockShape(many); bad == nil || txs != 0 {
		t.Errorf("%d transactions, %v", txs, bad)
	}
}

// TestAmounts checks that decompressAmount returns the amounts in Bitcoin Core's compress_tests,
// and that it reverses the compression of other amounts.
func TestAmounts(t *testing.T) {
	for amount, x := range map[uint64]uint64{0: 0, 1: 1, 1_000_000: 7, 1e8: 9, 50e8: 0x32,
		21e14: 0x1406f40} {
		if got := decompressAmount(x); got != amount {
			t.Errorf("%#x is %d, want %d", x, got, amount)
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
		if got := decompressAmount(bitcointest.CompressAmount(amount)); got != amount {
			t.Fatalf("%d comes back as %d", amount, got)
		}
	}
	for _, x := range []uint64{1<<64 - 1, 1 << 63, 1<<64 - 10, 21e15 * 10, 21e15,
		// This number encodes 184,467,440,738 and eight zeros, which is 90,448,384 modulo 2^64.
		1 + 10*(9*18446744073+8-1) + 8} {
		if got := decompressAmount(x); got <= maxMoney {
			t.Errorf("%#x is %d", x, got)
		}
	}
}

// FuzzUndo checks that a Reader reads each record that has a shape, unless a key is wrong.
func FuzzUndo(f *testing.F) {
	f.Add(append([]byte{1, 1}, bitcointest.RawCoin(1, "", 50e8, 0, strings.Repeat("h", 20))...))
	full := append([]byte{1, 2, 0, 9, 4}, uncompressed(1)[1:33]...)
	f.Add(append(append(full, 1, 0, 0x32, 5), uncompressed(2)[1:33]...))
	f.Add([]byte{2, 1, 0, 7, 6, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, txs, bad := shapeOf(b)
		if bad != nil {
			return
		}
		u := NewReader(b)
		for range txs {
			peek := u.c
			outs, err := u.Transaction(int(peek.CompactSize("")))
			if err != nil {
				if !strings.Contains(err.Error(), "not on the curve") {
					t.Fatal(err)
				}
				return
			}
			for _, o := range outs {
				if o.Amount < 0 || o.Amount > maxMoney {
					t.Fatalf("output %+v", o)
				}
			}
		}
		if u.c.At != len(b) {
			t.Fatalf("%d bytes are left", len(b)-u.c.At)
		}
	})
}
