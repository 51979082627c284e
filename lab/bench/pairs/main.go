// Pairs compares the speed of two builds of the same benchmarks.
//
//	make pairs OLD=main                         # from the repository's root: every row, 20 pairs
//	make pairs OLD=HEAD ARGS='-rows verify -pairs 4'
//	make bench-compat                           # the drop-ins: every row
//	make bench-compat ARGS='-rows btcec -pairs 4 -time 100ms'
//	make bench-compat ARGS='-pairs 0'           # the results alone
//
// It compares the working tree with an older commit, or existing software with the replace lines
// that add the drop-ins to its go.mod with the same software without them. For the drop-ins, it
// builds the module lab/dropins with and without these lines, and compares the results of all its
// operations.
//
// It builds the benchmarks of both sides and runs them alternately on one CPU, each run in a new
// process. Two runs, one of each side, are a pair. The result of a benchmark is the median of the
// ratios of the pairs' times.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		os.Exit(2)
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "pairs: interrupted, and tidied up")
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(1)
	}
}

// errUsage is the error for wrong command-line arguments, after the usage was printed.
var errUsage = errors.New("usage")

func run(ctx context.Context, args []string, out, errs io.Writer) error {
	f := flag.NewFlagSet("pairs", flag.ContinueOnError)
	f.SetOutput(errs)
	var s Settings
	f.StringVar(&s.Old, "old", "", "the commit to compare the working tree with")
	compat := f.Bool("dropins", false, "compare the drop-ins with what they replace")
	f.StringVar(&s.Target, "target", "", "GOOS/GOARCH of the programs, such as linux/386 or js/wasm; "+
		"this machine must run them")
	least := f.Float64("least", 0.98, "with -old, median ratio below which a row is slower: an error")
	expression := f.String("rows", "", "regular expression of the rows' names")
	f.IntVar(&s.Pairs, "pairs", 20, "pairs of runs of each row; with -dropins, 0 compares the results")
	f.DurationVar(&s.Each, "time", 250*time.Millisecond, "time for a run")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if f.NArg() > 0 || s.Pairs < 0 || s.Each <= 0 || *compat == (s.Old != "") ||
		s.Pairs == 0 && !*compat {
		f.Usage()
		return errUsage
	}
	s.Layouts = min(max(1, s.Pairs/2), 5) // each is measured in both orders
	here, err := root(ctx, ".")
	if err != nil {
		return err
	}
	rows := Rows
	s.Dir = here
	if *compat {
		rows, s.Replace, s.Dir = DropIns, Replaced, filepath.Join(here, "lab", "dropins")
	}
	if s.Rows, err = matching(rows, *expression); err != nil {
		return err
	}
	for i := range s.Rows {
		if !*compat {
			s.Rows[i].Least = *least
		}
	}
	return Compare(ctx, s, out, errs)
}

// matching returns the rows with names that match a regular expression. It returns an error if no
// row matches.
func matching(rows []Row, expression string) ([]Row, error) {
	names, err := regexp.Compile(expression)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return !names.MatchString(r.Name)
	})
	if len(found) == 0 {
		return nil, fmt.Errorf("no row matches %q; the first is %q", expression, rows[0].Name)
	}
	return found, nil
}
