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
	"context"
	"flag"
	"io"
	"path/filepath"
	"time"

	"github.com/koblitz-go/koblitz/lab/bench/internal/pairs"
)

func main() { pairs.Main("dropins", run) }

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("dropins", flag.ContinueOnError)
	f.SetOutput(errs)
	dir := f.String("dir", "../dropins", "the module with the operations")
	s := pairs.Settings{
		Replace: pairs.Replaced, Pairs: 20, Layouts: 3, Each: 250 * time.Millisecond,
	}
	err := s.Parse(f, args, pairs.DropIns)
	if err != nil {
		return err
	}
	if s.Dir, err = filepath.Abs(*dir); err != nil {
		return err
	}
	return pairs.Compare(ctx, s, out, errs)
}
