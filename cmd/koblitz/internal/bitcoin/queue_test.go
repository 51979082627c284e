package bitcoin

import (
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/rows"
)

// TestQueueSize: a batch claims at least what it holds, and batches do not grow
// with the transactions in them.
func TestQueueSize(t *testing.T) {
	for _, test := range []struct {
		txs, ins, outs, items int
		batches               int
		least, most           int64
	}{
		{64, 1, 1, 0, 1, 64 * rows.RowSize, 256 << 10},
		{65, 1, 1, 2, 2, 64 * rows.RowSize, 256 << 10},
		{1, 1000, 1, 0, 16, 64*rows.RowSize + 1000*(perInputScratch+perInput/shares), 1 << 20},
		{10, 1, 50000, 0, 10, 50000 * perOutput, 10 << 20},
		{3, 1, 1, maxWitnessItems, 3, maxWitnessItems * (perItem + perItemScratch), 70 << 20},
	} {
		var q queue
		tx := sized(test.ins, test.outs, test.items)
		block := make([]byte, 1000)
		for range test.txs {
			q.transaction(&transaction{tx: tx, spent: make([]output, test.ins), block: block})
		}
		n, inputs := 0, 0
		for q.any() {
			b := q.take(0).(*batch)
			if n++; n == 1 && (b.Size() < test.least+1000 || b.Size() > test.most) {
				t.Errorf("%+v: size %d", test, b.Size())
			}
			if b.blocks != 1000 {
				t.Errorf("%+v: %d bytes of blocks", test, b.blocks)
			}
			for _, p := range b.pieces {
				inputs += p.inputs()
			}
		}
		if n != test.batches || inputs != test.txs*test.ins || q.n != 0 || q.memory != 0 {
			t.Errorf("%+v: %d batches, %d inputs, %d and %d left", test, n, inputs, q.n, q.memory)
		}
	}
}
