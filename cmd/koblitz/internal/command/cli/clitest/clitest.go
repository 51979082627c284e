// Package clitest runs subcommands in tests, within the process of the test or in another one.
package clitest

//ci:untested The tests of subcommands use it; its own need Linux.

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/durable"
)

// asCommand is the name of the environment variable that makes the test binary run as the command.
// It is used by tests that need a separate process.
const asCommand = "KOBLITZ_TEST_AS_COMMAND"

// A Program is a program that tests run: the whole command, or some of its subcommands.
type Program cli.Program

// Main does the work of the function TestMain in a package that runs the program in separate
// processes.
func (p Program) Main(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		cli.SaveEvery = time.Millisecond
		status := cli.Main(cli.Program(p))
		if n := peak(); n > FourWorkers && os.Getenv(asLimited) != "" {
			fmt.Fprintf(os.Stderr, "%d bytes of memory\n", n)
			status = 99
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

// Command returns the program as a separate process that has not been started.
func Command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// RunCommand runs the program as a separate process, with more variables in its environment, and
// checks its exit status.
func RunCommand(t testing.TB, status int, env []string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c := Command(args...)
	c.Env = append(c.Env, env...)
	c.Stdout, c.Stderr = &out, &errs
	_ = c.Run() // the exit status is compared below
	if got := c.ProcessState.ExitCode(); got != status {
		t.Errorf("koblitz %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status,
			out.String(), errs.String())
	}
	return out.String(), errs.String()
}

// Run runs the program within this process.
func (p Program) Run(t testing.TB, stdin string, args ...string) (status int, stdout,
	stderr string) {
	t.Helper()
	return p.RunContext(t.Context(), strings.NewReader(stdin), args...)
}

// RunContext is like Run, with the given context and input.
func (p Program) RunContext(ctx context.Context, stdin io.Reader, args ...string) (status int,
	stdout, stderr string) {
	var out, errs bytes.Buffer
	status = p.RunTo(ctx, args, stdin, &out, &errs)
	return status, out.String(), errs.String()
}

// RunTo runs the program with outputs of the test.
func (p Program) RunTo(ctx context.Context, args []string, stdin io.Reader, stdout,
	stderr io.Writer) int {
	return p.RunOn(ctx, durable.OS{}, args, stdin, stdout, stderr)
}

// RunOn runs the program with a disk and outputs of the test.
func (p Program) RunOn(ctx context.Context, disk durable.FS, args []string, stdin io.Reader,
	stdout, stderr io.Writer) int {
	return cli.Run(ctx, cli.Program(p), disk, args, stdin, stdout, stderr)
}

// Expect runs the program. It checks the exit status, and that each of words is in one of the
// outputs.
func (p Program) Expect(t testing.TB, status int, words []string, stdin string, args ...string) (
	stdout, stderr string) {
	t.Helper()
	got, stdout, stderr := p.Run(t, stdin, args...)
	if got != status {
		t.Errorf("koblitz %s: status %d, want %d\n%s%s", strings.Join(args, " "), got, status, stdout,
			stderr)
	}
	for _, w := range words {
		if !strings.Contains(stdout+stderr, w) {
			t.Errorf("koblitz %s: no %q in\n%s%s", strings.Join(args, " "), w, stdout, stderr)
		}
	}
	return stdout, stderr
}

// Deep reports whether the tests run many cases, as they do in CI, instead of a few.
func Deep() bool { return os.Getenv("KOBLITZ_DEEP") != "" }

// EveryCase reports whether the tests run all cases, which takes hours.
func EveryCase() bool { return os.Getenv("KOBLITZ_DEEP") == "every" }

// DeepOnly skips a slow test unless Deep returns true. The log names the skipped work.
func DeepOnly(t *testing.T, work string) {
	t.Helper()
	if !Deep() {
		t.Skip("without KOBLITZ_DEEP: " + work)
	}
}

// Few returns the first cases, or all of them if Deep returns true.
func Few[T any](cases []T) []T {
	if !Deep() {
		return cases[:1]
	}
	return cases
}

// OneIn returns the step from one tested case to the next: n, or 1 if Deep returns true.
func OneIn(n int) int {
	if Deep() {
		return 1
	}
	return n
}

// Write writes a file and returns its path. The file is in a new folder unless name is an absolute
// path.
func Write(t testing.TB, name string, data []byte) string {
	t.Helper()
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(t.TempDir(), name)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ReadFile returns the content of a file.
func ReadFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A WriterFunc is a function that implements io.Writer.
type WriterFunc func(b []byte) (int, error)

func (f WriterFunc) Write(b []byte) (int, error) { return f(b) }

// Decode decodes a JSON document into v. The document may not have fields that v lacks.
func Decode(t testing.TB, text string, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v in %.300q", err, text)
	}
}

// Must returns v. If err is not nil, it panics.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// WantMode checks that only the owner can read the file called name.
func WantMode(t *testing.T, name string) {
	t.Helper()
	mode := Must(os.Stat(name)).Mode().Perm()
	if runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("%s: mode %04o", name, mode)
	}
}

var timing = regexp.MustCompile(`(?m)^(time|rate|run) .*$|^ *"(time|rate|begun)": .*$`)

// WithoutTime removes from a report the parts that vary between runs.
func WithoutTime(report string) string { return timing.ReplaceAllString(report, "$1$2") }
