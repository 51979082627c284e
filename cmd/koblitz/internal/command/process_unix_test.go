//go:build unix

package command

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/creack/pty"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/arrowstreamtest"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/arrowstream/ipc"
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
		args  string
		stdin string
		until string // the interrupt comes after this output
		words []string
	}{
		{"check --format packed-bip340 -", packed, "row 1024", []string{"rows           2048\n",
			"valid          2047\n", "invalid        1\n", "interrupted"}},
		{"check --format packed-bip340 --json --progress json -", packed, `"rows":2048,`, []string{
			`"row":1024`, `"rows": 2048,`, `"valid": 2047,`, `"interrupted": true`, `"exit": 130`}},
		{"check -", events, "stdin:3: ", []string{"rows           3\n", "valid          2\n",
			"invalid        1\n", "interrupted"}},
	} {
		cmd := clitest.Command(strings.Fields(test.args)...)
		stdin, stdout := clitest.Must(cmd.StdinPipe()), clitest.Must(cmd.StdoutPipe())
		cmd.Stderr = cmd.Stdout // a report in JSON comes at the end, and the progress before
		clitest.Must(0, cmd.Start())
		go io.WriteString(stdin, test.stdin)
		var report strings.Builder
		lines := bufio.NewReader(io.TeeReader(stdout, &report))
		for !strings.Contains(report.String(), test.until) {
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatalf("%v after %q", err, report.String())
			}
		}
		cmd.Process.Signal(os.Interrupt)
		io.Copy(io.Discard, lines)
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != cli.ExitInterrupted {
			t.Errorf("%s: status %d", test.args, status)
		}
		for _, w := range test.words {
			if !strings.Contains(report.String(), w) {
				t.Errorf("%s: no %q in\n%s", test.args, w, report.String())
			}
		}
	}
}

// TestBlocked checks that an interrupt ends each command within a second while it waits for another
// program: for input, or for its output to be read.
func TestBlocked(t *testing.T) {
	key := write(t, "key", bytes.Repeat([]byte("01"), 32))
	folder, keys := commandtest.CoreFolder, keysFile(t)
	tweaks := filepath.Join(t.TempDir(), "tweaks")
	expect(t, cli.ExitOK, nil, "", "tweaks", folder, "-o", tweaks)
	table := columnstest.Signed(t, reading.ECDSA, 3)
	arrow := string(arrowstreamtest.Stream(arrowstreamtest.Binaries(table)))
	arrowArgs := "stream --columns " + commandtest.TableArgs[reading.ECDSA]
	row := string(commandtest.BIP340Row(t, 1))
	for _, test := range []struct{ args, stdin string }{ // sent before the command waits
		{"check -", ""},
		{"check --format packed-bip340 -", row},
		{"check --columns " + commandtest.TableArgs[reading.ECDSA] + " -", ""},
		{arrowArgs, ""},
		{arrowArgs, arrow[:2]},
		{arrowArgs, arrow[:len(arrow)-len(ipc.End)]},
		{arrowArgs, arrow},
		{"stream --format packed-bip340", row},
		{"stream --format packed-bip340", row[:100]},
		{"scan --keys - " + tweaks + " " + folder, "scan"},
		{"pub --key -", "01"},
		{"sign --key " + key + " -", "text"},
		{"recover --sig - 00", ""},
	} {
		blocked(t, test.args, func(in *io.PipeReader, out *io.PipeWriter) (io.Reader, io.Writer) {
			go io.WriteString(out, test.stdin)
			return in, io.Discard
		})
	}
	for _, test := range []struct{ args, stdin string }{
		{"check --sample", ""},
		{"check --sample --json --progress json", ""},
		{"check nothing", ""},
		{arrowArgs, arrow},
		{"stream --format packed-bip340", row},
		{"tweaks " + folder + " -o " + tweaks, ""},
		{"scan --keys " + keys + " " + tweaks + " " + folder, ""},
		{"keygen -o -", ""},
		{"pub --key " + key, ""},
		{"info", ""},
		{"help check", ""},
		{"completion bash", ""},
		{"nothing", ""},
	} {
		blocked(t, test.args, func(in *io.PipeReader, out *io.PipeWriter) (io.Reader, io.Writer) {
			return strings.NewReader(test.stdin), out
		})
	}
}

// blocked runs the command until it waits for the other end of a pipe, and interrupts it. The
// function streams gets both ends of the pipe. It returns the command's input and output, and uses
// one end of the pipe for one of them.
func blocked(t *testing.T, args string,
	streams func(*io.PipeReader, *io.PipeWriter) (io.Reader, io.Writer)) {
	t.Helper()
	t.Run(args, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			r, w := io.Pipe()
			in, out := streams(r, w)
			result := make(chan int, 1)
			go func() { result <- program.RunTo(ctx, strings.Fields(args), in, out, out) }()
			synctest.Wait()
			start := time.Now()
			if len(result) > 0 {
				t.Errorf("koblitz %s: status %d before the interrupt", args, <-result)
				result <- cli.ExitInterrupted
			}
			interrupt()
			select {
			case status := <-result:
				if took := time.Since(start); status != cli.ExitInterrupted || took > time.Second {
					t.Errorf("koblitz %s: status %d after %v", args, status, took)
				}
			case <-time.After(time.Minute):
				t.Errorf("koblitz %s: not interrupted", args)
			}
			r.Close()
			w.Close()
		})
	})
}

// TestProgress checks that there is a bar on a terminal, and none in a pipe.
func TestProgress(t *testing.T) {
	rows := bytes.Repeat(commandtest.BIP340Row(t, 1), 4000)
	file := write(t, "rows", rows)
	name := regexp.MustCompile(`(?m)^file .*$`) // the line differs for standard input
	want, errs := clitest.RunCommand(t, cli.ExitOK, nil, "check", "--format", "packed-bip340", file)
	want = name.ReplaceAllString(clitest.WithoutTime(want), "")
	if errs != "" || strings.ContainsAny(want, "\r\x1b") {
		t.Errorf("in a pipe: %q, %q", want, errs)
	}
	for _, test := range []struct {
		args  []string
		words []string
	}{
		{[]string{file}, []string{"rows  ", "/s", "%", "left", "\r\x1b[K"}},
		{[]string{"-"}, []string{"rows  ", "/s", "\r\x1b[K"}},
		{[]string{"--progress", "none", file}, nil},
	} {
		terminal, tty, err := pty.Open()
		if err != nil {
			t.Skipf("without pseudo-terminal: %v", err)
		}
		pty.Setsize(terminal, &pty.Winsize{Rows: 24, Cols: 80})
		screen := make(chan string)
		go func() {
			b, _ := io.ReadAll(terminal) // returns an error when the other end is closed
			screen <- string(b)
		}()
		var out bytes.Buffer
		cmd := clitest.Command(append([]string{"check", "--format", "packed-bip340"}, test.args...)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(rows), &out, tty
		err = cmd.Run()
		tty.Close()
		got := <-screen
		terminal.Close()
		for _, w := range test.words {
			if !strings.Contains(got, w) {
				t.Errorf("%v: no %q in %q", test.args, w, got)
			}
		}
		if test.words == nil && got != "" || test.words != nil && !strings.HasSuffix(got, "\r\x1b[K") ||
			strings.Contains(got, "\n") {
			t.Errorf("%v: the bar scrolls, or was left behind: %q", test.args, got)
		}
		if name.ReplaceAllString(clitest.WithoutTime(out.String()), "") != want || err != nil {
			t.Errorf("%v: %v, another report: %q", test.args, err, out.String())
		}
	}
}
