package bitcoin

import (
	"bytes"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// drain reads r to its end. It fails the test if an error does not name the file, or if a
// reading.Unit lacks a field.
func drain(t *testing.T, r reading.Reader) {
	got := run(r)
	if got.err != nil {
		if e := asError(t, got.err); e.File == "" || e.Err == nil {
			t.Fatalf("error %#v", got.err)
		}
	}
	for _, u := range got.all {
		bad := u.Where.File == ""
		switch u.Decided {
		case reading.Unchecked:
			bad = bad || len(u.Signatures) == 0 || len(u.Keys) < len(u.Signatures)
		case reading.Unsigned, reading.PassedOver:
		default:
			bad = bad || u.Reason == "" || u.Decided == reading.Valid
		}
		if bad {
			t.Fatalf("unit %+v", u)
		}
	}
}

// smallBlock returns a small block for use as a fuzz seed. Fuzzing makes progress only with small
// inputs.
func smallBlock() (block []byte, spent []wireform.Output) {
	some := spendsOf("P2PKH, compressed", "P2WPKH, compressed", "P2TR, annex, hash type 01")
	tx, spent := build(some, 2)
	block, _ = blockOf(consensus.Regtest.Genesis(), 1700000000, funding(some, 1), tx)
	return block, spent
}

// FuzzTx checks that our parser for transactions gives the same results as btcd's.
func FuzzTx(f *testing.F) {
	for _, sp := range spends() {
		tx, _ := build([]spend{sp}, 1)
		var b bytes.Buffer
		tx.Serialize(&b)
		f.Add(b.Bytes())
	}
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		c := wireform.Cursor{Data: b}
		tx, _ := c.Transaction()
		var w wire.MsgTx
		r := bytes.NewReader(b)
		err := w.Deserialize(r)
		if c.Err == nil {
			if err != nil || len(b)-r.Len() != c.At {
				t.Fatalf("read %d bytes; the library %d, %v", c.At, len(b)-r.Len(), err)
			}
			var x, y bytes.Buffer
			tx.Serialize(&x)
			w.Serialize(&y)
			if !bytes.Equal(x.Bytes(), y.Bytes()) || !bytes.Equal(x.Bytes(), b[:c.At]) {
				t.Fatal("differs from the library's")
			}
			return
		}
		if c.Err.At > len(b) || c.Err.At < 0 {
			t.Fatalf("error at %d of %d", c.Err.At, len(b))
		}
		// We refuse a transaction with a witness that is empty for every input; btcd accepts it.
		var x bytes.Buffer
		w.Serialize(&x)
		if err == nil && len(w.TxIn) > 0 &&
			(w.HasWitness() || bytes.Equal(x.Bytes(), b[:len(b)-r.Len()])) {
			t.Fatalf("refused (%v); the library takes it", c.Err)
		}
	})
}

// FuzzSpent checks that a file of spent outputs is read as btcd reads the numbers and outputs in
// it.
func FuzzSpent(f *testing.F) {
	block, outputs := smallBlock()
	f.Add(bitcointest.SpentFile(blockIn(f, block), txOuts(outputs)))
	f.Add([]byte("\x02\x00\x01\x00\x00\x00\x00\x00\x00\x00\x00\xfd\xfd\x00"))
	f.Add([]byte("\x02\x01"))
	for _, o := range []*wire.TxOut{wire.NewTxOut(-1, nil), wire.NewTxOut(21e14+1, nil),
		wire.NewTxOut(1, make([]byte, txscript.MaxScriptSize+1))} {
		f.Add(append([]byte("\x02\x00\x01"), bitcointest.TxOut(o)...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := must(prevouts.Read("x", bytes.NewReader(b)))
		r := bytes.NewReader(b)
		number := func() int {
			n, err := wire.ReadVarInt(r, 0)
			if err != nil || n > uint64(len(b)) {
				return -1
			}
			return int(n)
		}
		// agree reports whether both can read on. One error without the other fails the test.
		agree := func(theirs bool, err error) bool {
			if err != nil {
				if e := asError(t, err); e.Offset > int64(len(b)) || e.Offset < 0 {
					t.Fatalf("%#v", err)
				}
			}
			if theirs != (err == nil) {
				t.Fatalf("%v, and btcd reads it: %t", err, theirs)
			}
			return theirs
		}
		txs := number()
		coinbase := number()
		if !agree(txs >= 0 && coinbase == 0, s.Begin(txs)) {
			return
		}
		for i := range txs - 1 {
			inputs := number()
			if !agree(inputs >= 0, s.List(1+i, inputs)) {
				return
			}
			for range inputs {
				var want wire.TxOut
				theirs := wire.ReadTxOut(r, 0, 0, &want) == nil && want.Value >= 0 && want.Value <= 21e14 &&
					len(want.PkScript) <= txscript.MaxScriptSize
				o, _, err := s.Output()
				if !agree(theirs, err) {
					return
				}
				if o.Amount != want.Value || !bytes.Equal(o.Script, want.PkScript) {
					t.Fatalf("output %+v, want %+v", o, want)
				}
			}
		}
		agree(r.Len() == 0, s.End())
	})
}

func FuzzRawBlock(f *testing.F) {
	block, spent := smallBlock()
	file := bitcointest.SpentFile(blockIn(f, block), txOuts(spent))
	f.Add(block, false)
	f.Add([]byte("00"), true)
	f.Fuzz(func(t *testing.T, b []byte, inHex bool) {
		Detect(b)
		drain(t, RawBlock(source("x", b), inHex, nil, onRegtest))
		if inHex || len(b) < wireform.HeaderSize {
			return
		}
		drain(t, RawBlock(source("x", b), false, readSpent(file), onRegtest))
	})
}

// headerFields has the fields of a block on regtest that getblock prints before its transactions.
const headerFields = `"hash":"00","height":1,"version":4,"merkleroot":"00","time":1700000000,` +
	`"nonce":0,"bits":"207fffff","previousblockhash":"01"`

func FuzzGetBlock(f *testing.F) {
	block, spent := smallBlock()
	f.Add(printBlock(f, block, 1, spent, true))
	f.Add(printBlock(f, block, 1, spent, false))
	f.Add([]byte(`{` + headerFields +
		`,"tx":[{"txid":"00","vin":[{}],"vout":[{}],"version":1,"locktime":0}]}`))
	f.Add([]byte(`[{"id":1,"result":{` + headerFields + `,"tx":[{}]},"error":null},{"result":null,` +
		`"error":{"code":-5}}]`))
	f.Add([]byte(`{"":0`))
	f.Add([]byte(` {"id":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Detect(b)
		drain(t, nodejson.Blocks(source("x", b), onRegtest, nil))
	})
}

// FuzzFolder reads a folder with two arbitrary files and an arbitrary xor key. It checks that
// reading ends, and that each error names the file.
func FuzzFolder(f *testing.F) {
	n := smallNode()
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0))
	f.Add(bytes.Join(n.blk, nil), bytes.Join(n.rev, nil), uint64(0x0102030405060708))
	f.Add(n.blk[1], n.rev[1], uint64(1))
	f.Fuzz(func(t *testing.T, blk, rev []byte, key uint64) {
		n := newTestNode(consensus.Regtest.Magic())
		for i := range n.key {
			n.key[i] = byte(key >> (8 * i))
		}
		n.blk[0], n.rev[0] = blk, rev
		d, err := OpenDirectory(n.write(t))
		if err != nil {
			return
		}
		for _, f := range d.Inputs() {
			r := f.Open(0, nil)
			drain(t, r)
			r.Close()
		}
	})
}
