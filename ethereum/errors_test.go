package ethereum_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/ethereum"
	"github.com/koblitz-go/koblitz/internal/forkjoin/forkjointest"
)

// legacy returns signed transactions.
func legacy(n int) (txs []*types.Transaction) {
	for i := range n {
		txs = append(txs, types.MustSignNewTx(keys[i%len(keys)], types.HomesteadSigner{},
			&types.LegacyTx{Nonce: uint64(i)}))
	}
	return txs
}

func TestSendersArguments(t *testing.T) {
	txs := legacy(2)
	signer := types.HomesteadSigner{}
	one, two := make([]common.Address, 1), make([]common.Address, 2)
	two[0][0] = 9
	for name, call := range map[string]func() (int, error){
		"senders": func() (int, error) {
			return ethereum.Senders(t.Context(), signer, txs, one, make([]error, 2), nil)
		},
		"errs": func() (int, error) {
			return ethereum.Senders(t.Context(), signer, txs, two, nil, nil)
		},
		"signer": func() (int, error) {
			return ethereum.Senders(t.Context(), nil, txs, two, make([]error, 2), nil)
		},
		"authorities": func() (int, error) {
			return ethereum.Authorities(t.Context(), make([]types.SetCodeAuthorization, 2), one,
				make([]error, 2), nil)
		},
	} {
		if n, err := call(); n != 0 || err == nil || two[0][0] != 9 || one[0] != (common.Address{}) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	if n, err := ethereum.Senders(t.Context(), signer, nil, nil, nil, nil); n != 0 || err != nil {
		t.Errorf("no transactions: %d, %v", n, err)
	}
}

// TestContexts checks every function that takes a context: see forkjointest.Contexts.
func TestContexts(t *testing.T) {
	txs, auths := legacy(1500), authorizations(newRand(6), 1500)
	o := &ethereum.Options{Workers: 2}
	from, errs := make([]common.Address, len(txs)), make([]error, len(txs))
	valid := func(count int, err error) (int, int, error) {
		found := 0
		for i := range errs {
			if errs[i] == nil && from[i] != (common.Address{}) {
				found++
			}
		}
		return count, found, err
	}
	forkjointest.Contexts(t, map[string]forkjointest.Call{
		"ethereum.Authorities": func(ctx context.Context) (int, int, error) {
			clear(from)
			return valid(ethereum.Authorities(ctx, auths, from, errs, o))
		},
		"ethereum.Senders": func(ctx context.Context) (int, int, error) {
			clear(from)
			txs := fresh(t, txs)
			return valid(ethereum.Senders(ctx, types.HomesteadSigner{}, txs, from, errs, o))
		},
	}, "../api/ethereum.txt")
}

// TestSendersPanics has rows for which go-ethereum panics. Each gets an error, and its neighbours
// their senders.
func TestSendersPanics(t *testing.T) {
	for name, bad := range map[string]*types.Transaction{"nil": nil, "zero": new(types.Transaction)} {
		txs := legacy(20)
		txs[7] = bad
		for signerName, signer := range signers(big.NewInt(1)) {
			from, errs := make([]common.Address, 20), make([]error, 20)
			n, err := ethereum.Senders(t.Context(), signer, txs, from, errs, nil)
			if n != 19 || err != nil {
				t.Errorf("%s, %s: %d, %v", name, signerName, n, err)
			}
			for i := range txs {
				if (errs[i] != nil) != (i == 7) || (from[i] == common.Address{}) != (i == 7) {
					t.Errorf("%s, %s: transaction %d: %v, %v", name, signerName, i, from[i], errs[i])
				}
			}
		}
	}
	// A signer without a chain ID, which panics for a transaction with one.
	chain := types.NewEIP155Signer(big.NewInt(1))
	txs := append(legacy(1), types.MustSignNewTx(keys[0], chain, &types.LegacyTx{}))
	from, errs := make([]common.Address, 2), make([]error, 2)
	n, err := ethereum.Senders(t.Context(), types.EIP155Signer{}, txs, from, errs, nil)
	if n != 1 || err != nil || errs[0] != nil || errs[1] == nil {
		t.Errorf("a zero EIP155Signer: %d, %v, %v", n, err, errs)
	}
}

// odd is a signer of a type that package ethereum does not know. Its method Sender calls a
// function, and returns an error for transactions with an odd nonce.
type odd struct {
	types.HomesteadSigner
	call func(tx *types.Transaction)
}

// alone is a signer whose other methods panic.
type alone struct{ types.Signer }

func (alone) Sender(*types.Transaction) (common.Address, error) { return common.Address{6}, nil }

var errOdd = errors.New("an odd nonce")

func (o odd) Sender(tx *types.Transaction) (common.Address, error) {
	o.call(tx)
	if tx.Nonce()%2 == 1 {
		return common.Address{}, errOdd
	}
	return common.Address{5, byte(tx.Nonce())}, nil
}

func TestSendersOtherSigner(t *testing.T) {
	txs := legacy(300)
	from, errs := make([]common.Address, 300), make([]error, 300)
	signer := odd{call: func(*types.Transaction) {}}
	n, err := ethereum.Senders(t.Context(), signer, txs, from, errs, nil)
	if n != 150 || err != nil {
		t.Fatal(n, err)
	}
	for i := range txs {
		if i%2 == 1 && errs[i] != errOdd || i%2 == 0 && from[i] != (common.Address{5, byte(i)}) {
			t.Errorf("transaction %d: %v, %v", i, from[i], errs[i])
		}
	}
	n, err = ethereum.Senders(t.Context(), alone{}, legacy(3), from[:3], errs[:3], nil)
	if n != 3 || err != nil || from[1] != (common.Address{6}) {
		t.Errorf("a signer with Sender alone: %d, %v, %v", n, err, from[1])
	}
	// Chain IDs that no transaction of package ethereum's fast path has.
	for _, chain := range []*big.Int{new(big.Int).Lsh(big.NewInt(1), 64), new(big.Int),
		new(big.Int).SetUint64(1<<63 + 5), big.NewInt(-4)} {
		compare(t, types.NewEIP155Signer(chain), legacy(3), nil)
		if chain.Sign() > 0 {
			signer := types.NewPragueSigner(chain)
			txs := append(legacy(3), types.MustSignNewTx(keys[0], signer, &types.LegacyTx{}))
			if chain.BitLen() <= 256 {
				txs = append(txs, types.MustSignNewTx(keys[1], signer, &types.DynamicFeeTx{}))
			}
			compare(t, signer, txs, nil)
		}
	}
}

// TestSendersCancelled cancels the context before the call and in the middle of it. Rows without a
// sender must have an error.
func TestSendersCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	txs := legacy(3000)
	from, errs := make([]common.Address, len(txs)), make([]error, len(txs))
	n, err := ethereum.Senders(ctx, types.HomesteadSigner{}, txs, from, errs, nil)
	if n != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %d, %v", n, err)
	}
	for i := range errs {
		if !errors.Is(errs[i], context.Canceled) {
			t.Fatalf("cancelled before: row %d has the error %v", i, errs[i])
		}
	}

	ctx, cancel = context.WithCancel(t.Context())
	signer := odd{call: func(tx *types.Transaction) {
		if tx.Nonce() == 1000 {
			cancel()
		}
	}}
	n, err = ethereum.Senders(ctx, signer, txs, from, errs, &ethereum.Options{Workers: 1})
	if n == 0 || !errors.Is(err, context.Canceled) || !errors.Is(errs[2999], context.Canceled) {
		t.Errorf("cancelled in the middle: %d, %v, %v", n, err, errs[2999])
	}
	for i := range errs {
		if errs[i] == nil {
			n--
		} else if from[i] != (common.Address{}) {
			t.Errorf("row %d has an error and a sender", i)
		}
	}
	if n != 0 {
		t.Errorf("the number of valid transactions is wrong by %d", n)
	}
}

