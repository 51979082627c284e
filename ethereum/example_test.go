package ethereum_test

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz"
	"github.com/koblitz-go/koblitz/ethereum"
)

func ExampleSenders() {
	signer := types.LatestSignerForChainID(big.NewInt(1))
	key := koblitz.GenerateKey()
	var txs []*types.Transaction // such as block.Transactions()
	for nonce := range uint64(3) {
		tx := types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(1), Nonce: nonce})
		sig, err := ethereum.Sign(key, signer.Hash(tx), nil)
		if err != nil {
			panic(err)
		}
		if tx, err = tx.WithSignature(signer, sig[:]); err != nil {
			panic(err)
		}
		txs = append(txs, tx)
	}
	txs[1] = types.NewTx(&types.DynamicFeeTx{ChainID: big.NewInt(1)}) // without a signature

	senders := make([]common.Address, len(txs))
	errs := make([]error, len(txs))
	valid, err := ethereum.Senders(context.Background(), signer, txs, senders, errs, nil)
	if err != nil {
		panic(err)
	}
	address, _ := ethereum.Address(key.PublicKey())
	fmt.Println(valid, senders[0] == address, errs[1])
	// Output: 2 true invalid transaction v, r, s values
}

func ExampleSignature_Recover() {
	key := koblitz.GenerateKey()
	hash := ethereum.PersonalHash([]byte("Log in to example.com, 2026-11-25"))
	sig, err := ethereum.Sign(key, hash, nil)
	if err != nil {
		panic(err)
	}
	wire, _ := sig.AppendForm(nil, ethereum.V27) // as wallets return it

	received, err := ethereum.ParseSignature(wire, ethereum.V27)
	if err != nil {
		panic(err)
	}
	from, err := received.Recover(hash)
	want, _ := ethereum.Address(key.PublicKey())
	fmt.Println(from == want, err)
	// Output: true <nil>
}

func ExampleTypedDataHash() {
	hash, err := ethereum.TypedDataHash([]byte(`{
		"types": {
			"EIP712Domain": [{"name": "name", "type": "string"}],
			"Transfer": [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}]
		},
		"primaryType": "Transfer",
		"domain": {"name": "Example"},
		"message": {"to": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", "amount": "1000"}
	}`))
	fmt.Println(hash, err)
	// Output: 0x99833df8d9ad9e7bf57ceb0e76e3af7e487702b01e98c2638ddb0d8bec8e20ec <nil>
}

func ExampleAuthorities() {
	// The authorizations of an EIP-7702 transaction: tx.SetCodeAuthorizations().
	auths := make([]types.SetCodeAuthorization, 2)
	authorities := make([]common.Address, len(auths))
	errs := make([]error, len(auths))
	valid, err := ethereum.Authorities(context.Background(), auths, authorities, errs, nil)
	fmt.Println(valid, err, errs[0])
	// Output: 0 <nil> invalid transaction v, r, s values
}
