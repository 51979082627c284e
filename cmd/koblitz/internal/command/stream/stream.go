// Package stream is the subcommand stream.
package stream

import (
	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/flags"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/packed"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/verify"
)

// Add adds the subcommand.
func Add(koblitz *cobra.Command, io cli.Streams) { koblitz.AddCommand(newStream(io)) }

func newStream(io cli.Streams) *cobra.Command {
	var table flags.Table
	f := flags.Auto
	var workers int
	cmd := &cobra.Command{
		Use:   "stream (--columns COLUMNS | --format packed-…)",
		Short: "Verify a stream: standard input to standard output, with verdicts",
		Long: `Read a stream of Arrow IPC from standard input, verify the signature of every row,
and write the stream to standard output with these columns appended: verdict
(valid, invalid, malformed, recovered), reason (null for a valid row), and for
recovery sender. For each batch that comes in one goes out, in order, at once. It
is for engines that have tables: Spark's mapInArrow, DuckDB.

With --format packed-bip340 or packed-ecdsa the stream is rows of 128 or 129 bytes,
as check reads them. Each goes out with a byte behind it: 1 valid, 2 invalid,
3 malformed. Rows are answered as they come, in order, at once.

` + flags.TableHelp + `

A batch has at most 131,072 rows and 32 MiB, and memory is bounded as that of check.
It may not be compressed, and columns may not be nested or have dictionaries.

Exit status:
  0    every row has a verdict, whatever it is
  2    the command line is wrong
  3    the stream cannot be read, or not to its end (or the output not written);
       or a signature had two verdicts, which is a fault of the machine
  130  interrupted
With a status other than 0 the output ends without Arrow's mark of the end, after
the batches or rows that came before what is wrong. If bytes follow the end of a
stream of Arrow the output is whole, and the status 3: they are not verified.`,
		Example: `  koblitz stream --columns hash=digest,key=pubkey,signature=sig <in.arrows >out.arrows
  koblitz stream --format packed-bip340 <rows >rows-with-verdicts`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := table.Parse(f); err != nil {
				return err
			}
			packedRows, isPacked := flags.Packed[f]
			if !isPacked && !table.Asked() {
				return cli.Usagef("which columns? (--columns hash=NAME,key=NAME,signature=NAME)")
			}
			if err := flags.CheckWorkers(workers); err != nil {
				return err
			}
			defer flags.LimitGarbage(workers, false)()
			cfg := verify.Config{Workers: workers}
			var err error
			if isPacked {
				err = packed.Answer(cmd.Context(), cfg, io.In, io.Binary, packedRows)
			} else {
				err = arrowstream.Run(cmd.Context(), cfg, io.In, io.Binary, table.Spec)
			}
			switch {
			case cmd.Context().Err() != nil:
				return cli.Exit(cli.ExitInterrupted)
			case err != nil:
				return cli.Unreadable(err)
			}
			return nil
		},
	}
	cli.Choice(cmd, &f, "format", "f", "columns-… or packed-…, as of check; auto: by the columns",
		flags.Auto, flags.ColumnsECDSA, flags.ColumnsBIP340, flags.ColumnsRecover, flags.PackedECDSA,
		flags.PackedBIP340)
	flags.AddWorkers(cmd, &workers)
	table.AddTo(cmd)
	return cmd
}
