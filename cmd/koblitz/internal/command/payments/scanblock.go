package payments

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/txscript/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/batch"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
	"github.com/koblitz-go/koblitz/silentpay"
)

// A blockScan finds the payments to a wallet in single blocks.
type blockScan struct {
	chain   Chain
	tweaks  *tweakfile.File
	scanner *silentpay.Scanner // for one receiver
}

// A scanned is a block with the payments that were found in it.
type scanned struct {
	place  scanPlace
	tweaks int // their number
	found  []foundRow
}

// compare returns an error if the block at the given height is not the same in chain and tweaks.
// Each block names its parent, so then the blocks before it are the same too.
func (s *blockScan) compare(height int32) error {
	want, err := s.tweaks.Hash(height)
	if err != nil {
		return err
	}
	is, err := s.chain.Hash(height)
	if err != nil {
		return err
	}
	return s.differs(height, is, want)
}

// differs returns an error if is, the hash of a block in chain, differs from want, that in tweaks.
func (s *blockScan) differs(height int32, is, want chainhash.Hash) error {
	if is == want {
		return nil
	}
	return fmt.Errorf("block %d of %s is %v, and in %s it is %v: bring the file up to date "+
		"('koblitz tweaks')", height, s.chain.Name(), is, s.tweaks.Name(), want)
}

// block scans the block at the given height. It reads the whole block only if it has a tweak. All
// secret work of a scan is here.
func (s *blockScan) block(ctx context.Context, height int32) (*scanned, error) {
	b, err := s.tweaks.Block(height)
	if err != nil {
		return nil, err
	}
	block := &scanned{place: scanPlace{height, b.Hash.String()}, tweaks: len(b.Positions)}
	if block.tweaks == 0 {
		return block, s.compare(height)
	}
	txs := silentpay.Transactions{Tweaks: b.Tweaks}
	var outs []taprootOutput // of txs
	head, err := s.chain.Raw(height, func(index int, tx *wire.MsgTx, id chainhash.Hash,
		_ []wireform.Output) error {
		if n := len(txs.Ends); n == len(b.Positions) || index != int(b.Positions[n]) {
			return nil
		}
		for i, out := range tx.TxOut {
			if txscript.IsPayToTaproot(out.PkScript) {
				txs.Outputs = append(txs.Outputs, out.PkScript[2:]...)
				outs = append(outs, taprootOutput{id, uint32(i), out})
			}
		}
		txs.Ends = append(txs.Ends, len(outs))
		return nil
	})
	if err == nil {
		err = s.differs(height, head.Hash, b.Hash)
	}
	if err != nil {
		return nil, err
	}
	if n := len(txs.Ends); n < len(b.Positions) {
		return nil, fmt.Errorf("%s: block %d has no transaction %d", s.tweaks.Name(), height,
			b.Positions[n])
	}
	verdicts := make([]batch.Verdict, len(txs.Ends))
	found, err := s.scanner.Scan(ctx, txs, verdicts, &batch.SecretOptions{Workers: 1})
	if i := slices.Index(verdicts, batch.Malformed); err == nil && i >= 0 {
		err = fmt.Errorf("tweak %d is not the encoding of a point", i)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: block %d: %w", s.tweaks.Name(), height, err)
	}
	slices.SortFunc(found, func(a, b silentpay.Found) int {
		return cmp.Or(a.Transaction-b.Transaction, a.Output-b.Output)
	})
	starts := append([]int{0}, txs.Ends...)
	for _, f := range found {
		out := &outs[starts[f.Transaction]+f.Output]
		block.found = append(block.found, out.row(block.place, &f.Match))
	}
	return block, nil
}
