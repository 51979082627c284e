//go:build linux && !race

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
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

// limited runs the command in a process that may use at most limit bytes of memory.
func limited(t testing.TB, limit int, stdin io.Reader, env []string, args ...string) (status int,
	stdout, stderr *ends) {
	t.Helper()
	cmd := command(args...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", memoryLimit, limit), "GOMAXPROCS=4")
	cmd.Env = append(cmd.Env, env...)
	stdout, stderr = new(ends), new(ends)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok && cmd.ProcessState == nil {
			t.Fatal(err)
		}
	}
	return cmd.ProcessState.ExitCode(), stdout, stderr
}

// An ends is a writer that keeps only the beginning and the end of the data written to it.
type ends struct {
	head, tail []byte
	n          int64
}

const endSize = 16 << 10

func (e *ends) Write(b []byte) (int, error) {
	e.n += int64(len(b))
	k := min(len(b), endSize-len(e.head))
	e.head = append(e.head, b[:k]...)
	e.tail = append(e.tail, b[k:]...)
	if extra := len(e.tail) - endSize; extra > endSize {
		e.tail = bytes.Clone(e.tail[extra:])
	}
	return len(b), nil
}

func (e *ends) String() string {
	if e.n > int64(len(e.head)+len(e.tail)) {
		return string(e.head) + "\n[…]\n" + string(e.tail)
	}
	return string(e.head) + string(e.tail)
}
