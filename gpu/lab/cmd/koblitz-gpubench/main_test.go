package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/gpu/internal/cuda"
	"github.com/koblitz-go/koblitz/gpu/internal/driver"
	"github.com/koblitz-go/koblitz/gpu/internal/lab/cudatest"
	"github.com/koblitz-go/koblitz/gpu/lab/measure"
)

// gpubench runs the program with the given arguments, and returns its output, its error output and
// its exit status.
func gpubench(args ...string) (out, errs string, status int) {
	var o, e bytes.Buffer
	status = run(context.Background(), measure.Installed(), args, &o, &e)
	return o.String(), e.String(), status
}

// TestUsage checks that wrong arguments are reported as command-line errors that name the argument.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-nothing":             "-nothing",
		"extra":                `"extra"`,
		"-sizes 0":             `"0"`,
		"-sizes 256,":          `""`,
		"-sizes 2^40":          `"2^40"`,
		"-sizes 2^-1":          `"2^-1"`,
		"-sizes 100000000":     "100000000",
		"-sizes many":          `"many"`,
		"-only mull":           `"mull"`,
		"-only ecdsa,,":        `""`,
		"-time never":          "never",
		"-items -1":            "items is negative",
		"-gather -5":           "gather is negative",
		"-time -1s":            "time is negative",
		"-launch -1s":          "launch is negative",
		"-items 99999999":      "items is above 16777216",
		"-gather 549755813888": "gather is above 274877906880",
		"-sizes 1 -only x -ce": "-ce",
	} {
		out, errs, status := gpubench(strings.Fields(args)...)
		if status != usage || !strings.Contains(errs, want) || out != "" {
			t.Errorf("%s: status %d, %q, %q", args, status, out, errs)
		}
	}
	_, errs, status := gpubench("-help")
	if status != good || !strings.Contains(errs, "-device") {
		t.Errorf("-help: status %d, %q", status, errs)
	}
	for _, device := range []string{"cuda:77", "cuda:77,cuda:78", ""} {
		first, _, _ := strings.Cut(device, ",")
		out, errs, status := gpubench("-device", device)
		if status != failed || !strings.Contains(errs, strconv.Quote(first)) || out != "" {
			t.Errorf("a device that does not exist: status %d, %q, %q", status, out, errs)
		}
	}
	if all := named(nil, "all"); !slices.Equal(all, []string{"auto"}) {
		t.Errorf("without a device all are %q", all)
	}
}

// A broken is a driver of two devices. The first cannot be opened.
type broken struct{ *cuda.API }

var errOpen = errors.New("it cannot be opened")

func (b broken) Open(index int) (driver.Device, error) {
	if index == 0 {
		return nil, errOpen
	}
	return b.API.Open(index)
}

// TestBroken checks that a device that fails does not keep the others from being measured, and that
// the exit status and the error output report it.
func TestBroken(t *testing.T) {
	fake := cudatest.New()
	fake.Count = 2
	for _, device := range []string{"all", "cuda:0,cuda:1"} {
		var out, errs bytes.Buffer
		status := run(t.Context(), measure.Drivers{broken{fake.API()}}, []string{"-device", device,
			"-quick", "-only", "imad", "-items", "2"}, &out, &errs)
		if status != failed || !strings.Contains(out.String(), "cuda:1 ") ||
			!strings.Contains(out.String(), "\nIMAD") ||
			!strings.Contains(errs.String(), "\nkoblitz-gpubench: cuda:0: "+errOpen.Error()+"\n") {
			t.Errorf("%s: status %d\n%s\n%s", device, status, &out, &errs)
		}
	}
}

// TestInterruptedBetween checks the status if the program is interrupted between two devices.
func TestInterruptedBetween(t *testing.T) {
	fake := cudatest.New()
	fake.Count = 2
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	errs := &watched{row: "imad", lose: cancel}
	status := run(ctx, measure.Drivers{fake.API()}, []string{"-device", "all", "-quick", "-only",
		"imad", "-items", "2"}, &out, errs)
	if status != interrupted || strings.Contains(out.String(), "cuda:1 ") {
		t.Errorf("status %d\n%s", status, &out)
	}
}

// TestSizes checks that sizes may be numbers and powers of two.
func TestSizes(t *testing.T) {
	sizes, err := parseSizes("1,2^8,2^20,300")
	if err != nil || !slices.Equal(sizes, []int{1, 1 << 8, 1 << 20, 300}) {
		t.Error(sizes, err)
	}
}

