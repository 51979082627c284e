//go:build unix

package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/columns/columnstest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli/clitest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/commandtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
)

// TestInterrupt checks that Ctrl-C (SIGINT) ends a process that waits for more input. The report
// must contain all rows that were read before.
func TestInterrupt(t *testing.T) {
	row := commandtest.BIP340Row(t, 1)
	bad := bytes.Clone(row)
	bad[100] ^= 1
	// The second batch of 1,024 rows begins with a bad row. The third batch is incomplete.
	packed := string(bytes.Join([][]byte{bytes.Repeat(row, 1024), bad, bytes.Repeat(row, 1023), row},
		nil))
	event := commandtest.SignedEvent(t, 1, "a")
	events := event + "\n" + `["EVENT","x",` + event + "]\n" +
		strings.Replace(event, `"a"`, `"b"`, 1) + "\n"
	for _, test := range []struct {
		args  []string
		stdin string
		until string // the interrupt comes after this output
		words []string
	}{
		{[]string{"--format", "packed-bip340", "-"}, packed, "row 1024", []string{
			"rows           2048\n", "valid          2047\n", "invalid        1\n"}},
		{[]string{"--format", "packed-bip340", "--json", "--progress", "json", "-"}, packed,
			`"rows":2048,`, []string{
				`"row":1024`, `"rows": 2048,`, `"valid": 2047,`, `"interrupted": true`, `"exit": 130`}},
		{[]string{"-"}, events, "stdin:3: ", []string{"rows           3\n",
			"valid          2\n", "invalid        1\n"}},
	} {
		cmd := clitest.Command(append([]string{"check"}, test.args...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		asJSON := slices.Contains(test.args, "--json")
		if asJSON { // the report comes at the end, but the progress on standard error before
			cmd.Stderr = cmd.Stdout
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(stdin, test.stdin); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stdout)
		var report strings.Builder
		for !strings.Contains(report.String(), test.until) {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %q", err, report.String())
			}
			report.WriteString(line)
		}
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		report.Write(rest)
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != cli.ExitInterrupted {
			t.Errorf("%v: %v, want status %d", test.args, err, cli.ExitInterrupted)
		}
		for _, w := range test.words {
			if !strings.Contains(report.String(), w) {
				t.Errorf("%v: no %q in\n%s", test.args, w, report.String())
			}
		}
		if !asJSON && !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: stderr %q", test.args, stderr.String())
		}
	}
}

