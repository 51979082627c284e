package inputs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/address/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// TestExpandTogetherHostile: the same for transactions with signatures of all hash types, long
// fields, unknown outputs, more inputs than a batch and outputs that nothing spends.
func TestExpandTogetherHostile(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	data := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	key := compressed(1)
	wpkh, tr := script(op0, address.Hash160(key)), script(op1, tapKey(1))
	hashType := byte(0)
	input := func(tx *Transaction, k int) {
		in := &wire.TxIn{Sequence: r.Uint32()}
		copy(in.PreviousOutPoint.Hash[:], data(32))
		o := wireform.Output{Known: r.IntN(20) > 0, Amount: r.Int64(), Script: wpkh}
		switch k % 3 {
		case 0:
			in.Witness = wire.TxWitness{append(data(70), hashType), key}
		case 1:
			o.Script, in.Witness = tr, wire.TxWitness{append(data(64), hashType)}
			if k%2 == 0 {
				in.Witness = append(in.Witness, append([]byte{0x50}, data(k)...))
			}
		default:
			o.Script = data(r.IntN(20) * r.IntN(600))
		}
		hashType++
		tx.Tx.AddTxIn(in)
		if !o.Known {
			o = wireform.Output{}
		}
		tx.Spent = append(tx.Spent, o)
	}
	var all []*Transaction
	for n := range 400 {
		tx := &Transaction{Tx: &wire.MsgTx{Version: int32(r.Uint32()), LockTime: r.Uint32()},
			Rules: now, Missing: "missing"}
		ins, outs, size := 1+r.IntN(4), r.IntN(4), 300
		switch n % 50 {
		case 10:
			ins = batchInputs + r.IntN(batchInputs)
		case 20:
			outs = 700
		case 30:
			outs, size = 3, 30000
		case 40:
			ins, outs = batchInputs, 0
		}
		for range ins {
			input(tx, r.IntN(6))
		}
		for range outs {
			tx.Tx.AddTxOut(wire.NewTxOut(r.Int64(), data(r.IntN(size))))
		}
		tx.ID = tx.Tx.TxHash()
		all = append(all, tx)
	}
	var q Queue
	for _, tx := range all {
		q.Transaction(tx)
	}
	var got, want, seen []string
	for q.Any() {
		b := q.Take(0, false).(*Batch)
		got = append(got, unitsOf(b.Pieces, true)...)
	}
	for _, tx := range all {
		alone := &Transaction{Tx: tx.Tx, ID: tx.ID, Spent: tx.Spent, Missing: tx.Missing, Rules: tx.Rules}
		want = append(want, unitsOf([]Piece{span{t: alone, to: len(tx.Tx.TxIn)}}, false)...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d units differ from %d", len(got), len(want))
	}
	for _, kind := range []string{"p2wpkh", "p2tr key path", "which is missing", "hash type",
		"the script engine"} {
		if slices.ContainsFunc(want, func(s string) bool { return strings.Contains(s, kind) }) {
			seen = append(seen, kind)
		}
	}
	if len(seen) < 5 {
		t.Errorf("of five kinds of verdicts there are %q", seen)
	}
}

func unitsOf(pieces []Piece, together bool) (all []string) {
	emit := func(u *rows.Unit) { all = append(all, fmt.Sprintf("%+v", *u)) }
	if together {
		(&Batch{Pieces: pieces}).Expand(emit)
		return all
	}
	x := Expander{Emit: emit}
	for _, p := range pieces {
		p.Expand(&x)
	}
	return all
}
