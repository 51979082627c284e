package main

import (
	"context"
	"fmt"
	"io"
	"time"

	devices "github.com/koblitz-go/koblitz/gpu/lab/measure"
)

// accelerator measures the accelerator with the given name, such as a GPU, and returns the report.
// The name "auto" chooses a device, and "none" chooses none. The empty name means "none" if the
// user selected operations, and otherwise "auto". If there is no report, or if the report lacks
// rows, reason says why. If the measurement of a device that the user named fails, err says why.
func accelerator(
	name string, selected, quick bool, progress io.Writer,
) (report *devices.Report, reason string, err error) {
	if name == "none" || name == "" && selected {
		return nil, "not asked for; the flag -device measures one", nil
	}
	if name == "" {
		name = "auto"
	}
	o := devices.Options{Seed: uint64(time.Now().UnixNano())}
	if quick {
		o.Quicken()
	}
	o.Tell = func(r devices.Row) { fmt.Fprintln(progress, r.Line()) }
	report, err = devices.Installed().Device(context.Background(), name, o)
	if err == nil {
		return report, "", nil
	}
	if name != "auto" {
		return nil, "", fmt.Errorf("device %s: %w", name, err)
	}
	return report, err.Error(), nil
}
