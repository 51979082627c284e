// Package c11test runs kernels compiled as C11 by gcc, for tests: gcc's sanitizers then check
// memory accesses, and work items can run in any order. Kernels with barriers cannot run this way;
// those of sums and equations, and the one that makes tables, have none.
package c11test

//ci:untested TestFaults and TestOverruns of package sums plant errors that its programs must find.

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// Flags of gcc.
var (
	// Sanitized ends the program with an error on accesses outside of memory and on undefined
	// behaviour.
	Sanitized = []string{"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	// Strict makes the compiler report warnings as errors.
	Strict = []string{"-Wall", "-Wextra", "-Werror", "-Wno-unused-function"}
	// Backward makes work items run in reverse order.
	Backward = []string{"-DBACKWARD"}
)

//go:embed testdata/host.c
var program []byte

// Compile compiles a program that runs the kernels in source, with the given flags of gcc, and
// returns its path. It skips the test if gcc is not installed.
func Compile(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("without gcc: the host is written in C")
	}
	dir := t.TempDir()
	host := filepath.Join(dir, "host.c")
	for name, text := range map[string][]byte{
		filepath.Join(dir, "program.cl"): []byte(source), host: program,
	} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "host")
	// gcc compiles in a tenth of the time if it does not inline small functions.
	args := append([]string{"-std=c11", "-O1", "-fno-inline", "-I" + dir, "-o", path, host}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// A Host is a driver.Device that runs kernels compiled as C11. It has one queue.
type Host struct {
	in   *bufio.Writer
	out  io.Reader
	free []driver.Handle // numbers of memory that are not in use
	log  bytes.Buffer
}

// The program numbers memory from 1 to mostMemory.
const mostMemory = 63

// Start starts a program that Compile has made. The function wait ends the program and returns the
// error with which it ended.
func Start(t *testing.T, path string) (h *Host, wait func() error) {
	t.Helper()
	h = new(Host)
	for id := range driver.Handle(mostMemory) {
		h.free = append(h.free, mostMemory-id)
	}
	cmd := exec.Command(path)
	cmd.Stderr = &h.log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if h.out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	h.in = bufio.NewWriterSize(in, 1<<16)
	return h, func() error {
		h.in.Flush()
		in.Close()
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w\n%s", err, h.log.Bytes())
		}
		return nil
	}
}

// Commands that the program reads from standard input.
const (
	commandAlloc = iota
	commandFree
	commandWrite
	commandRead
	commandLaunch
)

func (h *Host) command(code byte, numbers ...int) {
	h.in.WriteByte(code)
	h.numbers(numbers...)
}

func (h *Host) numbers(numbers ...int) {
	for _, n := range numbers {
		h.in.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
}

func (h *Host) Info() driver.Info { return driver.Info{Name: "host:0", Units: 1} }
func (h *Host) AllocHost(int) (*driver.HostMemory, error) {
	return nil, driver.ErrMemory
}

// Load does nothing: the kernels are compiled into the program.
func (h *Host) Load(*driver.Program) error { return nil }
func (h *Host) Close() error               { return nil }

func (h *Host) Alloc(bytes int) (driver.Buffer, error) {
	last := len(h.free) - 1
	id := h.free[last]
	h.free = h.free[:last]
	h.command(commandAlloc, int(id), bytes)
	return driver.NewBuffer(h, id, bytes, func(driver.Handle) {
		h.command(commandFree, int(id))
		h.free = append(h.free, id)
	}), nil
}

func (h *Host) NewQueue(bool) (driver.Queue, error) {
	return driver.NewQueue(h, hostQueue{h}), nil
}

// A hostQueue implements driver.Commands for a Host. An error of a kernel is returned only when the
// program is ended.
type hostQueue struct{ h *Host }

func (q hostQueue) Copy(memory driver.Handle, off int, host []byte, back bool) error {
	if !back {
		q.h.command(commandWrite, int(memory), off, len(host))
		_, err := q.h.in.Write(host)
		return err
	}
	q.h.command(commandRead, int(memory), off, len(host))
	if err := q.h.in.Flush(); err != nil {
		return err
	}
	_, err := io.ReadFull(q.h.out, host)
	return err
}

func (q hostQueue) Launch(kernel string, groups int, args []any) error {
	q.h.command(commandLaunch, len(kernel))
	q.h.in.WriteString(kernel)
	q.h.numbers(groups*driver.Group, len(args))
	for _, arg := range args {
		number, ok := arg.(uint32)
		if !ok {
			number = uint32(arg.(driver.Handle))
		}
		q.h.numbers(int(number))
	}
	return nil
}

func (q hostQueue) Drain() error           { return q.h.in.Flush() }
func (q hostQueue) Times() []time.Duration { return nil }
func (q hostQueue) Close()                 {}
