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
)

// ErrUsage is the error for wrong command-line arguments. The function that returns it has printed
// the usage.
var ErrUsage = errors.New("usage")

// Main calls run with the process's command-line arguments and a context that an interrupt or a
// termination signal cancels. If run returns an error, Main prints it in a line that begins with
// name and exits with status 1, or with status 2 for ErrUsage. [flag.ErrHelp] is not an error.
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