func TestAuthorities(t *testing.T) {
	rng := newRand(5)
	auths := authorizations(rng, 700)
	auths[0].ChainID = uint256.Int{}
	auths[1].ChainID = *uint256.NewInt(0x7f)
	auths[2].ChainID = *uint256.NewInt(0x80)
	auths[3].ChainID = *new(uint256.Int).SetAllOne()
	for _, o := range []*ethereum.Options{nil, {Workers: 1}} {
		got, errs := make([]common.Address, len(auths)), make([]error, len(auths))
		valid, err := ethereum.Authorities(t.Context(), auths, got, errs, o)
		if err != nil {
			t.Fatal(err)
		}
		if valid < 350 || valid > 680 {
			t.Errorf("%d of %d are valid", valid, len(auths))
		}
		for i := range auths {
			want, wantErr := auths[i].Authority()
			if got[i] != want || text(errs[i]) != text(wantErr) {
				t.Errorf("row %d: %v, %v, want %v, %v", i, got[i], errs[i], want, wantErr)
			}
			if wantErr == nil {
				valid--
			}
		}
		if valid != 0 {
			t.Errorf("the number of valid rows is wrong by %d", valid)
		}
	}
}

// A forgetful context returns an error only from the call with number at of its method Err,
// although package context forbids that.
type forgetful struct {
	context.Context
	at int
}

