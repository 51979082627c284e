package ethereum

import (
	"context"
	"math/big"
	"runtime"
	"sync"
	"testing"
	"weak"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"
)

// TestStored stores a wrong sender, which Senders and types.Sender must believe if the signer is
// equal, and must not if it is not.
func TestStored(t *testing.T) {
	for i, newSigner := range []func() types.Signer{
		func() types.Signer { return types.FrontierSigner{} },
		func() types.Signer { return types.HomesteadSigner{} },
		func() types.Signer { return types.NewEIP155Signer(big.NewInt(5)) },
		func() types.Signer { return types.NewEIP2930Signer(big.NewInt(5)) },
		func() types.Signer { return types.NewLondonSigner(big.NewInt(5)) },
		func() types.Signer { return types.NewCancunSigner(big.NewInt(5)) },
		func() types.Signer { return types.NewPragueSigner(big.NewInt(5)) },
	} {
		key, err := crypto.GenerateKey()
		if err != nil {
			t.Fatal(err)
		}
		tx := types.MustSignNewTx(key, types.HomesteadSigner{}, &types.LegacyTx{Nonce: uint64(i)})
		from := make([]common.Address, 1)
		errs := make([]error, 1)
		senders := func(signer types.Signer) common.Address {
			n, err := Senders(t.Context(), signer, []*types.Transaction{tx}, from, errs, nil)
			if n != 1 || err != nil {
				t.Fatal(n, err, errs)
			}
			return from[0]
		}
		wrong := common.Address{7}
		c := cache{Signer: newSigner()}
		c.store(tx, wrong)
		if got := senders(newSigner()); got != wrong {
			t.Errorf("signer %d: Senders computed a stored sender again", i)
		}
		if got, err := types.Sender(newSigner(), tx); got != wrong || err != nil {
			t.Errorf("signer %d: types.Sender computed a stored sender again: %v", i, err)
		}
		other := types.LatestSignerForChainID(big.NewInt(6))
		right := crypto.PubkeyToAddress(key.PublicKey)
		if got := senders(other); got != right {
			t.Errorf("signer %d: Senders used the sender that another signer stored", i)
		}
		c.store(tx, wrong)
		if got, err := types.Sender(other, tx); got != right || err != nil {
			t.Errorf("signer %d: types.Sender used another signer's sender: %v", i, err)
		}
		// Now go-ethereum has stored the sender.
		if got := senders(other); got != right {
			t.Errorf("signer %d: wrong sender after types.Sender", i)
		}
	}
}

// TestRows has transactions of each type, which must all become rows, and whose senders must be
// stored.
func TestRows(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	chain := uint256.NewInt(5)
	signer := types.NewPragueSigner(chain.ToBig())
	var txs []*types.Transaction
	for _, data := range []types.TxData{
		&types.LegacyTx{},
		&types.AccessListTx{ChainID: chain.ToBig()},
		&types.DynamicFeeTx{ChainID: chain.ToBig(), Data: make([]byte, 2*maxPayload)},
		&types.BlobTx{ChainID: chain},
		&types.BlobTx{ChainID: chain, Sidecar: new(types.BlobTxSidecar)},
		&types.BlobTx{ChainID: chain, Sidecar: &types.BlobTxSidecar{Version: 1}},
		&types.SetCodeTx{ChainID: chain},
	} {
		txs = append(txs, types.MustSignNewTx(key, signer, data))
	}
	txs = append(txs, types.MustSignNewTx(key, types.HomesteadSigner{}, &types.LegacyTx{}))
	rules, known := rulesOf(signer)
	c := &cache{Signer: signer}
	r := rows{source: &transactions{txs: txs, rules: rules, known: known, cache: c}}
	from, errs := make([]common.Address, len(txs)), make([]error, len(txs))
	if n := r.run(t.Context(), from, errs); n != len(txs) || len(r.index) != len(txs) {
		t.Errorf("%d transactions, %d rows, %d valid", len(txs), len(r.index), n)
	}
	for i, tx := range txs {
		stored, err := c.lookup(tx)
		if want := crypto.PubkeyToAddress(key.PublicKey); from[i] != want || errs[i] != nil ||
			stored != want || err != nil {
			t.Errorf("transaction %d: %v, %v, stored %v, %v", i, from[i], errs[i], stored, err)
		}
	}

	// A batch that is cancelled leaves errors.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	auths := make([]types.SetCodeAuthorization, 3)
	r = rows{source: authorizations(auths)}
	if n := r.run(ctx, make([]common.Address, 3), errs[:3]); n != 0 || len(r.index) != 3 {
		t.Errorf("cancelled: %d rows, %d valid", len(r.index), n)
	}
	for i, err := range errs[:3] {
		if err != context.Canceled {
			t.Errorf("cancelled: row %d has the error %v", i, err)
		}
	}
}

// TestStoredAlone keeps one of two transactions, which must not keep the other in memory.
func TestStoredAlone(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	signer := types.HomesteadSigner{}
	txs := []*types.Transaction{
		types.MustSignNewTx(key, signer, &types.LegacyTx{Nonce: 0}),
		types.MustSignNewTx(key, signer, &types.LegacyTx{Nonce: 1}),
	}
	n, err := Senders(t.Context(), signer, txs, make([]common.Address, 2), make([]error, 2), nil)
	if n != 2 || err != nil {
		t.Fatal(n, err)
	}
	kept, other := txs[0], weak.Make(txs[1])
	txs = nil
	for range 100 {
		if runtime.GC(); other.Value() == nil {
			break
		}
	}
	if other.Value() != nil {
		t.Error("a transaction keeps the others of its call in memory")
	}
	runtime.KeepAlive(kept)
}

// TestSendersShared has goroutines find the senders of the same transactions at a time, by Senders
// and by types.Sender, with two signers.
func TestSendersShared(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	chain := big.NewInt(5)
	two := []types.Signer{types.NewPragueSigner(chain), types.NewLondonSigner(chain)}
	var txs []*types.Transaction
	for i := range 200 {
		txs = append(txs, types.MustSignNewTx(key, two[0], &types.DynamicFeeTx{Nonce: uint64(i)}))
	}
	want := crypto.PubkeyToAddress(key.PublicKey)
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			from, errs := make([]common.Address, len(txs)), make([]error, len(txs))
			_, err := Senders(t.Context(), two[i%2], txs, from, errs, &Options{Workers: 2})
			if err != nil {
				t.Error(err)
			}
			for j := range txs {
				if from[j] != want || errs[j] != nil {
					t.Errorf("transaction %d: %v, %v", j, from[j], errs[j])
				}
			}
		})
		group.Go(func() {
			for j, tx := range txs {
				if from, err := types.Sender(two[i%2], tx); from != want || err != nil {
					t.Errorf("transaction %d, types.Sender: %v, %v", j, from, err)
				}
			}
		})
	}
	group.Wait()
}
