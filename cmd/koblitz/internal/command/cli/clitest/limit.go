//go:build linux && !race

package clitest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

const (
	// memoryLimit is the name of the environment variable that limits the memory of a child
	// process, in bytes.
	memoryLimit = "KOBLITZ_TEST_MEMORY_LIMIT"
	// limitStage is the name of the environment variable that is set in a process that was started
	// again after its stack limit had been set.
	limitStage = "KOBLITZ_TEST_LIMIT_STAGE"
	// allocate is the name of the environment variable with the number of bytes that the child
	// process of TestMemoryLimit allocates.
	allocate = "KOBLITZ_TEST_ALLOCATE"
)

// limitMemory limits the memory of this process to the number of bytes in the variable memoryLimit.
// RLIMIT_DATA counts all private writable mappings, touched or not (setrlimit(2), Linux 4.7). So
// the mappings that the runtime made before main and never touched are added to the limit. The
// program's code does not count, because it is mapped from a file.
func limitMemory() {
	limit, err := strconv.ParseUint(os.Getenv(memoryLimit), 10, 64)
	if err != nil {
		return
	}
	if os.Getenv(limitStage) == "" {
		// With cgo, libc reserves 8 MB for each thread's stack but uses only a few KB, so limit the
		// reservation to 1 MiB.
		must("stack limit", syscall.Setrlimit(syscall.RLIMIT_STACK, &syscall.Rlimit{Cur: 1 << 20,
			Max: 1 << 20}))
		must("exec", syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), limitStage+"=2")))
	}
	limit += statusKB("VmData")<<10 - statusKB("RssAnon")<<10
	must("data limit", syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: limit, Max: limit}))
	if n, err := strconv.Atoi(os.Getenv(allocate)); err == nil {
		b := make([]byte, n)
		for i := 0; i < n; i += 4096 {
			b[i] = 1
		}
		os.Exit(0)
	}
}

func must(what string, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, what, err)
		os.Exit(99)
	}
}

// statusKB returns the field with the given name in /proc/self/status, a number of KiB.
func statusKB(name string) uint64 {
	status, err := os.ReadFile("/proc/self/status")
	must("status", err)
	_, rest, _ := strings.Cut(string(status), name+":")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		must("status", fmt.Errorf("no %s", name))
	}
	n, err := strconv.ParseUint(fields[0], 10, 64)
	must(name, err)
	return n
}

// LimitedCommand is Command for a process that may use at most FourWorkers bytes of memory.
func LimitedCommand(args ...string) *exec.Cmd {
	cmd := Command(args...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", memoryLimit, FourWorkers), "GOMAXPROCS=4")
	return cmd
}

// Limited runs the command in a process that may use at most FourWorkers bytes of memory.
func Limited(t testing.TB, stdin io.Reader, args ...string) (status int, stdout, stderr *Ends) {
	t.Helper()
	cmd := LimitedCommand(args...)
	stdout, stderr = new(Ends), new(Ends)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok && cmd.ProcessState == nil {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), stdout, stderr
}

// An Ends is a writer that keeps only the beginning and the end of the data written to it.
type Ends struct {
	head, tail []byte
	n          int64
}

const endSize = 16 << 10

func (e *Ends) Write(b []byte) (int, error) {
	e.n += int64(len(b))
	k := min(len(b), endSize-len(e.head))
	e.head = append(e.head, b[:k]...)
	e.tail = append(e.tail, b[k:]...)
	if extra := len(e.tail) - endSize; extra > endSize {
		e.tail = bytes.Clone(e.tail[extra:])
	}
	return len(b), nil
}

func (e *Ends) String() string {
	if e.n > int64(len(e.head)+len(e.tail)) {
		return string(e.head) + "\n[…]\n" + string(e.tail)
	}
	return string(e.head) + string(e.tail)
}

// FourWorkers is the maximum memory in bytes that check with four workers needs for any input.
const FourWorkers = 200 << 20

// A Feed writes the text of a hostile input to W and keeps the first error. If Short is set, it
// writes less.
type Feed struct {
	W     io.Writer
	Short bool
	Err   error
}

// Text writes s.
func (f *Feed) Text(s string) {
	if f.Err == nil {
		_, f.Err = io.WriteString(f.W, s)
	}
}

// Times writes n copies of s.
func (f *Feed) Times(n int, s string) {
	chunk := max(1, 1<<16/len(s))
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

// Size returns n, or n/4 if short is set.
func (f *Feed) Size(n int) int {
	if f.Short {
		return n / 4
	}
	return n
}

var counted = regexp.MustCompile(`\{\d+\}`)

// Explode runs the command with four workers in a process with limited memory. text writes its
// standard input; it may be nil. Explode compares the exit status and the outputs with the expected
// ones. It returns the length of standard output.
func Explode(t *testing.T, text func(f *Feed), status int, words string, args ...string) int64 {
	t.Helper()
	if text == nil {
		text = func(*Feed) {}
	}
	r, w := io.Pipe()
	go func() {
		text(&Feed{W: w, Short: !Deep()})
		w.Close()
	}()
	got, stdout, stderr := Limited(t, r, append(args, "--workers", "4")...)
	r.Close()
	report := stdout.String() + stderr.String()
	if got != status {
		t.Errorf("status %d, want %d", got, status)
	}
	sized := counted.ReplaceAllStringFunc(words, func(s string) string {
		n, _ := strconv.Atoi(s[1 : len(s)-1])
		return strconv.Itoa((&Feed{Short: !Deep()}).Size(n))
	})
	for _, words := range strings.Split(sized, "|") {
		if !strings.Contains(report, words) {
			t.Errorf("no %q", words)
		}
	}
	if t.Failed() {
		t.Logf("%.3000s", report)
	}
	return stdout.n
}
