// Package check is the subcommand check.
package check

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/bitcoin"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/devices"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/progress"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/node"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
	"github.com/koblitz-go/koblitz/cmd/koblitz/sample"
)

// checkOptions holds the flags of koblitz check.
type checkOptions struct {
	format      flags.Format
	compression reading.Compression
	network     string
	span        flags.Range
	spent       string
	sample      bool
	workers     int
	maxFailures int64
	asJSON      bool
	senders     bool
	sha256      bool
	oneByOne    bool
	device      string
	deviceFrom  uint // minimum number of rows for a device call; 0: measured

	state    string
	quiet    bool
	progress string
	table    flags.Table
	verdicts verdictOptions
	keep     string // name of the file for valid rows, or empty
	node     flags.Node

	networkNamed bool                          // the user gave --network
	networks     networks                      // networks that --network selects
	kept         map[string]string             // values of the flags that affect the report
	sized        map[string]*bitcoin.Directory // at most one folder: see folderSize
}

// Add adds the subcommand, and the topics of help about it.
func Add(koblitz *cobra.Command, io cli.Streams) {
	check := newCheck(io)
	koblitz.AddCommand(check)
	addTopics(koblitz, check)
}

func newCheck(io cli.Streams) *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use:   "check FILE…",
		Short: "Verify every signature in files and say which ones fail, where and why",
		Long:  checkManual(),
		Example: `  koblitz check --sample
  koblitz check events.jsonl.zst
  curl -s https://example.org/events.jsonl | koblitz check --json -
  bitcoin-cli getblock HASH 3 | koblitz check -
  curl -s NODE -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,
    "method":"eth_getBlockByNumber","params":["latest",true]}' | koblitz check -
  koblitz check block.bin --spent outputs.bin
  koblitz check ~/.bitcoin/blocks --from 800000
  koblitz check --node http://127.0.0.1:8332 --rpc-auth ~/.bitcoin/.cookie --from 840000
  nak req -k 1 --stream wss://relay.example.org | koblitz check -
  koblitz check --format packed-bip340 --workers 8 rows.bin
  koblitz check --columns hash=digest,key=pubkey,signature=sig table.parquet`,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, names := range exclusive {
				for _, other := range names[1:] {
					if cmd.Flags().Changed(names[0]) && cmd.Flags().Changed(other) {
						return cli.Usagef("--%s does not go with --%s", other, names[0])
					}
				}
			}
			if err := o.table.Parse(o.format); err != nil {
				return err
			}
			o.networkNamed = cmd.Flags().Changed("network")
			o.kept = keptOptions(cmd)
			if err := o.validate(args); err != nil {
				return err
			}
			all, nodeless := expand(args, o.ownFiles())
			if err := o.validateEntries(all, nodeless); err != nil {
				return err
			}
			return o.run(cmd.Context(), io, all)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.sample, "sample", false, "check the embedded real block (277647 of Bitcoin) "+
		"instead of files")
	o.format, o.compression = flags.Auto, reading.AutoDetect
	cli.Choice(cmd, &o.format, "format", "f", "the `FORMAT` of all files,\nsee 'koblitz help formats'",
		flags.FormatNames()...)
	f.StringVar(&o.spent, "spent", "", "the spent outputs of a serialized block are in this `FILE`")
	f.StringVar(&o.network, "network", "mainnet", "the rules of `NETWORK` hold: mainnet, testnet3, "+
		"testnet4, signet, regtest, simnet;\nof Ethereum mainnet, sepolia, holesky, hoodi or a chain id")
	o.span.AddTo(cmd, "of a node, or of its folder, read the blocks from this `HEIGHT` on",
		"and up to this `HEIGHT`, which is read too")
	cli.Choice(cmd, &o.compression, "compression", "",
		"auto (by the first bytes; none for packed rows), none, gzip,\nbzip2, zstd or xz",
		reading.Compressions...)
	flags.AddWorkers(cmd, &o.workers)
	f.Int64Var(&o.maxFailures, "max-failures", 100,
		"list `N` failures, -1 for all; all are counted in any case")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "write no report: the exit status says how it ended")
	f.BoolVar(&o.asJSON, "json", false, "write the report as one JSON document")
	f.BoolVar(&o.sha256, "sha256", false,
		"name every file with the SHA-256 of its bytes, as it is packed")
	f.BoolVar(&o.senders, "senders", false, "list the sender of every Ethereum transaction")
	f.BoolVar(&o.oneByOne, "one-by-one", false,
		"verify every signature alone: the same report, slower")
	f.StringVar(&o.device, "device", devices.CPU, devices.Help)
	f.UintVar(&o.deviceFrom, "device-from", 0,
		"give the device calls of `N` rows and more; 0: what is measured at the start")
	f.StringVar(&o.state, "state", "", "save in `FILE` how far it is, and go on from there "+
		"if it exists")
	progress.AddFlag(cmd, &o.progress)
	o.table.AddTo(cmd)
	o.verdicts.addFlags(cmd)
	f.StringVar(&o.keep, "keep", "", "write the valid events, lines or packed rows to `FILE`, as "+
		"they are; it appears\nwhen it is complete")
	o.node.AddTo(cmd)
	cmd.SetHelpTemplate(checkHelp)
	return cmd
}

// exclusive lists flags. Those after the first do not go with the first.
var exclusive = [][]string{
	{"sample", "format", "spent", "network", "compression", "columns", "from", "to", "state", "keep",
		"node"},
	{"node", "spent", "columns", "state", "compression", "keep"},
	{"json", "quiet", "senders"}, // --verdicts has the senders
	{"device", "one-by-one"},
	{"state", "keep"},
}