// TestBlocked checks that an interrupt ends each command within a second while it waits for another
// program: for input, or for its output to be read.
func TestBlocked(t *testing.T) {
	key := write(t, "key", bytes.Repeat([]byte("01"), 32))
	_, public, _ := invoke(t, "", "pub", "--key", key)
	public = strings.TrimSpace(public)
	sign := []string{"sign", "--key", key, "--form", "recoverable", "00"}
	_, signature, _ := invoke(t, "", sign...)
	signature = strings.TrimSpace(signature)
	folder, keys := commandtest.CoreFolder, keysFile(t)
	tweaks := filepath.Join(t.TempDir(), "tweaks")
	expect(t, cli.ExitOK, nil, "", "tweaks", folder, "-o", tweaks)
	table := columnstest.Signed(t, reading.ECDSA, 3)
	arrow := string(arrowstreamtest.Stream(arrowstreamtest.Binaries(table)))
	arrowArgs := []string{"stream", "--columns", commandtest.TableArgs[reading.ECDSA]}
	packedArgs := []string{"stream", "--format", "packed-bip340"}
	packedRow := string(commandtest.BIP340Row(t, 1))
	file := write(t, "rows", []byte(packedRow))

	for _, test := range []struct {
		args  []string
		stdin string // sent before the command waits
	}{
		{[]string{"check", "-"}, ""},
		{[]string{"check", "--format", "packed-bip340", "-"}, packedRow},
		{[]string{"check", "--columns", commandtest.TableArgs[reading.ECDSA], "-"}, ""},
		{arrowArgs, ""},
		{arrowArgs, arrow[:2]},
		{arrowArgs, arrow[:len(arrow)-arrowstreamtest.EndSize]},
		{arrowArgs, arrow},
		{packedArgs, packedRow},
		{packedArgs, packedRow[:100]},
		{[]string{"scan", "--keys", "-", tweaks, folder}, "scan"},
		{[]string{"pub", "--key", "-"}, "01"},
		{[]string{"ecdh", "--key", "-", "--peer", public}, ""},
		{[]string{"ecdh", "--key", key, "--peer", "-"}, ""},
		{[]string{"sign", "--key", "-", "00"}, ""},
		{[]string{"sign", "--key", key, "-"}, "text"},
		{[]string{"sign", "--key", key, "--scheme", "bip340", "-"}, "text"},
		{[]string{"verify", "--pub", "-", "--sig", signature[:128], "00"}, ""},
		{[]string{"verify", "--pub", public, "--sig", "-", "00"}, ""},
		{[]string{"verify", "--pub", public, "--sig", signature[:128], "-"}, ""},
		{[]string{"recover", "--sig", "-", "00"}, ""},
		{[]string{"recover", "--sig", signature, "-"}, ""},
	} {
		blocked(t, test.args, func(in *io.PipeReader, out *io.PipeWriter) (io.Reader, io.Writer) {
			go io.WriteString(out, test.stdin)
			return in, io.Discard
		})
	}

	for _, test := range []struct {
		args  []string
		stdin string
	}{
		{[]string{"check", "--sample"}, ""},
		{[]string{"check", "--sample", "--json"}, ""},
		{[]string{"check", "--format", "packed-bip340", "--progress", "json", file}, ""},
		{[]string{"check", file + "x"}, ""},
		{arrowArgs, arrow},
		{packedArgs, packedRow},
		{[]string{"tweaks", folder, "-o", tweaks}, ""},
		{[]string{"scan", "--keys", keys, tweaks, folder}, ""},
		{[]string{"keygen", "-o", "-"}, ""},
		{[]string{"pub", "--key", key}, ""},
		{[]string{"ecdh", "--key", key, "--peer", public}, ""},
		{sign, ""},
		{[]string{"verify", "--pub", public, "--sig", signature[:128], "00"}, ""},
		{[]string{"recover", "--sig", signature, "00"}, ""},
		{[]string{"info"}, ""},
		{[]string{"man"}, ""},
		{[]string{"version"}, ""},
		{[]string{"--version"}, ""},
		{[]string{"help", "check"}, ""},
		{[]string{"check", "--help"}, ""},
		{[]string{"completion", "bash"}, ""},
		{[]string{"nothing"}, ""},
	} {
		blocked(t, test.args, func(in *io.PipeReader, out *io.PipeWriter) (io.Reader, io.Writer) {
			return strings.NewReader(test.stdin), out
		})
	}
}

// TestBlockedFile checks that an interrupt ends a command that opens a named pipe or reads from it.
func TestBlockedFile(t *testing.T) {
	deepOnly(t, "each of its commands takes a second")
	key := write(t, "key", bytes.Repeat([]byte("01"), 32))
	for _, args := range [][]string{
		{"sign", "--key", "PIPE", "00"},
		{"sign", "--key", key, "@PIPE"},
		{"scan", "--keys", "PIPE", "tweaks", "folder"},
		{"verify", "--pub", "@PIPE", "--sig", "00", "00"},
	} {
		for _, opened := range []bool{false, true} {
			t.Run(args[0], func(t *testing.T) {
				t.Parallel()
				pipe := filepath.Join(t.TempDir(), "PIPE")
				if err := syscall.Mkfifo(pipe, 0o600); err != nil {
					t.Fatal(err)
				}
				open := func() *os.File {
					f, err := os.OpenFile(pipe, os.O_RDWR, 0)
					if err != nil {
						t.Fatal(err)
					}
					return f
				}
				var other *os.File
				if opened {
					other = open()
				}
				all := slices.Clone(args)
				for i := range all {
					all[i] = strings.Replace(all[i], "PIPE", pipe, 1)
				}
				ctx, interrupt := context.WithCancel(t.Context())
				interrupt()
				status, _, stderr := program.RunContext(ctx, strings.NewReader(""), all...)
				if !opened {
					other = open() // ends the call that waits
				}
				other.Close()
				if status != cli.ExitInterrupted {
					t.Errorf("koblitz %v: status %d, %s", all, status, stderr)
				}
			})
		}
	}
}

