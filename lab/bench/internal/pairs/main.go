package pairs

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ErrUsage is the error for wrong command-line arguments. The function that returns it has printed
// the usage.
var ErrUsage = errors.New("usage")

// A Method says how benchmarks, the rows of a table, are measured.
type Method struct {
	Pairs   int           // number of runs of each row in each tree
	Layouts int           // number of random orders of the functions in each program; at least one
	Each    time.Duration // intended duration of a run
}

// Parse parses args. It adds to f the flag -rows and a flag for each field of m, whose default is
// the field's value. It returns the regular expression that the flag -rows gives.
func (m *Method) Parse(f *flag.FlagSet, args []string) (rows string, err error) {
	f.StringVar(&rows, "rows", "", "regular expression of the rows' names")
	f.IntVar(&m.Pairs, "pairs", m.Pairs, "pairs of runs of each row")
	f.IntVar(&m.Layouts, "layouts", m.Layouts,
		"programs of each tree, that differ in the order of functions")
	f.DurationVar(&m.Each, "time", m.Each, "time for a run")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return "", err
		}
		return "", ErrUsage
	}
	if f.NArg() > 0 || m.Pairs < 0 || m.Layouts < 1 || m.Each <= 0 {
		f.Usage()
		return "", ErrUsage
	}
	return rows, nil
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
