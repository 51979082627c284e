package ethereum_test

import (
	"context"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/ethereum"
)

// BenchmarkSenders finds 300 senders of transactions of mainnet, on one core, with Senders and with
// types.Sender. The latter uses libsecp256k1 with CGO_ENABLED=1, and else dcrec. The last part
// reads stored senders. An operation is one sender.
func BenchmarkSenders(b *testing.B) {
	const rows = 300
	signer, txs := mainnet(b, blocks[0])
	for _, name := range blocks[1:] {
		_, more := mainnet(b, name)
		txs = append(txs, more...)
	}
	for len(txs) < rows {
		txs = append(txs, txs[:min(len(txs), rows-len(txs))]...)
	}
	txs = txs[:rows]
	want := make([]common.Address, rows)
	for i, tx := range txs {
		var err error
		if want[i], err = signer.Sender(tx); err != nil {
			b.Fatal(err)
		}
	}
	senders, errs := make([]common.Address, rows), make([]error, rows)
	run := func(name string, stored bool, find func(txs []*types.Transaction)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			all := fresh(b, txs)
			if stored {
				find(all)
				b.ResetTimer()
			}
			for done := 0; done < b.N; done += rows {
				if !stored {
					b.StopTimer()
					all = fresh(b, txs)
					b.StartTimer()
				}
				clear(senders)
				find(all)
				for i := range senders {
					if senders[i] != want[i] || errs[i] != nil {
						b.Fatal(i, senders[i], errs[i])
					}
				}
			}
		})
	}
	batches := func(txs []*types.Transaction) {
		_, err := ethereum.Senders(context.Background(), signer, txs, senders, errs,
			&ethereum.Options{Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
	}
	singly := func(txs []*types.Transaction) {
		for i, tx := range txs {
			senders[i], errs[i] = types.Sender(signer, tx)
		}
	}
	run("batch", false, batches)
	run("go-ethereum", false, singly)
	run("stored/batch", true, batches)
	run("stored/go-ethereum", true, singly)
}
