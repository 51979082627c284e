package payments

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/tweakfile"
	"github.com/koblitz-go/koblitz/silentpay"
)

// scanOptions holds the flags of koblitz scan.
type scanOptions struct {
	chainOptions
	keys  string
	state string
}

func newScan(io cli.Streams) *cobra.Command {
	var o scanOptions
	cmd := &cobra.Command{
		Use:   "scan --keys KEYS TWEAKS (FOLDER | --node URL)",
		Short: "Find the silent payments to a wallet",
		Long: `Find the silent payments (BIP-352) to the wallet whose keys are in the file KEYS. TWEAKS
is a file that 'koblitz tweaks' has written; a block is read only if it has a tweak. Each
payment is a JSON object on a line:

  height, block  the block
  txid, vout     the output
  value          in satoshi
  label          the label of the address, 0 for change; absent if it had none
  key            the x-only public key of the output
  tweak          the number to add to the secret spend key, modulo n, to spend the output

` + chainHelp + `

` + scanKeysHelp + `

With --state FILE the progress and the payments are saved in FILE every five seconds, and
at the end. The next run with FILE prints the payments that were found before, and scans
only the blocks that are new. Payments in blocks that are no longer in the chain are
dropped. Rows and states show which outputs belong to the wallet; neither they nor the
scan key can spend them without the secret spend key.

` + exitStatusChain,
		Example: `  koblitz scan --keys wallet.keys mainnet.tweaks ~/.bitcoin/blocks
  koblitz scan --keys wallet.keys --state wallet.state mainnet.tweaks ~/.bitcoin/blocks
  gpg --decrypt wallet.keys.gpg | koblitz scan --keys - --from 840000 mainnet.tweaks \
    --node http://127.0.0.1:8332`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usagef("which file of tweaks? ('koblitz tweaks' writes one)")
			}
			both := append(args, "")
			tweaks, folder := both[0], both[1]
			if err := o.validate(folder); err != nil {
				return err
			}
			return o.run(cmd.Context(), io, tweaks, folder)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.keys, "keys", "k", "", "`FILE` of the wallet's keys, '-' for standard input")
	cmd.MarkFlagRequired("keys")
	f.StringVar(&o.state, "state", "", "save in `FILE` how far it is, and go on from there "+
		"if it exists")
	o.addFlags(cmd, "scan", "scan from this `BLOCK` on, a height, and not from the first\n"+
		"one of TWEAKS")
	return cmd
}

// span returns the heights of the first and the last block to scan.
func (o *scanOptions) span(f *tweakfile.File) (from, to int32, err error) {
	from, to = f.First(), f.Next()-1
	if o.From >= 0 {
		from = o.From
	}
	if from < f.First() || from > f.Next() || o.To > to {
		return 0, 0, cli.Unreadable(fmt.Errorf("%s has the blocks %d to %d", f.Name(), f.First(), to))
	}
	if o.To >= 0 {
		to = o.To
	}
	return from, to, nil
}

func (o *scanOptions) run(ctx context.Context, io cli.Streams, tweaks, folder string) error {
	wallet, err := readWallet(io, o.keys)
	if err != nil {
		return err
	}
	defer wallet.scan.Zeroize()
	file, err := tweakfile.Open(tweaks)
	if err != nil {
		return cli.Unreadable(err)
	}
	defer file.Close()
	if err := wallet.sameNetwork(o.keys, tweaks, file.Network()); err != nil {
		return err
	}
	from, to, err := o.span(file)
	if err != nil {
		return err
	}
	state := &scanState{Is: scanStateKind, Wallet: wallet.fingerprint(),
		Network: file.Network().String(), From: from}
	next := from
	if o.state != "" {
		saved, err := readScanState(io.Disk, o.state)
		if err != nil {
			return err
		}
		if saved != nil {
			if err := saved.sameRun(o.state, state); err != nil {
				return err
			}
			state = saved
			if next, err = state.resume(file); err != nil {
				return cli.Unreadable(err)
			}
		}
	}
	io.SavesWork()
	chain, err := o.openChain(ctx, io, folder)
	if err != nil {
		return cli.Ended(ctx, err)
	}
	defer chain.Close()
	if chain.Network() != file.Network() {
		return cli.Usagef("%s has the tweaks of %v, and %s the blocks of %v", tweaks, file.Network(),
			chain.Name(), chain.Network())
	}
	if o.To < 0 && chain.Tip() > to {
		io.Note("%s ends at block %d, and %s at block %d: 'koblitz tweaks' adds the blocks after it",
			tweaks, to, chain.Name(), chain.Tip())
	}
	receiver, err := silentpay.NewReceiver(wallet.scan, wallet.spend, wallet.labels...)
	if err != nil {
		return cli.Unreadable(err)
	}
	scanner, err := silentpay.NewScanner(receiver)
	if err != nil {
		return cli.Unreadable(err)
	}
	scan := &blockScan{chain, file, scanner}
	if last := max(to, next-1); last >= file.First() {
		if err := scan.compare(last); err != nil {
			return cli.Ended(ctx, err)
		}
	}
	return cli.Ended(ctx, o.scan(ctx, io, scan, state, next, to))
}

// scan scans the blocks from height next to height to, prints the payments, and saves the state.
func (o *scanOptions) scan(ctx context.Context, io cli.Streams, s *blockScan, state *scanState,
	next, to int32) error {
	row := func(r *foundRow) error {
		_, err := fmt.Fprintln(io.Out, cli.JSONLine(r))
		return err
	}
	for i := range state.Found {
		if err := row(&state.Found[i]); err != nil {
			return err
		}
	}
	save := func() error {
		if err := state.reached(s.tweaks, next-1); err != nil || o.state == "" {
			return err
		}
		return state.save(io.Disk, o.state)
	}
	first, total, start, saved := next, int64(0), time.Now(), time.Now()
	bar := progress.New(o.progress, io, int64(max(0, to-first+1)))
	block := func(height int32) (*scanned, error) { return s.block(ctx, height) }
	err := inOrder(ctx, o.workers, next, to, block, func(b *scanned) error {
		state.unsaved = append(state.unsaved, b.place)
		for i := range b.found {
			bar.Hide()
			if err := row(&b.found[i]); err != nil {
				return err
			}
			state.Found = append(state.Found, b.found[i])
		}
		next, total = b.place.Height+1, total+int64(b.tweaks)
		advance(bar, first, b.place.Height, total)
		if time.Since(saved) < cli.SaveEvery {
			return nil
		}
		saved = time.Now()
		return save()
	})
	bar.Finish(total)
	if next > first || err == nil {
		if serr := save(); serr != nil {
			return serr
		}
	}
	if err != nil {
		return err
	}
	seconds := max(time.Since(start).Seconds(), 1e-9)
	io.Note("blocks %d to %d: %d payments; %d tweaks scanned (%.0f a second)",
		state.From, max(to, next-1), len(state.Found), total, float64(total)/seconds)
	return nil
}
