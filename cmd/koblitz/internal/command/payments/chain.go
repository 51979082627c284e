package payments

import (
	"context"
	"fmt"

	"github.com/btcsuite/btcd/chainhash/v2"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/consensus"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/prevouts"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin/wireform"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
)

// A Chain is a chain of blocks. Several goroutines may use it. bitcoin.BestChain and node.Bitcoin
// are Chains.
type Chain interface {
	Name() string // for messages
	Network() consensus.Network
	Tip() int32 // height of the last block, or -1
	Hash(height int32) (chainhash.Hash, error)

	// Raw calls f with each transaction of a block, except its coinbase, without the outputs that
	// it spends. Full passes these outputs too. Both return an error if the block is invalid as a
	// whole. Raw does not check the witnesses.
	Raw(height int32, f prevouts.Visit) (wireform.Header, error)
	Full(height int32, f prevouts.Visit) (wireform.Header, error)

	// Damage returns an error if blocks may be missing.
	Damage() error
	Close() error
}

// chainOptions holds the flags of the commands tweaks and scan, which read a chain of blocks.
type chainOptions struct {
	flags.Range
	node     flags.Node
	workers  int
	progress string
}

const chainHelp = `The blocks come from the folder blocks of Bitcoin Core (or its data directory),
which may be pruned, or with --node URL from Bitcoin Core 23 or later (JSON-RPC). Of a
folder that a node writes to, the blocks count that were there at the start.`

// openChain opens the chain of the node's folder, or of the node if folder is empty.
func (o *chainOptions) openChain(ctx context.Context, io cli.Streams,
	folder string) (Chain, error) {
	if o.node.Asked() {
		c, err := o.node.Client(io)
		if err != nil {
			return nil, err
		}
		return c.Bitcoin(ctx)
	}
	dir, ok := bitcoin.FindBlocks(folder)
	if !ok {
		return nil, fmt.Errorf("%s: no folder with blk*.dat files", folder)
	}
	d, err := bitcoin.OpenDirectory(dir)
	if err != nil {
		return nil, err
	}
	return d.BestChain()
}

// validate checks the flags. folder is empty if no folder was given.
func (o *chainOptions) validate(folder string) error {
	if err := o.node.Validate(); err != nil {
		return err
	}
	if err := o.Parse(); err != nil {
		return err
	}
	switch {
	case o.node.Asked() && folder != "":
		return cli.Usagef("--node needs no folder, but there is %q", folder)
	case !o.node.Asked() && folder == "":
		return cli.Usagef("which blocks? Give a node's folder, or --node URL")
	}
	return flags.CheckWorkers(o.workers)
}
