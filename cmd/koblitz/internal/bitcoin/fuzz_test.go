package bitcoin

import (
	"bytes"
	"io"
	"testing"

	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/nodejson"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// drain reads r to its end without verifying. It fails the test if an error does not name the file.
func drain(t *testing.T, r rows.Reader) (units int, err error) {
	for {
		b, err := r.Next()
		if err == io.EOF {
			return units, nil
		}
		if err != nil {
			if e := asError(t, err); e.File == "" || e.Err == nil {
				t.Fatalf("error %#v", err)
			}
			return units, err
		}
		b.Expand(func(u *rows.Unit) {
			units++
			if u.Where.File == "" || u.Decided == rows.Valid || u.Decided != rows.Unchecked &&
				u.Decided != rows.Unsigned && u.Decided != rows.PassedOver &&
				u.Reason == "" {
				t.Fatalf("unit %+v", u)
			}
			if u.Decided == rows.Unchecked && (len(u.Signatures) == 0 || len(u.Keys) < len(u.Signatures)) {
				t.Fatalf("unit %+v", u)
			}
		})
	}
}

// smallBlock returns a small block for use as a fuzz seed. Fuzzing makes progress only with small
// inputs.
func smallBlock() (block []byte, spent []wireform.Output) {
	var some []spend
	for _, sp := range spends() {
		switch sp.name {
		case "P2PKH, compressed", "P2WPKH, compressed", "P2TR, annex, hash type 01":
			some = append(some, sp)
		}
	}
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
		tx, id := wireform.ParseTx(&c)
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
			if !bytes.Equal(x.Bytes(), y.Bytes()) || !bytes.Equal(x.Bytes(), b[:c.At]) || id != w.TxHash() {
				t.Fatal("differs from the library's")
			}
			return
		}
		if c.Err.At > len(b) || c.Err.At < 0 {
			t.Fatalf("error at %d of %d", c.Err.At, len(b))
		}
		if err == nil && len(w.TxIn) > 0 {
			// We refuse a transaction with a witness that is empty for every input; btcd accepts
			// it.
			for _, in := range w.TxIn {
				if len(in.Witness) > 0 {
					t.Fatalf("refused (%v); the library takes it", c.Err)
				}
			}
			var x bytes.Buffer
			w.Serialize(&x)
			if bytes.Equal(x.Bytes(), b[:len(b)-r.Len()]) {
				t.Fatalf("refused (%v); the library takes it", c.Err)
			}
		}
	})
}

func FuzzSpent(f *testing.F) {
	f.Add([]byte(prevouts.Magic))
	var b bytes.Buffer
	prevouts.Write(&b, &prevouts.Spent{Height: 1, Outputs: []prevouts.Output{{Amount: 5,
		Script: []byte{1, 2}},
		{Script: make([]byte, 300)}}})
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := prevouts.Read("x", bytes.NewReader(b))
		if err != nil {
			if e := asError(t, err); e.Offset > int64(len(b)) || e.Offset < 0 {
				t.Fatalf("%#v", err)
			}
			return
		}
		var again bytes.Buffer
		if err := prevouts.Write(&again, s); err != nil {
			t.Fatal(err)
		}
		// We refuse a script length that is not in its shortest form; btcd accepts it.
		if again.Len() > len(b) || again.Len() == len(b) && !bytes.Equal(again.Bytes(), b) {
			t.Fatal("is not written as it was read")
		}
	})
}

func FuzzRawBlock(f *testing.F) {
	block, spent := smallBlock()
	f.Add(block, false)
	f.Add([]byte("00"), true)
	f.Fuzz(func(t *testing.T, b []byte, inHex bool) {
		Detect(b)
		drain(t, RawBlock(source("x", b), inHex, nil, onRegtest))
		if inHex || len(b) < wireform.HeaderSize {
			return
		}
		// Give the spent outputs the hash of this block, so that they also fit a mutated block.
		s := &prevouts.Spent{Name: "y", Height: -1, Block: wireform.ParseHeader(b).Hash}
		for _, o := range spent {
			s.Outputs = append(s.Outputs, prevouts.Output{Amount: o.Amount, Script: o.Script})
		}
		drain(t, RawBlock(source("x", b), false, s, onRegtest))
	})
}

func FuzzGetBlock(f *testing.F) {
	block, spent := smallBlock()
	f.Add(printBlock(f, block, 1, spent, true))
	f.Add(printBlock(f, block, 1, spent, false))
	const fields = `"hash":"00","height":1,"version":4,"merkleroot":"00","time":1,"nonce":0,"bits":` +
		`"207fffff","previousblockhash":"01"`
	f.Add([]byte(`{` + fields + `,"tx":[{"txid":"00","vin":[{}],"vout":[{}],"version":1,"locktime":` +
		`0}]}`))
	f.Add([]byte(`[{"id":1,"result":{` + fields + `,"tx":[{}]},"error":null},{"result":null,` +
		`"error":{"code":-5}}]`))
	f.Add([]byte(`{"":0`))
	f.Add([]byte(` {"id":`))
	f.Fuzz(func(t *testing.T, b []byte) {
		Detect(b)
		drain(t, nodejson.Blocks(source("x", b), onRegtest, nil))
	})
}
