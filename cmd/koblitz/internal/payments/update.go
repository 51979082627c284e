package payments

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/btcsuite/btcd/chainhash/v2"
	"github.com/btcsuite/btcd/wire/v2"

	"github.com/koblitz-go/koblitz/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
)

// FirstBlock returns the height of the network's first block that can contain a silent payment: the
// block in which taproot takes effect (BIP-341).
func FirstBlock(n consensus.Network) int32 {
	switch n {
	case consensus.Mainnet:
		return 709632
	case consensus.Testnet3:
		return 2011968
	}
	return 0
}

// An Update appends the tweaks of a chain's blocks to a file.
type Update struct {
	Chain   Chain
	File    *tweakfile.Writer
	To      int32 // height of the last block
	Workers int
	Every   time.Duration        // the minimum time between two saves
	Reached func(height int32)   // called after each block
	Rewound func(from, to int32) // called before the blocks from, …, to are removed
}

// maxRewind is the maximum number of blocks that an Update removes from a file. A chain that
// differs in more of them is another chain.
const maxRewind = 10000

// errReorganized is the error if a block is not the child of the block before it.
var errReorganized = errors.New("the block before it is another one")

// Run brings the file up to the block at height u.To. It first removes blocks that are not in the
// chain. If it returns an error, the blocks up to then are saved.
func (u *Update) Run(ctx context.Context) error {
	for {
		removed, err := u.rewind(ctx)
		if err != nil {
			return err
		}
		before := u.File.Next()
		err = u.extend(ctx)
		if saved := u.File.Save(); saved != nil {
			return saved
		}
		if !errors.Is(err, errReorganized) || !removed && u.File.Next() == before {
			return err
		}
		// The chain of a node was reorganized since rewind compared it.
	}
}

// rewind removes the blocks at the end of the file that are not in the chain.
func (u *Update) rewind(ctx context.Context) (removed bool, err error) {
	last := min(u.File.Next()-1, u.Chain.Tip())
	h := last
	for ; h >= u.File.First(); h-- {
		ours, err := u.File.Hash(h)
		if err != nil {
			return false, err
		}
		theirs, err := u.Chain.Hash(h)
		if err != nil {
			return false, err
		}
		if ours == theirs {
			break
		}
		if last-h == maxRewind {
			return false, durable.Refusedf("%s: its last %d blocks are not in the chain "+
				"of %s; remove it and its index to begin again", u.File.Name(), maxRewind, u.Chain.Name())
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	if h == last {
		return false, nil
	}
	u.Rewound(h+1, u.File.Next()-1)
	return true, u.File.Rewind(h + 1)
}

// A blockTweaks holds the tweaks of a block, and the hash of its parent.
type blockTweaks struct {
	tweakfile.Block
	prev chainhash.Hash
}

// extend appends the blocks that the file lacks.
func (u *Update) extend(ctx context.Context) error {
	next := u.File.Next()
	var last chainhash.Hash
	if next > u.File.First() {
		var err error
		if last, err = u.File.Hash(next - 1); err != nil {
			return err
		}
	}
	saved := time.Now()
	return inOrder(ctx, u.Workers, next, u.To, u.block, func(b *blockTweaks) error {
		if next > u.File.First() && b.prev != last {
			return fmt.Errorf("%s: block %d, %v: %w", u.Chain.Name(), next, b.Hash, errReorganized)
		}
		if err := u.File.Append(&b.Block); err != nil {
			return err
		}
		last = b.Hash
		if time.Since(saved) >= u.Every {
			if err := u.File.Save(); err != nil {
				return err
			}
			saved = time.Now()
		}
		u.Reached(next)
		next++
		return nil
	})
}

// block computes the tweaks of the block at the given height.
func (u *Update) block(height int32) (*blockTweaks, error) {
	b := new(blockTweaks)
	head, err := u.Chain.Full(height, func(index int, tx *wire.MsgTx, id chainhash.Hash,
		spent []wireform.Output) error {
		tweak, err := bitcoin.PublicTweak(tx, spent)
		switch {
		case errors.Is(err, bitcoin.ErrNoTweak):
			return nil
		case err != nil:
			return fmt.Errorf("transaction %v: %w", id, err)
		}
		return b.Add(tweak.Bytes(), index)
	})
	b.Hash, b.prev = head.Hash, head.Prev
	return b, err
}
