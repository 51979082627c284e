package after

import (
	"context"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/koblitz-go/koblitz/batch"
)

// Senders returns the senders of a block's transactions. The block must be from Homestead or later,
// and the signer must know the types of its transactions.
func Senders(
	ctx context.Context, signer types.Signer, txs types.Transactions,
) ([]common.Address, error) {
	hashes := make([]byte, 0, 32*len(txs))
	sigs := make([]byte, 65*len(txs))
	for i, tx := range txs {
		hash, id, err := signed(signer, tx)
		if err != nil {
			return nil, fmt.Errorf("transaction %d: %w", i, err)
		}
		_, r, s := tx.RawSignatureValues()
		if r.Sign() < 0 || s.Sign() < 0 || r.BitLen() > 256 || s.BitLen() > 256 {
			return nil, fmt.Errorf("transaction %d: %w", i, types.ErrInvalidSig)
		}
		hashes = append(hashes, hash[:]...)
		sig := sigs[65*i:][:65]
		r.FillBytes(sig[:32])
		s.FillBytes(sig[32:64])
		sig[64] = id
	}
	rows := batch.RecoverRows{
		Hashes: batch.Packed(hashes, 32), Signatures: batch.Packed(sigs, 65), S: batch.LowS,
	}
	addresses := make([]byte, common.AddressLength*len(txs))
	verdicts := make([]batch.Verdict, len(txs))
	if _, err := rows.EthereumAddresses(ctx, addresses, verdicts, nil); err != nil {
		return nil, err
	}
	senders := make([]common.Address, len(txs))
	for i, v := range verdicts {
		if v != batch.Valid {
			return nil, fmt.Errorf("transaction %d: %w", i, types.ErrInvalidSig)
		}
		senders[i] = common.Address(addresses[common.AddressLength*i:])
	}
	return senders, nil
}

// signed returns the hash that a transaction's sender has signed, and the recovery id.
func signed(signer types.Signer, tx *types.Transaction) (hash common.Hash, id byte, err error) {
	v, _, _ := tx.RawSignatureValues()
	n := new(big.Int).Set(v)
	switch {
	case !tx.Protected(): // a legacy transaction from before EIP-155: v is the id and 27
		hash = types.HomesteadSigner{}.Hash(tx)
		n.Sub(n, big.NewInt(27))
	case tx.ChainId().Cmp(signer.ChainID()) != 0:
		return hash, 0, types.ErrInvalidChainId
	case tx.Type() == types.LegacyTxType: // v is the id, twice the chain's number, and 35
		hash = signer.Hash(tx)
		n.Sub(n, new(big.Int).Lsh(signer.ChainID(), 1)).Sub(n, big.NewInt(35))
	default:
		hash = signer.Hash(tx)
	}
	if n.Sign() < 0 || n.Cmp(big.NewInt(1)) > 0 {
		return hash, 0, types.ErrInvalidSig
	}
	return hash, byte(n.Uint64()), nil
}
