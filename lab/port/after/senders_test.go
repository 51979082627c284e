package after

import (
	"context"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/koblitz-go/koblitz/lab/port/before"
)

var chain = big.NewInt(1337)

// transaction returns a signed transaction of one of six kinds: legacy without and with the chain
// ID, access list, dynamic fee, blob, set code.
func (s source) transaction(t *testing.T, kind int, with types.Signer) *types.Transaction {
	t.Helper()
	key, err := crypto.ToECDSA(s.secret())
	if err != nil {
		t.Fatal(err)
	}
	to := common.BytesToAddress(s.bytes(20))
	var data types.TxData
	switch kind {
	case 0, 1:
		data = &types.LegacyTx{Nonce: s.Uint64(), To: &to, GasPrice: big.NewInt(1), Data: s.bytes(5)}
	case 2:
		data = &types.AccessListTx{
			ChainID: with.ChainID(), Nonce: s.Uint64(), To: &to, GasPrice: big.NewInt(1),
		}
	case 3:
		data = &types.DynamicFeeTx{ChainID: with.ChainID(), Nonce: s.Uint64(), To: &to}
	case 4:
		data = &types.BlobTx{ChainID: uint256.MustFromBig(with.ChainID()), Nonce: s.Uint64(), To: to}
	case 5:
		data = &types.SetCodeTx{ChainID: uint256.MustFromBig(with.ChainID()), Nonce: s.Uint64(), To: to}
	}
	if kind == 0 {
		with = types.HomesteadSigner{}
	}
	tx, err := types.SignNewTx(key, with, data)
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

// altered returns the transaction with other values in its signature.
func altered(tx *types.Transaction, v, r, s *big.Int) *types.Transaction {
	switch tx.Type() {
	case types.LegacyTxType:
		return types.NewTx(&types.LegacyTx{
			Nonce: tx.Nonce(), To: tx.To(), GasPrice: tx.GasPrice(), Data: tx.Data(), V: v, R: r, S: s,
		})
	default:
		return types.NewTx(&types.DynamicFeeTx{
			ChainID: tx.ChainId(), Nonce: tx.Nonce(), To: tx.To(), V: v, R: r, S: s,
		})
	}
}

// id returns the recovery id of a transaction's signature.
func id(tx *types.Transaction) int64 {
	v, _, _ := tx.RawSignatureValues()
	switch {
	case !tx.Protected():
		return v.Int64() - 27
	case tx.Type() == types.LegacyTxType:
		return v.Int64() - 35 - 2*chain.Int64()
	}
	return v.Int64()
}

// overflowing returns an r from which the recovery ids 2 and 3 recover keys, because r + n is the x
// coordinate of a point of the curve.
func overflowing(t *testing.T) *big.Int {
	t.Helper()
	sig := make([]byte, 65)
	for r := byte(1); r < 100; r++ {
		sig[31], sig[63], sig[64] = r, 1, 2
		if _, err := crypto.Ecrecover(make([]byte, 32), sig); err == nil {
			return big.NewInt(int64(r))
		}
	}
	t.Fatal("there is no such r")
	return nil
}

func TestSenders(t *testing.T) {
	s := newSource(10)
	signer := types.LatestSignerForChainID(chain)
	ctx := context.Background()
	var good types.Transactions
	for i := range 150 {
		good = append(good, s.transaction(t, i%6, signer))
	}
	want, err := before.Senders(ctx, signer, good)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Senders(ctx, signer, good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("transaction %d of type %d: %v, before %v", i, good[i].Type(), got[i], want[i])
		}
	}
	if len(got) != len(good) {
		t.Errorf("%d senders of %d", len(got), len(good))
	}
	if none, err := Senders(ctx, signer, nil); err != nil || len(none) != 0 {
		t.Errorf("no transactions: %v, %v", none, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Senders(ended, signer, good); err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}

	// Replace one of several transactions by one with a bad signature, for each way in which a
	// signature can be bad.
	n := crypto.S256().Params().N
	one, zero := big.NewInt(1), new(big.Int)
	both, refused := 0, 0
	for _, kind := range []int{0, 1, 3} {
		for range 4 {
			tx := s.transaction(t, kind, signer)
			v, r, sv := tx.RawSignatureValues()
			plus := func(x *big.Int, d int64) *big.Int { return new(big.Int).Add(x, big.NewInt(d)) }
			for name, bad := range map[string]*types.Transaction{
				"as it was":       altered(tx, v, r, sv),
				"high s":          altered(tx, v, r, new(big.Int).Sub(n, sv)),
				"r is 0":          altered(tx, v, zero, sv),
				"s is 0":          altered(tx, v, r, zero),
				"r is n":          altered(tx, v, n, sv),
				"r is -1":         altered(tx, v, plus(zero, -1), sv),
				"s is -1":         altered(tx, v, r, plus(zero, -1)),
				"r has 257 bits":  altered(tx, v, new(big.Int).Lsh(one, 256), sv),
				"s has 257 bits":  altered(tx, v, r, new(big.Int).Lsh(one, 256)),
				"v is 1 more":     altered(tx, plus(v, 1), r, sv),
				"v is 1 less":     altered(tx, plus(v, -1), r, sv),
				"v is 2 more":     altered(tx, plus(v, 2), r, sv),
				"v is 2 less":     altered(tx, plus(v, -2), r, sv),
				"v is 256 more":   altered(tx, plus(v, 256), r, sv),
				"an id of 2":      altered(tx, plus(v, 2-id(tx)), overflowing(t), sv),
				"an id of 3":      altered(tx, plus(v, 3-id(tx)), overflowing(t), sv),
				"v is 0":          altered(tx, zero, r, sv),
				"v is 1":          altered(tx, one, r, sv),
				"v is 26":         altered(tx, big.NewInt(26), r, sv),
				"v is 29":         altered(tx, big.NewInt(29), r, sv),
				"another r":       altered(tx, v, plus(r, 1), sv),
				"another chain's": s.transaction(t, max(kind, 1), types.LatestSignerForChainID(one)),
			} {
				block := types.Transactions{good[0], bad, good[1]}
				want, err1 := before.Senders(ctx, signer, block)
				got, err2 := Senders(ctx, signer, block)
				if (err1 == nil) != (err2 == nil) {
					t.Errorf("kind %d, %s: before %v, after %v", kind, name, err1, err2)
					continue
				}
				if err1 != nil {
					refused++
					continue
				}
				both++
				for i := range want {
					if got[i] != want[i] {
						t.Errorf("kind %d, %s: %v, before %v", kind, name, got, want)
					}
				}
			}
		}
	}
	if both < 12 || refused < 100 {
		t.Errorf("%d blocks were good, %d bad", both, refused)
	}
}
