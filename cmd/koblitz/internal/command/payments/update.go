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
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
)

// firstBlock returns the height of the network's first block that can contain a silent payment: the
// block in which taproot takes effect (BIP-341).
func firstBlock(n consensus.Network) int32 {
	switch n {
	case consensus.Mainnet:
		return 709632
	case consensus.Testnet3:
		return 2011968
	}
	return 0
}

// A tweaksUpdate appends the tweaks of a chain's blocks to a file.
type tweaksUpdate struct {
	chain   Chain
	file    *tweakfile.Writer
	to      int32 // height of the last block
	workers int
	reached func(height int32)   // called after each block
	rewound func(from, to int32) // called before the blocks from, …, to are removed
}

// maxRewind is the maximum number of blocks that a tweaksUpdate removes from a file. A chain that
// lacks more of them is another chain, or its node lags behind.
const maxRewind = 10000

// errReorganized is the error if a block is not the child of the block before it.
var errReorganized = errors.New("the block before it is another one")

// run brings the file up to the block at height u.to. It first removes blocks that are not in the
// chain. If it returns an error, the blocks up to then are saved.
func (u *tweaksUpdate) run(ctx context.Context) error {
	for {
		removed, err := u.rewind(ctx)
		if err != nil {
			return err
		}
		before := u.file.Next()
		err = u.extend(ctx)
		if saved := u.file.Save(); saved != nil {
			return saved
		}
		if !errors.Is(err, errReorganized) || !removed && u.file.Next() == before {
			return err
		}
		// The chain of a node was reorganized since rewind compared it.
	}
}

// rewind removes the blocks at the end of the file that are not in the chain.
func (u *tweaksUpdate) rewind(ctx context.Context) (removed bool, err error) {
	last := min(u.file.Next()-1, u.chain.Tip())
	h := last
	for ; h >= u.file.First(); h-- {
		ours, err := u.file.Hash(h)
		if err != nil {
			return false, err
		}
		theirs, err := u.chain.Hash(h)
		if err != nil {
			return false, err
		}
		if ours == theirs {
			break
		}
		if u.file.Next()-1-h >= maxRewind {
			return false, durable.Refusedf("%s: its last %d blocks are not in the chain "+
				"of %s; remove it and its index to begin again", u.file.Name(), maxRewind, u.chain.Name())
		}
		if err := ctx.Err(); err != nil {
			return false, err
		}
	}
	if h == last {
		return false, nil
	}
	u.rewound(h+1, u.file.Next()-1)
	return true, u.file.Rewind(h + 1)
}

// A blockTweaks holds the tweaks of a block, and the hash of its parent.
type blockTweaks struct {
	tweakfile.Block
	prev chainhash.Hash
}

// extend appends the blocks that the file lacks.
func (u *tweaksUpdate) extend(ctx context.Context) error {
	next := u.file.Next()
	var last chainhash.Hash
	if next > u.file.First() {
		var err error
		if last, err = u.file.Hash(next - 1); err != nil {
			return err
		}
	}
	saved := time.Now()
	return inOrder(ctx, u.workers, next, u.to, u.block, func(b *blockTweaks) error {
		if next > u.file.First() && b.prev != last {
			return fmt.Errorf("%s: block %d, %v: %w", u.chain.Name(), next, b.Hash, errReorganized)
		}
		if err := u.file.Append(&b.Block); err != nil {
			return err
		}
		last = b.Hash
		if time.Since(saved) >= cli.SaveEvery {
			if err := u.file.Save(); err != nil {
				return err
			}
			saved = time.Now()
		}
		u.reached(next)
		next++
		return nil
	})
}

// block computes the tweaks of the block at the given height.
func (u *tweaksUpdate) block(height int32) (*blockTweaks, error) {
	b := new(blockTweaks)
	head, err := u.chain.Full(height, func(index int, tx *wire.MsgTx, id chainhash.Hash,
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