// aDevice skips the test if there is no OpenCL device.
func aDevice(t *testing.T) {
	t.Helper()
	out, _, status := gpubench("-list")
	names, _ := measure.Installed().Names(true)
	others, _ := measure.Installed().Names(false)
	names = append(names, others...)
	if !slices.ContainsFunc(names, func(name string) bool {
		return strings.HasPrefix(name, "opencl:0 ")
	}) {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	if status != good || !strings.Contains(out, "opencl:0 ") {
		t.Errorf("-list: status %d, prints %q", status, out)
	}
}

// TestNoDevice checks that -list says why there are no devices.
func TestNoDevice(t *testing.T) {
	var out, errs bytes.Buffer
	status := devices(nil, errors.New("cuda: no library"), &out, &errs)
	if status != failed || out.Len() > 0 || !strings.Contains(errs.String(), "cuda: no library") {
		t.Errorf("status %d, %q, %q", status, &out, &errs)
	}
	errs.Reset()
	status = devices([]string{"cuda:0 a"}, errors.New("opencl: no library"), &out, &errs)
	if status != good || out.String() != "cuda:0 a\n" || errs.Len() > 0 {
		t.Errorf("status %d, %q, %q", status, &out, &errs)
	}
}

// small are arguments for a short measurement.
var small = []string{"-device", "opencl:0", "-quick", "-only", "mul,imad", "-sizes", "128",
	"-items", "128", "-seed", "5"}

// TestRun checks that tables are printed to standard output, that progress is printed to standard
// error, and that the file contains all reports.
func TestRun(t *testing.T) {
	aDevice(t)
	file := filepath.Join(t.TempDir(), "run.json")
	out, errs, status := gpubench(append(small, "-json", file)...)
	if status != good || !strings.Contains(out, "\nmultiply ") ||
		!strings.Contains(out, "Seed 5") || !strings.HasPrefix(errs, "imad ") ||
		strings.Contains(out, "square") {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	printed, _, status := gpubench(append(small, "-json", "-")...)
	for _, text := range []string{string(data), printed} {
		var reports []measure.Report
		if err := json.Unmarshal([]byte(text), &reports); err != nil || len(reports) != 1 ||
			status != good {
			t.Fatalf("%d reports, %v, status %d", len(reports), err, status)
		}
		r := &reports[0]
		if row, ok := r.Best("mul"); !ok || row.Size != 128 || row.Kernel.Median <= 0 || r.Seed != 5 {
			t.Errorf("%+v", r)
		}
	}
}

// TestFile checks that a file that cannot be written is an error before anything is measured, and
// that a writable file is not changed if nothing is measured.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	there, missing := filepath.Join(dir, "there"), filepath.Join(dir, "missing")
	if err := os.WriteFile(there, []byte("an earlier run"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(missing, "none"), dir} {
		out, errs, status := gpubench(append(small, "-json", file)...)
		if status != failed || out != "" || strings.Count(errs, "\n") != 1 ||
			!strings.Contains(errs, file) {
			t.Errorf("%s: status %d, %q, %q", file, status, out, errs)
		}
	}
	for _, file := range []string{there, missing} {
		if _, _, status := gpubench("-device", "cuda:77", "-json", file); status != failed {
			t.Error("status", status)
		}
	}
	if b, err := os.ReadFile(there); err != nil || string(b) != "an earlier run" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("there is a file without a report")
	}
}

// TestInterrupted checks that a signal ends the program, and that the program prints what it has
// measured before.
func TestInterrupted(t *testing.T) {
	aDevice(t)
	ctx, cancel := context.WithCancel(context.Background())
	var out bytes.Buffer
	errs := &cancelled{cancel: cancel}
	status := run(ctx, measure.Installed(), small, &out, errs)
	if status != interrupted || !strings.Contains(out.String(), "IMAD") ||
		strings.Contains(out.String(), "2^7") || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("status %d\n%s%s", status, &out, errs)
	}
}

// A cancelled is a writer for progress messages that cancels a context when something is written.
type cancelled struct {
	bytes.Buffer
	cancel func()
}

func (c *cancelled) Write(b []byte) (int, error) {
	c.cancel()
	return c.Buffer.Write(b)
}
