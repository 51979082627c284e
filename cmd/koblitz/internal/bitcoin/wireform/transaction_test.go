package wireform

import (
	"bytes"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
)

// TestTransactionLimits checks that the largest transaction of a valid block is read, and that a
// larger transaction is an error.
func TestTransactionLimits(t *testing.T) {
	for _, test := range []struct {
		ins, outs, items int
		want             string
	}{
		{24000, 1, 0, ""},
		{1, 110000, 0, ""},
		{1, 1, MaxWitnessItems, ""},
		{MaxInputs + 1, 1, 0, "24391 inputs are more than a block can have"},
		{1, MaxOutputs + 1, 0, "111112 outputs are more than a block can have"},
		{1, 1, MaxWitnessItems + 1, "524289 witness items are more than a block can have"},
		{15000, 50000, 0, "with this transaction the block weighs more than 4000000"},
		{24000, 1, 200000, "with this transaction the block weighs more than 4000000"},
	} {
		tx := bitcointest.Sized(test.ins, test.outs, test.items)
		c := Cursor{Data: bitcointest.Serialized(t, tx)}
		got, _ := c.Transaction()
		switch {
		case test.want == "" && (c.Err != nil || got.TxHash() != tx.TxHash()):
			t.Errorf("%+v: %v", test, c.Err)
		case test.want != "" && (c.Err == nil || c.Err.msg != test.want || got != nil):
			t.Errorf("%+v: %v", test, c.Err)
		}
		base := tx.SerializeSizeStripped()
		if weight := 3*base + tx.SerializeSize(); test.want == "" && c.weight != weight {
			t.Errorf("%+v: weight %d, want %d", test, c.weight, weight)
		}
	}
	// The limits apply to the sum over all transactions of a block.
	b := bitcointest.Serialized(t, bitcointest.Sized(14000, 1, 0))
	c := Cursor{Data: bytes.Repeat(b, 2)}
	if c.Transaction(); c.Err != nil {
		t.Fatal(c.Err)
	}
	if c.Transaction(); c.Err == nil || c.Err.At != len(b) {
		t.Error("the second transaction has a place in the block")
	}
}
