package payments

import (
	"context"
	"fmt"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/payments"
)

// chainOptions holds the flags of the commands tweaks and scan, which read a chain of blocks.
type chainOptions struct {
	node             flags.Node
	from, to         int32 // -1 without the flag
	fromText, toText string
	workers          int
	progress         string
}

// height returns the height of a block in decimal digits, or -1 for an empty text.
func height(flag, text string) (int32, error) {
	if text == "" {
		return -1, nil
	}
	h, err := bitcoin.ParseHeight(text)
	if err != nil {
		return 0, cli.Usagef("--%s: %w", flag, err)
	}
	return h, nil
}

const chainHelp = `The blocks come from the folder blocks of Bitcoin Core (or its data directory),
which may be pruned, or with --node URL from Bitcoin Core 23 or later (JSON-RPC). Of a
folder that a node writes to, the blocks count that were there at the start.`

// openChain opens the chain of the node's folder, or of the node if folder is empty.
func (o *chainOptions) openChain(ctx context.Context, io cli.Streams,
	folder string) (payments.Chain, error) {
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
func (o *chainOptions) validate(folder string) (err error) {
	if err := o.node.Validate(); err != nil {
		return err
	}
	if o.from, err = height("from", o.fromText); err != nil {
		return err
	}
	if o.to, err = height("to", o.toText); err != nil {
		return err
	}
	switch {
	case o.node.Asked() && folder != "":
		return cli.Usagef("--node needs no folder, but there is %q", folder)
	case !o.node.Asked() && folder == "":
		return cli.Usagef("which blocks? Give a node's folder, or --node URL")
	case o.to >= 0 && o.from > o.to:
		return cli.Usagef("--from %d is behind --to %d", o.from, o.to)
	}
	return flags.CheckWorkers(o.workers)
}
