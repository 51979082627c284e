//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestInterrupt checks that Ctrl-C (SIGINT) ends a process that waits for more input. The report
// must contain all rows that were checked before.
func TestInterrupt(t *testing.T) {
	row := bip340Row(t, 1)
	bad := bytes.Clone(row)
	bad[100] ^= 1
	for _, json := range []bool{false, true} {
		cmd := command("check", "--format", "packed-bip340", "-")
		if json {
			cmd.Args = append(cmd.Args, "--json")
		}
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
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The second batch of 1,024 rows begins with a bad row. The third batch is incomplete.
		if _, err := stdin.Write(bytes.Join([][]byte{bytes.Repeat(row, 1024), bad,
			bytes.Repeat(row, 1023), row}, nil)); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stdout)
		var report strings.Builder
		for !strings.Contains(report.String(), "1024") {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("%v after %q", err, report.String())
			}
			report.WriteString(line)
			if json && strings.Contains(line, `"failures"`) {
				break // the JSON object has ended, without a line end yet
			}
		}
		time.Sleep(50 * time.Millisecond)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		report.Write(rest)
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
			t.Errorf("%v, want status %d", err, exitInterrupted)
		}
		words := []string{"row 1024", "rows           2048\n", "valid          2047\n",
			"invalid        1\n"}
		if json {
			words = []string{`"row":1024`, `"rows": 2048,`, `"valid": 2047,`, `"interrupted": true`,
				`"exit": 130`}
		}
		for _, w := range words {
			if !strings.Contains(report.String(), w) {
				t.Errorf("no %q in\n%s", w, report.String())
			}
		}
		if !json && !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("stderr %q", stderr.String())
		}
	}
}

// TestProgress checks that the command shows a bar with rate and remaining time on a terminal, and
// none in a pipe.
func TestProgress(t *testing.T) {
	file := write(t, "rows", bytes.Repeat(bip340Row(t, 1), 4000))
	var out, errs bytes.Buffer
	cmd := command("check", "--format", "packed-bip340", file)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() != 0 || strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("in a pipe: %v, %q, %q", err, out.String(), errs.String())
	}
	name := regexp.MustCompile(`(?m)^file .*$`) // the line differs for standard input
	want := name.ReplaceAllString(withoutTime(out.String()), "")

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
		cmd := command(append([]string{"check", "--format", "packed-bip340"}, test.args...)...)
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
		if name.ReplaceAllString(withoutTime(out.String()), "") != want {
			t.Errorf("%v: another report: %q", test.args, out.String())
		}
	}
}

// rowStream is a reader that returns a row many times without storing the copies.
type rowStream struct {
	row  []byte
	left int64 // number of bytes left to return
	at   int
	end  func() // called when all bytes have been read
}

func (s *rowStream) Read(b []byte) (int, error) {
	if s.left == 0 {
		s.end()
		return 0, io.EOF
	}
	n := 0
	for n < len(b) && s.left > 0 {
		k := copy(b[n:min(int64(len(b)), int64(n)+s.left)], s.row[s.at:])
		s.at = (s.at + k) % len(s.row)
		s.left -= int64(k)
		n += k
	}
	return n, nil
}

// peakOf returns the peak memory of a running process in bytes, or 0 if it is unknown. The peak in
// the rusage of a process that has ended would be wrong: on Linux it is at least the peak of the
// process that started it.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := int64(0)
	fmt.Sscan(rest, &kib)
	return kib << 10
}

// TestMemory checks that the memory of a process stays below the limit for check while the process
// reads many more bytes than that. Every row is a failure.
func TestMemory(t *testing.T) {
	deepOnly(t, "it streams half a gigabyte")
	const size, limit = 512 << 20, 100 << 20
	cmd := command("check", "--format", "packed-bip340", "-")
	peak := int64(0)
	cmd.Stdin = &rowStream{row: bytes.Repeat([]byte{0xff}, 128), left: size,
		end: func() { peak = peakOf(cmd.Process.Pid) }}
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	if cmd.ProcessState.ExitCode() != exitInvalid || !strings.Contains(out.String(),
		"malformed      4194304\n") {
		t.Errorf("%v: %s", err, out.String())
	}
	if peak == 0 {
		usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		if !ok {
			t.Fatal("the system does not report the memory of the process")
		}
		peak = int64(usage.Maxrss)
		if peak < 1<<20 {
			peak <<= 10 // most systems count in KiB, macOS in bytes
		}
	}
	t.Logf("at most %d MiB for %d MiB of rows", peak>>20, size>>20)
	if raceDetector {
		t.Skip("with -race: the race detector needs memory of its own")
	}
	if peak > limit {
		t.Errorf("%d MiB, want at most %d", peak>>20, limit>>20)
	}
}
