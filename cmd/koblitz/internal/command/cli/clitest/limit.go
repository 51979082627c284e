package clitest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// FourWorkers is the maximum memory in bytes that check with four workers needs for any input.
const FourWorkers = 200 << 20

// asLimited is the name of the environment variable that makes a process of Command end with status
// 99 if it has used more than FourWorkers bytes.
const asLimited = "KOBLITZ_TEST_LIMITED"

// peak returns the most memory that this process has used at any time, in bytes, without the pages
// of files such as the program. It knows it on Linux alone (proc_pid_status(5)), and otherwise
// returns 0.
func peak() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	kib := func(field string) (n int64) {
		_, rest, _ := strings.Cut(string(status), "\n"+field+":")
		fmt.Sscan(rest, &n)
		return n
	}
	return (kib("VmHWM") - kib("RssFile")) << 10
}

// Limited runs the command with four workers in a process that may use at most FourWorkers bytes of
// memory.
func Limited(t testing.TB, stdin io.Reader, args ...string) (status int, stdout, stderr *Ends) {
	t.Helper()
	cmd := Command(append(args, "--workers", "4")...)
	cmd.Env = append(cmd.Env, asLimited+"=1", "GOMAXPROCS=4")
	stdout, stderr = new(Ends), new(Ends)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout, stderr
}

// An Ends is a writer that keeps only the beginning and the end of the data written to it.
type Ends struct {
	b []byte
	n int64
}

func (e *Ends) Write(b []byte) (int, error) {
	const end = 16 << 10
	e.n += int64(len(b))
	if e.b = append(e.b, b...); len(e.b) > 4*end {
		e.b = slices.Delete(e.b, end, len(e.b)-end)
	}
	return len(b), nil
}

func (e *Ends) String() string { return string(e.b) }

// A Feed writes the text of a hostile input to W and keeps the first error. If Short is set, it
// writes less.
type Feed struct {
	W     io.Writer
	Short bool
	Err   error
}

// Text writes s.
func (f *Feed) Text(s string) { f.Times(1, s) }

// Times writes n copies of s.
func (f *Feed) Times(n int, s string) {
	chunk := max(1, 1<<16/max(1, len(s)))
	b := bytes.Repeat([]byte(s), min(n, chunk))
	for ; n > 0 && f.Err == nil; n -= chunk {
		_, f.Err = f.W.Write(b[:min(n, chunk)*len(s)])
	}
}

// List writes n copies of s, separated by commas.
func (f *Feed) List(n int, s string) {
	f.Times(n-1, s+",")
	f.Text(s)
}

// Size returns n, or n/4 if Short is set.
func (f *Feed) Size(n int) int {
	if f.Short {
		return n / 4
	}
	return n
}

var counted = regexp.MustCompile(`\{\d+\}`)

// Explode runs the command in a process with limited memory. text writes its standard input; it may
// be nil. Explode compares the exit status, and looks in the outputs for words, which are separated
// by |; {12} stands for Size(12). It returns the length of standard output.
func Explode(t *testing.T, text func(f *Feed), status int, words string, args ...string) int64 {
	t.Helper()
	sizes := &Feed{Short: !Deep()}
	r, w := io.Pipe()
	go func() {
		if text != nil {
			text(&Feed{W: w, Short: sizes.Short})
		}
		w.Close()
	}()
	got, stdout, stderr := Limited(t, r, args...)
	r.Close()
	report := stdout.String() + stderr.String()
	if got != status {
		t.Errorf("status %d, want %d", got, status)
	}
	words = counted.ReplaceAllStringFunc(words, func(s string) string {
		return strconv.Itoa(sizes.Size(Must(strconv.Atoi(s[1 : len(s)-1]))))
	})
	for words := range strings.SplitSeq(words, "|") {
		if !strings.Contains(report, words) {
			t.Errorf("no %q", words)
		}
	}
	if t.Failed() {
		t.Logf("%.3000s", report)
	}
	return stdout.n
}
