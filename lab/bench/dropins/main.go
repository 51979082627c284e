// Dropins compares the speed of existing software with and without the replace lines that add the
// drop-ins to its go.mod.
//
//	make bench-compat                                  # from the repository's root: every row
//	make bench-compat ARGS='-rows btcec -pairs 4 -time 100ms'
//	make bench-compat ARGS='-pairs 0'                  # the results alone
//
// It builds the module lab/dropins with and without these lines, and compares the results of all
// its operations. It then runs the two builds alternately, in pairs, each run in a new process on
// one CPU. The result is the median of the ratios of the pairs' times.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

func main() { pairs.Main("dropins", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("dropins", flag.ContinueOnError)
	f.SetOutput(errs)
	dir := f.String("dir", "../dropins", "the module with the operations")
	rows := f.String("rows", "", "regular expression of the rows' names")
	n := f.Int("pairs", 20, "pairs of runs of each row; 0: compare results, and measure nothing")
	each := f.Duration("time", 250*time.Millisecond, "time for a run")
	layouts := f.Int("layouts", 3, "programs of each side, that differ in the order of functions")
	file := f.String("o", "", "also write the table into this file")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return pairs.ErrUsage
	}
	if f.NArg() > 0 || *n < 0 || *layouts < 1 || *each <= 0 {
		f.Usage()
		return pairs.ErrUsage
	}
	some, err := pairs.SelectDropIns(pairs.DropIns, *rows)
	if err != nil {
		return err
	}
	module, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	err = pairs.CompareReplaced(ctx, pairs.ReplaceSettings{
		Dir: module, Replace: pairs.Replaced, Rows: some, Pairs: *n, Layouts: *layouts, Each: *each,
	}, io.MultiWriter(out, &table), errs)
	if *file != "" && (err == nil || errors.Is(err, pairs.ErrShort)) {
		err = errors.Join(err, os.WriteFile(*file, table.Bytes(), 0o644))
	}
	return err
}
