package main

import (
	"bufio"
	"bytes"
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/check"
	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// TestLinked checks that only builds with device support link the code that loads driver libraries.
func TestLinked(t *testing.T) {
	b, ok := debug.ReadBuildInfo()
	if !ok || len(b.Deps) == 0 {
		t.Fatal("this build does not know what it is made of")
	}
	found := false
	for _, m := range b.Deps {
		if m.Path == "github.com/ebitengine/purego" || m.Path == libraryPath+"/gpu" {
			found = true
		}
	}
	if found != withGPU {
		t.Errorf("modules of devices: %v, want %v", found, withGPU)
	}
}

// TestDeviceFailure checks that a device's failure is reported once, on standard error only, and
// does not change the exit status.
func TestDeviceFailure(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		var out, said bytes.Buffer
		a := &accelerator{names: []string{"cuda:0 Fake\x1b[2J"}}
		w := bufio.NewWriter(&out)
		r := &report{out: w, err: &said, asJSON: asJSON, device: a}
		r.Progress(new(check.Counts), 0)
		if said.Len() > 0 {
			t.Errorf("before anything failed: %q", said.String())
		}
		a.fail(errors.Join(errors.New("launch: error 700"), errors.New("and lost")))
		a.fail(errors.New("another"))
		r.Progress(new(check.Counts), 0)
		a.fail(errors.New("a third"))
		a.rows.Store(5)
		if status := r.finish(check.Counts{Valid: 9}, false); status != cli.ExitOK {
			t.Errorf("exit status %d", status)
		}
		const want = `koblitz: device cuda:0 Fake\x1b[2J: launch: error 700; and lost: ` +
			"what it was to do is done without it\n"
		if said.String() != want {
			t.Errorf("said %q, want %q", said.String(), want)
		}
		share := `device         5 rows by cuda:0 Fake\x1b[2J` + "\n"
		if asJSON {
			share = `"rows": 5` + "\n"
		}
		if !strings.Contains(out.String(), share) || strings.Contains(out.String(), "\x1b") {
			t.Errorf("no %q in %q", share, out.String())
		}
	}
}

// TestDeviceShare checks that the report lists the names of all devices, and that the error of one
// device names only that device.
func TestDeviceShare(t *testing.T) {
	a := &accelerator{names: []string{"cuda:0 A", "cuda:1 B"}}
	a.rows.Store(7)
	if got, want := a.share().String(), "7 rows by cuda:0 A, cuda:1 B"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	a.fail(errors.New("cuda:1 B: error 700"))
	if err := a.takeFailure(); err == nil || err.Error() != "cuda:1 B: error 700" {
		t.Error(err)
	}
}

// TestDeviceNameShape checks that well-formed values of --device match the pattern deviceName, and
// that other values do not.
func TestDeviceNameShape(t *testing.T) {
	for name, want := range map[string]bool{"cpu": true, "auto": true, "all": true, "cuda:0": true,
		"opencl:10": true, "cuda:0,cuda:1": true, "cuda:0,opencl:2,cuda:1": true, "": false, ",": false,
		"cuda:0,": false, ",cuda:0": false, "cuda:0,auto": false, "all,cuda:0": false,
		"cuda:0 cuda:1": false, "cuda:01": false, "metal:0": false} {
		if deviceName.MatchString(name) != want {
			t.Errorf("%q: %v, want %v", name, !want, want)
		}
	}
}
