package before

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
)

// Senders returns the senders of a block's transactions.
func Senders(
	_ context.Context, signer types.Signer, txs types.Transactions,
) ([]common.Address, error) {
	senders := make([]common.Address, len(txs))
	for i, tx := range txs {
		sender, err := types.Sender(signer, tx)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		senders[i] = sender
	}
	return senders, nil
}
