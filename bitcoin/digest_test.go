package bitcoin

import (
	"bytes"
	"encoding"
	"hash"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"
)

// TestTaprootDigest checks that signature hashes of BIP 341 are the same as btcd's, for every hash
// type and transactions of many sizes.
func TestTaprootDigest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	sizes := []int{1, 2, 3, 130, 300}
	for range 12 {
		tx := &wire.MsgTx{Version: int32(rnd.Uint32()), LockTime: rnd.Uint32()}
		tr := &Transaction{Tx: tx}
		fetch := txscript.NewMultiPrevOutFetcher(nil)
		for range 1 + sizes[rnd.IntN(len(sizes))] {
			in := &wire.TxIn{Sequence: rnd.Uint32()}
			copy(in.PreviousOutPoint.Hash[:], data(32))
			in.PreviousOutPoint.Index = rnd.Uint32()
			tx.AddTxIn(in)
			tr.Spent = append(tr.Spent, Output{Known: true, Amount: rnd.Int64(),
				Script: data(rnd.IntN(400))})
		}
		for range sizes[rnd.IntN(len(sizes))] {
			tx.AddTxOut(wire.NewTxOut(rnd.Int64(), data(rnd.IntN(300))))
		}
		// Spend a taproot output: without one, btcd does not compute some of the hashes.
		tr.Spent[0].Script = append([]byte{txscript.OP_1, txscript.OP_DATA_32}, data(32)...)
		for i, in := range tx.TxIn {
			fetch.AddPrevOut(in.PreviousOutPoint, wire.NewTxOut(tr.Spent[i].Amount, tr.Spent[i].Script))
		}
		h := txscript.NewTxSigHashes(tx, fetch)
		for hashType := range 256 {
			i := rnd.IntN(len(tx.TxIn))
			asked := txscript.SigHashType(hashType)
			want, wantErr := txscript.CalcTaprootSignatureHash(h, asked, tx, i, fetch)
			got, err := tr.TaprootDigest(byte(hashType), i, nil)
			if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got[:], want) {
				t.Fatalf("BIP 341, hash type %02x, input %d of %d, %d outputs: %x, %v, want %x, %v",
					hashType, i, len(tx.TxIn), len(tx.TxOut), got, err, want, wantErr)
			}
		}
	}
}

// TestLegacyDigest checks that signature hashes by the rules before BIP 143 are the same as btcd's,
// for every hash type. One Judge computes the hashes of all types, one after the other.
func TestLegacyDigest(t *testing.T) {
	for _, n := range []int{1, 252, 253} {
		for _, outs := range []int{0, 1, 253} {
			tx := legacyTx(n, outs)
			for i := range min(n, 2) {
				i = i * 97 % n
				for _, size := range []int{25, 253} {
					code := bytes.Repeat([]byte{txscript.OP_NOP}, size)
					x := &Judge{t: &Transaction{Tx: tx}, i: i}
					for hashType := range 256 {
						want, wantErr := txscript.CalcSignatureHash(code, txscript.SigHashType(hashType), tx, i)
						got, err := x.digest(code, byte(hashType), legacy)
						if err != nil || wantErr != nil || !bytes.Equal(got[:], want) {
							t.Fatalf("hash type %02x, input %d of %d, %d outputs: %x, %v, want %x, %v", hashType,
								i, n, outs, got, err, want, wantErr)
						}
					}
				}
			}
		}
	}
}

// TestLegacyClone checks that signature hashes need no hash.Cloner: with GOFIPS140=v1.0.0, SHA-256
// is none.
func TestLegacyClone(t *testing.T) {
	code, x := make([]byte, 25), &Judge{t: &Transaction{Tx: legacyTx(2, 2)}}
	want := x.legacyDigest(code, 1)
	for c, h := range x.legacy {
		if h != nil {
			x.legacy[c] = struct {
				hash.Hash
				encoding.BinaryMarshaler
			}{h, h.(encoding.BinaryMarshaler)}
		}
	}
	for range 2 {
		if got := x.legacyDigest(code, 1); got != want {
			t.Errorf("%x, want %x", got, want)
		}
	}
}

