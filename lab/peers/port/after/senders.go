package after

import (
	"context"
	"fmt"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/ethereum"
)

// Senders returns the senders of a block's transactions.
func Senders(
	ctx context.Context, signer types.Signer, txs types.Transactions,
) ([]common.Address, error) {
	senders := make([]common.Address, len(txs))
	errs := make([]error, len(txs))
	if _, err := ethereum.Senders(ctx, signer, txs, senders, errs, nil); err != nil {
		return nil, err
	}
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
	}
	return senders, nil
}
