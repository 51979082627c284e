package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/device"
)

// Values of --device beside the names of devices.
const (
	deviceCPU  = "cpu"
	deviceAuto = "auto"
	deviceAll  = "all"
)

// deviceName is the shape of what --device takes: a word, or names with commas between. Builds
// without devices know it too, and say of a device that they have none rather than that there is
// no such word.
var deviceName = regexp.MustCompile(strings.ReplaceAll(
	`^(cpu|auto|all|NAME(,NAME)*)$`, "NAME", `(cuda|opencl):(0|[1-9][0-9]{0,5})`))

// An accelerator is what check knows of the devices that have part in a run. A nil one is none,
// which nobody asked for; one without a handle is none although somebody did.
type accelerator struct {
	names   []string
	dev     *device.Device
	rows    atomic.Int64 // for which they gave verdicts
	failure atomic.Pointer[error]
	told    bool // used by the reporting goroutine alone
}

// handle is what package batch is given.
func (a *accelerator) handle() *device.Device {
	if a == nil {
		return nil
	}
	return a.dev
}

// fail keeps the first error of a device. Goroutines with calls use it.
func (a *accelerator) fail(err error) { a.failure.CompareAndSwap(nil, &err) }

// takeFailure returns the first error of a device, with its name, once.
func (a *accelerator) takeFailure() error {
	if a == nil || a.told {
		return nil
	}
	err := a.failure.Load()
	if err == nil {
		return nil
	}
	a.told = true
	if len(a.names) == 1 {
		return fmt.Errorf("%s: %w", a.names[0], *err)
	}
	return *err // which names it, if there are several
}

// deviceFailure is the line that says that a device failed.
func deviceFailure(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return printable.Text("device " + text + ": what it was to do is done without it")
}

// A deviceShare is the part that devices had in a run, as JSON.
type deviceShare struct {
	Name string `json:"name"` // of all, with commas between; empty if there was none
	Rows int64  `json:"rows"` // for which they gave verdicts
}

func (a *accelerator) share() *deviceShare {
	if a == nil {
		return nil
	}
	return &deviceShare{strings.Join(a.names, ", "), a.rows.Load()}
}

func (s *deviceShare) String() string {
	if s.Name == "" {
		return "none"
	}
	return fmt.Sprintf("%d rows by %s", s.Rows, s.Name)
}

// A deviceInfo is a device of info. Its JSON names are those of gpu.Info.
type deviceInfo struct {
	Name     string `json:"name"`
	Driver   string `json:"driver"`
	Memory   int64  `json:"memory"` // bytes
	Units    int    `json:"units"`
	ClockMHz int    `json:"clock_mhz"`
	CPU      bool   `json:"cpu"`
}

func (d *deviceInfo) String() string {
	text := fmt.Sprintf("%s, driver %s, %d MiB, %d units, %d MHz", d.Name, d.Driver, d.Memory>>20,
		d.Units, d.ClockMHz)
	if d.CPU {
		text += ", a CPU: auto passes it over"
	}
	return text
}
