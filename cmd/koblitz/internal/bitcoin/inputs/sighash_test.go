package inputs

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// TestSignatureHashes compares ours, of BIP 143 and 341 and of before, with the library's, of every
// hash type, on transactions of all shapes.
func TestSignatureHashes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	sizes := []int{1, 2, 3, 130, 300}
	for round := range 12 {
		tx := &wire.MsgTx{Version: int32(rnd.Uint32()), LockTime: rnd.Uint32()}
		tr := &Transaction{Tx: tx}
		fetch := &fetcher{t: tr}
		for range 1 + sizes[rnd.IntN(len(sizes))] {
			in := &wire.TxIn{Sequence: rnd.Uint32()}
			copy(in.PreviousOutPoint.Hash[:], data(32))
			in.PreviousOutPoint.Index = rnd.Uint32()
			tx.AddTxIn(in)
			tr.Spent = append(tr.Spent, wireform.Output{Known: true, Amount: rnd.Int64(),
				Script: data(rnd.IntN(400))})
		}
		for range sizes[rnd.IntN(len(sizes))] {
			tx.AddTxOut(wire.NewTxOut(rnd.Int64(), data(rnd.IntN(300))))
		}
		tr.Spent[0].Script = script(op1, tapKey(1)) // or the library leaves out what it needs
		h := txscript.NewTxSigHashes(tx, fetch)
		code := pkh(compressed(1))
		if round%2 == 1 {
			code = multisig(10, bytesOf(15, compressed(2))...)
		}
		var scratch []byte
		all := 0
		for hashType := range 256 {
			i := rnd.IntN(len(tx.TxIn))
			o := &tr.Spent[i]
			asked := txscript.SigHashType(hashType)
			want, err := txscript.CalcWitnessSigHash(code, h, asked, tx, i, o.Amount)
			if err != nil {
				t.Fatal(err)
			}
			var got [32]byte
			got, scratch = segwitDigest(tr.sums(false, &scratch), tx, i, code, o.Amount,
				byte(hashType), scratch)
			if !bytes.Equal(got[:], want) {
				t.Fatalf("BIP 143, hash type %02x, input %d of %d, %d outputs: %x, want %x", hashType, i,
					len(tx.TxIn), len(tx.TxOut), got, want)
			}
			want, err = txscript.CalcSignatureHash(code, asked, tx, i)
			if err != nil {
				t.Fatal(err)
			}
			if signsAll(byte(hashType)) {
				all++
				got, scratch = legacyDigest(tx, i, code, byte(hashType), scratch)
				if !bytes.Equal(got[:], want) {
					t.Fatalf("before BIP 143, hash type %02x, input %d of %d, %d outputs: %x, want %x",
						hashType, i, len(tx.TxIn), len(tx.TxOut), got, want)
				}
			}
			want, wantErr := txscript.CalcTaprootSignatureHash(h, asked, tx, i, fetch)
			got, err = tr.TaprootDigest(byte(hashType), i, nil, &scratch)
			if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got[:], want) {
				t.Fatalf("BIP 341, hash type %02x, input %d of %d, %d outputs: %x, %v, want %x, %v",
					hashType, i, len(tx.TxIn), len(tx.TxOut), got, err, want, wantErr)
			}
		}
		if all != 128-4*2 {
			t.Errorf("%d hash types sign all", all)
		}
	}
}

func bytesOf(n int, b []byte) (all [][]byte) {
	for range n {
		all = append(all, b)
	}
	return all
}
