// Senders finds the senders of as many transactions as a block has.
package main

import (
	"fmt"
	"log"
	"math/big"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
)

func main() {
	signer := types.LatestSignerForChainID(big.NewInt(1))
	var block types.Transactions
	for nonce := range uint64(300) {
		key, err := crypto.GenerateKey()
		if err != nil {
			log.Fatal(err)
		}
		block = append(block, types.MustSignNewTx(key, signer, &types.DynamicFeeTx{
			ChainID: signer.ChainID(), Nonce: nonce, Gas: 21_000, To: new(common.Address),
			GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(3e10), Value: big.NewInt(1),
		}))
	}
	begin := time.Now()
	for _, tx := range block {
		if _, err := types.Sender(signer, tx); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(len(block), "senders in", time.Since(begin))
}
