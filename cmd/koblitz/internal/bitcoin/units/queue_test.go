package units

import (
	"testing"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/bitcointest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestQueueSize checks that the size that a batch reports is at least the memory that it holds, and
// that batches do not grow with the number of transactions.
func TestQueueSize(t *testing.T) {
	for _, test := range []struct {
		txs, ins, outs, items int
		batches               int
		least, most           int64
	}{
		{64, 1, 1, 0, 1, 64 * reading.RowSize, 256 << 10},
		{65, 1, 1, 2, 2, 64 * reading.RowSize, 256 << 10},
		{1, 1000, 1, 0, 16, 64*reading.RowSize + 1000*(PerInputScratch+PerInput/shares), 1 << 20},
		{10, 1, 50000, 0, 10, 50000 * perOutput, 10 << 20},
		{3, 1, 1, wireform.MaxWitnessItems, 3, wireform.MaxWitnessItems * (PerItem + PerItemScratch),
			70 << 20},
	} {
		var q Queue
		tx := bitcointest.Sized(test.ins, test.outs, test.items)
		block := make([]byte, 1000)
		for range test.txs {
			q.Transaction(&Transaction{Transaction: bitcoin.Transaction{Tx: tx,
				Spent: make([]wireform.Output, test.ins)}, Block: block})
		}
		n, ins := 0, 0
		for q.Any() {
			b := q.Take(0).(*reading.PieceBatch[Piece])
			if n++; n == 1 && (b.Size() < test.least+1000 || b.Size() > test.most) {
				t.Errorf("%+v: size %d", test, b.Size())
			}
			blocks := b.Size()
			for _, p := range b.Pieces {
				ins += p.Rows()
				blocks -= p.Size()
			}
			if blocks != 1000 {
				t.Errorf("%+v: %d bytes of blocks", test, blocks)
			}
		}
		if n != test.batches || ins != test.txs*test.ins {
			t.Errorf("%+v: %d batches, %d inputs", test, n, ins)
		}
	}
}
