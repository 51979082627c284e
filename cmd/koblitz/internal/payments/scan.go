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

// A Payment is an output that pays the wallet.
type Payment struct {
	Height int32
	Block  chainhash.Hash
	Tx     chainhash.Hash
	Output uint32
	Value  int64 // in satoshi
	Key    [32]byte
	Match  silentpay.Match
}

// A Scan finds the payments to a wallet.
type Scan struct {
	Chain   Chain
	Tweaks  *tweakfile.File
	Scanner *silentpay.Scanner // for one receiver
	Workers int

	Reached func(*Scanned) error // called after each block
}

// A Scanned is a block with the payments that were found in it.
type Scanned struct {
	Height int32
	Hash   chainhash.Hash
	Tweaks int // their number
	Found  []Payment
}

// Run scans the blocks from, …, to.
func (s *Scan) Run(ctx context.Context, from, to int32) error {
	block := func(height int32) (*Scanned, error) { return s.block(ctx, height) }
	return inOrder(ctx, s.Workers, from, to, block, s.Reached)
}

// Compare returns an error if the block at the given height is not the same in Chain and Tweaks.
// Each block names its parent, so then the blocks before it are the same too.
func (s *Scan) Compare(height int32) error {
	want, err := s.Tweaks.Hash(height)
	if err != nil {
		return err
	}
	is, err := s.Chain.Hash(height)
	if err != nil {
		return err
	}
	return s.differs(height, is, want)
}

// differs returns an error if is, the hash of a block in Chain, differs from want, that in Tweaks.
func (s *Scan) differs(height int32, is, want chainhash.Hash) error {
	if is == want {
		return nil
	}
	return fmt.Errorf("block %d of %s is %v, and in %s it is %v: bring the file up to date "+
		"('koblitz tweaks')", height, s.Chain.Name(), is, s.Tweaks.Name(), want)
}

// block scans the block at the given height. It reads the whole block only if it has a tweak. All
// secret work of a Scan is here.
func (s *Scan) block(ctx context.Context, height int32) (*Scanned, error) {
	b, err := s.Tweaks.Block(height)
	if err != nil {
		return nil, err
	}
	scanned := &Scanned{Height: height, Hash: b.Hash, Tweaks: len(b.Positions)}
	if scanned.Tweaks == 0 {
		return scanned, s.Compare(height)
	}
	txs := silentpay.Transactions{Tweaks: b.Tweaks, Ends: make([]int, 0, len(b.Positions))}
	var ids []chainhash.Hash // of the transactions
	type place struct {
		output uint32
		value  int64
	}
	var places []place // of the taproot outputs of txs
	head, err := s.Chain.Raw(height, func(index int, tx *wire.MsgTx, id chainhash.Hash,
		_ []wireform.Output) error {
		if n := len(txs.Ends); n == len(b.Positions) || index != int(b.Positions[n]) {
			return nil
		}
		for i, out := range tx.TxOut {
			if txscript.IsPayToTaproot(out.PkScript) {
				txs.Outputs = append(txs.Outputs, out.PkScript[2:]...)
				places = append(places, place{uint32(i), out.Value})
			}
		}
		ids = append(ids, id)
		txs.Ends = append(txs.Ends, len(places))
		return nil
	})
	if err == nil {
		err = s.differs(height, head.Hash, b.Hash)
	}
	if err != nil {
		return nil, err
	}
	if n := len(txs.Ends); n < len(b.Positions) {
		return nil, fmt.Errorf("%s: block %d has no transaction %d", s.Tweaks.Name(), height,
			b.Positions[n])
	}
	verdicts := make([]batch.Verdict, len(txs.Ends))
	found, err := s.Scanner.Scan(ctx, txs, verdicts, &batch.SecretOptions{Workers: 1})
	if i := slices.Index(verdicts, batch.Malformed); err == nil && i >= 0 {
		err = fmt.Errorf("tweak %d is not the encoding of a point", i)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: block %d: %w", s.Tweaks.Name(), height, err)
	}
	slices.SortFunc(found, func(a, b silentpay.Found) int {
		return cmp.Or(a.Transaction-b.Transaction, a.Output-b.Output)
	})
	starts := append([]int{0}, txs.Ends...)
	for _, f := range found {
		n := starts[f.Transaction] + f.Output
		scanned.Found = append(scanned.Found, Payment{Height: height, Block: b.Hash,
			Tx: ids[f.Transaction], Output: places[n].output, Value: places[n].value,
			Key: [32]byte(txs.Outputs[32*n:]), Match: f.Match})
	}
	return scanned, nil
}
