package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/printable"
	"github.com/koblitz-go/koblitz/device"
)

// These are the values of --device that are not device names.
const (
	deviceCPU  = "cpu"
	deviceAuto = "auto"
	deviceAll  = "all"
)

// deviceName matches the values of --device: a word, or device names separated by commas. Builds
// without device support use it too, in order to tell an unsupported device from a misspelt word.
var deviceName = regexp.MustCompile(strings.ReplaceAll(
	`^(cpu|auto|all|NAME(,NAME)*)$`, "NAME", `(cuda|opencl):(0|[1-9][0-9]{0,5})`))

// An accelerator holds the devices of a run. It is nil if the user asked for no device. If dev is
// nil, the user asked for a device, but none works.
type accelerator struct {
	names   []string
	dev     *device.Device
	rows    atomic.Int64 // rows to which the devices gave verdicts
	failure atomic.Pointer[error]
	told    bool // the failure was reported; used only by the reporting goroutine
}

// handle returns the device for package batch, or nil if the run uses none.
func (a *accelerator) handle() *device.Device {
	if a == nil {
		return nil
	}
	return a.dev
}

// fail keeps the first error of a device. It may be called from several goroutines.
func (a *accelerator) fail(err error) { a.failure.CompareAndSwap(nil, &err) }

// takeFailure returns the first error of a device, with the device's name. Later calls return nil.
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
	return *err // with several devices, the error itself names the device
}

// deviceFailure returns the line with which a device's failure is reported.
func deviceFailure(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return printable.Text("device " + text + ": what it was to do is done without it")
}

// A deviceShare describes, in the JSON report, what the devices did in a run.
type deviceShare struct {
	Name string `json:"name"` // names of all devices, separated by commas; empty if none worked
	Rows int64  `json:"rows"` // number of rows to which the devices gave verdicts
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

// A deviceInfo describes a device in the output of koblitz info. The JSON names are those of
// gpu.Info.
type deviceInfo struct {
	Name     string `json:"name"`
	Driver   string `json:"driver"`
	Memory   int64  `json:"memory"` // memory size in bytes
	Units    int    `json:"units"`
	ClockMHz int    `json:"clock_mhz"`
	CPU      bool   `json:"cpu"`
}

func (d *deviceInfo) String() string {
	text := fmt.Sprintf("%s, driver %s, %d MiB, %d units", d.Name, d.Driver, d.Memory>>20, d.Units)
	if d.ClockMHz > 0 { // some drivers do not say
		text += fmt.Sprintf(", %d MHz", d.ClockMHz)
	}
	if d.CPU {
		text += ", a CPU: auto passes it over"
	}
	return text
}