// validate returns a usage error if flags contradict each other.
func (o *checkOptions) validate(args []string) error {
	switch {
	case (o.sample || o.node.Asked()) && len(args) > 0:
		return cli.Usagef("--sample and --node need no files, but there is %q", args[0])
	case !o.sample && !o.node.Asked() && len(args) == 0:
		return cli.Usagef("which files? ('-' is standard input, --sample an embedded block)")
	case o.asJSON && (o.maxFailures < 0 || o.maxFailures > maxJSONFailures):
		return cli.Usagef("--max-failures %d: with --json from 0 to %d; --verdicts FILE has all failures",
			o.maxFailures, maxJSONFailures)
	case o.node.Asked() && !slices.Contains(nodeFormats, o.format):
		return cli.Usagef("--node gives blocks: --format bitcoin or ethereum, not %s", o.format)
	case flags.CheckWorkers(o.workers) != nil:
		return flags.CheckWorkers(o.workers)
	case !devices.Name.MatchString(o.device):
		return cli.Usagef("unknown device %q: cpu, auto, all, or names like cuda:0,cuda:1", o.device)
	case o.deviceFrom != 0 && o.device == devices.CPU:
		return cli.Usagef("--device-from goes with --device")
	case o.spent != "" && len(args) != 1:
		return cli.Usagef("--spent goes with one file, not %d", len(args))
	}
	var ok bool
	if o.networks, ok = parseNetwork(o.network); !ok {
		return cli.Usagef("unknown network %q; known are %s, or a chain id", o.network,
			strings.Join(networkNames(), ", "))
	}
	if err := o.node.Validate(); err != nil {
		return err
	}
	names := append([]string{o.spent}, args...)
	stdin := slices.Index(names, reading.Stdin)
	switch {
	case stdin >= 0 && slices.Contains(names[stdin+1:], reading.Stdin):
		return cli.Usagef("standard input can be read once only")
	case stdin >= 0 && o.state != "":
		return cli.Usagef("--state: standard input cannot be read a second time; name a file")
	}
	return nil
}

// validateEntries returns a usage error if the flags do not fit the inputs. nodeless is an input
// that is not a node's folder, or empty if there is none.
func (o *checkOptions) validateEntries(all []entry, nodeless string) error {
	if err := o.parseRange(nodeless); err != nil {
		return err
	}
	reads := func(f fs.FileInfo) bool { return o.reads(all, f) }
	if err := o.verdicts.validate(reads); err != nil {
		return err
	}
	if err := o.validateKeep(all, reads); err != nil {
		return err
	}
	return cli.ApartFrom(reads, "--state", o.state)
}

func (o *checkOptions) run(ctx context.Context, io cli.Streams, all []entry) error {
	if o.sample {
		o.format, o.spent = flags.BlockRaw, sample.Spent
		all = []entry{{name: sample.Block}}
	}
	var client *node.Client
	if o.node.Asked() {
		var err error
		if client, err = o.node.Client(io); err != nil {
			return err
		}
	}
	io.SavesWork()
	accelerator, err := devices.Open(ctx, o.device, int(o.deviceFrom), io)
	if err != nil {
		return err
	}
	kept, err := openState(ctx, o, io.Disk, all)
	if err != nil {
		return err
	}
	if kept.run != nil {
		defer kept.run.Close()
	}
	r := newReport(o, io, len(all))
	r.device = accelerator
	r.folder = o.sha256 && len(all) == 1 && all[0].isNode()
	if err := r.resume(kept); err != nil {
		return err
	}
	if kept.Done {
		return cli.Exit(r.finish(kept.Totals, false))
	}
	if !o.quiet || o.progress == progress.JSON {
		total := int64(-1)
		if client == nil && !o.sample {
			total = o.totalSize(all)
		}
		r.bar = progress.New(o.progress, io, total)
		r.bar.Resume(kept.Totals.Rows)
	}
	defer flags.LimitGarbage(o.workers, o.device != devices.CPU)()
	running, stop := context.WithCancel(ctx)
	defer stop()
	kept.stop = stop
	src := &sources{o: o, stdin: io.In, all: all, report: r, from: kept.State, ctx: running,
		client: client}
	cfg := verify.Config{
		Workers: o.workers, OneByOne: o.oneByOne, Keep: r.keeps,
		Device: accelerator.Device(), Before: kept.Totals,
		Reached: func(t *verify.Counts, m verify.Mark) { r.reached(ctx, t, m) },
	}
	rows, err := o.verdicts.open(io.Disk, r, kept)
	if err != nil {
		return err
	}
	if rows != nil {
		defer rows.Discard() // does nothing after Commit
	}
	if src.valid, err = o.openValid(io.Disk, r, &cfg); err != nil {
		return err
	}
	totals := verify.Run(running, cfg, src.readers(), r)
	switch {
	case rows == nil || ctx.Err() != nil:
	case r.refused, totals.Rows == 0 && len(kept.Chains) == 0:
		// Inputs after the refused one were not read, or nothing was: a name may be wrong.
		r.note("--verdicts: %s is not written", o.verdicts.name)
	default:
		r.outputFailed("--verdicts", rows.Commit())
	}
	src.valid.end(ctx.Err() != nil, &totals)
	return cli.Exit(r.finish(totals, ctx.Err() != nil))
}

// totalSize returns the total size of the inputs in bytes, or -1 if it is unknown.
func (o *checkOptions) totalSize(all []entry) int64 {
	var total int64
	for _, e := range all {
		info, err := os.Stat(e.name)
		switch {
		case e.isNode():
			total += o.folderSize(e.name)
		case e.err != nil:
		case e.name == reading.Stdin || err == nil && !info.Mode().IsRegular():
			return -1
		case err == nil:
			total += info.Size()
		}
	}
	return total
}