// blocked runs the command until it waits for the other end of a pipe, and interrupts it. The
// function streams gets both ends of the pipe. It returns the command's input and output, and uses
// one end of the pipe for one of them.
func blocked(t *testing.T, args []string,
	streams func(*io.PipeReader, *io.PipeWriter) (io.Reader, io.Writer)) {
	t.Helper()
	t.Run(args[0], func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			r, w := io.Pipe()
			in, out := streams(r, w)
			result := make(chan int, 1)
			go func() { result <- program.RunTo(ctx, args, in, out, out) }()
			synctest.Wait()
			start := time.Now()
			if len(result) > 0 {
				t.Errorf("koblitz %v: status %d before the interrupt", args, <-result)
				result <- cli.ExitInterrupted
			}
			interrupt()
			select {
			case status := <-result:
				if took := time.Since(start); status != cli.ExitInterrupted || took > time.Second {
					t.Errorf("koblitz %v: status %d after %v", args, status, took)
				}
			case <-time.After(time.Minute):
				t.Errorf("koblitz %v: not interrupted", args)
			}
			r.Close()
			w.Close()
		})
	})
}

// TestProgress checks that the command shows a bar with rate and remaining time on a terminal, and
// none in a pipe.
func TestProgress(t *testing.T) {
	file := write(t, "rows", bytes.Repeat(commandtest.BIP340Row(t, 1), 4000))
	var out, errs bytes.Buffer
	cmd := clitest.Command("check", "--format", "packed-bip340", file)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() != 0 || strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("in a pipe: %v, %q, %q", err, out.String(), errs.String())
	}
	name := regexp.MustCompile(`(?m)^file .*$`) // the line differs for standard input
	want := name.ReplaceAllString(clitest.WithoutTime(out.String()), "")

	for _, test := range []struct {
		args  []string
		stdin bool
		words []string
	}{
		{[]string{file}, false, []string{"rows  ", "/s", "%", "left"}},
		{[]string{"-"}, true, []string{"rows  ", "/s"}},
		{[]string{"--no-progress", file}, false, nil},
	} {
		terminal, tty, err := pty.Open()
		if err != nil {
			t.Skipf("without pseudo-terminal: %v", err)
		}
		if err := pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
			t.Fatal(err)
		}
		screen := make(chan string)
		go func() {
			b, _ := io.ReadAll(terminal) // returns an error when the other end is closed
			screen <- string(b)
		}()
		out.Reset()
		cmd := clitest.Command(append([]string{"check", "--format", "packed-bip340"}, test.args...)...)
		cmd.Stdout, cmd.Stderr = &out, tty
		if test.stdin {
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() { io.Copy(w, f); w.Close(); f.Close() }()
			cmd.Stdin = r
			defer r.Close()
		}
		if err := cmd.Run(); err != nil {
			t.Error(err)
		}
		tty.Close()
		got := <-screen
		terminal.Close()
		for _, w := range test.words {
			if !strings.Contains(got, w) {
				t.Errorf("%v: no %q in %q", test.args, w, got)
			}
		}
		if test.words == nil && got != "" {
			t.Errorf("%v: %q", test.args, got)
		}
		if test.words != nil && !strings.HasSuffix(got, "\r\x1b[K") {
			t.Errorf("%v: the bar was left behind: %q", test.args, got)
		}
		if strings.Contains(got, "\n") {
			t.Errorf("%v: the bar scrolls: %q", test.args, got)
		}
		if name.ReplaceAllString(clitest.WithoutTime(out.String()), "") != want {
			t.Errorf("%v: another report: %q", test.args, out.String())
		}
	}
}
