//go:build !gpu

package devices

import (
	"context"

	"github.com/koblitz-go/koblitz/cmd/koblitz/internal/command/cli"
)

// Help describes --device. None is the text that koblitz info prints if there is no device.
const (
	Help = "`DEVICE` that verifies rows: in this build the CPU, for cpu, auto and all"

	None = "none: this build is for the CPU alone"
)

// install is the command that installs a build with device support from a checkout.
const install = "go install -tags gpu ./cmd/koblitz"

// Describe returns None, which also gives the reason.
func Describe() (found, missing []string) { return []string{None}, nil }

// Open opens no device, since this build supports none. The values cpu, auto and all select
// the CPU; a device name is a usage error.
func Open(_ context.Context, name string, _ int, _ cli.Streams) (*Accelerator, error) {
	switch name {
	case CPU, Auto, All:
		return nil, nil
	}
	return nil, cli.Usagef("--device %s: this build is for the CPU alone; one with devices, from a "+
		"checkout of the repository: %s", name, install)
}
