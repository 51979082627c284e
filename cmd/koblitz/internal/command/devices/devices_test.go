package devices

import (
	"errors"
	"testing"
)

// TestDeviceShare checks that the report lists the names of all devices, and that the error of one
// device names only that device.
func TestDeviceShare(t *testing.T) {
	a := &Accelerator{Names: []string{"cuda:0 A", "cuda:1 B"}}
	a.Rows.Store(7)
	if got, want := a.Share().String(), "7 rows by cuda:0 A, cuda:1 B"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.Fail(errors.New("cuda:1 B: error 700"))
	const want = "device cuda:1 B: error 700: what it was to do is done without it"
	if got := a.TakeFailure(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDeviceNameShape checks which values of --device match the pattern Name.
func TestDeviceNameShape(t *testing.T) {
	for name, want := range map[string]bool{"cpu": true, "auto": true, "all": true, "cuda:0": true,
		"opencl:10": true, "cuda:0,cuda:1": true, "cuda:0,opencl:2,cuda:1": true, "": false, ",": false,
		"cuda:0,": false, ",cuda:0": false, "cuda:0,auto": false, "all,cuda:0": false,
		"cuda:0 cuda:1": false, "cuda:01": false, "metal:0": false} {
		if Name.MatchString(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}
