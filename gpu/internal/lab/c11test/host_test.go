package c11test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/kernels"
)

// cleared launches a kernel that clears the first n of eight words, and returns all eight
// afterwards.
func cleared(t *testing.T, path string, kernel string, n int) ([]byte, error) {
	t.Helper()
	h, wait := Start(t, path)
	b, err := h.Alloc(32)
	if err != nil {
		t.Fatal(err)
	}
	q, err := h.NewQueue(true)
	if err != nil {
		t.Fatal(err)
	}
	data := bytes.Repeat([]byte{7}, 32)
	if err := errors.Join(q.Write(b, 0, data), q.Launch(kernel, n, uint32(n), b),
		q.Wait(context.Background())); err != nil {
		t.Fatal(err)
	}
	if times := q.Times(); len(times) != 1 || int(times[0]) != n {
		t.Errorf("a launch of %d work items takes %v", n, times)
	}
	err = q.Read(data, b, 0)
	b.Free()
	return data, errors.Join(err, wait())
}

// TestHost checks that a kernel gives the right result with the work items in either order, and
// that the program ends if the launched kernel does not exist or writes after the end of memory.
func TestHost(t *testing.T) {
	want := append(make([]byte, 20), bytes.Repeat([]byte{7}, 12)...)
	for _, flags := range [][]string{Sanitized, Backward} {
		path := Compile(t, kernels.Sums().Source, append(flags, "-w")...)
		if got, err := cleared(t, path, "k_sum_clear", 5); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%x, %v", got, err)
		}
		if _, err := cleared(t, path, "k_bench_add", 5); err == nil ||
			!strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("a kernel that does not exist: %v", err)
		}
	}
	path := Compile(t, kernels.Sums().Source, append(Sanitized, "-w")...)
	if _, err := cleared(t, path, "k_sum_clear", 9); err == nil ||
		!strings.Contains(err.Error(), "heap-buffer-overflow") {
		t.Errorf("a word after the end of the memory: %v", err)
	}
}

// TestApart checks that the program ends if two work items write the same word.
func TestApart(t *testing.T) {
	source := strings.Replace(kernels.Sums().Source, "sums[(u64)n * k + row] = sum[k];",
		"sums[k] = sum[k];", 1)
	path := Compile(t, source, append(Apart, "-w")...)
	h, wait := Start(t, path)
	q, err := h.NewQueue(false)
	if err != nil {
		t.Fatal(err)
	}
	var buffers [2]driver.Buffer
	for i := range buffers {
		if buffers[i], err = h.Alloc(2 * 13 * 4); err != nil {
			t.Fatal(err)
		}
	}
	records := make([]byte, 2*13*4)
	for i := range records {
		records[i] = byte(i)
	}
	if err := errors.Join(q.Write(buffers[0], 0, records),
		q.Launch("k_equation_add", 2, uint32(2), uint32(2), buffers[0], buffers[1])); err != nil {
		t.Fatal(err)
	}
	if err := wait(); err == nil || !strings.Contains(err.Error(), "exit status 4") {
		t.Error(err)
	}
}