func (c *forgetful) Err() error {
	if c.at--; c.at == 0 {
		return context.Canceled
	}
	return nil
}

// TestSendersForget ends a context at each look, after which it forgets that it has ended. Rows
// without an error must have their sender, and there must be an error if a row was not reached.
func TestSendersForget(t *testing.T) {
	txs := legacy(3000)
	o := &ethereum.Options{Workers: 1}
	for at := 1; ; at++ {
		from, errs := make([]common.Address, len(txs)), make([]error, len(txs))
		ctx := &forgetful{t.Context(), at}
		n, err := ethereum.Senders(ctx, types.HomesteadSigner{}, txs, from, errs, o)
		for i := range errs {
			if (errs[i] == nil) == (from[i] == common.Address{}) {
				t.Fatalf("the context ends at look %d: row %d has the error %v and the sender %v", at, i,
					errs[i], from[i])
			}
		}
		if n < len(txs) && err == nil {
			t.Fatalf("the context ends at look %d: %d senders and no error", at, n)
		}
		if ctx.at > 0 {
			break
		}
	}
}

// swapping is a context that exchanges two transactions at a look.
type swapping struct {
	context.Context
	at  int
	txs []*types.Transaction
}

func (c *swapping) Err() error {
	if c.at--; c.at == 0 {
		c.txs[0], c.txs[1] = c.txs[1], c.txs[0]
	}
	return nil
}

// TestSendersSwap exchanges two transactions during a call. Each keeps its own sender.
func TestSendersSwap(t *testing.T) {
	signer := types.HomesteadSigner{}
	for at := 1; ; at++ {
		txs := legacy(2)
		a, b := txs[0], txs[1]
		ctx := &swapping{t.Context(), at, txs}
		from, errs := make([]common.Address, 2), make([]error, 2)
		if n, err := ethereum.Senders(ctx, signer, txs, from, errs, nil); n != 2 || err != nil {
			t.Fatal(n, err)
		}
		for _, tx := range []*types.Transaction{a, b} {
			got, err := types.Sender(signer, tx)
			want, _ := types.Sender(signer, fresh(t, []*types.Transaction{tx})[0])
			if err != nil || got != want {
				t.Fatalf("exchanged at look %d: the sender %v is stored, want %v", at, got, want)
			}
		}
		if ctx.at > 0 {
			break
		}
	}
}
