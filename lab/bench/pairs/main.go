// Pairs compares the speed of the working tree with that of an older commit.
//
//	make pairs OLD=main                         # from the repository's root: every row, 20 pairs
//	make pairs OLD=HEAD ARGS='-rows verify -pairs 4'
//
// It builds the benchmarks of both trees and runs them alternately on one CPU, each run in a new
// process. Two runs, one in each tree, are a pair. The result of a benchmark is the median of the
// ratios of the pairs' times.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

func main() { pairs.Main("pairs", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("pairs", flag.ContinueOnError)
	f.SetOutput(errs)
	old := f.String("old", "", "the commit to compare the working tree with; it must be given")
	target := f.String("target", "", "GOOS/GOARCH of the programs, such as linux/386 or js/wasm; "+
		"this machine must run them")
	rows := f.String("rows", "", "regular expression of the rows' names")
	n := f.Int("pairs", 20, "pairs of runs of each row")
	each := f.Duration("time", 250*time.Millisecond, "time for a run")
	layouts := f.Int("layouts", 5, "programs of each tree, that differ in the order of functions")
	least := f.Float64("least", 0.98, "median ratio below which a row is slower: an error")
	file := f.String("o", "", "also write the table into this file")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return pairs.ErrUsage
	}
	if f.NArg() > 0 || *old == "" || *n < 1 || *layouts < 1 || *each <= 0 {
		f.Usage()
		return pairs.ErrUsage
	}
	some, err := pairs.Select(pairs.Rows, *rows)
	if err != nil {
		return err
	}
	var table bytes.Buffer
	err = pairs.Compare(ctx, pairs.Settings{
		Dir: ".", Old: *old, Target: *target, Rows: some, Pairs: *n, Layouts: *layouts,
		Each: *each, Least: *least,
	}, io.MultiWriter(out, &table), errs)
	if *file != "" && (err == nil || errors.Is(err, pairs.ErrSlower)) {
		err = errors.Join(err, os.WriteFile(*file, table.Bytes(), 0o644))
	}
	return err
}
