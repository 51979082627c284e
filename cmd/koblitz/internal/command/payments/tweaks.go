// Package payments has the subcommands on silent payments: tweaks and scan.
package payments

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
)

// tweaksOptions holds the flags of koblitz tweaks.
type tweaksOptions struct {
	chainOptions
	out string
}

// Add adds the subcommands.
func Add(koblitz *cobra.Command, io cli.Streams) { koblitz.AddCommand(newTweaks(io), newScan(io)) }

func newTweaks(io cli.Streams) *cobra.Command {
	var o tweaksOptions
	cmd := &cobra.Command{
		Use:   "tweaks (FOLDER | --node URL) -o FILE",
		Short: "Write the public tweaks of a chain, with which wallets find silent payments",
		Long: `Write the public tweak (BIP-352) of every transaction that can contain a silent
payment to FILE, from the block on in which taproot takes effect. 'koblitz scan' reads
FILE, and so can other programs: docs/silent-payments.md describes its form. FILE
contains public data only: nothing in it depends on a wallet.

` + chainHelp + `

If FILE exists, the blocks that it lacks are added. Blocks at its end that are no
longer in the chain with the most work are removed first. The command can be
interrupted (Ctrl-C, a kill, a loss of power) and continued at any time: FILE is
saved every five seconds. FILE.index, beside it, belongs to it.

Every block is compared with its header (work, Merkle root, witness commitment), and
an undo record of a folder with its checksum. No signature is verified.

` + exitStatusChain,
		Example: `  koblitz tweaks ~/.bitcoin/blocks -o mainnet.tweaks
  koblitz tweaks --node http://127.0.0.1:8332 --rpc-auth ~/.bitcoin/.cookie \
    -o mainnet.tweaks
  koblitz scan --keys wallet.keys mainnet.tweaks ~/.bitcoin/blocks`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := ""
			if len(args) == 1 {
				folder = args[0]
			}
			if err := o.validate(folder); err != nil {
				return err
			}
			return o.run(cmd.Context(), io, folder)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "out", "o", "", "write the tweaks to `FILE`, or add to it")
	cmd.MarkFlagRequired("out")
	o.addFlags(cmd, "compute", "a new FILE begins at this `BLOCK`, a height, and not at\n"+
		"taproot's first block")
	return cmd
}

// addFlags adds the flags that the commands tweaks and scan share. verb says what the workers do,
// and from describes the flag --from.
func (o *chainOptions) addFlags(cmd *cobra.Command, verb, from string) {
	o.AddTo(cmd, from, "read up to this `BLOCK`, a height, and not to the last one")
	progress.AddFlag(cmd, &o.progress)
	flags.AddWorkers(cmd, &o.workers)
	cmd.Flags().Lookup("workers").Usage = verb + " on `N` threads"
	o.node.AddTo(cmd)
}

// advance shows on bar that a run has read the blocks from the height first to the given one, and
// that they have the given number of tweaks.
func advance(bar *progress.Progress, first, height int32, tweaks int64) {
	bar.At(fmt.Sprintf("block %d", height), nil)
	bar.Set(tweaks, max(0, int64(height-first)+1)) // a reorganization may lead to a block before first
}

const exitStatusChain = `Exit status:
  0    all blocks were read
  2    the command line is wrong, or a file belongs to something else
  3    a file or a block cannot be read, or a file not written; what was read until
       then is saved
  130  interrupted`

func (o *tweaksOptions) run(ctx context.Context, io cli.Streams, folder string) error {
	// OpenWriter would accept a file with such a name if it is empty or missing.
	for _, file := range []string{"blk*.dat", "rev*.dat", "xor.dat"} {
		if ok, _ := filepath.Match(file, filepath.Base(o.out)); ok {
			return cli.Usagef("-o %s has the name of a node's file; it stays as it is, so name another "+
				"file", o.out)
		}
	}
	io.SavesWork()
	chain, err := o.openChain(ctx, io, folder)
	if err != nil {
		return cli.Ended(ctx, err)
	}
	defer chain.Close()
	to := chain.Tip()
	if o.To > to {
		return cli.Unreadable(fmt.Errorf("%s: the last block is %d, and --to asks for %d", chain.Name(),
			to, o.To))
	}
	if o.To >= 0 {
		to = o.To
	}
	begin := firstBlock(chain.Network())
	if o.From >= 0 {
		begin = o.From
	}
	file, dropped, err := tweakfile.OpenWriter(io.Disk, o.out, chain.Network(), begin)
	if err != nil {
		return cli.Ended(ctx, err)
	}
	defer file.Close()
	if o.From >= 0 && file.First() != begin {
		return cli.Usagef("%s begins at block %d, and not at %d", o.out, file.First(), begin)
	}
	if to < file.First() {
		return cli.Unreadable(fmt.Errorf("%s: blocks up to %d are read, and %s begins at block %d",
			chain.Name(), to, o.out, file.First()))
	}
	if dropped > 0 {
		io.Note("the last %d blocks of %s were incomplete, and are read again", dropped, o.out)
	}
	before, first, start := file.Count(), file.Next(), time.Now()
	bar := progress.New(o.progress, io, int64(max(0, to-first+1)))
	u := &tweaksUpdate{chain: chain, file: file, to: to, workers: o.workers,
		reached: func(height int32) { advance(bar, first, height, file.Count()-before) },
		rewound: func(from, to int32) {
			bar.Hide()
			io.Note("blocks %d to %d are no longer in the chain, and are removed", from, to)
		}}
	err = u.run(ctx)
	bar.Finish(file.Count() - before)
	if err == nil {
		err = chain.Damage()
	}
	if err := cli.Ended(ctx, err); err != nil {
		return err
	}
	if file.Next() > to+1 {
		io.Note("%s ends at block %d, and %s at block %d", o.out, file.Next()-1, chain.Name(), to)
	}
	seconds := max(time.Since(start).Seconds(), 1e-9)
	_, err = fmt.Fprintf(io.Out, "blocks %d to %d: %d tweaks, %d of them new (%.0f a second)\n",
		file.First(), file.Next()-1, file.Count(), file.Count()-before,
		float64(max(0, file.Count()-before))/seconds)
	return err
}
