// Package cli runs command lines, and has what all subcommands need: exit statuses and errors, the
// streams and files of a run, words for flags, and secrets that are never printed.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// These are the exit statuses of the command.
const (
	ExitOK           = 0
	ExitInvalid      = 1   // a signature is invalid or malformed
	ExitUsage        = 2   // the command line is wrong
	ExitUnreadable   = 3   // an input cannot be read to its end
	ExitNotCheckable = 4   // a signature cannot be checked, or an unsigned input carries data
	ExitInterrupted  = 130 // SIGINT (Ctrl-C) or SIGTERM
)

// An Error ends the program with a status. A nil Err means that the message was already printed.
type Error struct {
	Status int
	Err    error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Status)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Exit returns an error with which the program ends with the given status, and nil for ExitOK.
func Exit(status int) error {
	if status == ExitOK {
		return nil
	}
	return &Error{Status: status}
}

// Usagef returns an error for a command line that is wrong.
func Usagef(format string, args ...any) error {
	return &Error{ExitUsage, fmt.Errorf(format, args...)}
}

// IsUsage reports whether err is a usage error: the command line is wrong.
func IsUsage(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == ExitUsage
}

// Ended returns the error with which a command ends that has stopped with err, or nil.
func Ended(ctx context.Context, err error) error {
	var refused durable.RefusedError
	var exit *Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return &Error{ExitInterrupted, errors.New("interrupted")}
	case errors.As(err, &refused):
		return Usagef("%w", err)
	case errors.As(err, &exit):
		return err
	}
	return Unreadable(err)
}

// Unreadable returns an error for an input that cannot be read, or an output not written.
func Unreadable(err error) error { return &Error{ExitUnreadable, err} }

// Invalidf returns an error for a key or a signature that is invalid.
func Invalidf(format string, args ...any) error {
	return &Error{ExitInvalid, fmt.Errorf(format, args...)}
}

// SaveEvery is the minimum time between two saves of the state (progress) of a run. Only tests
// change it.
var SaveEvery = 5 * time.Second

// Streams holds the inputs and outputs of a command. Text written to Out and Err is made printable,
// so that no text from an input controls a terminal.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	Screen   io.Writer  // standard error without escaping, for the progress bar
	Binary   io.Writer  // standard output without escaping, for binary data
	Disk     durable.FS // the disk of the files that the command makes
	end      *end
}

// SavesWork is called by a command that, when interrupted, waits for no input but saves or reports
// its work. That may take longer, as long as no single write does.
func (s *Streams) SavesWork() { s.end.saves.Store(true) }

// Note writes a message to standard error.
func (s *Streams) Note(format string, args ...any) {
	fmt.Fprintf(s.Err, "koblitz: "+format+"\n", args...)
}

// A Program adds subcommands, which use the given streams, to the command koblitz.
type Program func(koblitz *cobra.Command, io Streams)

// Main runs the program with the arguments of the process, and returns the exit status.
func Main(program Program) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C or SIGTERM asks for an orderly end. A second one ends the process at once.
	context.AfterFunc(ctx, stop)
	return Run(ctx, program, durable.OS{}, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// Run runs the program and returns the exit status.
func Run(ctx context.Context, program Program, disk durable.FS, args []string, stdin io.Reader,
	stdout, stderr io.Writer) int {
	e := new(end)
	out, errs := &output{w: stdout, end: e}, &output{w: stderr, end: e}
	io := Streams{stdin, reading.NewPrintableWriter(out), reading.NewPrintableWriter(errs), errs, out,
		disk, e}
	result := make(chan int, 1)
	go func() { result <- program.run(ctx, io, args) }()
	select {
	case status := <-result:
		return status
	case <-ctx.Done():
		return e.wait(result)
	}
}

// run runs the program with the given streams. Their field Binary is an output.
func (p Program) run(ctx context.Context, io Streams, args []string) int {
	discreet := newDiscreetWriter(io.Err, secretsOf(args))
	io.Err = discreet
	root := p.Command(io)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		registerCompletions(root)
	}
	root.SetArgs(args)
	root.SetIn(io.In)
	root.SetOut(io.Out)
	root.SetErr(io.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if failed := io.Binary.(*output).err; failed != nil {
		// since the output is incomplete, its error takes precedence
		err = Unreadable(fmt.Errorf("standard output: %w", failed))
	}
	if err == nil {
		return ExitOK
	}
	var exit *Error
	if !errors.As(err, &exit) {
		// all other errors come from the command-line library
		exit = &Error{ExitUsage, errors.New(reading.Printable(err.Error()))}
	}
	if exit.Err != nil {
		text, _, advised := strings.Cut(exit.Err.Error(), "\n"+SecretAdvice)
		text = reading.Printable(text)
		if advised || exit.Status == ExitUsage && discreet.hide.Replace(text) != text {
			text += "\n" + SecretAdvice
		}
		io.Note("%s", text)
		if exit.Status == ExitUsage {
			fmt.Fprintf(io.Err, "Try '%s --help'.\n", cmd.CommandPath())
		}
	}
	return exit.Status
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
	saves       atomic.Bool  // see SavesWork
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
			return ExitInterrupted
		}
	}
}

// Command returns the command koblitz with the subcommands of the program.
func (p Program) Command(io Streams) *cobra.Command {
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
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Version:       Version(),
	}
	root.DisableSuggestions = true
	root.SetVersionTemplate("koblitz {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return flagError(err) })
	p(root, io)
	return root
}

// NoArgs returns an error if a command that takes no arguments has any.
func NoArgs(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return Usagef("unexpected argument %q", args[0])
}
