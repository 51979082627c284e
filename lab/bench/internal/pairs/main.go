package pairs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"syscall"
)

// ErrUsage is the error for wrong command-line arguments. The function that returns it has printed
// the usage.
var ErrUsage = errors.New("usage")

// Parse parses args. It adds to f flags for s.Pairs, s.Layouts and s.Each, whose defaults are the
// values of these fields, and the flag -rows, a regular expression. It sets s.Rows to the rows with
// names that match, and returns an error if none does.
func (s *Settings) Parse(f *flag.FlagSet, args []string, rows []Row) error {
	expression := f.String("rows", "", "regular expression of the rows' names")
	f.IntVar(&s.Pairs, "pairs", s.Pairs, "pairs of runs of each row")
	f.IntVar(&s.Layouts, "layouts", s.Layouts,
		"programs of each tree, that differ in the order of functions")
	f.DurationVar(&s.Each, "time", s.Each, "time for a run")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return ErrUsage
	}
	if f.NArg() > 0 || s.Pairs < 0 || s.Layouts < 1 || s.Each <= 0 {
		f.Usage()
		return ErrUsage
	}
	names, err := regexp.Compile(*expression)
	if err != nil {
		return err
	}
	s.Rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return !names.MatchString(r.Name)
	})
	if len(s.Rows) == 0 {
		return fmt.Errorf("no row matches %q; the first is %q", *expression, rows[0].Name)
	}
	return nil
}

// Main calls run with the process's command-line arguments and a context that an interrupt or a
// termination signal cancels. If run returns an error, Main prints it in a line that begins with
// the given name. It then exits with status 2 for ErrUsage, and with status 1 for any other error.
// [flag.ErrHelp] is not an error.
func Main(name string, run func(ctx context.Context, args []string, out, errs io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(),
		os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	defer stop()
	switch err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, ErrUsage):
		os.Exit(2)
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(os.Stderr, "%s: interrupted, and tidied up\n", name)
		os.Exit(1)
	default:
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
