package ethereum

import (
	"math/big"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
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

// TestStoredWithoutWork counts allocations, which a lookup does not need.
func TestStoredWithoutWork(t *testing.T) {
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	signer := types.NewPragueSigner(big.NewInt(5))
	txs := []*types.Transaction{types.MustSignNewTx(key, signer, &types.DynamicFeeTx{})}
	from, errs := make([]common.Address, 1), make([]error, 1)
	if _, err := Senders(t.Context(), signer, txs, from, errs, nil); err != nil || errs[0] != nil {
		t.Fatal(err, errs[0])
	}
	n := testing.AllocsPerRun(10, func() {
		if got, err := types.Sender(signer, txs[0]); err != nil || got != from[0] {
			t.Error(got, err)
		}
	})
	if n != 0 {
		t.Errorf("types.Sender allocates %v times for a stored sender", n)
	}
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
