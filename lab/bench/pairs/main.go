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
	"context"
	"flag"
	"io"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

func main() { pairs.Main("pairs", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("pairs", flag.ContinueOnError)
	f.SetOutput(errs)
	s := pairs.Settings{
		Dir: ".", Pairs: 20, Layouts: 5, Each: 250 * time.Millisecond,
	}
	f.StringVar(&s.Old, "old", "", "the commit to compare the working tree with; it must be given")
	f.StringVar(&s.Target, "target", "", "GOOS/GOARCH of the programs, such as linux/386 or js/wasm; "+
		"this machine must run them")
	least := f.Float64("least", 0.98, "median ratio below which a row is slower: an error")
	if err := s.Parse(f, args, pairs.Rows); err != nil {
		return err
	}
	if s.Old == "" || s.Pairs == 0 {
		f.Usage()
		return pairs.ErrUsage
	}
	for i := range s.Rows {
		s.Rows[i].Least = *least
	}
	return pairs.Compare(ctx, s, out, errs)
}
