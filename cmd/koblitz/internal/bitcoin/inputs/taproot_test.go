package inputs

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
)

// TestTaprootDigest compares the signature hashes of BIP 341 for every hash type with those of
// btcd, on transactions of all shapes.
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
		// btcd omits some hashes unless a taproot output is spent.
		tr.Spent[0].Script = append([]byte{txscript.OP_1, txscript.OP_DATA_32}, data(32)...)
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