// legacyTx returns a transaction with the given numbers of inputs and outputs that all differ.
func legacyTx(ins, outs int) *wire.MsgTx {
	tx := sized(ins, outs, 1)
	tx.Version, tx.LockTime = -5, 1<<31+7
	for i, in := range tx.TxIn {
		in.Sequence, in.SignatureScript = uint32(i)<<20, make([]byte, i%253)
	}
	for i, out := range tx.TxOut {
		out.Value, out.PkScript = int64(-i), make([]byte, i%253)
	}
	return tx
}

// TestLegacyWork checks the work for all signatures of an input, whatever their hash types are: for
// each coverage, they hash no more bytes than the transaction has, and they copy no part of it.
func TestLegacyWork(t *testing.T) {
	const n = 2000
	tx, code := legacyTx(n, n), make([]byte, 25)
	tr := &Transaction{Tx: tx}
	size := int64(tx.SerializeSizeStripped())
	x := &Judge{t: tr}
	all := func() {
		x.legacy = [coverages]hash.Hash{}
		for hashType := range 256 {
			if _, err := x.digest(code, byte(hashType), legacy); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, i := range []int{0, n / 2, n - 1} {
		x.i = i
		all()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all()
		runtime.ReadMemStats(&after)
		if copied := after.TotalAlloc - before.TotalAlloc; copied > 256*1024 {
			t.Errorf("input %d: 256 signatures take %d bytes of memory, in a transaction of %d", i, copied,
				size)
		}
		for hashType := range 256 {
			var w workCounter
			c := coverageOf(byte(hashType))
			tr.writeLegacy(&w, i, code, c)
			if w.bytes > size || w.writes > 20+n/64 {
				t.Errorf("coverage %d of input %d: %d bytes in %d parts, of a transaction of %d", c, i,
					w.bytes, w.writes, size)
			}
		}
	}
}

// A workCounter counts what is written to it.
type workCounter struct{ bytes, writes int64 }

func (w *workCounter) Write(b []byte) (int, error) {
	w.bytes, w.writes = w.bytes+int64(len(b)), w.writes+1
	return len(b), nil
}

// TestSpentSums checks that the hashes of the spent outputs do not depend on the outpoints, which
// may be null or name the same output twice.
func TestSpentSums(t *testing.T) {
	null := wire.OutPoint{Index: math.MaxUint32}
	twice := wire.OutPoint{Index: 1}
	for _, outpoints := range [][]wire.OutPoint{
		{null},
		{null, null},
		{null, {Index: 2}},
		{{Index: 2}, null},
		{twice, twice},
		{twice, {Index: 2}, twice},
		{{Index: 2}, twice, twice, {Index: 3}, twice},
	} {
		tx, apart := wire.NewMsgTx(2), wire.NewMsgTx(2)
		tr := &Transaction{Tx: tx}
		fetch := txscript.NewMultiPrevOutFetcher(nil)
		for i, p := range outpoints {
			script := append([]byte{txscript.OP_1, txscript.OP_DATA_32}, make([]byte, 32)...)
			if script[2] = byte(i); i == 1 {
				script[0] = txscript.OP_0
			}
			tx.AddTxIn(wire.NewTxIn(&p, nil, nil))
			tr.Spent = append(tr.Spent, Output{Known: true, Amount: int64(i), Script: script})
			other := wire.OutPoint{Index: 100 + uint32(i)}
			apart.AddTxIn(wire.NewTxIn(&other, nil, nil))
			fetch.AddPrevOut(other, wire.NewTxOut(int64(i), script))
		}
		got, want := tr.sigHashes(), txscript.NewTxSigHashes(apart, fetch)
		if got.HashInputAmountsV1 != want.HashInputAmountsV1 ||
			got.HashInputScriptsV1 != want.HashInputScriptsV1 {
			t.Errorf("%v: other hashes of the spent outputs", outpoints)
		}
	}
}

// sized returns a transaction with the given numbers of inputs, outputs and witness items, all of
// them empty.
func sized(ins, outs, items int) *wire.MsgTx {
	tx := &wire.MsgTx{Version: 2}
	for i := range ins {
		tx.AddTxIn(&wire.TxIn{PreviousOutPoint: wire.OutPoint{Hash: chainhash.Hash{1}, Index: uint32(i)}})
	}
	for range outs {
		tx.AddTxOut(&wire.TxOut{})
	}
	if items > 0 {
		tx.TxIn[0].Witness = make(wire.TxWitness, items)
	}
	return tx
}
