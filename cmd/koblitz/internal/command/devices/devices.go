// Package devices opens the devices that --device names, and lists the devices of the machine.
package devices

import (
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/reading"
	"github.com/koblitz-go/koblitz/device"
)

// These are the values of --device that are not device names.
const (
	CPU  = "cpu"
	Auto = "auto"
	All  = "all"
)

// Name matches the values of --device: a word, or device names separated by commas. Builds
// without device support use it too, in order to tell an unsupported device from a misspelt word.
var Name = regexp.MustCompile(strings.ReplaceAll(
	`^(cpu|auto|all|NAME(,NAME)*)$`, "NAME", `(cuda|opencl):(0|[1-9][0-9]{0,5})`))

// An Accelerator holds the devices of a run. It is nil if the user asked for no device. If dev is
// nil, the user asked for a device, but none works.
type Accelerator struct {
	Names   []string
	Rows    atomic.Int64 // rows to which the devices gave verdicts
	dev     *device.Device
	failure atomic.Pointer[error]
	told    bool // the failure was reported; used only by the reporting goroutine
}

// Device returns the device for package batch, or nil if the run uses none.
func (a *Accelerator) Device() *device.Device {
	if a == nil {
		return nil
	}
	return a.dev
}

// Fail keeps the first error of a device. It may be called from several goroutines.
func (a *Accelerator) Fail(err error) { a.failure.CompareAndSwap(nil, &err) }

// TakeFailure returns the line with which the first error of a device is reported. Without an
// error, and in later calls, it returns "".
func (a *Accelerator) TakeFailure() string {
	if a == nil || a.told {
		return ""
	}
	err := a.failure.Load()
	if err == nil {
		return ""
	}
	a.told = true
	if len(a.Names) == 1 { // with several devices, the error itself names the device
		return failureLine(fmt.Errorf("%s: %w", a.Names[0], *err))
	}
	return failureLine(*err)
}

// failureLine returns the line with which a device's failure is reported.
func failureLine(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return reading.Printable("device " + text + ": what it was to do is done without it")
}

// A Share describes, in the JSON report, what the devices did in a run.
type Share struct {
	Name string `json:"name"` // names of all devices, separated by commas; empty if none worked
	Rows int64  `json:"rows"` // number of rows to which the devices gave verdicts
}

// Share returns what the devices did, or nil without devices.
func (a *Accelerator) Share() *Share {
	if a == nil {
		return nil
	}
	return &Share{strings.Join(a.Names, ", "), a.Rows.Load()}
}

func (s *Share) String() string {
	if s.Name == "" {
		return "none"
	}
	return fmt.Sprintf("%d rows by %s", s.Rows, s.Name)
}
