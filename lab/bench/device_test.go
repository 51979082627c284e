package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	devices "github.com/koblitz-go/koblitz/gpu/lab/measure"
)

// TestDevice checks that the results of bench contain the measurements of the device that -device
// names. If this device does not exist, bench must fail before it measures anything.
func TestDevice(t *testing.T) {
	if out, errs, err := bench(append(short, "-device", "cuda:77")...); err == nil ||
		!strings.Contains(err.Error(), `"cuda:77"`) || out != "" || strings.Contains(errs, "1/2") {
		t.Errorf("a device that does not exist: %v\n%s%s", err, out, errs)
	}
	out, _, err := bench(short...)
	if err != nil || !strings.Contains(out, "The device\n\n```\nleft out: not asked for") {
		t.Errorf("without a device: %v\n%s", err, out)
	}
	cpus, _ := devices.Installed().Names(true)
	others, _ := devices.Installed().Names(false)
	names := strings.Join(append(cpus, others...), " ")
	if !strings.Contains(names, "opencl:0 ") {
		t.Skip("without OpenCL: install pocl-opencl-icd and ocl-icd-libopencl1")
	}
	dir := t.TempDir()
	out, errs, err := bench(append(short, "-quick", "-device", "opencl:0", "-report", dir)...)
	if err != nil {
		t.Fatalf("%v\n%s", err, errs)
	}
	for _, want := range []string{"The device\n\n```\nopencl:0 ", "k·P", "ECDSA, compressed keys"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, name := range []string{"report.md", "run.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !bytes.Contains(b, []byte("opencl:0 ")) {
			t.Errorf("%s: no device, %v", name, err)
		}
	}
	if r := read(t, dir); r.Device == nil || len(r.Device.Rows) < 20 {
		t.Errorf("%+v", r.Device)
	}
}

// TestNoDevice checks that accelerator, if no device is named, returns either a report or the
// reason why no device was measured.
func TestNoDevice(t *testing.T) {
	var progress bytes.Buffer
	report, why, err := accelerator("auto", false, true, &progress)
	if err != nil || (report == nil) == (why == "") {
		t.Errorf("%+v, %q, %v", report, why, err)
	}
}
