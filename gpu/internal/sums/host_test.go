package sums

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
)

// A host is a device whose kernels are compiled as C11, and which has one queue.
type host struct {
	in   *bufio.Writer
	out  io.Reader
	next int
	free []int
	log  bytes.Buffer
}

// compileHost returns a program of testdata with the kernels of a text.
func compileHost(t *testing.T, source string, flags ...string) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no gcc")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sums.cl"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "host")
	// A compiler that inlines all that is small takes ten times as long.
	args := append([]string{"-std=c11", "-O1", "-fno-inline", "-I" + dir, "-o", path,
		"testdata/host.c"}, flags...)
	if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// startHost starts a program. wait ends it, and returns what was wrong.
func startHost(t *testing.T, path string) (h *host, wait func() error) {
	t.Helper()
	h = new(host)
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

// Commands of the program.
const (
	commandAlloc = iota
	commandFree
	commandWrite
	commandRead
	commandLaunch
)

func (h *host) command(code byte, numbers ...int) {
	h.in.WriteByte(code)
	h.numbers(numbers...)
}

func (h *host) numbers(numbers ...int) {
	for _, n := range numbers {
		h.in.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
}

type hostBuffer struct {
	h  *host
	id int
}

func (h *host) Info() driver.Info { return driver.Info{Name: "host:0", Units: 1} }
func (h *host) AllocHost(int) (driver.HostMemory, error) {
	return nil, driver.ErrMemory
}

func (h *host) Load(*driver.Program) error      { return nil }
func (h *host) NewQueue() (driver.Queue, error) { return hostQueue{h}, nil }
func (h *host) Close() error                    { return nil }

func (h *host) Alloc(bytes int) (driver.Buffer, error) {
	id := h.next
	if n := len(h.free); n > 0 {
		id, h.free = h.free[n-1], h.free[:n-1]
	} else {
		h.next++
	}
	h.command(commandAlloc, id, bytes)
	return &hostBuffer{h, id}, nil
}

func (b *hostBuffer) Free() {
	b.h.command(commandFree, b.id)
	b.h.free = append(b.h.free, b.id)
}

// A hostQueue is the queue of a host. Its errors come when the program is done.
type hostQueue struct{ h *host }

func (q hostQueue) Write(dst driver.Buffer, off int, src []byte) error {
	q.h.command(commandWrite, dst.(*hostBuffer).id, off, len(src))
	_, err := q.h.in.Write(src)
	return err
}

func (q hostQueue) Read(dst []byte, src driver.Buffer, off int) error {
	q.h.command(commandRead, src.(*hostBuffer).id, off, len(dst))
	if err := q.h.in.Flush(); err != nil {
		return err
	}
	_, err := io.ReadFull(q.h.out, dst)
	return err
}

func (q hostQueue) Launch(kernel string, n int, args ...any) error {
	q.h.command(commandLaunch, len(kernel))
	q.h.in.WriteString(kernel)
	q.h.numbers(n, len(args))
	for _, a := range args {
		switch a := a.(type) {
		case uint32:
			q.h.numbers(int(a))
		case *hostBuffer:
			q.h.numbers(a.id)
		default:
			return fmt.Errorf("a %T is no argument", a)
		}
	}
	return nil
}

func (q hostQueue) Wait(context.Context) error { return q.h.in.Flush() }
func (q hostQueue) Close()                     {}

// sanitized are flags with which reads and writes outside of memory, and undefined behaviour, end
// the program.
var sanitized = []string{"-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
