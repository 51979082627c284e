package payments

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/payments"
)

// chainOptions holds the flags of the commands tweaks and scan, which read a chain of blocks.
type chainOptions struct {
	node     flags.Node
	from, to heightFlag // -1 without the flag
	workers  int
	progress string
}

// A heightFlag is a flag that holds the height of a block.
type heightFlag int32

// Set sets h to the height that s is in decimal digits.
func (h *heightFlag) Set(s string) error {
	height, file, err := bitcoin.ParseBorder(s)
	if err != nil || file >= 0 {
		return errors.New("not the height of a block")
	}
	*h = heightFlag(height)
	return nil
}

// String returns the height, or "" without one.
func (h *heightFlag) String() string {
	if *h < 0 {
		return ""
	}
	return strconv.Itoa(int(*h))
}

// Type returns the name of the flag's type for the help.
func (h *heightFlag) Type() string { return "height" }

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
func (o *chainOptions) validate(folder string) error {
	if err := o.node.Validate(); err != nil {
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
	if err := cli.Known("progress %q", o.progress, progress.Kinds...); err != nil {
		return err
	}
	return flags.CheckWorkers(o.workers)
}

// nodeFiles returns the names of the blk*.dat files in a node's folder, and of the files that
// belong to them.
func nodeFiles(folder string) (names []string, err error) {
	dir, ok := bitcoin.FindBlocks(folder)
	if !ok {
		return nil, nil
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, cli.Unreadable(err)
	}
	for name := range bitcoin.BlockFiles(dir, list) {
		names = append(names, filepath.Join(dir, name))
	}
	return names, nil
}
