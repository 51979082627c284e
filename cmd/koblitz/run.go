package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
)

// These are the exit statuses of the command.
const (
	exitOK           = 0
	exitInvalid      = 1   // a signature is invalid or malformed
	exitUsage        = 2   // the command line is wrong
	exitUnreadable   = 3   // an input cannot be read to its end
	exitNotCheckable = 4   // a signature cannot be checked, or an unsigned input carries data
	exitInterrupted  = 130 // SIGINT (Ctrl-C) or SIGTERM
)

const exitStatusHelp = `Exit status:
  0    everything is valid
  1    something is invalid or malformed
  2    the command line is wrong
  3    something cannot be read or written, or there was nothing to check
  4    something cannot be judged, or an unsigned input carries data
  130  interrupted
Of several, the first in the order 130, 2, 1, 3, 4 counts.`

// An exitError ends the program with a status. A nil err means that the message was already
// printed.
type exitError struct {
	status int
	err    error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// isUsage reports whether err is a usage error: the command line is wrong.
func isUsage(err error) bool {
	var e *exitError
	return errors.As(err, &e) && e.status == exitUsage
}

func unreadable(err error) error { return &exitError{exitUnreadable, err} }

func invalidf(format string, args ...any) error {
	return &exitError{exitInvalid, fmt.Errorf(format, args...)}
}

// streams holds the inputs and outputs of a command. Text written to out and err is made printable,
// so that no text from an input controls a terminal.
type streams struct {
	in       io.Reader
	out, err io.Writer
	screen   io.Writer // standard error without escaping, for the progress bar
	binary   io.Writer // standard output without escaping, for binary data
	disk     durable.FS
	end      *end
}

// run runs the whole program and returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runOn(ctx, durable.OS{}, args, stdin, stdout, stderr)
}

// runOn does the work of run, with the files of --state on the given disk.
func runOn(ctx context.Context, disk durable.FS, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	e := new(end)
	out, errs := &output{w: stdout, end: e}, &output{w: stderr, end: e}
	io := streams{stdin, printable.NewWriter(out), printable.NewWriter(errs), errs, out, disk, e}
	result := make(chan int, 1)
	go func() { result <- runWith(ctx, io, args) }()
	select {
	case status := <-result:
		return status
	case <-ctx.Done():
		return e.wait(result)
	}
}

// runWith runs the command with the given streams. Their field binary is an output.
func runWith(ctx context.Context, io streams, args []string) int {
	discreet := newDiscreetWriter(io.err, secretsOf(args))
	io.err = discreet
	root := newRoot(io)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		registerCompletions(root)
	}
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	cmd, err := root.ExecuteContextC(ctx)
	if failed := io.binary.(*output).err; failed != nil {
		// since the output is incomplete, its error takes precedence
		err = unreadable(fmt.Errorf("standard output: %w", failed))
	}
	if err == nil {
		return exitOK
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		// all other errors come from the command-line library
		exit = &exitError{exitUsage, errors.New(printable.Text(err.Error()))}
	}
	if exit.err != nil {
		text := messageText(exit.err.Error())
		if exit.status == exitUsage && discreet.hide.Replace(text) != text &&
			!strings.Contains(text, secretAdvice) {
			text += "\n" + secretAdvice
		}
		fmt.Fprintf(io.err, "koblitz: %s\n", text)
		if exit.status == exitUsage {
			fmt.Fprintf(io.err, "Try '%s --help'.\n", cmd.CommandPath())
		}
	}
	return exit.status
}

// messageText makes a message printable on one line. Advice about secrets keeps its line ends.
func messageText(message string) string {
	before, after, advised := strings.Cut(message, "\n"+secretAdvice)
	text := printable.Text(before)
	if advised {
		text += "\n" + secretAdvice + printable.Text(after)
	}
	return text
}

// An output is standard output or standard error. It keeps the first error of a write, so that the
// run reports a full disk or a closed pipe.
type output struct {
	w   io.Writer
	err error
	end *end
}

func (o *output) Write(b []byte) (int, error) {
	o.end.begun.Add(1)
	defer o.end.done.Add(1)
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// endPatience is half of the time in which an interrupted run must end, unless it saves its work.
const endPatience = 400 * time.Millisecond

// An end ends an interrupted run of koblitz that does not end by itself: it may wait in a read or a
// write for the program at the other end of a pipe, which may never do its part.
type end struct {
	// saves is set by a command that, when interrupted, waits for no input but saves or reports its
	// work. That may take longer, as long as no single write does.
	saves       atomic.Bool
	begun, done atomic.Int64 // numbers of writes to standard output and standard error
}

// wait waits until an interrupted run ends with its status, or ends it.
func (e *end) wait(result <-chan int) int {
	for begun := int64(-1); ; begun = e.begun.Load() {
		select {
		case status := <-result:
			return status
		case <-time.After(endPatience):
		}
		if begun >= 0 && (!e.saves.Load() || e.done.Load() < begun) {
			return exitInterrupted
		}
	}
}

func newRoot(io streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "koblitz",
		Short: "Keys, signatures and large checks on secp256k1",
		Long: `Keys, signatures and large checks on secp256k1, the curve of Bitcoin, Ethereum
and nostr. The main job is 'koblitz check': every signature of a block, an event
log or a file of rows.`,
		Example: `  koblitz check --sample               a real block of 213 transactions
  koblitz check events.jsonl.gz
  koblitz keygen -o alice.key
  koblitz sign --key alice.key --text "hello"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          refuseArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       moduleVersion(),
	}
	root.SuggestionsMinimumDistance = 2
	root.SetVersionTemplate("koblitz {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	check := newCheck(io)
	root.AddCommand(check, newStream(io), newTweaks(io), newScan(io), newKeygen(io), newPub(io),
		newSign(io), newVerify(io), newRecover(io), newECDH(io), newInfo(io), newMan(io), newVersion(io))
	addTopics(root, check)
	return root
}

// refuseArgs returns an error if a command that takes no arguments has any.
func refuseArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		message := fmt.Sprintf("there is no command %q", args[0])
		if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
			message += "; did you mean " + strings.Join(similar, " or ") + "?"
		}
		return usagef("%s", message)
	}
	return usagef("unexpected argument %q", args[0])
}
