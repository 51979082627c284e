// Package ethereum benchmarks how go-ethereum recovers the senders of transactions.
package ethereum

import (
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/koblitz-go/koblitz/internal/reference"
	"github.com/koblitz-go/koblitz/lab/dropins/internal/rows"
)

var operations = []rows.Operation{{Name: "sender", Open: sender}}

func BenchmarkOperations(b *testing.B) { rows.Benchmark(b, operations) }
func TestResults(t *testing.T)         { rows.Test(t, operations) }

// sender returns the operation that recovers the senders of transactions with dynamic fees. It
// calls the signer directly, because types.Sender caches its result in the transaction.
func sender() rows.Rows {
	r := rows.Random()
	chain := big.NewInt(1)
	signer := types.LatestSignerForChainID(chain)
	var transactions []*types.Transaction
	var senders []common.Address
	for i := range rows.Count {
		key := reference.Must(crypto.ToECDSA(reference.Bytes(r, 32)))
		to := common.Address(reference.Bytes(r, 20))
		transactions = append(transactions, reference.Must(types.SignNewTx(key, signer,
			&types.DynamicFeeTx{
				ChainID: chain, Nonce: uint64(i), GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(3e10),
				Gas: 90_000, To: &to, Value: new(big.Int), Data: reference.Bytes(r, 68),
			})))
		senders = append(senders, crypto.PubkeyToAddress(key.PublicKey))
	}
	var last common.Address
	return rows.Rows{
		Run: func(i int) error {
			var err error
			last, err = signer.Sender(transactions[i])
			if err != nil {
				return err
			}
			return rows.Accepted(last == senders[i])
		},
		Result: func() []byte { return last[:] },
		Wrong: func(i int) bool {
			v, x, y := transactions[i].RawSignatureValues()
			signature := make([]byte, 65)
			x.FillBytes(signature[:32])
			y.FillBytes(signature[32:64])
			signature[64] = byte(v.Uint64()) ^ 1
			other, err := transactions[i].WithSignature(signer, signature)
			if err != nil {
				return true
			}
			a, err := signer.Sender(other)
			return err != nil || a != senders[i]
		},
	}
}
