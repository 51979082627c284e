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

// ErrUsage is the error of arguments that are wrong. Their command has printed its usage.
var ErrUsage = errors.New("usage")

// Main runs a command of this name on the process's arguments, with a context that a signal
// cancels. An error ends the process with status 1 and a line that says why; ErrUsage with
// status 2; [flag.ErrHelp] is none.
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
